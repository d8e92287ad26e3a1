// What is particular to a root that is a directory of the machine.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "system/test_trees.h"

namespace culprit::system {
namespace {

namespace fs = std::filesystem;

TEST(RootedSystem, LinksDoNotLeadOut) {
  TemporaryDirectory outside, root;
  std::ofstream(outside.path() + "/secret") << "outside";
  fs::create_directories(root.path() + outside.path());
  fs::create_directory(root.path() + "/d");
  fs::create_symlink(outside.path() + "/secret", root.path() + "/absolute");
  fs::create_symlink("../../../../../.." + outside.path() + "/secret", root.path() + "/d/relative");
  fs::create_symlink("/", root.path() + "/top");
  const auto system = *RootedSystem(root.path());
  for (const char* path : {"/absolute", "/d/relative"}) {
    EXPECT_EQ(system->Open(path).error(), PathError::kNoEntry) << path;
  }
  EXPECT_EQ(system->RealPath("/top"), "/");
  EXPECT_EQ(system->List("/top")->size(), system->List("/")->size());
  std::ofstream(root.path() + outside.path() + "/secret") << "inside";
  for (const char* path : {"/absolute", "/d/relative"}) {
    EXPECT_EQ(ReadWholeFile(*system, path, 100), "inside") << path;
  }
}

TEST(RootedSystem, KnowsNothingOfTheHostButItsPageSize) {
  TemporaryDirectory root;
  const auto system = *RootedSystem(root.path());
  EXPECT_TRUE(system->Environment().empty());
  EXPECT_EQ(system->WorkingDirectory(), "/");
  EXPECT_EQ(system->HostCpu(), (base::Cpu{.page_size = static_cast<uint64_t>(sysconf(_SC_PAGESIZE))}));
}

TEST(RootedSystem, RootMayBeALinkOrRelativeAndIsKeptWhenRenamed) {
  TemporaryDirectory directory;
  fs::create_directory(directory.path() + "/tree");
  std::ofstream(directory.path() + "/tree/f") << "text";
  fs::create_symlink("tree", directory.path() + "/link");
  const auto system = *RootedSystem(directory.path() + "/link/");
  EXPECT_EQ(ReadWholeFile(*system, "/f", 100), "text");
  fs::rename(directory.path() + "/tree", directory.path() + "/renamed");
  EXPECT_EQ(ReadWholeFile(*system, "/f", 100), "text");
  EXPECT_TRUE(RootedSystem("."));
}

TEST(RootedSystem, DepthOfTheRootDoesNotCountToTheLengthOfAPath) {
  TemporaryDirectory directory;
  const std::string root = directory.path() + "/" + std::string(200, 'r'), name(250, 'd');
  fs::create_directory(root);
  const fs::path before = fs::current_path();
  fs::current_path(root);
  std::string path;
  for (int i = 0; i < 16; ++i) {
    path += "/" + name;
    fs::create_directory(name);
    fs::current_path(name);
  }
  fs::current_path(before);
  EXPECT_EQ((*RootedSystem(root))->Stat(path)->type, FileType::kDirectory);
  EXPECT_EQ(RealSystem()->Stat(root + path).error(), PathError::kNameTooLong);
}

TEST(RootedSystem, SaysWhyADirectoryCannotBeTheRoot) {
  TemporaryDirectory directory;
  const auto missing = RootedSystem(directory.path() + "/none");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, base::ErrorCode::kNotFound);
  EXPECT_EQ(missing.error().message,
            "cannot use " + directory.path() + "/none as root: No such file or directory");

  std::ofstream(directory.path() + "/file") << "";
  const auto file = RootedSystem(directory.path() + "/file");
  ASSERT_FALSE(file);
  EXPECT_EQ(file.error().code, base::ErrorCode::kNotReadable);
  EXPECT_EQ(file.error().message, "cannot use " + directory.path() + "/file as root: Not a directory");

  fs::create_directory(directory.path() + "/locked");
  chmod((directory.path() + "/locked").c_str(), 0);
  const WithoutRootRights rights;
  const auto locked = RootedSystem(directory.path() + "/locked");
  ASSERT_FALSE(locked);
  EXPECT_EQ(locked.error().code, base::ErrorCode::kNotReadable);
  EXPECT_EQ(locked.error().message, "cannot use " + directory.path() + "/locked as root: Permission denied");
}

// Somebody swaps a directory for a link that leads out, again and again, while files are read below it.
TEST(RootedSystem, ADirectoryThatBecomesALinkMeanwhileDoesNotLeadOut) {
  for (const auto resolve : {HostFiles::Resolve::kByKernel, HostFiles::Resolve::kByWalk}) {
    TemporaryDirectory outside, root;
    std::ofstream(outside.path() + "/f") << "outside";
    std::ofstream(outside.path() + "/0") << "";
    fs::create_directories(root.path() + "/a/b");
    std::ofstream(root.path() + "/a/b/f") << "inside";
    fs::create_symlink(outside.path(), root.path() + "/a/link");
    const auto system = SystemBelow(*HostFiles::Below(root.path(), resolve));
    std::atomic<bool> done = false;
    std::thread swapping([&] {
      const std::string b = root.path() + "/a/b", link = root.path() + "/a/link",
                        other = root.path() + "/a/c";
      while (!done) {
        fs::rename(b, other), fs::rename(link, b), fs::rename(other, link);
      }
    });
    for (int i = 0; i < 20000; ++i) {
      EXPECT_NE(ReadWholeFile(*system, "/a/b/f", 100).value_or(""), "outside");
      const auto entries = system->List("/a/b");
      EXPECT_TRUE(!entries || entries->empty() || entries->front().name == "f");
      const auto status = system->Stat("/a/b/f");
      EXPECT_TRUE(!status || status->size == 6);
    }
    done = true;
    swapping.join();
  }
}

}  // namespace
}  // namespace culprit::system
