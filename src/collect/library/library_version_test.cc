#include "collect/library/library_version.h"

#include <gtest/gtest.h>

#include "binfmt/elf/write.h"
#include "collect/live_file_view.h"
#include "system/memory.h"

namespace culprit::collect {
namespace {

using binfmt::BuildElf;

snapshot::Fact<snapshot::LibraryVersion> ReadLibraryVersion(const system::System& system,
                                                            const std::string& path) {
  return LiveFileView(system).Version(path);
}

TEST(LibraryVersion, ComesFromTheExportedWord) {
  system::MemorySystem system;
  system.AddFile("/d/libcudnn_graph.so.9", BuildElf({.soname = "libcudnn_graph.so.9",
                                                     .words = {{"cudnn_graph_version", 9 << 16 | 19 << 8}}}));
  const auto version = ReadLibraryVersion(system, "/d/libcudnn_graph.so.9");
  ASSERT_TRUE(version);
  EXPECT_EQ(version->version, "9.19.0");
}

TEST(LibraryVersion, TheWordBeatsAFileNameThatLies) {
  system::MemorySystem system;
  system.AddFile(
      "/d/libcudnn_graph.so.9.1.0",
      BuildElf({.soname = "libcudnn_graph.so.9", .words = {{"cudnn_graph_version", 9 << 16 | 19 << 8}}}));
  EXPECT_EQ(ReadLibraryVersion(system, "/d/libcudnn_graph.so.9.1.0")->version, "9.19.0");
}

TEST(LibraryVersion, TheShimTakesItFromItsSibling) {
  system::MemorySystem system;
  system.AddFile("/d/libcudnn.so.9", BuildElf({.soname = "libcudnn.so.9"}));
  EXPECT_FALSE(ReadLibraryVersion(system, "/d/libcudnn.so.9")) << "nothing tells it";
  system.AddFile("/d/libcudnn_graph.so.9",
                 BuildElf({.words = {{"cudnn_graph_version", 9 << 16 | 5 << 8 | 1}}}));
  EXPECT_EQ(ReadLibraryVersion(system, "/d/libcudnn.so.9")->version, "9.5.1");
}

TEST(LibraryVersion, ComesFromTheRealFilesName) {
  system::MemorySystem system;
  system.AddFile("/d/libcublas.so.12.4.5.8", BuildElf({.soname = "libcublas.so.12"}));
  system.AddLink("/d/libcublas.so.12", "libcublas.so.12.4.5.8");
  const auto version = ReadLibraryVersion(system, "/d/libcublas.so.12");
  ASSERT_TRUE(version);
  EXPECT_EQ(version->version, "12.4.5.8");
  EXPECT_EQ(version->cuda, "12");
}

TEST(LibraryVersion, OfADriverKeepsItsZeros) {
  system::MemorySystem system;
  system.AddFile("/d/libcuda.so.580.95.05", BuildElf({.soname = "libcuda.so.1"}));
  system.AddLink("/d/libcuda.so.1", "libcuda.so.580.95.05");
  EXPECT_EQ(ReadLibraryVersion(system, "/d/libcuda.so.1")->version, "580.95.05");
}

TEST(LibraryVersion, ComesFromThePackageThatListsTheFile) {
  system::MemorySystem system;
  system.AddFile("/s/nvidia/cublas/lib/libcublas.so.12", BuildElf({.soname = "libcublas.so.12"}));
  system.AddFile("/s/nvidia_cublas_cu12-12.4.5.8.dist-info/RECORD",
                 "nvidia/cublas/lib/libcublasLt.so.12,sha256=x,1\n");
  EXPECT_FALSE(ReadLibraryVersion(system, "/s/nvidia/cublas/lib/libcublas.so.12"))
      << "the record names another file";
  system.AddFile("/s/nvidia_cublas_cu12-12.4.5.8.dist-info/RECORD",
                 "nvidia/cublas/lib/libcublas.so.12,sha256=x,1\n");
  const auto version = ReadLibraryVersion(system, "/s/nvidia/cublas/lib/libcublas.so.12");
  ASSERT_TRUE(version);
  EXPECT_EQ(version->version, "12.4.5.8");
  EXPECT_EQ(version.source, "/s/nvidia_cublas_cu12-12.4.5.8.dist-info");
}

TEST(LibraryVersion, ComesFromTheToolkitsVersionJson) {
  system::MemorySystem system;
  system.AddFile("/usr/local/cuda-12.1/lib64/libcurand.so.10", BuildElf({.soname = "libcurand.so.10"}));
  system.AddFile("/usr/local/cuda-12.1/version.json",
                 R"({"libcurand": {"name": "cuRAND", "version": "10.3.2.106"}})");
  EXPECT_EQ(ReadLibraryVersion(system, "/usr/local/cuda-12.1/lib64/libcurand.so.10")->version, "10.3.2.106");
  system.AddFile("/usr/local/cuda-12.1/version.json", "{\"libcurand\": [");
  EXPECT_FALSE(ReadLibraryVersion(system, "/usr/local/cuda-12.1/lib64/libcurand.so.10")) << "broken JSON";
}

TEST(LibraryVersion, DoesNotApplyToOtherLibraries) {
  system::MemorySystem system;
  EXPECT_EQ(ReadLibraryVersion(system, "/d/libz.so.1").state, snapshot::FactState::kNotApplicable);
}

}  // namespace
}  // namespace culprit::collect
