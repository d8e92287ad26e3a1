// Which GPU runs which code: each rule where it applies and where it ends.
#include "binfmt/gpu/gpu_support.h"

#include <gtest/gtest.h>

namespace culprit::binfmt {
namespace {

using Kind = GpuTarget::Kind;
using Verdict = GpuSupport::Verdict;
constexpr PtxVersion kPtx90{9, 0};

GpuTarget Sass(uint32_t arch, char suffix = 0) { return {Kind::kSass, arch, suffix}; }
GpuTarget Ptx(uint32_t arch, char suffix = 0, uint16_t major = 8, uint16_t minor = 0) {
  return {Kind::kPtx, arch, suffix, major, minor};
}
GpuCode CodeOf(std::vector<std::vector<GpuTarget>> containers) {
  GpuCode code{.form = GpuCode::Form::kElf, .whole_file = true};
  for (auto& targets : containers) code.containers.push_back({".nv_fatbin", std::move(targets), 1});
  return code;
}

// "native", "jit", "link", "none", "uncertain" for one container.
std::string Fit(const std::vector<GpuTarget>& targets, GpuDevice device,
                std::optional<PtxVersion> newest = kPtx90, bool jit_allowed = true) {
  const GpuSupport support = Judge(CodeOf({targets}), device, newest, jit_allowed);
  EXPECT_EQ(support.containers(), 1u);
  EXPECT_EQ(support.reason.empty(), support.none + support.uncertain == 0) << support.reason;
  return support.native ? "native"
         : support.jit  ? "jit"
         : support.link ? "link"
         : support.none ? "none"
                        : "uncertain";
}

TEST(GpuSupport, MachineCodeRunsOnTheSameMajorFromItsMinorOn) {
  EXPECT_EQ(Fit({Sass(80)}, {8, 0}), "native");
  EXPECT_EQ(Fit({Sass(80)}, {8, 6}), "native");
  EXPECT_EQ(Fit({Sass(86)}, {8, 9}), "native");
  EXPECT_EQ(Fit({Sass(86)}, {8, 0}), "none");
  EXPECT_EQ(Fit({Sass(80)}, {9, 0}), "none");
  EXPECT_EQ(Fit({Sass(90)}, {8, 9}), "none");
  EXPECT_EQ(Fit({Sass(100)}, {10, 3}), "native");
  EXPECT_EQ(Fit({Sass(100)}, {12, 0}), "none");
  EXPECT_EQ(Fit({Sass(120)}, {12, 1}), "native");
}

TEST(GpuSupport, ArchitectureSpecificCodeRunsOnExactlyItsOwn) {
  EXPECT_EQ(Fit({Sass(90, 'a')}, {9, 0}), "native");
  EXPECT_EQ(Fit({Sass(100, 'a')}, {10, 3}), "none");
  EXPECT_EQ(Fit({Ptx(90, 'a')}, {9, 0}), "jit");
  EXPECT_EQ(Fit({Ptx(90, 'a')}, {10, 0}), "none");
}

TEST(GpuSupport, FamilySpecificCodeRunsInItsFamily) {
  EXPECT_EQ(Fit({Sass(100, 'f')}, {10, 0}), "native");
  EXPECT_EQ(Fit({Sass(100, 'f')}, {10, 3}), "native");
  EXPECT_EQ(Fit({Sass(103, 'f')}, {10, 0}), "none");
  EXPECT_EQ(Fit({Sass(100, 'f')}, {12, 0}), "none");
  EXPECT_EQ(Fit({Sass(120, 'f')}, {12, 1}), "native");
  EXPECT_EQ(Fit({Ptx(120, 'f')}, {12, 1}), "jit");
  EXPECT_EQ(Fit({Ptx(100, 'f')}, {12, 0}), "none");
  EXPECT_EQ(Fit({Ptx(100, 'f')}, {10, 1}), "none");
  EXPECT_EQ(Fit({Sass(100, 'f')}, {10, 7}), "uncertain");
}

TEST(GpuSupport, PtxRunsOnEveryNewerGpuIfTheDriverKnowsIt) {
  EXPECT_EQ(Fit({Ptx(80)}, {8, 0}), "jit");
  EXPECT_EQ(Fit({Ptx(80)}, {12, 0}), "jit");
  EXPECT_EQ(Fit({Ptx(90)}, {8, 9}), "none");
  EXPECT_EQ(Fit({Ptx(80, 0, 9, 0)}, {9, 0}, PtxVersion{9, 0}), "jit");
  EXPECT_EQ(Fit({Ptx(80, 0, 9, 0)}, {9, 0}, PtxVersion{8, 8}), "none");
  EXPECT_EQ(Fit({Ptx(80, 0, 8, 10)}, {9, 0}, PtxVersion{8, 9}), "none");
  EXPECT_EQ(Fit({Ptx(80)}, {9, 0}, std::nullopt), "uncertain");
  EXPECT_EQ(Fit({Ptx(80)}, {9, 0}, kPtx90, /*jit_allowed=*/false), "none");
}

TEST(GpuSupport, TegraIsNotPromised) {
  EXPECT_EQ(Fit({Sass(87)}, {8, 7}), "native");
  EXPECT_EQ(Fit({Sass(80)}, {8, 7}), "uncertain");
  EXPECT_EQ(Fit({Sass(87)}, {8, 9}), "uncertain");
  EXPECT_EQ(Fit({Sass(101)}, {11, 0}), "uncertain");
  EXPECT_EQ(Fit({Ptx(80)}, {8, 7}), "jit");
}

TEST(GpuSupport, TheBestOfAContainerCounts) {
  EXPECT_EQ(Fit({Sass(80), Sass(90), Ptx(80)}, {9, 0}), "native");
  EXPECT_EQ(Fit({Sass(80), Ptx(80)}, {9, 0}), "jit");
  EXPECT_EQ(Fit({{Kind::kLtoIr, 75}}, {9, 0}), "link");
  EXPECT_EQ(Fit({{Kind::kLtoIr, 75}, Ptx(80)}, {9, 0}), "jit");
  EXPECT_EQ(Fit({{Kind::kOther, 90}}, {9, 0}), "uncertain");
}

TEST(GpuSupport, ReasonsNameBothSides) {
  const auto reason = [](const std::vector<GpuTarget>& targets, GpuDevice device, PtxVersion newest,
                         bool jit) { return Judge(CodeOf({targets}), device, newest, jit).reason; };
  EXPECT_EQ(reason({Sass(80)}, {12, 0}, kPtx90, true), "sm_80 does not run on sm_120");
  EXPECT_EQ(reason({Sass(80), Ptx(90, 0, 9, 0)}, {12, 0}, {8, 4}, true),
            "PTX 9.0 for compute_90 is newer than the driver, which supports PTX 8.4");
  EXPECT_EQ(reason({Sass(80), Ptx(90)}, {12, 0}, kPtx90, false),
            "PTX 8.0 for compute_90 cannot be compiled: the process disables it");
}

TEST(GpuSupport, ALibraryIsJudgedOverItsContainers) {
  const auto verdict = [](const GpuCode& code) { return Judge(code, {9, 0}, kPtx90, true).verdict; };
  EXPECT_EQ(verdict(CodeOf({})), Verdict::kNoCode);
  EXPECT_EQ(verdict(CodeOf({{Sass(90)}, {Ptx(80)}})), Verdict::kAll);
  EXPECT_EQ(verdict(CodeOf({{Sass(90)}, {Sass(100, 'a')}})), Verdict::kSome);
  EXPECT_EQ(verdict(CodeOf({{Sass(80)}, {Sass(100, 'a')}})), Verdict::kNone);
  EXPECT_EQ(verdict(CodeOf({{Sass(80)}, {{Kind::kLtoIr, 75}}})), Verdict::kUnknown);
  EXPECT_EQ(verdict(CodeOf({{}})), Verdict::kNoCode);
}

TEST(GpuSupport, WhatWasNotReadIsNotJudged) {
  GpuCode quick = CodeOf({{Sass(75)}});
  quick.whole_file = false;
  EXPECT_EQ(Judge(quick, {9, 0}, kPtx90, true).verdict, Verdict::kUnknown);
  EXPECT_EQ(Judge(quick, {9, 0}, kPtx90, true).reason,
            "only the sections that CUDA tools write were searched, and they sm_75 does not run on sm_90");
  EXPECT_EQ(Judge(quick, {7, 5}, kPtx90, true).verdict, Verdict::kAll);
  GpuCode cut = CodeOf({{Sass(75)}});
  cut.complete = false;
  cut.problem = "the file is truncated";
  EXPECT_EQ(Judge(cut, {9, 0}, kPtx90, true).verdict, Verdict::kUnknown);
  EXPECT_EQ(Judge(cut, {9, 0}, kPtx90, true).reason, "the file is truncated");
}

// As seen on an H200 with driver 580: programs of two files with -rdc=true, one without, and all mixtures of
// code.
TEST(GpuSupport, TheDriverLinksAnewWhatNvlinkMade) {
  const auto judge = [](std::vector<std::vector<GpuTarget>> containers, std::vector<GpuTarget> relocatable,
                        uint64_t linked) {
    GpuCode code = CodeOf(std::move(containers));
    code.containers.push_back({"__nv_relfatbin", std::move(relocatable), 2});
    code.linked_on_load = linked;
    return Judge(code, {9, 0}, kPtx90, true);
  };
  EXPECT_EQ(judge({{Sass(75)}}, {Sass(75), Ptx(80)}, 1).verdict, Verdict::kAll);
  EXPECT_EQ(judge({{Sass(75)}}, {Sass(75), Ptx(80)}, 1).reason, "");
  EXPECT_EQ(judge({{Sass(75)}}, {Sass(75), Sass(90)}, 1).native, 1u);
  EXPECT_EQ(judge({{Sass(75)}}, {Sass(75), Sass(80)}, 1).verdict, Verdict::kNone);
  // The other container was compiled without -rdc, so relocatable code does not help it.
  EXPECT_EQ(judge({{Sass(75)}}, {Sass(75), Ptx(80)}, 0).verdict, Verdict::kNone);
  const GpuSupport both = judge({{Sass(75)}, {Sass(80)}}, {Sass(75), Ptx(80)}, 1);
  EXPECT_EQ(both.verdict, Verdict::kSome);
  EXPECT_EQ(both.jit, 1u);
  EXPECT_EQ(both.none, 1u);
  // One of them lacks code: which one is not known.
  const GpuSupport one = judge({{Sass(75)}, {Sass(90)}}, {Sass(75), Ptx(80)}, 1);
  EXPECT_EQ(one.native, 1u);
  EXPECT_EQ(one.uncertain, 1u);
  EXPECT_EQ(one.reason,
            "sm_75 does not run on sm_90, and whether the driver can link it on load is not known");
}

TEST(GpuSupport, EveryRelocatableContainerIsNeeded) {
  GpuCode code = CodeOf({{Sass(75)}});
  code.containers.push_back({"__nv_relfatbin", {Ptx(80)}, 1});
  code.containers.push_back({"__nv_relfatbin", {Sass(80)}, 1});
  code.linked_on_load = 1;
  EXPECT_EQ(Judge(code, {9, 0}, kPtx90, true).verdict, Verdict::kNone);
}

}  // namespace
}  // namespace culprit::binfmt
