// `--compile`: can this machine's nvcc, with its host compiler and headers, build a CUDA program and a cuDNN
// program that run? Compiling, linking and running are separate steps.
#pragma once

#include <chrono>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "probe/host/plan.h"

namespace culprit::probe {

struct CompileOptions {
  std::chrono::milliseconds step_limit{120'000};
  std::stop_token stop = {};
  std::function<void(const std::string&)> on_progress = {};  // from any thread
};

struct CompileResult {
  std::vector<snapshot::ProbeStep> steps;  // compile-cuda ... run-cudnn
  // The setting for these GPUs: "CMAKE_CUDA_ARCHITECTURES=90". Also a figure of compile-cuda.
  std::vector<std::string> advice;
};

CompileResult TryCompiling(const snapshot::Snapshot& snapshot, snapshot::FileView& view,
                           const std::vector<snapshot::ProbedDevice>& devices, const Wishes& wishes,
                           const CompileOptions& options);

}  // namespace culprit::probe
