// What the static engine (collectors, loader model, rules) says about this machine for this process: its
// program is simulated, and the libraries that it has loaded are taken as they are. The facts are collected
// once per process.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "report/finding.h"

namespace culprit::api {

struct Judgement {
  std::vector<report::Finding> findings;  // by code; no notes
  std::string kernel_driver;              // version of the loaded kernel module; "" if unknown
  // The requested cuDNN, as the process has loaded it or would load it; "" if none.
  std::string cudnn_path;
  std::string cudnn_version;
};

// `cudnn_major` 0: only what the program loads itself. nullptr if there was no answer within `limit`; it is
// not tried again then, because a file system that hangs keeps hanging.
std::shared_ptr<const Judgement> JudgeMachine(uint32_t cudnn_major, std::chrono::milliseconds limit);

}  // namespace culprit::api
