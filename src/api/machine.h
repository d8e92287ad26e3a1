// What the static engine (collectors, loader model, rules) says of this machine as this process meets it: its
// own program played, and the libraries that it has already. The facts are collected once in a process.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "report/finding.h"

namespace culprit::api {

struct Judgement {
  std::vector<report::Finding> findings;  // by code; no notes
  std::string kernel_driver;              // version of the loaded kernel module; "" not known
  // The cuDNN that was asked about, as the process has it or would load it; "" none.
  std::string cudnn_path;
  std::string cudnn_version;
};

// `cudnn_major` 0: only what the program loads itself. nullptr when there was no answer within `limit`; it is
// not tried again then, because a file system that hangs goes on hanging.
std::shared_ptr<const Judgement> JudgeMachine(uint32_t cudnn_major, std::chrono::milliseconds limit);

}  // namespace culprit::api
