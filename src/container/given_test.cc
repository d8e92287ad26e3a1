// Whose libcuda programs of an image get on a host, by what the image has.
#include "container/given.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "binfmt/elf/constants.h"

namespace culprit::container {
namespace {

using snapshot::DriverLibrary;
using snapshot::DriverLibraryKind;
using snapshot::GivenFrom;

constexpr const char* kLibraries = "/usr/lib/x86_64-linux-gnu/";

// Files and symlinks; nothing else is asked for.
class Files final : public snapshot::FileView {
 public:
  std::set<std::string> files;
  std::map<std::string, std::string> links;  // to absolute paths; of directories too

  const snapshot::FileFacts& Open(const std::string& path) override {
    return files.contains(RealPath(path)) ? there_ : missing_;
  }
  snapshot::PathError Directory(const std::string&) override { return snapshot::PathError::kNone; }
  std::string RealPath(const std::string& path) override {
    for (const auto& [link, target] : links) {
      if (path == link) return RealPath(target);
      if (path.starts_with(link + "/")) return RealPath(target + path.substr(link.size()));
    }
    return path;
  }
  std::optional<std::vector<snapshot::DirectoryItem>> List(const std::string&) override { return {}; }
  snapshot::Fact<snapshot::LibraryVersion> Version(const std::string&) override { return {}; }
  snapshot::Fact<binfmt::GpuCode> GpuCode(const std::string&) override { return {}; }
  const binfmt::PeExports* Exports(const std::string&) override { return nullptr; }

 private:
  const snapshot::FileFacts there_{.kind = snapshot::FileKind::kRegular};
  const snapshot::FileFacts missing_{.error = snapshot::PathError::kNoEntry};
};

class Given : public ::testing::Test {
 protected:
  Given() {
    image_.loaders.push_back({.path = "/lib64/ld-linux-x86-64.so.2",
                              .flavor = snapshot::LoaderFlavor::kGlibc,
                              .machine = EM_X86_64,
                              .bits = 64,
                              .system_dirs = {"/lib/x86_64-linux-gnu/", kLibraries, "/lib/", "/usr/lib/"}});
    snapshot::Driver driver;
    driver.kernel_version = snapshot::Fact<std::string>::NotApplicable("host unseen");
    image_.stack.driver = snapshot::Fact<snapshot::Driver>::Of(driver, "driver");
    image_.stack.context = snapshot::Fact<snapshot::Context>::Of({.container = "image"}, "context");
  }

  void AddCompat(const std::string& version, std::vector<uint32_t> branches = {}) {
    const std::string real = "/usr/local/cuda-12.8/compat/libcuda.so." + version;
    files_.files.insert(real);
    files_.links["/usr/local/cuda-12.8/compat/libcuda.so.1"] = real;
    files_.links["/usr/local/cuda"] = "/usr/local/cuda-12.8";
    image_.stack.driver.value->libraries.push_back({.name = "libcuda.so.1",
                                                    .path = "/usr/local/cuda-12.8/compat/libcuda.so.1",
                                                    .real_path = real,
                                                    .version = version,
                                                    .kind = DriverLibraryKind::kCompat,
                                                    .size = 1,
                                                    .compat_branches = std::move(branches)});
  }
  // `name` in the image's cache.
  void Cache(const std::string& name, const std::string& path) {
    entries_.push_back(
        {.flags = 0x0303, .name = *names_.insert(name).first, .path = *names_.insert(path).first});
    image_.ld_cache = snapshot::Fact<binfmt::LdCache>::Of({.entries = entries_}, "cache");
  }
  snapshot::GivenLibrary On(const std::string& version) {
    snapshot::Snapshot host = image_;
    snapshot::Driver driver;
    driver.kernel_version = snapshot::Fact<std::string>::Of(version, "--host");
    driver.assumed = true;
    host.stack.driver = snapshot::Fact<snapshot::Driver>::Of(driver, "--host");
    Give(image_, files_, host);
    key_ = LoadsKey(host);
    for (const auto& given : host.stack.driver->given) {
      if (given.name == "libcuda.so.1") return given;
    }
    return {};
  }

  snapshot::Snapshot image_;
  Files files_;
  std::set<std::string> names_;
  std::vector<binfmt::LdCacheEntry> entries_;
  std::string key_;
};

TEST_F(Given, HostsLibrariesLieWhereTheDistributionHasItsOwn) {
  EXPECT_EQ(
      On("535.104.05"),
      (snapshot::GivenLibrary{"libcuda.so.1", std::string(kLibraries) + "libcuda.so.1", GivenFrom::kHost}));
  const std::string key = key_;
  On("580.95.05");
  EXPECT_EQ(key, key_) << "programs load the same on both hosts";
  image_.loaders.front().system_dirs = {"/lib64/", "/usr/lib64/"};
  EXPECT_EQ(On("535.104.05").path, "/usr/lib64/libcuda.so.1");
}

TEST_F(Given, CompatWithoutANoteComesFirstIfItsMajorVersionIsHigher) {
  AddCompat("570.86.15");
  EXPECT_EQ(On("535.104.05").from, GivenFrom::kCompat);
  EXPECT_EQ(On("535.104.05").path, "/usr/local/cuda-12.8/compat/libcuda.so.1");
  EXPECT_EQ(On("570.26").from, GivenFrom::kHost);
  EXPECT_EQ(On("580.95.05").from, GivenFrom::kHost);
}

TEST_F(Given, CompatWithANoteComesFirstOnTheBranchesThatItLists) {
  AddCompat("570.86.15", {535, 550});
  EXPECT_EQ(On("535.104.05").from, GivenFrom::kCompat);
  EXPECT_EQ(On("545.23.08").from, GivenFrom::kHost);
  AddCompat("575.57.08", {535, 550});
  EXPECT_EQ(On("535.104.05").from, GivenFrom::kHost) << "of two libraries the toolkit takes none";
}

TEST_F(Given, NewestVersionWinsInOneDirectory) {
  const std::string real = std::string(kLibraries) + "libcuda.so.550.54.14";
  files_.files.insert(real);
  files_.links[std::string(kLibraries) + "libcuda.so.1"] = real;
  files_.links["/lib"] = "/usr/lib";
  Cache("libcuda.so.1", "/lib/x86_64-linux-gnu/libcuda.so.1");
  EXPECT_EQ(On("535.104.05").from, GivenFrom::kImage);
  EXPECT_EQ(On("580.95.05").from, GivenFrom::kHost);
  EXPECT_EQ(On("550.54.14").from, GivenFrom::kHost) << "mounted over it";
}

TEST_F(Given, AFileThatIsNoSymlinkStays) {
  files_.files.insert(std::string(kLibraries) + "libcuda.so.1");
  EXPECT_EQ(On("580.95.05").from, GivenFrom::kImage);
}

TEST_F(Given, CopiesInOtherDirectoriesOfTheConfigurationComeFirst) {
  files_.files.insert("/usr/local/lib/libcuda.so.1");
  Cache("libcuda.so.1", "/usr/local/lib/libcuda.so.1");
  EXPECT_EQ(On("580.95.05").path, "/usr/local/lib/libcuda.so.1");
}

TEST_F(Given, NothingIsGivenToOthers) {
  image_.stack.context.value->container = "";
  EXPECT_EQ(On("535.104.05").path, "") << "the disk of a machine";
  image_.stack.context.value->container = "singularity";
  EXPECT_EQ(On("535.104.05").path, "") << "Apptainer binds them elsewhere";
}

}  // namespace
}  // namespace culprit::container
