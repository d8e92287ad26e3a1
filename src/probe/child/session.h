// What the steps of one run share: the driver library, NVML, the device and its context. Each is created on
// first use, so that a step also works alone (--only).
#pragma once

#include <expected>
#include <functional>
#include <optional>
#include <string>

#include "probe/child/arguments.h"
#include "probe/child/teller.h"
#include "probe/cuda/cudnn.h"
#include "probe/cuda/driver.h"
#include "probe/cuda/nvml.h"

namespace culprit::prober {

using base::OwnStatus;
using cuda::Failure;
// The result of a step: the detail for "ok", or the failure.
using Outcome = std::expected<std::string, Failure>;

// The status of a step with nothing to test; its detail says why.
inline constexpr char kNotRun[] = "not-run";

class Session {
 public:
  Session(Arguments arguments, Teller& teller) : arguments_(std::move(arguments)), teller_(teller) {}

  const Arguments& arguments() const { return arguments_; }
  Teller& teller() { return teller_; }
  int device_index() const { return arguments_.device; }
  std::string DeviceSubject() const { return "device " + std::to_string(arguments_.device); }

  // Each needs the ones above it and fails with the first failure among them. Done once.
  std::optional<Failure> OpenDriver();
  std::optional<Failure> Init();        // cuInit
  std::optional<Failure> PickDevice();  // --device
  std::optional<Failure> MakeContext();
  std::optional<Failure> StartNvml();  // needs nothing

  const cuda::Driver& driver() const { return driver_; }
  const cuda::Nvml& nvml() const { return nvml_; }
  const cuda::NvmlFacts& nvml_facts() const { return nvml_facts_; }
  int device() const { return device_; }      // CUdevice
  void* context() const { return context_; }  // CUcontext

  // --preload: what NVRTC and cuDNN open by name.
  std::optional<Failure> Preload();

  // cuDNN, for the job of that name.
  std::optional<Failure> OpenCudnn();
  std::optional<Failure> CreateCudnn();
  const cuda::Cudnn& cudnn() const { return cudnn_; }
  void* cudnn_handle() const { return cudnn_handle_; }

 private:
  struct Once {
    bool tried = false;
    std::optional<Failure> failure;
  };
  const std::optional<Failure>& Do(Once& once, const std::function<std::optional<Failure>()>& work);

  Arguments arguments_;
  Teller& teller_;
  cuda::Driver driver_;
  cuda::Nvml nvml_;
  cuda::NvmlFacts nvml_facts_;
  cuda::Cudnn cudnn_;
  void* cudnn_handle_ = nullptr;
  int device_ = 0;
  void* context_ = nullptr;
  Once driver_once_, init_once_, device_once_, context_once_, nvml_once_, cudnn_once_, handle_once_;
};

}  // namespace culprit::prober
