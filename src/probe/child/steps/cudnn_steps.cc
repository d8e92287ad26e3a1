// cuDNN is loaded, creates a handle, and all its sub-libraries have the same version. From 8 on, libcudnn is
// a shim that opens its sub-libraries when they are first needed, in the order of the calls here.
#include <cstring>

#include "probe/child/step.h"

namespace culprit::prober {
namespace {

struct Part {
  const char* check;  // the function that holds this part against those below it
  const char* file;   // begins the name of its file
  const char* word;   // the exported object with its version; nullptr: this part is known to have none
};
// 9 kept the old names of the words.
constexpr Part kParts[] = {
    {"cudnnGraphVersionCheck", "libcudnn_graph.", "cudnn_graph_version"},
    {"cudnnOpsVersionCheck", "libcudnn_ops.", "cudnn_ops_infer_version"},
    {"cudnnCnnVersionCheck", "libcudnn_cnn.", nullptr},
    {"cudnnAdvVersionCheck", "libcudnn_adv.", "cudnn_adv_infer_version"},
    {"cudnnOpsInferVersionCheck", "libcudnn_ops_infer.", "cudnn_ops_infer_version"},
    {"cudnnOpsTrainVersionCheck", "libcudnn_ops_train.", nullptr},
    {"cudnnCnnInferVersionCheck", "libcudnn_cnn_infer.", nullptr},
    {"cudnnCnnTrainVersionCheck", "libcudnn_cnn_train.", nullptr},
    {"cudnnAdvInferVersionCheck", "libcudnn_adv_infer.", "cudnn_adv_infer_version"},
    {"cudnnAdvTrainVersionCheck", "libcudnn_adv_train.", nullptr},
};

std::string NameOf(const Part& part) {
  const std::string name = part.file;
  return name.substr(0, name.size() - 1);
}

// The word of a mapped part: major, minor and patch in one byte each. "" when it has none.
std::string PackedVersion(const cuda::Library& library, const Part& part) {
  const void* object = part.word != nullptr ? library.Find(part.word) : nullptr;
  if (object == nullptr) return "";
  unsigned word = 0;
  std::memcpy(&word, object, sizeof(word));
  return std::to_string(word >> 16) + "." + std::to_string(word >> 8 & 255) + "." +
         std::to_string(word & 255);
}

// The words of all parts that are mapped, as figures; and in words those that differ from the first.
std::string TellPartVersions(Session& session) {
  std::string first, first_name, differing;
  for (const std::string& path : cuda::MappedLibraries()) {
    const std::string name = path.substr(path.find_last_of("/\\") + 1);
    for (const Part& part : kParts) {
      if (!name.starts_with(part.file)) continue;
      const cuda::Library library = cuda::Library::Mapped(path);
      const std::string version = PackedVersion(library, part);
      if (version.empty()) continue;
      session.teller().Figure("version_of_" + name, version);
      if (first.empty()) {
        first = version;
        first_name = path;
      } else if (version != first) {
        differing +=
            (differing.empty() ? "" : "; ") + path + " is " + version + ", " + first_name + " is " + first;
      }
    }
  }
  return differing;
}

// Parts that were not found beside libcudnn itself, in words.
std::string FromElsewhere(Session& session) {
  const std::string& shell = session.cudnn().library.path();
  const std::string directory = cuda::RealDirectory(shell);
  std::string words;
  for (const std::string& path : cuda::MappedLibraries()) {
    const size_t name = path.find_last_of("/\\") + 1;
    const bool part = path.compare(name, 9, "libcudnn_") == 0 || path.compare(name, 6, "cudnn_") == 0;
    if (part && cuda::RealDirectory(path) != directory) words += "; " + path + " is not next to " + shell;
  }
  return words;
}

}  // namespace

Outcome CudnnLoadStep(Session& session) {
  const auto failure = session.OpenCudnn();
  session.teller().TellNewLibraries();  // before the next call, which may end the process
  if (failure) return std::unexpected(*failure);
  const cuda::Cudnn& cudnn = session.cudnn();
  if (!cudnn.cudnnGetVersion) return std::unexpected(cuda::Missing(cudnn.library, "cudnnGetVersion"));
  const size_t version = cudnn.cudnnGetVersion();
  session.teller().Figure("cudnn_version", std::to_string(version));
  std::string detail = "cuDNN " + cuda::CudnnVersionText(version);
  if (cudnn.cudnnGetCudartVersion) {
    const std::string runtime = cuda::CudaVersionText(static_cast<int>(cudnn.cudnnGetCudartVersion()));
    session.teller().Figure("cudnn_cuda", runtime);
    detail += " for CUDA " + runtime;
  }
  return detail;
}

Outcome CudnnCreateStep(Session& session) {
  if (auto failure = session.CreateCudnn()) return std::unexpected(*failure);
  return "";
}

Outcome CudnnPartsStep(Session& session) {
  if (auto failure = session.OpenCudnn()) return std::unexpected(*failure);
  const cuda::Cudnn& cudnn = session.cudnn();
  std::optional<Failure> failed;
  int checked = 0;
  for (const Part& part : kParts) {
    cuda::Function<int()> check;
    check.Bind(cudnn.library, part.check);
    if (!check) continue;
    ++checked;
    auto failure = Try(cudnn, check);
    session.teller().TellNewLibraries();
    if (!failure) continue;
    failure->detail = NameOf(part) + (failure->detail.empty() ? "" : ": " + failure->detail);
    if (!failed) {
      failed = failure;
    } else {
      failed->detail += "; " + NameOf(part) + ": " + failure->status.text();
    }
  }
  const std::string differing = TellPartVersions(session);
  const std::string elsewhere = FromElsewhere(session);
  if (failed) {
    failed->detail += (differing.empty() ? "" : "; " + differing) + elsewhere;
    return std::unexpected(*failed);
  }
  if (!differing.empty())
    return std::unexpected(Failure{OwnStatus::kMixedVersions, "", differing + elsewhere});
  if (checked == 0) return "a single library without sub-libraries";
  return std::to_string(checked) + " sub-libraries agree" + elsewhere;
}

}  // namespace culprit::prober
