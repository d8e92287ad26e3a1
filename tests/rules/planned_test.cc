// Healthy plans, built as machines in memory and checked by the rules: there must be no finding. An unhealthy
// plan must have one.
#include "change/whatif/planned.h"

#include <gtest/gtest.h>

#include <set>

#include "engine/diagnosis.h"

namespace culprit {
namespace {

struct Planned {
  std::string name;
  std::string host;
  std::string python;
  std::vector<std::string> packages;  // "torch==2.5.1", "tensorflow[and-cuda]==2.21.0"
  std::set<std::string> alarms = {};  // codes of its expected findings
  whatif::PlannedHost machine = {};
};

void PrintTo(const Planned& plan, std::ostream* out) { *out << plan.name; }

report::Plan PlanOf(const Planned& planned) {
  report::Plan plan{.outcome = report::Plan::Outcome::kSolution};
  plan.packages.push_back({.name = "python",
                           .version = planned.python,
                           .channel = report::ChannelKind::kHost,
                           .role = report::PackageRole::kPython});
  for (const std::string& text : planned.packages) {
    const size_t equals = text.find("==");
    report::PlannedPackage package{.name = text.substr(0, equals), .version = text.substr(equals + 2)};
    if (const size_t bracket = package.name.find('['); bracket != std::string::npos) {
      package.extra = package.name.substr(bracket + 1, package.name.size() - bracket - 2);
      package.name.resize(bracket);
    }
    package.channel = report::ChannelKind::kPypi;
    if (package.name == "cuda-toolkit" || package.name == "cudnn") {
      package.channel = report::ChannelKind::kNvidiaApt;
      package.role = package.name == "cudnn" ? report::PackageRole::kCudnn : report::PackageRole::kToolkit;
      plan.packages.push_back(std::move(package));
      continue;
    }
    package.role = package.name.starts_with("nvidia-") ? report::PackageRole::kLibrary
                   : package.name == "torchvision" || package.name == "torchaudio"
                       ? report::PackageRole::kCompanion
                       : report::PackageRole::kFramework;
    plan.packages.push_back(std::move(package));
  }
  return plan;
}

class PlannedMachine : public testing::TestWithParam<Planned> {};

TEST_P(PlannedMachine, IsAsHealthyAsItSays) {
  const Planned& planned = GetParam();
  const auto machine = whatif::PlannedMachine(planned.machine, PlanOf(planned));
  ASSERT_TRUE(machine) << machine.error().message;
  engine::Diagnosis diagnosis({.machine = *machine,
                               .environments = {whatif::PlannedPrefix(planned.machine.platform)},
                               .host_unseen = true,
                               .host = planned.host,
                               .limit = std::chrono::minutes(1)});
  const auto looked = diagnosis.Look();
  ASSERT_TRUE(looked) << looked.error().message;
  diagnosis.Play();
  const auto report = diagnosis.Judge();
  std::string told;
  std::set<std::string> alarms;
  for (const auto& finding : report.findings) {
    told += std::string(Name(finding.severity)) + " " + finding.code + " " + finding.summary + "\n";
    for (const auto& evidence : finding.evidence)
      told += "    " + evidence.fact + " [" + evidence.source + "]\n";
    if (finding.severity != report::Severity::kNote) alarms.insert(finding.code);
  }
  for (const auto& missing : report.not_checked)
    told += "not checked: " + missing.what + ": " + missing.why + "\n";
  for (const auto& row : report.stack) told += "  " + row.what + " " + row.value + " " + row.detail + "\n";
  EXPECT_EQ(alarms, planned.alarms) << told;
  const auto& environments = diagnosis.snapshot().stack.environments;
  ASSERT_TRUE(environments && environments->size() == 1);
  const bool system = planned.packages.front().starts_with("cuda-toolkit");
  EXPECT_EQ(environments->front().frameworks.empty(), system);
  EXPECT_FALSE(diagnosis.scene().scenarios.empty());
  EXPECT_TRUE(environments->front().problems.empty());
}

const char* const kHopper = "driver=580.95.05,gpu=sm_90";
const char* const kAmpere = "driver=550.54.14,gpu=sm_80";

INSTANTIATE_TEST_SUITE_P(
    Healthy, PlannedMachine,
    testing::Values(
        Planned{"torch_cu124", kAmpere, "3.11", {"torch==2.5.1"}},
        Planned{"torch_cu130", kHopper, "3.12", {"torch==2.11.0"}},
        Planned{"torch_newest", kHopper, "3.12", {"torch==2.15.0"}},
        Planned{"torch_cu118", "driver=470.82,gpu=sm_70", "3.10", {"torch==2.4.1+cu118"}},
        Planned{"torch_cu126_for_pascal", "driver=580.95.05,gpu=sm_61", "3.12", {"torch==2.11.0+cu126"}},
        Planned{"torch_old", "driver=470.82,gpu=sm_70", "3.9", {"torch==1.13.1+cu116"}},
        Planned{"torch_and_companions",
                kAmpere,
                "3.11",
                {"torch==2.5.1", "torchvision==0.20.1", "torchaudio==2.5.1", "xformers==0.0.28.post3"}},
        Planned{"tensorflow", kHopper, "3.11", {"tensorflow[and-cuda]==2.21.0"}},
        Planned{"tensorflow_first_with_extra", kAmpere, "3.10", {"tensorflow[and-cuda]==2.15.0"}},
        Planned{"jax_cuda12", kAmpere, "3.12", {"jax[cuda12]==0.6.2"}},
        Planned{"jax_cuda13", kHopper, "3.12", {"jax[cuda13]==0.11.0"}},
        Planned{"onnxruntime", kAmpere, "3.11", {"onnxruntime-gpu[cuda,cudnn]==1.22.0"}},
        Planned{"ctranslate2", kAmpere, "3.11", {"nvidia-cublas-cu12==12.4.5.8", "ctranslate2==4.6.3"}},
        Planned{"toolkit_and_cudnn", kAmpere, "3.11", {"cuda-toolkit==12.4.1", "cudnn==9.5.1.17"}},
        Planned{"cupy_with_toolkit", kAmpere, "3.11", {"cupy-cuda12x==13.6.0", "cuda-toolkit==12.4.1"}},
        Planned{"torch_too_new_for_volta",
                "driver=580.95.05,gpu=sm_70",
                "3.12",
                {"torch==2.15.0"},
                {"CUL3012", "CUL7002"}},
        Planned{"driver_too_old", "driver=470.82,gpu=sm_80", "3.11", {"torch==2.5.1"}, {"CUL1013"}},
        Planned{"all_in_one",
                kAmpere,
                "3.11",
                {"torch==2.5.1", "onnxruntime-gpu[cuda,cudnn]==1.22.0", "ctranslate2==4.6.3"}},
        Planned{
            "torch_on_arm", "driver=580.95.05,gpu=sm_90", "3.12", {"torch==2.11.0"}, {}, {.cpu = "aarch64"}},
        Planned{"torch_on_windows",
                "driver=560.94,gpu=sm_89",
                "3.11",
                {"torch==2.6.0+cu126"},
                {},
                {.platform = base::Platform::kWindows}}),
    [](const auto& one) { return one.param.name; });

}  // namespace
}  // namespace culprit
