#include "api/preflight.h"

#include <fmt/format.h>

#include <charconv>

#include "api/live.h"
#include "api/machine.h"
#include "base/version.h"
#include "knowledge/messages/status_codes.h"

namespace culprit::api {
namespace {

// Each checks one requirement: nullopt if it is met.
using Complaint = std::optional<Reason>;

Complaint Wrong(std::string what) {
  return Reason{.cause = "application-bug", .summary = std::move(what), .proven = true};
}

Complaint DriverComplaint(const Wants& wants, const Readiness& readiness) {
  if (wants.min_driver.empty()) return std::nullopt;
  const auto wanted = base::Version::Parse(wants.min_driver);
  if (!wanted) return Wrong("the required driver \"" + wants.min_driver + "\" is not a version");
  const auto version = base::Version::Parse(readiness.driver_version);
  if (!version) {
    return Reason{.summary = "the driver version is unknown, but " + wants.min_driver + " is required"};
  }
  if (*version >= *wanted) return std::nullopt;
  return Reason{.cause = "driver-too-old",
                .summary = "the driver is " + readiness.driver_version + ", but " + wants.min_driver +
                           " or newer is required",
                .proven = true,
                .fix = "update the NVIDIA driver to " + wants.min_driver + " or newer"};
}

// Errors that prevent cuDNN in this process from working, and nothing else.
const report::Finding* CudnnFinding(const Judgement& judgement) {
  for (const report::Finding& finding : judgement.findings) {
    if (finding.severity == report::Severity::kError && finding.family == report::Family::kCudnn)
      return &finding;
  }
  return FindExplanation(judgement.findings,
                         {"cudnn-missing", "cudnn-sublibrary-missing", "cudnn-mixed-versions",
                          "dependent-missing", "corrupt-library"});
}

Complaint CudnnComplaint(const Wants& wants, Readiness& readiness) {
  if (wants.cudnn.empty()) return std::nullopt;
  const auto wanted = base::Version::Parse(wants.cudnn);
  if (!wanted || wanted->part(0) < 7)
    return Wrong("the required cuDNN \"" + wants.cudnn + "\" is not a version");
  const auto judgement = JudgeMachine(wanted->part(0), wants.limit);
  if (judgement == nullptr) {
    return Reason{.summary = fmt::format("could not find out within {} ms which cuDNN this process loads",
                                         wants.limit.count())};
  }
  readiness.cudnn_path = judgement->cudnn_path;
  readiness.cudnn_version = judgement->cudnn_version;
  if (const report::Finding* finding = CudnnFinding(*judgement);
      finding != nullptr && finding->severity == report::Severity::kError)
    return ReasonOf(*finding);
  if (judgement->cudnn_path.empty()) {
    return Reason{.cause = "cudnn-missing",
                  .summary = fmt::format("this process does not find libcudnn.so.{}", wanted->part(0)),
                  .proven = true,
                  .fix = fmt::format("install cuDNN {}", wanted->part(0))};
  }
  const auto version = base::Version::Parse(judgement->cudnn_version);
  if (!version) return Reason{.summary = "the version of " + judgement->cudnn_path + " cannot be read"};
  if (*version >= *wanted) return std::nullopt;
  return Reason{.cause = "cudnn-version-mismatch",
                .summary = fmt::format("cuDNN is {} ({}), but {} or newer is required",
                                       judgement->cudnn_version, judgement->cudnn_path, wants.cudnn),
                .proven = true,
                .fix = "update cuDNN to " + wants.cudnn + " or newer"};
}

Complaint ProofComplaint(const Wants& wants, const Device& device) {
  if (!wants.prove) return std::nullopt;
  const auto failure = ProveDevice(device.index);
  if (!failure) return std::nullopt;
  const std::string summary = fmt::format("a kernel on GPU {} ({}) fails: {} says {}", device.index,
                                          device.name, failure->call, failure->status.text());
  if (failure->status.text() == "CUDA_ERROR_OUT_OF_MEMORY") {
    if (const auto memory = MemoryOfCurrentDevice()) {
      if (auto reason = MemoryReason(*memory, true)) return reason;
    }
  }
  const knowledge::CudaStatus* row = knowledge::FindCudaStatus(failure->status.text());
  std::vector<std::string> causes;
  if (row != nullptr) causes.assign(row->causes.begin(), row->causes.end());
  if (const auto judgement = JudgeMachine(0, wants.limit)) {
    if (const report::Finding* finding = FindExplanation(judgement->findings, causes))
      return ReasonOf(*finding);
  }
  Reason reason{.cause = causes.empty() ? "hardware-fault" : causes.front(), .summary = summary};
  if (row != nullptr) reason.summary += ": " + std::string(row->meaning);
  return reason;
}

Complaint DeviceComplaint(const Wants& wants, const LiveDriver& live, Device& chosen) {
  Choice choice = ChooseDevice(live.devices, wants.device);
  if (choice.device == nullptr) {
    return Reason{.cause = std::move(choice.cause), .summary = std::move(choice.why), .proven = true};
  }
  chosen = *choice.device;
  return std::nullopt;
}

}  // namespace

std::string LineOf(const Readiness& readiness, bool gpu_seen) {
  if (readiness.device) {
    const Device& device = *readiness.device;
    std::string line =
        fmt::format("GPU {}: {} (sm_{}{}), ", device.index, device.name, device.major, device.minor);
    if (!device.memory_free) return line + Size(device.memory_total);
    return line + SizeOf(*device.memory_free, device.memory_total) + " free";
  }
  std::string line = (gpu_seen ? "no usable GPU: " : "no GPU: ") + readiness.reason.summary;
  if (!readiness.reason.code.empty()) line += " (" + readiness.reason.code + ")";
  return line +
         (readiness.fallback == "cpu" ? "; running on the CPU" : "; falling back to " + readiness.fallback);
}

Readiness Preflight(const Wants& wants) {
  const LiveDriver live = LookAtDriver(wants.device.min_free_memory > 0);
  Readiness readiness{.driver_version = live.driver_version, .cuda_version = live.cuda_version};
  Device chosen;
  Complaint complaint;
  if (live.failure) {
    complaint = WhyNoDriver(live, wants.limit);
  } else {
    if (readiness.driver_version.empty() && !wants.min_driver.empty()) {
      if (const auto judgement = JudgeMachine(0, wants.limit))
        readiness.driver_version = judgement->kernel_driver;
    }
    complaint = DriverComplaint(wants, readiness);
    if (!complaint) complaint = DeviceComplaint(wants, live, chosen);
    if (!complaint) complaint = CudnnComplaint(wants, readiness);
    if (!complaint) complaint = ProofComplaint(wants, chosen);
  }
  if (complaint) {
    readiness.reason = std::move(*complaint);
    readiness.fallback = wants.fallback;
  } else {
    readiness.device = std::move(chosen);
  }
  readiness.line = LineOf(readiness, !live.devices.empty());
  return readiness;
}

}  // namespace culprit::api
