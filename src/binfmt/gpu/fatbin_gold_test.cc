// Compares the reader of GPU code with cuobjdump: on code that nvcc compiles for many kinds of targets, and
// on the libraries of the toolkit.
//
// `cuobjdump --list-elf` names a cubin by its contents, where 'f' is not visible: it says sm_100 for sm_100f.
// The plain call prints the header of each entry, with 'f' and versions, so both are used.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <map>
#include <set>
#include <sstream>

#include "base/text.h"
#include "binfmt/elf/write.h"
#include "binfmt/gpu/fatbin.h"
#include "binfmt/pe/write.h"
#include "binfmt/testing/host.h"

namespace culprit::binfmt {
namespace {

using testing::FileSource;
using testing::HasProgram;
using testing::Output;

// Name -> how often.
using Counts = std::map<std::string, uint64_t>;

const std::string kToolkit = "/usr/local/cuda";
const std::string kPath = "PATH=\"$PATH:" + kToolkit + "/bin\"; ";

GpuCode ReadCodeOf(const std::string& path, GpuScan scan) {
  const FileSource source(path);
  return ReadGpuCode(source, ReadElf(source), scan);
}

// "ELF file    1: libx.1.sm_90a.cubin" -> sm_90a; "PTX file    1: libx.1.sm_90.ptx" -> compute_90
Counts AskForList(const std::string& path) {
  Counts counts;
  for (const bool ptx : {false, true}) {
    std::istringstream lines(Output(kPath + "cuobjdump --list-" + (ptx ? "ptx " : "elf ") + path));
    for (std::string line; std::getline(lines, line);) {
      const std::vector<std::string> words = base::Split(line, '.');
      if (words.size() < 3 || !words[words.size() - 2].starts_with("sm_")) continue;
      const std::string arch = words[words.size() - 2].substr(3);
      ++counts[(ptx ? "compute_" : "sm_") + arch];
    }
  }
  return counts;
}

Counts ListOf(const GpuCode& code) {
  Counts counts;
  for (auto [target, count] : Totals(code, GpuPart::kListed)) {
    if (target.kind == GpuTarget::Kind::kLtoIr) continue;  // it lists none
    if (target.kind == GpuTarget::Kind::kSass && target.suffix == 'f') target.suffix = 0;
    counts[target.Name()] += count;
  }
  return counts;
}

// "Fatbin ptx code:", "arch = sm_90a", "code version = [8,4]" -> "compute_90a 8.4"
Counts AskForHeaders(const std::string& path) {
  Counts counts;
  std::string prefix, arch;
  std::istringstream lines(Output(kPath + "cuobjdump " + path));
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("Fatbin ")) {
      prefix = line.starts_with("Fatbin ptx") ? "compute_" : line.starts_with("Fatbin elf") ? "sm_" : "lto_";
    } else if (line.starts_with("arch = sm_")) {
      arch = line.substr(10);
    } else if (line.starts_with("code version = [")) {
      std::string version = line.substr(16, line.find(']') - 16);
      std::ranges::replace(version, ',', '.');
      ++counts[prefix == "sm_" ? prefix + arch : prefix + arch + " " + version];
    }
  }
  return counts;
}

Counts HeadersOf(const GpuCode& code) {
  Counts counts;
  const std::vector<GpuPart> parts = PartsOf(code);
  for (size_t i = 0; i < parts.size(); ++i) {
    if (parts[i] != GpuPart::kListed) continue;
    for (const GpuTarget& target : code.containers[i].targets) {
      std::string name = target.Name();
      if (target.kind != GpuTarget::Kind::kSass) {
        name += " " + std::to_string(target.ptx_major) + "." + std::to_string(target.ptx_minor);
      }
      counts[name] += code.containers[i].count;
    }
  }
  return counts;
}

void ExpectAgreement(const std::string& path, GpuScan scan) {
  const GpuCode code = ReadCodeOf(path, scan);
  EXPECT_TRUE(code.complete) << path << ": " << code.problem;
  EXPECT_EQ(ListOf(code), AskForList(path)) << path;
  if (code.form != GpuCode::Form::kCubin) {
    EXPECT_EQ(HeadersOf(code), AskForHeaders(path)) << path;
  }
}

class FatbinGold : public ::testing::Test {
 protected:
  void SetUp() override {
    if (Output(kPath + "command -v cuobjdump").empty()) {
      GTEST_SKIP() << "no cuobjdump on PATH or in " << kToolkit << "/bin";
    }
  }
};

TEST_F(FatbinGold, AgreesOnTheLibrariesOfTheToolkit) {
  if (!std::filesystem::is_directory(kToolkit + "/lib64")) GTEST_SKIP() << "no toolkit in " << kToolkit;
  // Those that cuobjdump finishes in about a second each; the others were compared by hand.
  const std::set<std::string> names = {"libcudnn_ops.so.9", "libcufft.so.12", "libcublas.so.13",
                                       "libcublas.so.12", "libnccl.so.2"};
  size_t compared = 0;
  for (const std::string& name : names) {
    const std::string path = kToolkit + "/lib64/" + name;
    if (!std::filesystem::is_regular_file(path)) continue;
    ExpectAgreement(path, GpuScan::kFatbinSections);
    EXPECT_EQ(ListOf(ReadCodeOf(path, GpuScan::kCudaFiles)),
              ListOf(ReadCodeOf(path, GpuScan::kFatbinSections)))
        << path;
    ++compared;
  }
  if (compared == 0) GTEST_SKIP() << "none of the libraries is in " << kToolkit << "/lib64";
}

TEST_F(FatbinGold, AgreesOnWhatNvccMakes) {
  if (Output(kPath + "command -v nvcc").empty() || !HasProgram("g++")) GTEST_SKIP() << "no nvcc here";
  const testing::TemporaryDirectory directory;
  directory.Write("a.cu", "__global__ void twice(float* p) { p[threadIdx.x] *= 2; }\n");
  const std::string many =
      " -gencode arch=compute_80,code=[sm_80,compute_80] -gencode arch=compute_90a,code=[sm_90a,compute_90a]";
  const std::string newer =
      " -gencode arch=compute_100f,code=sm_100f -gencode arch=compute_120f,code=[sm_120f,compute_120f]";
  const std::string lto = " -rdc=true -gencode arch=compute_80,code=[lto_80,sm_80,compute_80]";
  const std::pair<std::string, std::string> cases[] = {
      {"a.fatbin", "-fatbin" + many},
      {"family.fatbin", "-fatbin" + newer},
      {"plain.fatbin", "-fatbin -no-compress" + many},
      {"packed.fatbin", "-fatbin --compress-mode=size" + many},
      {"lines.fatbin", "-fatbin -lineinfo" + many},
      {"relocatable.o", "-c" + lto},
      {"linked.so", "-shared -Xcompiler -fPIC -rdc=true" + many},
      {"a.cubin", "-cubin -arch=sm_90a"},
  };
  size_t compared = 0;
  for (const auto& [name, options] : cases) {
    Output(kPath + "cd " + directory.path() + " && nvcc " + options + " a.cu -o " + name);
    const std::string path = directory.path() + "/" + name;
    if (!std::filesystem::is_regular_file(path)) {
      std::cerr << "not compared: nvcc does not know " << options << "\n";
      continue;
    }
    ExpectAgreement(path, GpuScan::kFatbinSections);
    EXPECT_FALSE(ReadCodeOf(path, GpuScan::kFatbinSections).containers.empty()) << path;
    ++compared;
  }
  EXPECT_GT(compared, 0u);
}

// cuobjdump for Linux does not open DLLs, so it gets the container and we get a DLL around it. On real DLLs
// (cuDNN 8.9 and 9, cuBLAS 12, ctranslate2) our counts were compared with cuobjdump.exe by hand.
TEST_F(FatbinGold, DllAroundAContainerIsListedLikeTheContainer) {
  if (Output(kPath + "command -v nvcc").empty()) GTEST_SKIP() << "no nvcc here";
  const testing::TemporaryDirectory directory;
  directory.Write("a.cu", "__global__ void twice(float* p) { p[threadIdx.x] *= 2; }\n");
  const std::string container = directory.path() + "/a.fatbin";
  Output(kPath + "cd " + directory.path() +
         " && nvcc -fatbin -gencode arch=compute_80,code=[sm_80,compute_80]"
         " -gencode arch=compute_90a,code=[sm_90a,compute_90a] a.cu -o a.fatbin");
  ASSERT_TRUE(std::filesystem::is_regular_file(container)) << "nvcc failed";
  std::ifstream file(container, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  const std::string dll = BuildPe({.sections = {{".nv_fatb", bytes}, {".nvFatBi", "pointers"}}});
  const GpuCode code = ReadGpuCode(AsSource(dll), ReadPe(AsSource(dll)), GpuScan::kFatbinSections);
  EXPECT_TRUE(code.complete) << code.problem;
  EXPECT_EQ(ListOf(code), AskForList(container));
  EXPECT_EQ(HeadersOf(code), AskForHeaders(container));
  EXPECT_EQ(ListOf(code).size(), 4u);
}

}  // namespace
}  // namespace culprit::binfmt
