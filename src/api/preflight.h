// Whether this process can use a GPU that meets its requirements, and which one.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "api/choose_device.h"
#include "api/reason.h"

namespace culprit::api {

struct Wants {
  DeviceWants device;
  std::string min_driver;  // "535.104.05"
  std::string cudnn;       // "9", "9.1"
  bool prove = false;
  std::string fallback = "cpu";
  std::chrono::milliseconds limit{5000};
};

struct Readiness {
  std::optional<Device> device;  // set if usable
  Reason reason;                 // otherwise
  std::string fallback;
  std::string line;
  std::string driver_version;
  int cuda_version = 0;
  std::string cudnn_version;
  std::string cudnn_path;
};

Readiness Preflight(const Wants& wants);

// The line for a log.
std::string LineOf(const Readiness& readiness, bool gpu_seen);

}  // namespace culprit::api
