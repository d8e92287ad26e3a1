// Jobs for cuDNN: one per copy. Parts of cuDNN open NVRTC and cuBLAS by name; in a framework they are already
// loaded by then. So the job loads them first, unless the loader finds them anyway: from next to a pip copy,
// otherwise from the toolkit of the same CUDA.
#include <algorithm>
#include <set>

#include "base/path_error.h"
#include "base/text.h"
#include "base/version.h"
#include "base/windows/path.h"
#include "probe/host/plan/cuda_files.h"
#include "probe/host/plan/parts.h"

namespace culprit::probe {
namespace {

using base::BaseName;
using base::DirName;
using base::JoinPath;
using snapshot::CudnnCopy;

// ".../site-packages/nvidia" for ".../site-packages/nvidia/cudnn/lib"; "" if it is not from pip.
std::string PipDirectory(const std::string& directory) {
  for (std::string_view above = DirName(directory); above.size() > 1; above = DirName(above)) {
    if (BaseName(above) == "nvidia") return std::string(above);
  }
  return "";
}

bool LoaderFinds(const Planning& planning, const std::string& name) {
  const snapshot::Snapshot& snapshot = planning.snapshot;
  if (snapshot.windows() != nullptr) return false;  // not used on Windows: PATH is rarely what a program sees
  if (const auto path = snapshot.environment.find("LD_LIBRARY_PATH"); path != snapshot.environment.end()) {
    for (const std::string& directory : base::SplitWords(path->second, ":;")) {
      if (planning.view.Open(JoinPath(directory, name)).error == base::PathError::kNone) return true;
    }
  }
  return snapshot.ld_cache && std::ranges::any_of(snapshot.ld_cache->entries,
                                                  [&](const auto& entry) { return entry.name == name; });
}

std::vector<std::string> Preload(const Planning& planning, const CudnnCopy& copy) {
  const auto cuda = base::Version::Parse(copy.cuda);
  FoundCudaFiles found;
  const std::string pip = PipDirectory(copy.directory);
  if (!pip.empty()) {
    found = FindCudaFiles(planning.snapshot, planning.view,
                          PackageDirectories(planning.snapshot, planning.view, pip));
  } else if (cuda && planning.snapshot.stack.toolkits) {
    std::vector<std::string> directories = {copy.directory};
    for (const snapshot::Toolkit& toolkit : planning.snapshot.stack.toolkits->copies) {
      for (std::string& directory : ToolkitDirectories(planning.snapshot, planning.view, toolkit.root))
        directories.push_back(std::move(directory));
    }
    found = FindCudaFiles(planning.snapshot, planning.view, directories);
  }
  if (found.by_major.empty() || (cuda && !found.by_major.contains(cuda->part(0)))) return {};
  const CudaFiles& files = cuda ? found.by_major.at(cuda->part(0)) : found.by_major.rbegin()->second;
  std::vector<std::string> preload;
  // Dependencies first.
  for (const std::string& file : {files.nvrtc_builtins, files.nvrtc, files.cublaslt, files.cublas}) {
    if (!file.empty() && (!pip.empty() || !LoaderFinds(planning, std::string(BaseName(file)))))
      preload.push_back(file);
  }
  return preload;
}

void PlanCopy(const Planning& planning, const CudnnCopy& copy, const std::string& file) {
  Job job{.name = {"cudnn", copy.directory},
          .title = "cuDNN " + (copy.version.empty() ? "in " + copy.directory : copy.version),
          .subject = file,
          .arguments = planning.Arguments(JobKind::kCudnn),
          .patience = 2};  // its parts take hundreds of megabytes
  const std::string cpu = ThisCpu(planning.snapshot);
  if (!copy.machine.empty() && !cpu.empty() && copy.machine != cpu) {
    planning.NotRun(job.name, StepName::kCudnnLoad, file,
                    "is for " + copy.machine + ", this machine is " + cpu);
    return;
  }
  job.arguments.insert(job.arguments.end(), {"--cudnn", Native(planning.snapshot, file)});
  for (const std::string& library : Preload(planning, copy))
    job.arguments.insert(job.arguments.end(), {"--preload", Native(planning.snapshot, library)});
  if (planning.wishes.deep) job.arguments.emplace_back("--deep");
  job.steps = {StepName::kCudnnLoad, StepName::kCudnnCreate, StepName::kCudnnParts,
               StepName::kCudnnConvolution};
  if (planning.wishes.deep) job.steps.emplace_back(StepName::kCudnnAlgorithms);
  if (!planning.has_device) {
    job.steps = {StepName::kCudnnLoad, StepName::kCudnnParts};
    planning.NotRun(job.name, StepName::kCudnnCreate, file, "needs a device, but CUDA shows none");
  }
  planning.plan.jobs.push_back(std::move(job));
}

// The library that programs open: the part with the shortest name.
std::string FileOf(const snapshot::Snapshot& snapshot, const CudnnCopy& copy) {
  const std::string major = std::to_string(copy.major);
  const std::string name =
      snapshot.windows() != nullptr ? "cudnn64_" + major + ".dll" : "libcudnn.so." + major;
  for (const snapshot::CudnnPart& part : copy.parts) {
    if (part.name == name) return part.path;
  }
  return JoinPath(copy.directory, name);
}

bool IsCudnn(std::string_view name, bool windows) {
  if (!windows) return name.starts_with("libcudnn.so.");
  const std::string folded = base::FoldCase(name);
  return folded.starts_with("cudnn64_") && folded.ends_with(".dll");
}

// A file or directory that the user named.
void PlanNamed(const Planning& planning, const std::string& wish, const std::vector<CudnnCopy>& copies) {
  const bool windows = planning.snapshot.windows() != nullptr;
  std::string file = wish;
  if (planning.view.Directory(wish) == base::PathError::kNone) {
    file.clear();
    if (const auto items = planning.view.List(wish)) {
      for (const snapshot::DirectoryItem& item : *items) {
        if (file.empty() && IsCudnn(item.name, windows)) file = JoinPath(wish, item.name);
      }
    }
    if (file.empty()) {
      planning.NotRun({"cudnn", wish}, StepName::kCudnnLoad, wish, "no libcudnn.so in this directory");
      return;
    }
  }
  CudnnCopy named;
  const std::string real = planning.view.RealPath(std::string(DirName(file)));
  for (const CudnnCopy& copy : copies) {
    if (planning.view.RealPath(copy.directory) == real) named = copy;
  }
  named.directory = DirName(file);
  PlanCopy(planning, named, file);
}

}  // namespace

void PlanCudnn(const Planning& planning) {
  std::vector<CudnnCopy> copies;
  if (planning.snapshot.stack.cudnn) copies = *planning.snapshot.stack.cudnn;
  for (const std::string& wish : planning.wishes.cudnn) PlanNamed(planning, wish, copies);
  if (!planning.wishes.cudnn.empty()) return;
  std::set<std::string> seen;
  for (const CudnnCopy& copy : copies) {
    const std::string file = FileOf(planning.snapshot, copy);
    if (seen.insert(planning.view.RealPath(file)).second) PlanCopy(planning, copy, file);
  }
}

}  // namespace culprit::probe
