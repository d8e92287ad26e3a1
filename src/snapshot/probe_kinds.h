// The kinds of a probe: its steps, the jobs they belong to, what became of them. Words of the protocol of
// culprit-probe and of a snapshot.
#pragma once

#include <string>
#include <utility>

#include "base/words.h"

namespace culprit::snapshot {

// In the order in which they are done.
enum class StepName {
  kNone,
  kLibcuda,
  kNvml,
  kInit,
  kDevices,
  kContext,
  kMemory,
  kCopy,
  kKernel,
  kPeer,
  kCudart,
  kNvrtc,
  kCublas,
  kCublasLt,
  kCudnnLoad,
  kCudnnCreate,
  kCudnnParts,
  kCudnnConvolution,
  kCudnnAlgorithms,
  kImport,
  kFrameworkDevices,
  kFrameworkConvolution,
  kCompileCuda,
  kLinkCuda,
  kRunCuda,
  kCompileCudnn,
  kLinkCudnn,
  kRunCudnn,
};
constexpr std::array<std::string_view, 28> WordsOf(StepName) {
  return {"",
          "libcuda",
          "nvml",
          "init",
          "devices",
          "context",
          "memory",
          "copy",
          "kernel",
          "peer",
          "cudart",
          "nvrtc",
          "cublas",
          "cublaslt",
          "cudnn-load",
          "cudnn-create",
          "cudnn-parts",
          "cudnn-convolution",
          "cudnn-algorithms",
          "import",
          "framework-devices",
          "framework-convolution",
          "compile-cuda",
          "link-cuda",
          "run-cuda",
          "compile-cudnn",
          "link-cudnn",
          "run-cudnn"};
}

enum class JobKind { kDriver, kRuntime, kCudnn, kFramework, kCompile };
constexpr std::array<std::string_view, 5> WordsOf(JobKind) {
  return {"driver", "runtime", "cudnn", "framework", "compile"};
}
constexpr JobKind JobOf(StepName step) {
  if (step < StepName::kCudart) return JobKind::kDriver;
  if (step < StepName::kCudnnLoad) return JobKind::kRuntime;
  if (step < StepName::kImport) return JobKind::kCudnn;
  if (step < StepName::kCompileCuda) return JobKind::kFramework;
  return JobKind::kCompile;
}
constexpr bool IsCompile(StepName step) {
  return step == StepName::kCompileCuda || step == StepName::kCompileCudnn;
}
constexpr bool IsLink(StepName step) { return step == StepName::kLinkCuda || step == StepName::kLinkCudnn; }
constexpr bool IsRun(StepName step) { return step == StepName::kRunCuda || step == StepName::kRunCudnn; }
// A step of building a cuDNN program, not a plain CUDA one.
constexpr bool BuildsCudnn(StepName step) { return step >= StepName::kCompileCudnn; }

enum class StepOutcome {
  kNone,
  kOk,
  kFailed,  // it ran and says so
  kCrashed,
  kHung,
  kGarbage,  // its child does not keep the protocol
  kEnded,    // its child went away without a word
  kNotRun,   // something that it needs failed, or was not there
};
constexpr std::array<std::string_view, 8> WordsOf(StepOutcome) {
  return {"", "ok", "failed", "crashed", "hung", "garbage", "ended", "not-run"};
}

// The child that a step ran in. A snapshot has it as one text: "driver", "cudnn /usr/lib/x86_64-linux-gnu",
// "torch /opt/venv/bin/python3".
class ProbeJob {
 public:
  ProbeJob() = default;
  ProbeJob(std::string name, std::string place) : name_(std::move(name)), place_(std::move(place)) {}
  ProbeJob(const std::string& text)  // NOLINT(google-explicit-constructor)
      : name_(text.substr(0, text.find(' '))),
        place_(name_.size() == text.size() ? "" : text.substr(name_.size() + 1)) {}
  ProbeJob(const char* text) : ProbeJob(std::string(text)) {}  // NOLINT(google-explicit-constructor)

  const std::string& name() const { return name_; }    // a kind of job, or a framework
  const std::string& place() const { return place_; }  // the directory or interpreter; "" not needed
  std::string text() const { return place_.empty() ? name_ : name_ + " " + place_; }
  bool operator==(const ProbeJob&) const = default;

 private:
  std::string name_, place_;
};

}  // namespace culprit::snapshot
