#include "probe/host/plan/build_choice.h"

#include <algorithm>
#include <cctype>

#include "base/path_error.h"
#include "base/text.h"
#include "base/version.h"
#include "probe/host/plan/cuda_files.h"

namespace culprit::probe {
namespace {

using base::DirName;
using base::JoinPath;
using snapshot::CudnnCopy;

// "9.0" -> "90"; "" if it is not a compute capability.
std::string Architecture(const std::string& capability) {
  const auto version = base::Version::Parse(capability);
  if (!version || version->parts.size() != 2) return "";
  return std::to_string(version->part(0)) + std::to_string(version->part(1));
}

void AddOnce(std::vector<std::string>& list, const std::string& text) {
  if (!text.empty() && std::ranges::find(list, text) == list.end()) list.push_back(text);
}

// Whether a build prefers this copy: it has headers, fits this nvcc's CUDA and this CPU, and was asked for.
int Rank(const snapshot::Snapshot& snapshot, snapshot::FileView& view, const CudnnCopy& copy,
         const std::string& cuda, const Wishes& wishes) {
  const std::string cpu = ThisCpu(snapshot);
  if (!copy.machine.empty() && !cpu.empty() && copy.machine != cpu) return -1;
  int rank = copy.header.empty() ? 0 : 4;
  const auto theirs = base::Version::Parse(copy.cuda), ours = base::Version::Parse(cuda);
  if (theirs && ours && theirs->part(0) == ours->part(0)) rank += 2;
  if (view.Open(JoinPath(copy.directory, "libcudnn.so")).error == base::PathError::kNone) rank += 1;
  for (const std::string& wish : wishes.cudnn) {
    const std::string real = view.RealPath(copy.directory);
    if (view.RealPath(wish) == real || view.RealPath(std::string(DirName(wish))) == real) rank += 8;
  }
  return rank;
}

}  // namespace

BuildChoice ChooseBuild(const snapshot::Snapshot& snapshot, snapshot::FileView& view,
                        const std::vector<snapshot::ProbedDevice>& devices, const Wishes& wishes) {
  BuildChoice choice;
  std::string cuda;
  if (snapshot.stack.toolkits) {
    const snapshot::Toolkits& toolkits = *snapshot.stack.toolkits;
    choice.nvcc = toolkits.nvcc_on_path;
    for (const snapshot::Toolkit& toolkit : toolkits.copies) {
      if (choice.nvcc.empty()) choice.nvcc = toolkit.nvcc;
      if (!choice.nvcc.empty() && !toolkit.nvcc.empty() &&
          view.RealPath(toolkit.nvcc) == view.RealPath(choice.nvcc))
        cuda = toolkit.version;
    }
  }
  for (const snapshot::ProbedDevice& device : devices) {
    if (wishes.device.empty() || wishes.device == device.cuda_index)
      AddOnce(choice.architectures, Architecture(device.compute_capability));
  }
  if (choice.architectures.empty() && snapshot.stack.gpus) {
    for (const snapshot::Gpu& gpu : *snapshot.stack.gpus)
      AddOnce(choice.architectures, Architecture(gpu.compute_capability));
  }
  if (!snapshot.stack.cudnn) return choice;
  const CudnnCopy* best = nullptr;
  int best_rank = -1;
  for (const CudnnCopy& copy : *snapshot.stack.cudnn) {
    const int rank = Rank(snapshot, view, copy, cuda, wishes);
    if (rank <= best_rank) continue;
    best = &copy;
    best_rank = rank;
  }
  if (best == nullptr) return choice;
  if (!best->header.empty()) choice.cudnn_include = DirName(best->header);
  choice.cudnn_library = best->directory;
  if (snapshot.windows() == nullptr &&
      view.Open(JoinPath(best->directory, "libcudnn.so")).error != base::PathError::kNone)
    choice.cudnn_file = JoinPath(best->directory, "libcudnn.so." + std::to_string(best->major));
  return choice;
}

}  // namespace culprit::probe
