#include "rules/kit/live/probe_facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "base/text.h"
#include "knowledge/messages/status_codes.h"

namespace culprit::rules {
namespace {

using snapshot::StepOutcome;

constexpr uint64_t kMiB = 1024 * 1024;
constexpr uint64_t kGiB = 1024 * kMiB;
// A context takes about 250 to 500 MiB, a cuBLAS or cuDNN handle its workspace on top.
constexpr uint64_t kTooLittle = 600 * kMiB;
constexpr size_t kMostLines = 6;
constexpr size_t kLongestLine = 240;

bool AllDigits(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

}  // namespace

const snapshot::ProbeFacts* Probed(const Scene& scene, Ruling& ruling) {
  if (scene.stack().probe) return &*scene.stack().probe;
  ruling.NotApplicable();
  return nullptr;
}

bool Failed(const snapshot::ProbeStep& step) {
  return step.outcome != StepOutcome::kOk && step.outcome != StepOutcome::kNotRun;
}

bool FollowsFromFailure(const snapshot::ProbeFacts& facts, const snapshot::ProbeStep& step) {
  return std::ranges::any_of(facts.steps, [&](const snapshot::ProbeStep& other) {
    const bool before = other.job == step.job || JobOf(other.name) == snapshot::JobKind::kDriver;
    return before && Failed(other);
  });
}

std::string FrameworkOf(const snapshot::ProbeStep& step) {
  return step.job.name().empty() ? "the framework" : step.job.name();
}

std::string SubjectOf(const snapshot::ProbeStep& step) {
  return step.subject.empty() ? step.job.text() : step.subject;
}

std::string TitleOf(const snapshot::ProbeStep& step) {
  return step.title.empty() ? std::string(base::Word(step.name)) : step.title;
}

std::optional<int32_t> CudaCode(const snapshot::ProbeStep& step) {
  if (const auto* row = knowledge::FindCudaStatus(step.status.text()))
    return row->code;  // A number that the prober's tables do not list: "CUDA_ERROR_987", "cuda 987".
  std::string_view number = step.status.text();
  for (const std::string_view prefix : {"CUDA_ERROR_", "cudaError_", "cudaError", "cuda "}) {
    if (!number.starts_with(prefix)) continue;
    number.remove_prefix(prefix.size());
    if (!AllDigits(number)) return std::nullopt;
    int32_t code = 0;
    if (std::from_chars(number.data(), number.data() + number.size(), code).ec != std::errc())
      return std::nullopt;
    return code;
  }
  return std::nullopt;
}

bool LoadFailed(const snapshot::ProbeStep& step) {
  return step.outcome == StepOutcome::kFailed &&
         (step.call == "dlopen" || step.call == "LoadLibrary" || step.call == "dlsym" ||
          step.call == "GetProcAddress" || step.status == base::OwnStatus::kNotFound ||
          step.status == base::OwnStatus::kNotLoaded);
}

bool SaysMixed(const snapshot::ProbeStep& step) {
  return step.status == base::OwnStatus::kMixedVersions ||
         base::Contains(step.status.text(), "VERSION_MISMATCH");
}

std::string Words(const snapshot::ProbeStep& step) {
  std::string words;
  for (const std::string& part : {step.call, step.status.text(), step.detail, step.output}) {
    if (!part.empty()) words += part + "\n";
  }
  return words;
}

std::string Said(const snapshot::ProbeStep& step) {
  const std::string in = step.library.empty() ? "" : " in " + step.library;
  if (step.outcome == StepOutcome::kCrashed)
    return (step.status.empty() ? "crashed" : step.status.text()) + in;
  if (step.outcome == StepOutcome::kHung) return "timed out" + in;
  if (step.outcome == StepOutcome::kGarbage) return "its process wrote an invalid protocol line";
  if (step.outcome == StepOutcome::kEnded) return "its process exited without a message";
  std::string said = step.call;
  if (!step.status.empty()) said += (said.empty() ? "" : ": ") + step.status.text();
  if (!step.detail.empty()) said += said.empty() ? step.detail : " (" + step.detail + ")";
  return said.empty() ? "it failed" : said;
}

std::vector<std::string> TellingOf(const snapshot::ProbeStep& step) {
  return {std::string(base::Word(step.outcome)), step.library, step.call, step.status.text(), step.detail};
}

std::string StepId(const snapshot::ProbeStep& step) {
  return step.job.text() + ": " + std::string(base::Word(step.name));
}

report::Evidence EvidenceOf(const snapshot::ProbeStep& step) {
  return {Said(step), "culprit probe, " + StepId(step), StepId(step)};
}

bool IsAbout(const report::Finding& finding, const snapshot::ProbeStep& step) {
  return std::ranges::find(finding.evidence, StepId(step), &report::Evidence::step) != finding.evidence.end();
}

void AddOutput(const snapshot::ProbeStep& step, report::Finding& finding) {
  std::vector<std::string> lines = base::Split(step.output, '\n');
  std::erase_if(lines, [](const std::string& line) { return base::Trim(line).empty(); });
  const size_t first = lines.size() > kMostLines ? lines.size() - kMostLines : 0;
  for (size_t i = first; i < lines.size(); ++i) {
    finding.evidence.push_back(
        {std::string(base::Trim(lines[i].substr(0, kLongestLine))), "its standard error"});
  }
}

std::vector<Command> Commands(const Scene& scene, std::vector<Command> on_linux,
                              std::vector<Command> on_windows) {
  return scene.OnWindows() ? std::move(on_windows) : std::move(on_linux);
}

const snapshot::ProbedDevice* DeviceOf(const snapshot::ProbeFacts& facts, const snapshot::ProbeStep& step) {
  std::string index = step.subject;
  if (const auto named = step.figures.find("device"); named != step.figures.end()) index = named->second;
  if (const size_t space = index.rfind(' '); space != std::string::npos) index = index.substr(space + 1);
  const snapshot::ProbedDevice* first = nullptr;
  for (const snapshot::ProbedDevice& device : facts.devices) {
    if (device.cuda_index.empty()) continue;
    if (AllDigits(index) && device.cuda_index == index) return &device;
    if (first == nullptr) first = &device;
  }
  return first != nullptr || facts.devices.size() != 1 ? first : &facts.devices.front();
}

std::string NameOf(const snapshot::ProbedDevice& device) {
  const std::string index = device.cuda_index.empty() ? device.nvml_index : device.cuda_index;
  return "GPU " + index + (device.name.empty() ? "" : " (" + device.name + ")");
}

std::string Size(uint64_t bytes) {
  if (bytes < kGiB) return fmt::format("{} MiB", bytes / kMiB);
  return fmt::format("{:.1f} GiB", static_cast<double>(bytes) / static_cast<double>(kGiB));
}

bool HardlyAnyFree(const snapshot::ProbedDevice& device) {
  return device.memory_total > 0 && device.memory_free < std::min(kTooLittle, device.memory_total / 4);
}

std::vector<snapshot::ProbedLibrary> LoadedUntil(const snapshot::ProbeFacts& facts,
                                                 const snapshot::ProbeStep& step) {
  std::vector<snapshot::ProbedLibrary> loaded;
  for (const snapshot::ProbeStep& other : facts.steps) {
    if (other.job != step.job) continue;
    for (const snapshot::ProbedLibrary& library : other.libraries) {
      if (std::ranges::find(loaded, library.path, &snapshot::ProbedLibrary::path) == loaded.end())
        loaded.push_back(library);
    }
    if (&other == &step) break;
  }
  return loaded;
}

}  // namespace culprit::rules
