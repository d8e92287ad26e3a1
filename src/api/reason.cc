#include "api/reason.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "api/machine.h"
#include "api/process.h"
#include "base/text.h"
#include "knowledge/messages/causes.h"
#include "knowledge/messages/status_codes.h"
#include "knowledge/visible_devices.h"
#include "rules/kit/hidden_devices.h"

namespace culprit::api {
namespace {

// Fix and code of the general rule for a cause.
Reason OfCause(std::string_view slug, std::string summary, bool proven) {
  Reason reason{.cause = std::string(slug), .summary = std::move(summary), .proven = proven};
  if (const knowledge::Cause* cause = knowledge::FindCause(slug)) reason.fix = cause->fix;
  return reason;
}

bool IsAboutTheDriver(const report::Finding& finding) {
  return finding.family == report::Family::kDriver || finding.family == report::Family::kVisibility;
}

std::string Held(const cuda::NvmlDevice::Holder& holder) {
  const std::string amount = holder.bytes == 0 ? "some memory" : Size(holder.bytes);
  if (holder.pid == OwnPid()) return "this process uses " + amount;
  const std::string name = ProgramName(holder.pid);
  return fmt::format("process {}{} uses {}", holder.pid, name.empty() ? "" : " (" + name + ")", amount);
}

StatusFacts DriverStatus(const std::string& name) {
  StatusFacts facts{.name = name};
  if (const knowledge::CudaStatus* row = knowledge::FindCudaStatus(name)) {
    facts.meaning = row->meaning;
    facts.causes.assign(row->causes.begin(), row->causes.end());
  }
  return facts;
}

}  // namespace

Reason ReasonOf(const report::Finding& finding) {
  return {.cause = finding.cause,
          .code = finding.code,
          .summary = finding.summary,
          .proven = true,
          .fix = finding.fix.text,
          .commands = report::Texts(finding.fix.commands)};
}

const report::Finding* FindExplanation(const std::vector<report::Finding>& findings,
                                       const std::vector<std::string>& causes) {
  const report::Finding* best = nullptr;
  std::pair<int, std::ptrdiff_t> rank;
  for (const report::Finding& finding : findings) {
    const auto cause = std::ranges::find(causes, finding.cause);
    if (cause == causes.end() || finding.severity == report::Severity::kNote) continue;
    const std::pair its(static_cast<int>(finding.severity), cause - causes.begin());
    if (best == nullptr || its < rank) {
      best = &finding;
      rank = its;
    }
  }
  return best;
}

std::optional<Reason> UsualReason(const StatusFacts& status) {
  if (status.causes.empty()) return std::nullopt;
  return OfCause(status.causes.front(), status.meaning, false);
}

std::optional<Reason> HiddenDevices(const LiveDriver& live, const std::string* visible_devices) {
  if (live.nvml.empty() || visible_devices == nullptr || !live.failure ||
      live.failure->status.text() != "CUDA_ERROR_NO_DEVICE")
    return std::nullopt;
  std::vector<knowledge::NamedDevice> devices;
  for (const cuda::NvmlDevice& device : live.nvml) devices.push_back({.uuid = device.uuid});
  const knowledge::VisibleDevices visible = knowledge::ParseVisibleDevices(*visible_devices, devices);
  if (!visible.entries.empty() || visible.unsure) return std::nullopt;
  const std::string value(base::Trim(*visible_devices));
  const bool on_purpose = rules::HidesOnPurpose(value);
  const rules::Rule& rule = rules::HiddenDevicesRule(on_purpose);
  Reason reason{.cause = std::string(rule.cause), .code = std::string(rule.code), .proven = true};
  const std::string gpus = live.nvml.size() == 1 ? "the GPU" : fmt::format("all {} GPUs", live.nvml.size());
  reason.summary = fmt::format("CUDA_VISIBLE_DEVICES={} hides {}", base::Printable(value), gpus);
  if (!on_purpose) {
    reason.summary += fmt::format(": \"{}\" {}", base::Printable(visible.rejected), visible.why);
  }
  reason.fix = on_purpose ? "unset it, unless you hide the GPUs on purpose"
                          : "name an existing device (nvidia-smi -L lists them), or unset it";
  reason.commands = {"unset CUDA_VISIBLE_DEVICES"};
  return reason;
}

Reason WhyNoDriver(const LiveDriver& live, std::chrono::milliseconds limit) {
  const auto environment = OwnEnvironment();
  const auto visible = environment.find("CUDA_VISIBLE_DEVICES");
  if (auto hidden = HiddenDevices(live, visible == environment.end() ? nullptr : &visible->second))
    return std::move(*hidden);
  const cuda::Failure& failure = *live.failure;
  const StatusFacts status = DriverStatus(failure.status.text());
  if (const auto judgement = JudgeMachine(0, limit)) {
    if (const report::Finding* finding = FindExplanation(judgement->findings, status.causes))
      return ReasonOf(*finding);
    for (const report::Finding& finding : judgement->findings) {
      if (finding.severity == report::Severity::kError && IsAboutTheDriver(finding)) return ReasonOf(finding);
    }
  }
  if (failure.status == base::OwnStatus::kNotFound || failure.status == base::OwnStatus::kNotLoaded) {
    return OfCause("driver-missing", "libcuda.so.1 of the NVIDIA driver cannot be loaded: " + failure.detail,
                   failure.status == base::OwnStatus::kNotFound);
  }
  std::string summary = failure.call + " says " + failure.status.text();
  if (!status.meaning.empty()) summary += ": " + status.meaning;
  if (status.causes.empty()) return {.summary = std::move(summary)};
  return OfCause(status.causes.front(), std::move(summary), false);
}

std::optional<Reason> MemoryReason(const MemoryState& memory, bool certain) {
  constexpr uint64_t kLittle = uint64_t{512} << 20;
  constexpr size_t kMostNamed = 3;
  const cuda::NvmlDevice& device = memory.device;
  if (!certain && device.memory_free >= kLittle) return std::nullopt;
  std::string summary = fmt::format("GPU {} ({}) has {} free", memory.index, device.name,
                                    SizeOf(device.memory_free, device.memory_total));
  std::vector<cuda::NvmlDevice::Holder> holders = device.holders;
  std::ranges::sort(holders, std::ranges::greater{}, &cuda::NvmlDevice::Holder::bytes);
  for (size_t i = 0; i < std::min(holders.size(), kMostNamed); ++i) summary += "; " + Held(holders[i]);
  if (holders.size() > kMostNamed) summary += fmt::format("; {} more", holders.size() - kMostNamed);
  if (holders.empty()) summary += "; the driver lists no process that uses it (another container?)";
  Reason reason{.cause = "out-of-memory", .summary = std::move(summary), .proven = true};
  const bool own = holders.empty() || holders.front().pid == OwnPid();
  reason.fix = own ? "allocate less at a time, free memory you no longer need, or use a GPU with more memory"
                   : fmt::format("stop process {}, wait for it, or use another GPU", holders.front().pid);
  reason.commands = {"nvidia-smi"};
  return reason;
}

}  // namespace culprit::api
