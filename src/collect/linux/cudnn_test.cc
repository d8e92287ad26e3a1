// The collector of cudnn on made-up machines.
#include <gtest/gtest.h>

#include "binfmt/elf/write.h"
#include "binfmt/elf/write_sections.h"
#include "collect/stack.h"
#include "system/memory.h"

namespace culprit::collect {
namespace {

using binfmt::AddSections;
using binfmt::BuildElf;
using snapshot::CudnnCopy;
using namespace std::string_literals;

constexpr uint32_t k919 = 9 << 16 | 19 << 8;
constexpr uint32_t k914 = 9 << 16 | 14 << 8;
const std::string kDirectory = "/usr/lib/x86_64-linux-gnu";

std::string Part(const std::string& name, uint32_t version) {
  const std::string symbol = name == "graph" ? "cudnn_graph_version"
                             : name == "ops" ? "cudnn_ops_infer_version"
                                             : "cudnn_adv_infer_version";
  return BuildElf({.soname = "libcudnn_" + name + ".so.9", .words = {{symbol, version}}});
}

// A whole cuDNN 9 as wheels have it.
void AddCudnn(system::MemorySystem& system, const std::string& directory, uint32_t version = k919) {
  system.AddFile(directory + "/libcudnn.so.9", BuildElf({.soname = "libcudnn.so.9"}));
  for (const char* name : {"graph", "ops", "adv"}) {
    system.AddFile(directory + "/libcudnn_" + name + ".so.9", Part(name, version));
  }
  for (const char* name : {"cnn", "heuristic", "engines_precompiled", "engines_runtime_compiled"}) {
    system.AddFile(directory + "/libcudnn_" + name + ".so.9",
                   BuildElf({.soname = std::string("libcudnn_") + name + ".so.9"}));
  }
}

std::vector<CudnnCopy> FindCopies(const system::System& system,
                                  std::map<std::string, std::string> environment = {},
                                  std::vector<snapshot::PythonEnvironment> environments = {}) {
  const Surroundings around{
      .system = system, .environment = std::move(environment), .working_directory = "/"};
  const auto copies = CollectCudnn(around, environments);
  EXPECT_TRUE(copies);
  return copies ? *copies : std::vector<CudnnCopy>();
}

const snapshot::CudnnPart* FindPart(const CudnnCopy& copy, const std::string& name) {
  for (const auto& part : copy.parts) {
    if (part.name == name) return &part;
  }
  return nullptr;
}

TEST(CudnnCollector, ReadsAWholeCopyOfDpkg) {
  system::MemorySystem system;
  AddCudnn(system, kDirectory);
  system.AddFile("/usr/include/x86_64-linux-gnu/cudnn_version_v9.h",
                 "#define CUDNN_MAJOR 9\n#define CUDNN_MINOR 19\n#define CUDNN_PATCHLEVEL 0\n");
  system.AddFile("/var/lib/dpkg/info/libcudnn9-cuda-12.list", "/.\n/usr\n" + kDirectory + "/libcudnn.so.9\n");
  system.AddFile("/var/lib/dpkg/status",
                 "Package: a\nVersion: 1\n\nPackage: libcudnn9-cuda-12\nStatus: ok\nVersion: 9.19.0.56-1\n");
  const auto copies = FindCopies(system);
  ASSERT_EQ(copies.size(), 1u);
  const CudnnCopy& copy = copies[0];
  EXPECT_EQ(copy.directory, kDirectory);
  EXPECT_EQ(copy.major, 9u);
  EXPECT_EQ(copy.version, "9.19.0");
  EXPECT_EQ(copy.cuda, "12");
  EXPECT_EQ(copy.machine, "x86-64");
  EXPECT_EQ(copy.owner.text(), "dpkg libcudnn9-cuda-12 9.19.0.56-1");
  EXPECT_EQ(copy.header_version, "9.19.0");
  EXPECT_TRUE(copy.missing_parts.empty());
  for (const auto& part : copy.parts) EXPECT_EQ(part.problem.text(), "") << part.name;
}

TEST(CudnnCollector, ASecondNameOfTheDirectoryIsNoSecondCopy) {
  system::MemorySystem system;
  AddCudnn(system, "/usr/local/cuda-12.4/targets/x86_64-linux/lib");
  system.AddLink("/usr/local/cuda-12.4/lib64", "targets/x86_64-linux/lib");
  system.AddLink("/usr/local/cuda", "cuda-12.4");
  EXPECT_EQ(FindCopies(system, {{"LD_LIBRARY_PATH", "/usr/local/cuda/lib64"}}).size(), 1u);
}

TEST(CudnnCollector, ACopyOfPipKnowsItsPackageAndCuda) {
  system::MemorySystem system;
  const std::string site = "/v/lib/python3.12/site-packages";
  AddCudnn(system, site + "/nvidia/cudnn/lib");
  system.AddFile(site + "/nvidia_cudnn_cu12-9.19.0.56.dist-info/RECORD",
                 "nvidia/cudnn/lib/libcudnn.so.9,sha256=x,1\nnvidia/cudnn/lib/libcudnn_graph.so.9,,\n");
  const auto copies = FindCopies(system, {}, {{.prefix = "/v", .site_packages = {site}}});
  ASSERT_EQ(copies.size(), 1u);
  EXPECT_EQ(copies[0].owner.text(), "pip nvidia-cudnn-cu12 9.19.0.56");
  EXPECT_EQ(copies[0].cuda, "12");
}

TEST(CudnnCollector, TheCudaOfACopyWithoutPackageStandsInAdv) {
  system::MemorySystem system;
  AddCudnn(system, kDirectory);
  system.AddFile(
      kDirectory + "/libcudnn_adv.so.9",
      AddSections(Part("adv", k919), {{".dynstr", "\0dlopen\0"s}, {".rodata", "\0libcublasLt.so.13\0"s}}));
  const auto copies = FindCopies(system);
  EXPECT_EQ(copies.at(0).cuda, "13");
  EXPECT_EQ(copies.at(0).owner.text(), "");
}

TEST(CudnnCollector, NamesWhatIsMissingButNotWhatIsOptional) {
  system::MemorySystem system;
  AddCudnn(system, kDirectory);
  system.Remove(kDirectory + "/libcudnn_engines_precompiled.so.9");
  EXPECT_TRUE(FindCopies(system).at(0).missing_parts.empty());
  system.Remove(kDirectory + "/libcudnn_ops.so.9");
  EXPECT_EQ(FindCopies(system).at(0).missing_parts, (std::vector<std::string>{"libcudnn_ops.so.9"}));
  for (const std::string part : {"cnn", "adv", "heuristic"})
    system.Remove(kDirectory + "/libcudnn_" + part + ".so.9");
  EXPECT_TRUE(FindCopies(system).at(0).missing_parts.empty()) << "as cudnn-jit is";
}

TEST(CudnnCollector, TellsBrokenLinksAndFiles) {
  system::MemorySystem system;
  AddCudnn(system, kDirectory);
  system.Remove(kDirectory + "/libcudnn_ops.so.9");
  system.AddLink(kDirectory + "/libcudnn_ops.so.9", "libcudnn_ops.so.9.14.0");
  system.Remove(kDirectory + "/libcudnn_cnn.so.9");
  system.AddLink(kDirectory + "/libcudnn_cnn.so.9", "libcudnn_cnn.so.9");
  system.AddFile(kDirectory + "/libcudnn_heuristic.so.9", "");
  system.AddFile(kDirectory + "/libcudnn_adv.so.9", "<html>" + std::string(100, ' '));
  system.AddLink(kDirectory + "/libcudnn.so", "libcudnn.so.8");
  const CudnnCopy copy = FindCopies(system).at(0);
  EXPECT_EQ(FindPart(copy, "libcudnn_ops.so.9")->problem.text(), "leads nowhere: -> libcudnn_ops.so.9.14.0");
  EXPECT_EQ(FindPart(copy, "libcudnn_cnn.so.9")->problem.text(), "a loop of links: -> libcudnn_cnn.so.9");
  EXPECT_EQ(FindPart(copy, "libcudnn_heuristic.so.9")->problem.text(), "is empty");
  EXPECT_EQ(FindPart(copy, "libcudnn_adv.so.9")->problem.text(), "not a library");
  ASSERT_NE(FindPart(copy, "libcudnn.so"), nullptr);
  EXPECT_EQ(FindPart(copy, "libcudnn.so")->problem.text(), "leads nowhere: -> libcudnn.so.8");
}

TEST(CudnnCollector, ARealFileWhereALinkShouldBe) {
  system::MemorySystem system;
  AddCudnn(system, kDirectory);
  system.AddFile(kDirectory + "/libcudnn_graph.so.9.14.0", Part("graph", k914));
  const CudnnCopy copy = FindCopies(system).at(0);
  EXPECT_EQ(FindPart(copy, "libcudnn_graph.so.9")->problem.text(),
            "not a link but a second file beside libcudnn_graph.so.9.14.0, which is 9.14.0");
}

TEST(CudnnCollector, TwoMajorsInOneDirectoryAreTwoCopies) {
  system::MemorySystem system;
  AddCudnn(system, kDirectory);
  system.AddFile(kDirectory + "/libcudnn.so.8", BuildElf({.soname = "libcudnn.so.8"}));
  const auto copies = FindCopies(system);
  ASSERT_EQ(copies.size(), 2u);
  EXPECT_EQ(copies[0].major, 8u);
  EXPECT_EQ(copies[0].missing_parts.size(), 6u);
  EXPECT_EQ(copies[1].major, 9u);
}

TEST(CudnnCollector, NoCopyIsAnEmptyList) { EXPECT_TRUE(FindCopies(system::MemorySystem()).empty()); }

}  // namespace
}  // namespace culprit::collect
