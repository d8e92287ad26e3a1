// GPU code in DLLs: where it is and how it is counted; fatbin_test.cc tests the containers themselves.
#include <gtest/gtest.h>

#include "binfmt/elf/write.h"
#include "binfmt/gpu/fatbin.h"
#include "binfmt/gpu/write_fatbin.h"
#include "binfmt/pe/write.h"

namespace culprit::binfmt {
namespace {

GpuCode ReadDll(const PeSpec& spec, GpuScan scan = GpuScan::kFatbinSections) {
  const std::string bytes = BuildPe(spec);
  return ReadGpuCode(AsSource(bytes), ReadPe(AsSource(bytes)), scan);
}

std::string Show(const GpuCode& code, GpuPart part) {
  std::string text;
  for (const auto& [target, count] : Totals(code, part)) {
    text += (text.empty() ? "" : " ") + target.Name() + ":" + std::to_string(count);
  }
  return text;
}

std::string OneArch(uint32_t arch) { return BuildFatbin({.entries = {{.arch = arch}}}); }

TEST(FatbinPe, SectionWithTheCutNameIsListed) {
  for (const int bits : {32, 64}) {
    const GpuCode code =
        ReadDll({.bits = bits,
                 .sections = {{".nv_fatb", OneArch(80) + std::string(24, '\0') + OneArch(90)},
                              {".nvFatBi", std::string(24, '\1')}}});
    EXPECT_EQ(code.form, GpuCode::Form::kPe);
    EXPECT_TRUE(code.complete) << code.problem;
    EXPECT_FALSE(code.whole_file);
    EXPECT_EQ(Show(code, GpuPart::kListed), "sm_80:1 sm_90:1");
    EXPECT_EQ(code.containers.at(0).section, ".nv_fatb");
  }
}

TEST(FatbinPe, RelocatableCodeCountsOnlyWithoutLinkedCode) {
  EXPECT_EQ(Show(ReadDll({.sections = {{"__nv_rel", OneArch(80)}}}), GpuPart::kListed), "sm_80:1");
  const GpuCode both = ReadDll({.sections = {{"__nv_rel", OneArch(80)}, {".nv_fatb", OneArch(90)}}});
  EXPECT_EQ(Show(both, GpuPart::kListed), "sm_90:1");
  EXPECT_EQ(Show(both, GpuPart::kRelocatable), "sm_80:1");
}

TEST(FatbinPe, OtherDataIsSearchedInFilesThatShowCuda) {
  const PeSpec plain = {.sections = {{".rdata", OneArch(75)}}};
  EXPECT_EQ(Show(ReadDll(plain, GpuScan::kCudaFiles), GpuPart::kElsewhere), "");
  EXPECT_EQ(Show(ReadDll(plain, GpuScan::kWholeFile), GpuPart::kElsewhere), "sm_75:1");
  PeSpec spec = plain;
  spec.imports = {{"NVCUDA.dll", {"cuInit"}, {}}};
  EXPECT_EQ(Show(ReadDll(spec, GpuScan::kCudaFiles), GpuPart::kElsewhere), "sm_75:1");
  spec = plain;
  spec.delay_imports = {{"cudart64_12.dll", {"cudaMalloc"}, {}}};
  EXPECT_EQ(Show(ReadDll(spec, GpuScan::kCudaFiles), GpuPart::kElsewhere), "sm_75:1");
  spec = plain;
  spec.name = "cublasLt64_12.dll";
  EXPECT_EQ(Show(ReadDll(spec, GpuScan::kCudaFiles), GpuPart::kElsewhere), "sm_75:1");
  EXPECT_TRUE(ReadDll(spec, GpuScan::kCudaFiles).whole_file);
  EXPECT_EQ(Show(ReadDll(spec, GpuScan::kFatbinSections), GpuPart::kElsewhere), "");
}

TEST(FatbinPe, FileThatIsCutShortIsNotComplete) {
  const PeSpec spec = {
      .sections = {{".nv_fatb", OneArch(80) + BuildFatbin({.entries = {{.code = std::string(900, 'x')}}})}},
      .cut = 700};
  const GpuCode code = ReadDll(spec);
  EXPECT_EQ(code.form, GpuCode::Form::kPe);
  EXPECT_FALSE(code.complete);
  EXPECT_NE(code.problem, "");
  EXPECT_EQ(code.containers.at(0).targets.at(0).arch, 80u);
}

TEST(FatbinPe, WithoutSectionsNothingIsClaimed) {
  const std::string bytes = BuildPe({.sections = {{".nv_fatb", OneArch(80)}}}).substr(0, 300);
  const GpuCode code = ReadGpuCode(AsSource(bytes), ReadPe(AsSource(bytes)), GpuScan::kWholeFile);
  EXPECT_EQ(code.form, GpuCode::Form::kPe);
  EXPECT_FALSE(code.complete);
}

TEST(FatbinPe, WhatIsNoPeIsNotGpu) {
  for (const std::string& bytes : {std::string(), std::string(100, 'x'), std::string("MZ")}) {
    const GpuCode code = ReadGpuCode(AsSource(bytes), ReadPe(AsSource(bytes)), GpuScan::kWholeFile);
    EXPECT_EQ(code.form, GpuCode::Form::kNotGpu);
    EXPECT_TRUE(code.complete);
  }
}

}  // namespace
}  // namespace culprit::binfmt
