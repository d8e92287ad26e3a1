// Steps and findings brought together: which finding explains a step, what stands first, what the verdict is.
#include "probe/judge/probe.h"

#include <gtest/gtest.h>

#include "engine/check.h"
#include "snapshot/recorded_file_view.h"

namespace culprit::probe {
namespace {

using report::Verdict;
using snapshot::ProbeStep;

report::ProbeReport Report(std::vector<ProbeStep> steps, std::vector<snapshot::ProbedDevice> devices = {},
                           std::map<std::string, std::string> environment = {}) {
  snapshot::Snapshot machine;
  machine.environment = std::move(environment);
  machine.stack.probe =
      snapshot::Fact<snapshot::ProbeFacts>::Of({std::move(devices), std::move(steps)}, "a test");
  snapshot::FileRecord nothing;
  snapshot::RecordedFileView view(nothing);
  const rules::Scene scene{machine, view, {}};
  return Probe(scene, engine::Check(scene));
}

ProbeStep Step(const std::string& job, const std::string& name, const std::string& outcome,
               const std::string& status = "") {
  ProbeStep step;
  step.job = job;
  step.name = base::FromWord<snapshot::StepName>(name).value();
  step.outcome = base::FromWord<snapshot::StepOutcome>(outcome).value();
  step.status = status;
  return step;
}

const report::ProbeStepRow& Row(const report::ProbeReport& report, const std::string& name) {
  for (const auto& row : report.steps) {
    if (row.name == name) return row;
  }
  throw std::runtime_error("no step " + name);
}

TEST(Probe, IsFineOnlyWhenEveryPlannedStepPassed) {
  const auto report = Report({Step("driver", "init", "ok"), Step("driver", "kernel", "ok")});
  EXPECT_EQ(report.verdict, Verdict::kOk);
  EXPECT_EQ(report.headline, "every step passed (2)");
  EXPECT_TRUE(report.findings.empty() && report.not_checked.empty());
}

TEST(Probe, NothingTriedIsNotFine) {
  ProbeStep left_out = Step("cudnn /x", "cudnn-load", "not-run");
  left_out.detail = "is for aarch64, this machine is x86-64";
  const auto report = Report({left_out});
  EXPECT_EQ(report.verdict, Verdict::kUnknown);
  ASSERT_EQ(report.not_checked.size(), 1u);
  EXPECT_EQ(report.not_checked[0].why, left_out.detail);
}

TEST(Probe, AFrameworkThatWasAskedForAndNotTriedLeavesItOpen) {
  const auto report = Report({Step("driver", "init", "ok"), Step("torch", "import", "not-run")});
  EXPECT_EQ(report.verdict, Verdict::kUnknown);
}

TEST(Probe, AFailedStepNamesItsFindingAndComesFirst) {
  const auto report =
      Report({Step("driver", "init", "ok"), Step("runtime /a", "cublas", "ok"),
              Step("cudnn /x", "cudnn-create", "failed", "CUDNN_STATUS_SUBLIBRARY_LOADING_FAILED"),
              Step("cudnn /x", "cudnn-convolution", "not-run")});
  EXPECT_EQ(report.verdict, Verdict::kErrors);
  EXPECT_EQ(report.headline, "1 of 3 steps failed");
  EXPECT_EQ(report.steps.front().name, "cudnn-create");
  EXPECT_EQ(report.steps.front().code, "CUL9006");
  EXPECT_EQ(report.steps.front().cause, "cudnn-sublibrary-missing");
  ASSERT_EQ(report.findings.size(), 1u);
  EXPECT_EQ(report.findings[0].code, "CUL9006");
  EXPECT_TRUE(report.not_checked.empty()) << "what was not run because of a failure is a consequence";
}

TEST(Probe, StepsThatOnlyRepeatAFailureShareItsFinding) {
  const auto report = Report({Step("driver", "init", "failed", "CUDA_ERROR_UNKNOWN"),
                              Step("runtime /a", "cudart", "failed", "cudaErrorUnknown"),
                              Step("torch /v/bin/python", "framework-devices", "failed", "no-device")});
  ASSERT_EQ(report.findings.size(), 1u);
  for (const char* name : {"init", "cudart", "framework-devices"})
    EXPECT_EQ(Row(report, name).code, "CUL9004");
  EXPECT_EQ(report.steps.front().name, "init");
}

TEST(Probe, TellsDevicesWithTheirHolders) {
  snapshot::ProbedDevice device;
  device.cuda_index = "0";
  device.memory_total = uint64_t{80} << 30;
  device.memory_free = uint64_t{100} << 20;
  device.holders = {{4711, "python3", uint64_t{79} << 30}};
  const auto report = Report({Step("driver", "context", "failed", "CUDA_ERROR_OUT_OF_MEMORY")}, {device});
  EXPECT_EQ(Row(report, "context").cause, "out-of-memory");
  ASSERT_EQ(report.devices.size(), 1u);
  EXPECT_EQ(report.devices[0].holders.at(0).pid, "4711");
  EXPECT_NE(report.findings.at(0).summary.find("PID 4711 (python3) holds 79.0 GiB"), std::string::npos);
}

TEST(Probe, TheWordsOfAFrameworkDecideTheCause) {
  ProbeStep step = Step("torch /v/bin/python", "framework-convolution", "failed", "RuntimeError");
  step.output =
      "RuntimeError: cuDNN version incompatibility: PyTorch was compiled  against (9, 1, 0) but found "
      "runtime "
      "version (8, 9, 2).";
  const auto report = Report({Step("driver", "init", "ok"), step});
  EXPECT_EQ(Row(report, "framework-convolution").code, "CUL9013");
  EXPECT_EQ(Row(report, "framework-convolution").cause, "cudnn-version-mismatch");
}

TEST(Probe, AdvisesTheBuildOnlyWhenAskedToBuild) {
  EXPECT_TRUE(Report({Step("driver", "init", "ok")}).advice.empty());
  ProbeStep step = Step("compile", "compile-cuda", "ok");
  step.figures = {{"cmake", "CMAKE_CUDA_ARCHITECTURES=90"}, {"nvcc", "-arch=sm_90"}};
  EXPECT_EQ(Report({step}).advice,
            (std::vector<std::string>{"cmake: -DCMAKE_CUDA_ARCHITECTURES=90", "nvcc: -arch=sm_90"}));
}

}  // namespace
}  // namespace culprit::probe
