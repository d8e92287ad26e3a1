// The order of suspicion, and what is no difference at all, on two made-up machines.
#include "diff/diff.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "snapshot/recorded_file_view.h"

namespace culprit::diff {
namespace {

using report::Difference;
using report::DiffReport;
using report::Finding;
using report::Severity;
using snapshot::Fact;
using snapshot::FileKind;
using snapshot::Snapshot;

struct State {
  Snapshot machine;
  report::CheckReport check;
  record::Run run;
  bool is_run = false;
};

DiffReport DiffOf(const State& before, const State& after) {
  snapshot::RecordedFileView first(before.machine.files), second(after.machine.files);
  const rules::Scene was{before.machine, first, {}}, is{after.machine, second, {}};
  return Diff({was, before.check, before.is_run ? &before.run : nullptr},
              {is, after.check, after.is_run ? &after.run : nullptr});
}

std::vector<std::string> Summaries(const DiffReport& report) {
  std::vector<std::string> summaries;
  for (const Difference& difference : report.differences) summaries.push_back(difference.summary);
  return summaries;
}

void SetPackages(State& state, std::vector<std::pair<std::string, std::string>> packages) {
  snapshot::PythonEnvironment environment{
      .prefix = "/venv", .why = snapshot::EnvironmentWhy::kActive, .site_packages = {"/venv/site"}};
  for (auto& [name, version] : packages) environment.packages.push_back({.name = name, .version = version});
  state.machine.stack.environments =
      Fact<std::vector<snapshot::PythonEnvironment>>::Of({std::move(environment)}, "");
}

void AddDirectory(State& state, const std::string& path, bool listed = true) {
  state.machine.files.nodes[path] = {.kind = FileKind::kDirectory, .listed = listed};
}
void AddFile(State& state, const std::string& path, uint64_t size, uint64_t inode = 1) {
  state.machine.files.nodes[path] = {.kind = FileKind::kRegular, .id = {1, inode}, .size = size};
}

TEST(Diff, AListIsComparedElementByElement) {
  const auto words = [](const std::string& was, const std::string& is) {
    State before, after;
    before.machine.environment["LD_LIBRARY_PATH"] = was;
    after.machine.environment["LD_LIBRARY_PATH"] = is;
    const DiffReport report = DiffOf(before, after);
    return report.differences.empty() ? "" : report.differences.front().summary;
  };
  EXPECT_EQ(words("/a:/b", "/x:/a:/b"), "LD_LIBRARY_PATH: /x added in front");
  EXPECT_EQ(words("/a:/b", "/a:/b:/x"), "LD_LIBRARY_PATH: /x added at the end");
  EXPECT_EQ(words("/a:/b", "/a:/x:/b"), "LD_LIBRARY_PATH: /x added after /a");
  EXPECT_EQ(words("/a:/b", "/b"), "LD_LIBRARY_PATH: /a removed");
  EXPECT_EQ(words("/a:/b", "/b:/a"), "LD_LIBRARY_PATH: the same elements in another order");
  EXPECT_EQ(words("/a:/b", "/a::/b:"), "") << "spelled differently, and the same";
}

TEST(Diff, WhatANewErrorSpeaksOfStandsFirst) {
  State before, after;
  before.machine.stack.driver =
      Fact<snapshot::Driver>::Of({.kernel_version = Fact<std::string>::Of("535.54", "")}, "");
  after.machine.stack.driver =
      Fact<snapshot::Driver>::Of({.kernel_version = Fact<std::string>::Of("580.95", "")}, "");
  SetPackages(before, {{"einops", "1"}, {"nvidia-cublas-cu12", "12.4"}, {"nvidia-nccl-cu12", "2.1"}});
  SetPackages(after, {{"einops", "2"}, {"nvidia-cublas-cu12", "12.9"}, {"nvidia-nccl-cu12", "2.2"}});
  after.machine.environment["HOME"] = "/home/b";
  EXPECT_EQ(
      Summaries(DiffOf(before, after)),
      (std::vector<std::string>{
          "driver (kernel module): 535.54 -> 580.95", "nvidia-cublas-cu12 12.4 -> 12.9 in /venv",
          "nvidia-nccl-cu12 2.1 -> 2.2 in /venv", "einops 1 -> 2 in /venv", "HOME is set to \"/home/b\""}));
  after.check.findings = {{.code = "CUL9",
                           .summary = "a package does not fit",
                           .subject = "/venv",
                           .about = {"nvidia-nccl-cu12"}}};
  const DiffReport blamed = DiffOf(before, after);
  EXPECT_EQ(blamed.headline, "most likely: nvidia-nccl-cu12 2.1 -> 2.2 in /venv (CUL9)");
  EXPECT_EQ(blamed.differences.front().findings, std::vector<std::string>{"CUL9"});
  before.check.findings = after.check.findings;
  const DiffReport known = DiffOf(before, after);
  EXPECT_EQ(known.same_findings, 1u);
  EXPECT_EQ(known.headline, "no new finding; most likely: driver (kernel module): 535.54 -> 580.95");
}

TEST(Diff, AFindingThatNoDifferenceExplainsIsALineOfItsOwn) {
  State before, after;
  after.check.findings = {{.code = "CUL1", .summary = "the fan is broken", .subject = "fan"}};
  const DiffReport report = DiffOf(before, after);
  ASSERT_EQ(report.differences.size(), 1u);
  EXPECT_EQ(report.differences.front().kind, report::DifferenceKind::kFinding);
  EXPECT_EQ(report.headline, "most likely: the fan is broken (CUL1)");
  before.check.findings = {
      {.code = "CUL1", .severity = Severity::kNote, .summary = "a noise", .subject = "fan"}};
  EXPECT_EQ(DiffOf(before, after).new_findings.size(), 1u) << "it got worse";
}

TEST(Diff, WhatWasNotRecordedIsNotDifferentAndInodesAreNoise) {
  State before, after;
  AddDirectory(before, "/lib");
  AddFile(before, "/lib/libcudnn.so.9", 10, 1);
  AddFile(before, "/lib/libz.so.1", 10, 2);
  AddDirectory(after, "/lib", /*listed=*/false);
  AddFile(after, "/lib/libcudnn.so.9", 10, 77);
  EXPECT_EQ(DiffOf(before, after).headline, "nothing changed");
  after.machine.files.nodes["/lib"].listed = true;
  EXPECT_EQ(Summaries(DiffOf(before, after)), std::vector<std::string>{"/lib/libz.so.1 (10 bytes) is gone"});
  after.machine.files.nodes["/lib/libcudnn.so.9"].size = 4;
  EXPECT_EQ(Summaries(DiffOf(before, after)).front(), "/lib/libcudnn.so.9: 10 bytes -> 4 bytes");
  for (State* state : {&before, &after})
    state->machine.files.nodes["/"] = {.kind = FileKind::kDirectory, .listed = true};
  after.machine.files.nodes.erase("/lib");
  after.machine.files.nodes.erase("/lib/libcudnn.so.9");
  EXPECT_EQ(Summaries(DiffOf(before, after)),
            std::vector<std::string>{"/lib is gone, with 2 libraries and programs"});
}

TEST(Diff, TwoRunsBlameTheVariableForTheFirstLoadThatDiffers) {
  State before, after;
  before.is_run = after.is_run = true;
  before.run.processes = {
      {.program = "/usr/bin/python3",
       .loads = {{.path = "/usr/bin/python3"}, {.path = "/a/libcudnn.so.9"}, {.path = "/a/libz.so"}}}};
  after.run.processes = {
      {.program = "/usr/bin/python3",
       .loads = {{.path = "/usr/bin/python3"},
                 {.path = "/b/libnew.so"},
                 {.path = "/b/libcudnn.so.9", .via = base::Via::kLdLibraryPath},
                 {.path = "/a/libz.so"}},
       .failed_calls = {{.function = "cudnnCreate", .status = "CUDNN_STATUS_NOT_INITIALIZED"}}}};
  after.run.exit_status = 1;
  after.machine.environment["LD_LIBRARY_PATH"] = "/b";
  const DiffReport report = DiffOf(before, after);
  EXPECT_EQ(Summaries(report),
            (std::vector<std::string>{
                "LD_LIBRARY_PATH is set to \"/b\"",
                "first failing CUDA call: cudnnCreate gives CUDNN_STATUS_NOT_INITIALIZED; before: none",
                "the run ended with exit status 1 instead of exit status 0"}));
  EXPECT_EQ(
      report.differences[0].leads_to,
      std::vector<std::string>{"first load that differs: libcudnn.so.9 was loaded from /b instead of /a"});
}

}  // namespace
}  // namespace culprit::diff
