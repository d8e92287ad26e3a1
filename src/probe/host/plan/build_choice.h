// What a build on this machine would use: which nvcc, for which GPUs, with which cuDNN.
#pragma once

#include <string>
#include <vector>

#include "probe/host/plan.h"

namespace culprit::probe {

struct BuildChoice {
  std::string nvcc;                        // "" none was found
  std::vector<std::string> architectures;  // "90" for each kind of device; empty if none is known
  std::string cudnn_include;               // directory with cudnn.h; "" = where nvcc looks anyway
  std::string cudnn_library;               // directory
  std::string cudnn_file;                  // linked by path if the directory has no libcudnn.so
};

BuildChoice ChooseBuild(const snapshot::Snapshot& snapshot, snapshot::FileView& view,
                        const std::vector<snapshot::ProbedDevice>& devices, const Wishes& wishes);

}  // namespace culprit::probe
