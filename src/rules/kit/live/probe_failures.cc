#include "rules/kit/live/probe_failures.h"

#include <algorithm>
#include <array>
#include <exception>
#include <memory>
#include <optional>

#include "base/text.h"
#include "base/version.h"
#include "rules/kit/live/probe_explained.h"
#include "rules/kit/live/probe_facts.h"

namespace culprit::rules {
namespace {

using base::ComputeMode;
using snapshot::JobKind;
using snapshot::ProbedDevice;
using snapshot::ProbeFacts;
using snapshot::ProbeStep;
using snapshot::StepName;
using snapshot::StepOutcome;

bool IsCode(const ProbeStep& step, std::initializer_list<int32_t> codes) {
  const auto code = CudaCode(step);
  return code && std::ranges::find(codes, *code) != codes.end();
}

// What a library above the driver reports if the driver itself has no device.
bool IsDriversStatus(const ProbeStep& step) {
  return IsCode(step, {3, 34, 35, 36, 46, 100, 101, 802, 803, 804, 999}) ||
         base::Contains(step.status.text(), "NO_DEVICE") || step.status == base::OwnStatus::kNoDevice ||
         base::Contains(Words(step), "no CUDA-capable device") ||
         base::Contains(Words(step), "Found no NVIDIA driver") ||
         base::Contains(Words(step), "failed call to cuInit");
}

bool SaysOutOfMemory(const ProbeStep& step) {
  if (IsCode(step, {2})) return true;
  const std::string words = Words(step);
  return base::Contains(words, "CUDA_ERROR_OUT_OF_MEMORY") || base::Contains(words, "out of memory") ||
         base::Contains(words, "cudaErrorMemoryAllocation") || base::Contains(words, "RESOURCE_EXHAUSTED");
}

// Statuses with which libraries hide a failed allocation.
bool MayMeanOutOfMemory(const ProbeStep& step) {
  for (const char* part : {"ALLOC_FAILED", "ALLOCATION_FAILED", "NOT_INITIALIZED", "INTERNAL_ERROR",
                           "EXECUTION_FAILED", "OUT_OF_MEMORY"}) {
    if (base::Contains(step.status.text(), part) ||
        (JobOf(step.name) == JobKind::kFramework && base::Contains(Words(step), part)))
      return true;
  }
  return false;
}

bool IsOutOfMemory(const ProbeFacts& facts, const ProbeStep& step) {
  if (SaysOutOfMemory(step)) return true;
  const ProbedDevice* device = DeviceOf(facts, step);
  return device != nullptr && HardlyAnyFree(*device) && MayMeanOutOfMemory(step);
}

bool IsComputeMode(const ProbeFacts& facts, const ProbeStep& step) {
  const ProbedDevice* device = DeviceOf(facts, step);
  if (device == nullptr || device->compute_mode == ComputeMode::kUnknown ||
      device->compute_mode == ComputeMode::kDefault)
    return false;
  return step.name == StepName::kContext || IsDriversStatus(step);
}

bool NvmlShowsDevices(const ProbeFacts& facts) {
  return std::ranges::any_of(facts.devices,
                             [](const ProbedDevice& device) { return !device.nvml_index.empty(); });
}

// cuDNN sub-libraries of two releases in the job of this step.
bool CudnnIsMixed(const ProbeFacts& facts, const ProbeStep& step) {
  if (SaysMixed(step)) return true;
  std::optional<base::Version> first;
  for (const ProbeStep& other : facts.steps) {
    if (other.job != step.job) continue;
    for (const snapshot::ProbedLibrary& library : other.libraries) {
      if (!library.name.starts_with("libcudnn") && !library.name.starts_with("cudnn")) continue;
      auto version = base::Version::Parse(library.version);
      if (!version) continue;
      version->parts.resize(std::min<size_t>(version->parts.size(), 3));
      if (!first) first = version;
      if (*first != *version) return true;
    }
  }
  return false;
}

bool IsCudnnPart(const ProbeStep& step) {
  if (base::Contains(step.status.text(), "SUBLIBRARY")) return true;
  const std::string words = Words(step);
  const bool part = base::Contains(words, "libcudnn_") || base::Contains(words, "cudnn_");
  return part && (base::Contains(words, "cannot open shared object") ||
                  base::Contains(words, "Could not load library") ||
                  base::Contains(words, "Unable to load") || base::Contains(words, "Could not locate") ||
                  base::Contains(words, "file too short") || base::Contains(words, "invalid ELF header") ||
                  base::Contains(words, "undefined symbol") || LoadFailed(step));
}

bool IsNoCode(const ProbeStep& step) {
  const std::string words = Words(step);
  return IsCode(step, {209}) || base::Contains(step.status.text(), "ARCH_MISMATCH") ||
         base::Contains(words, "no kernel image is available") ||
         base::Contains(words, "CUDA_ERROR_NO_BINARY_FOR_GPU");
}

bool IsPtxRefused(const ProbeStep& step) {
  const std::string words = Words(step);
  return IsCode(step, {222}) || base::Contains(words, "unsupported toolchain") ||
         base::Contains(words, "Unsupported .version");
}

Trouble TroubleOf(const ProbeFacts& facts, const ProbeStep& step) {
  const JobKind kind = JobOf(step.name);
  if (IsOutOfMemory(facts, step)) return Trouble::kOutOfMemory;
  if (IsComputeMode(facts, step)) return Trouble::kComputeMode;
  if (kind == JobKind::kCudnn && CudnnIsMixed(facts, step)) return Trouble::kCudnnMixed;
  if (kind == JobKind::kCudnn && step.outcome == StepOutcome::kFailed && IsCudnnPart(step))
    return Trouble::kCudnnPart;
  if (step.outcome == StepOutcome::kCrashed) return Trouble::kCrash;
  if (step.outcome == StepOutcome::kHung) return Trouble::kHang;
  if (step.outcome != StepOutcome::kFailed) return Trouble::kOther;
  if (step.status == base::OwnStatus::kWrongResult) return Trouble::kWrongResult;
  if (IsCompile(step.name) || IsLink(step.name)) return Trouble::kNotBuilt;
  if (IsNoCode(step)) return Trouble::kNoCode;
  if (IsPtxRefused(step)) return Trouble::kPtxRefused;
  if (step.name == StepName::kInit || step.name == StepName::kDevices || step.name == StepName::kContext) {
    const bool none = IsCode(step, {100, 101}) || step.status == base::OwnStatus::kNoDevice;
    return none && NvmlShowsDevices(facts) ? Trouble::kDevicesDiffer : Trouble::kCudaDoesNotStart;
  }
  if (kind == JobKind::kFramework) return Trouble::kFramework;
  if (IsRun(step.name)) return Trouble::kBuiltDoesNotRun;
  if (LoadFailed(step)) return Trouble::kNotLoaded;
  return Trouble::kOther;
}

// The earlier failure that causes this one: the driver has no device, or cuDNN failed to load completely;
// nullptr if there is none.
const ProbeFailure* Behind(const std::vector<ProbeFailure>& before, const ProbeStep& step, Trouble trouble) {
  for (const ProbeFailure& failure : before) {
    if (failure.trouble == Trouble::kConsequence) continue;
    const StepName name = failure.step->name;
    const bool driver = JobOf(name) == JobKind::kDriver && name != StepName::kNvml && name != StepName::kPeer;
    if (driver && failure.step->job != step.job && IsDriversStatus(step)) return &failure;
    const bool same_job =
        failure.step->job == step.job &&
        JobOf(step.name) != JobKind::kCompile;  // Without libcuda nothing starts, and NVML ships with it.
    if (same_job && name == StepName::kLibcuda && LoadFailed(*failure.step) && LoadFailed(step))
      return &failure;
    const bool decides = failure.trouble == Trouble::kCudnnMixed || failure.trouble == Trouble::kCudnnPart ||
                         failure.trouble == Trouble::kExplained || failure.trouble == Trouble::kNotLoaded ||
                         failure.trouble == Trouble::kOutOfMemory || failure.trouble == trouble;
    if (same_job && decides && JobOf(step.name) == JobKind::kCudnn) return &failure;
    if (same_job && JobOf(step.name) == JobKind::kFramework) return &failure;
  }
  return nullptr;
}

std::vector<RuledFinding> StaticFindings(const Scene& scene) {
  std::vector<RuledFinding> findings;
  for (const Rule* rule : AllRules()) {
    if (rule->live() || !AppliesTo(*rule, scene)) continue;
    Ruling ruling(*rule);
    try {
      rule->check(scene, ruling);
    } catch (const std::exception&) {  // engine::Check also runs it and reports this
      continue;
    }
    for (const report::Finding& finding : ruling.findings()) findings.push_back({rule, finding});
  }
  return findings;
}

}  // namespace

const ProbeFailureList& ProbeFailures(const Scene& scene) {
  if (scene.probe_failures) return *scene.probe_failures;
  auto list = std::make_shared<ProbeFailureList>();
  if (scene.stack().probe && std::ranges::any_of(scene.stack().probe->steps, Failed)) {
    list->findings = StaticFindings(scene);
    const ProbeFacts& facts = *scene.stack().probe;
    for (const ProbeStep& step : facts.steps) {
      if (!Failed(step)) continue;
      ProbeFailure failure{.step = &step, .trouble = TroubleOf(facts, step)};
      const bool by_facts =
          failure.trouble != Trouble::kOutOfMemory && failure.trouble != Trouble::kWrongResult;
      if (const ProbeFailure* behind = Behind(list->failures, step, failure.trouble)) {
        failure.trouble = Trouble::kConsequence;
        failure.behind = behind->step;
      } else if (by_facts && (failure.explained = ExplainedBy(facts, step, list->findings)) != nullptr) {
        failure.trouble = Trouble::kExplained;
      }
      list->failures.push_back(failure);
    }
  }
  scene.probe_failures = list;
  return *scene.probe_failures;
}

std::vector<const ProbeFailure*> FailuresOf(const Scene& scene, Trouble trouble) {
  std::vector<const ProbeFailure*> found;
  for (const ProbeFailure& failure : ProbeFailures(scene).failures) {
    if (failure.trouble == trouble) found.push_back(&failure);
  }
  return found;
}

}  // namespace culprit::rules
