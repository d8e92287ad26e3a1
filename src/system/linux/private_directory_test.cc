// Nobody else's links are followed, nothing of a living process is swept, whatever the umask.
#include "system/private_directory.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <string>

namespace culprit::system {
namespace {

namespace fs = std::filesystem;

mode_t ModeOf(const fs::path& path) {
  struct stat status = {};
  return lstat(path.c_str(), &status) == 0 ? status.st_mode & 07777 : 0;
}

class PrivateDirectories : public testing::Test {
 protected:
  PrivateDirectories() : umask_(umask(0)) {
    std::string pattern = (fs::temp_directory_path() / "culprit-private-XXXXXX").string();
    top_ = mkdtemp(pattern.data());
  }
  ~PrivateDirectories() override {
    umask(umask_);
    fs::remove_all(top_);
  }
  fs::path Make(const std::string& name) {
    fs::create_directory(top_ / name);
    std::ofstream(top_ / name / "journal") << "large";
    return top_ / name;
  }

  mode_t umask_;
  fs::path top_;
};

TEST_F(PrivateDirectories, AreTheUsersAlone) {
  const auto made = MakePrivateDirectory(top_);
  ASSERT_TRUE(made);
  EXPECT_EQ(ModeOf(made->path), 0700u);
  EXPECT_TRUE(WriteNewFile(made->path / "library", "bytes"));
  EXPECT_EQ(ModeOf(made->path / "library"), 0600u);
}

TEST_F(PrivateDirectories, NothingIsWrittenThroughALinkOrOverAFile) {
  std::ofstream(top_ / "victim") << "before";
  fs::create_symlink("victim", top_ / "link");
  fs::create_symlink("new", top_ / "dangling");
  for (const char* name : {"victim", "link", "dangling"})
    EXPECT_FALSE(WriteNewFile(top_ / name, "x")) << name;
  EXPECT_EQ(fs::file_size(top_ / "victim"), 6u);
  EXPECT_FALSE(fs::exists(top_ / "new"));
}

TEST_F(PrivateDirectories, LeftoversAreSweptAndNothingElse) {
  const auto alive = MakePrivateDirectory(top_);
  ASSERT_TRUE(alive);
  fs::path ended;
  {
    const auto made = MakePrivateDirectory(top_);
    ASSERT_TRUE(made);
    ended = made->path;
    EXPECT_TRUE(WriteNewFile(ended / "journal", "large"));
  }
  const fs::path other = Make("somebody.else1"), elsewhere = Make("target");
  fs::create_directory_symlink(elsewhere, top_ / "culprit.linked");
  SweepLeftovers(top_);
  EXPECT_FALSE(fs::exists(ended));
  EXPECT_TRUE(fs::exists(alive->path));
  EXPECT_TRUE(fs::exists(other / "journal"));
  EXPECT_TRUE(fs::exists(elsewhere / "journal")) << "a link is not followed";
}

TEST_F(PrivateDirectories, OnlyWhereOthersCannotReplaceThem) {
  EXPECT_TRUE(IsSafePlace(top_));
  fs::create_directory(top_ / "below");
  chmod((top_ / "below").c_str(), 0777);
  EXPECT_FALSE(IsSafePlace(top_ / "below"));
  chmod((top_ / "below").c_str(), 01777);
  EXPECT_TRUE(IsSafePlace(top_ / "below"));
  chmod(top_.c_str(), 0777);
  EXPECT_FALSE(IsSafePlace(top_ / "below")) << "nor above";
  EXPECT_FALSE(IsSafePlace(top_ / "missing"));
}

}  // namespace
}  // namespace culprit::system
