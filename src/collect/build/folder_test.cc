// What is read of a build folder, and which directories are one.
#include "collect/build/folder.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "binfmt/elf/write.h"
#include "collect/target.h"
#include "system/memory.h"

namespace culprit::collect {
namespace {

using snapshot::BuildFolder;
using snapshot::BuildItem;

class Builds : public testing::Test {
 protected:
  BuildFolder Collect(const std::string& path = "/app/build") {
    Surroundings around{.system = system_, .environment = {{"PATH", "/usr/bin"}}, .working_directory = "/"};
    around.builds = {path};
    const auto folders = CollectBuilds(around);
    return folders && !folders->empty() ? folders->front() : BuildFolder{};
  }
  void AddProgram(const std::string& path, uint16_t type = 3) {
    std::string bytes = binfmt::BuildElf({.soname = "x"});
    bytes[16] = static_cast<char>(type);
    system_.AddFile(path, std::move(bytes), 0755);
  }
  static std::string ValueOf(const BuildFolder& folder, BuildItem item) {
    const auto found = std::ranges::find(folder.settings, item, &snapshot::BuildSetting::item);
    return found == folder.settings.end() ? "" : found->value;
  }
  system::MemorySystem system_;
};

TEST_F(Builds, AreRecognisedByWhatTheirSystemLeaves) {
  for (const char* path : {"/a/CMakeCache.txt", "/b/meson-info/meson-info.json", "/c/compile_commands.json",
                           "/d/temp.linux-x86_64-cpython-311/a.o", "/e/build/CMakeCache.txt"})
    system_.AddFile(path, "");
  system_.AddFile("/f/notes.txt", "");
  for (const char* path : {"/a", "/b", "/c", "/d"})
    EXPECT_EQ(ClassifyTarget(system_, path)->kind, TargetKind::kBuildFolder) << path;
  EXPECT_EQ(ClassifyTarget(system_, "/e")->path, "/e/build");
  EXPECT_FALSE(ClassifyTarget(system_, "/f"));
}

TEST_F(Builds, AnEnvironmentThatIsOneTooStaysAnEnvironment) {
  system_.AddFile("/a/pyvenv.cfg", "");
  system_.AddFile("/a/CMakeCache.txt", "");
  EXPECT_EQ(ClassifyTarget(system_, "/a")->kind, TargetKind::kEnvironment);
}

TEST_F(Builds, WhatACallSaysCountsMoreThanTheDefault) {
  system_.AddFile("/app/build/CMakeCache.txt",
                  "CMAKE_CUDA_ARCHITECTURES:STRING=52\nCMAKE_HOME_DIRECTORY:INTERNAL=/app\n");
  EXPECT_EQ(ValueOf(Collect(), BuildItem::kArchitectures), "sm_52 compute_52");
  system_.AddFile("/app/build/CMakeFiles/a.dir/flags.make",
                  "CUDA_FLAGS = -O3 \"--generate-code=arch=compute_90,code=[sm_90]\"\n");
  EXPECT_EQ(ValueOf(Collect(), BuildItem::kArchitectures), "sm_90");
}

// Makefiles of CMake pass long lists in files of their own.
TEST_F(Builds, ListsInFilesOfTheirOwn) {
  system_.AddFile("/app/build/CMakeCache.txt", "");
  system_.AddFile("/opt/cudnn/include/cudnn_version.h",
                  "#define CUDNN_MAJOR 9\n#define CUDNN_MINOR 1\n#define CUDNN_PATCHLEVEL 0\n");
  system_.AddFile("/app/build/CMakeFiles/a.dir/includes_CUDA.rsp", "-isystem=/opt/cudnn/include\n");
  system_.AddFile("/app/build/CMakeFiles/a.dir/linkLibs.rsp",
                  " -Wl,-rpath,/opt/stubs /opt/cudnn/lib/libcudnn.so\n");
  const BuildFolder folder = Collect();
  EXPECT_EQ(ValueOf(folder, BuildItem::kCudnnHeader), "/opt/cudnn/include/cudnn_version.h");
  EXPECT_EQ(ValueOf(folder, BuildItem::kCudnnLibrary), "/opt/cudnn/lib/libcudnn.so");
  EXPECT_EQ(ValueOf(folder, BuildItem::kRunPath), "/opt/stubs");
}

TEST_F(Builds, ProgramsButNoObjectsAndNoTests) {
  system_.AddFile("/app/build/CMakeCache.txt", "");
  AddProgram("/app/build/bin/train");
  AddProgram("/app/build/lib/libnet.so");
  AddProgram("/app/build/lib/_C.cpython-311-x86_64-linux-gnu.so");
  AddProgram("/app/build/a.o", 1);
  AddProgram("/app/build/CMakeFiles/3.28.3/CompilerIdCUDA/a.out");
  const BuildFolder folder = Collect();
  EXPECT_EQ(folder.programs, (std::vector<std::string>{"/app/build/bin/train", "/app/build/lib/libnet.so"}));
  EXPECT_EQ(folder.extensions.size(), 1u);
  EXPECT_EQ(folder.programs_left_out, 0u);
}

TEST_F(Builds, WhatIsLeftOutIsCounted) {
  system_.AddFile("/app/build/CMakeCache.txt", "");
  for (int i = 0; i < 30; ++i) AddProgram("/app/build/test_" + std::to_string(i));
  const BuildFolder folder = Collect();
  EXPECT_EQ(folder.programs.size(), 24u);
  EXPECT_EQ(folder.programs_left_out, 6u);
}

TEST_F(Builds, BrokenFilesAreNamed) {
  system_.AddFile("/app/build/compile_commands.json", "{");
  EXPECT_EQ(Collect().unread, std::vector<std::string>{"/app/build/compile_commands.json"});
}

TEST_F(Builds, LinesSayWhereASettingIs) {
  system_.AddFile("/app/build/CMakeCache.txt",
                  "// The CUDA compiler\nCMAKE_CUDA_COMPILER:FILEPATH=/opt/cuda/bin/nvcc\n");
  const BuildFolder folder = Collect();
  ASSERT_EQ(folder.settings.size(), 1u);
  EXPECT_EQ(folder.settings.front().source, "/app/build/CMakeCache.txt:2");
  EXPECT_EQ(folder.system, snapshot::BuildSystem::kCmake);
}

}  // namespace
}  // namespace culprit::collect
