#include "knowledge/cudnn.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "base/windows/path.h"
#include "knowledge/arch.h"
#include "knowledge/packages/release.h"

namespace culprit::knowledge {
namespace {

using base::Version;

// From CUDA 11 on, one build works with every minor of its major (rule cuda-major).
constexpr uint32_t kFirstMajorWithOneBuild = 11;
constexpr uint32_t kFirstAbi = 7;

bool BuildFits(std::string_view build, const Version& cuda) {
  const Version version = Known(build);
  if (version.part(0) != cuda.part(0)) return false;
  if (version.part(0) >= kFirstMajorWithOneBuild || version.parts.size() == 1) return true;
  return cuda.parts.size() > 1 && MinorOf(version) == MinorOf(cuda);
}

// The first release with a build that fits; for "10", with one for any 10.x.
const CudnnRelease* FirstFor(const Version& cuda) {
  for (const CudnnRelease& row : CudnnReleases()) {
    for (const std::string_view build : row.cuda_builds) {
      if (cuda.parts.size() == 1 ? Known(build).part(0) == cuda.part(0) : BuildFits(build, cuda)) return &row;
    }
  }
  return nullptr;
}

// NVIDIA's support matrix of a release lists every CUDA that it is built for: what is not listed is not
// built.
Answer NotInMatrix(const CudnnRelease& row) {
  std::string builds;
  for (const std::string_view build : row.cuda_builds) builds += (builds.empty() ? "" : ", ") + Text(build);
  return No("NVIDIA's support matrix of cuDNN " + Text(row.version) + " lists CUDA " + builds + " alone",
            row.source);
}

const CudnnLastForCuda* LastForCuda(const Version& cuda) {
  for (const CudnnLastForCuda& row : CudnnLastForCudas()) {
    const Version release = Known(row.cuda);
    if (release.parts.size() == 1 ? release.part(0) == cuda.part(0) : release == MinorOf(cuda)) return &row;
  }
  return nullptr;
}

std::string_view LowestCapability(const CudnnRelease& row, const Version& cuda) {
  if (cuda.part(0) == 10 && !row.cc_min_cuda10.empty()) return row.cc_min_cuda10;
  if (cuda.part(0) == 11 && !row.cc_min_cuda11.empty()) return row.cc_min_cuda11;
  return row.cc_min;
}

// "5.x" or "8.6"
bool Lists(std::string_view listed, const Version& cc) {
  if (listed.ends_with(".x")) return Known(listed.substr(0, listed.size() - 2)).part(0) == cc.part(0);
  const Version code = Known(listed);
  if (code == cc) return true;
  return code.part(0) == cc.part(0) && code < cc && !IsJetson(cc);  // machine code runs on its whole major
}

// A GPU newer than all those that the release lists.
Answer OnNewerGpu(const CudnnRelease& row, const Version& cuda, const std::string& gpu) {
  const Rule* rule = FindCudnnRule("hardware-forward");
  const std::string newer = gpu + " is newer than what cuDNN " + Text(row.version) + " lists; ";
  if (Known(row.version) < Version{{9}} || (cuda.part(0) != 0 && cuda.part(0) < 12)) {
    return No(newer + "only builds of 9.0 and later for CUDA 12 and later run on such GPUs", rule->source);
  }
  if (cuda.part(0) == 0)
    return Unknown(newer + "it depends on the build: those for CUDA 12 and later run", rule->source);
  return Yes(newer + "it runs by compiling PTX, with limits", rule->source);
}

std::string Name(const Version& cudnn) { return "cuDNN " + cudnn.ToString(); }

}  // namespace

const Rule* FindCudnnRule(std::string_view id) {
  const auto rules = CudnnRules();
  const auto at = std::ranges::find(rules, id, &Rule::id);
  return at == rules.end() ? nullptr : &*at;
}

std::vector<const CudnnPart*> PartsOf(const Version& cudnn) {
  std::vector<const CudnnPart*> parts;
  for (const CudnnPart& part : CudnnParts()) {
    if (part.major != cudnn.part(0)) continue;
    if (part.since.empty() || Known(part.since) <= cudnn) parts.push_back(&part);
  }
  return parts;
}

namespace {

// Rows with their versions as numbers: a plan asks for them hundreds of times.
struct ReadCudnn {
  const CudnnRelease* row;
  Version version;
  std::optional<Version> build;
};
const std::vector<ReadCudnn>& ReadCudnns() {
  static const auto kAll = [] {
    std::vector<ReadCudnn> all;
    for (const CudnnRelease& row : CudnnReleases())
      all.push_back({&row, Known(row.version), Version::Parse(row.build)});
    return all;
  }();
  return kAll;
}

}  // namespace

std::vector<const CudnnRelease*> FindCudnn(const Version& cudnn) {
  std::vector<const CudnnRelease*> rows;
  for (const ReadCudnn& one : ReadCudnns()) {
    const bool by_build = cudnn.parts.size() > 3 && one.build && *one.build == cudnn;
    if (by_build || BeginsWith(one.version, cudnn)) rows.push_back(one.row);
  }
  if (!rows.empty() || cudnn.parts.size() <= 3) return rows;
  Version shorter = cudnn;  // without a build number that is not recorded
  shorter.parts.resize(3);
  return FindCudnn(shorter);
}

bool IsBuiltFor(const CudnnRelease& row, const Version& cuda) {
  return std::ranges::any_of(row.cuda_builds, [&](std::string_view build) { return BuildFits(build, cuda); });
}

Answer CudnnForCuda(const Version& cudnn, const Version& cuda) {
  const std::string pair = Name(cudnn) + " for CUDA " + cuda.ToString();
  const auto rows = FindCudnn(cudnn);
  for (const CudnnRelease* row : rows) {
    for (const std::string_view build : row->cuda_builds) {
      if (!BuildFits(build, cuda)) continue;
      const bool whole_major =
          build.find('.') == std::string_view::npos || cuda.part(0) >= kFirstMajorWithOneBuild;
      return Yes("there is a build of cuDNN " + Text(row->version) + " for CUDA " +
                     (whole_major ? std::to_string(cuda.part(0)) + ".x" : Text(build)),
                 row->source);
    }
  }
  for (const CudnnRelease* row : rows) {
    for (const std::string_view refused : row->cuda_not) {
      if (Known(refused) == MinorOf(cuda))
        return No("NVIDIA lists " + pair + " as not supported", row->source);
    }
  }
  if (const CudnnLastForCuda* last = LastForCuda(cuda); last != nullptr) {
    const Version version = Known(last->cudnn);
    if (cudnn > version && !BeginsWith(version, cudnn)) {
      return No("cuDNN " + Text(last->cudnn) + " is the last for CUDA " + Text(last->cuda), last->source);
    }
  }
  if (const CudnnRelease* first = FirstFor(cuda); first != nullptr) {
    const Version version = Known(first->version);
    if (cudnn < version && !BeginsWith(version, cudnn)) {
      const bool by_minor = cuda.part(0) < kFirstMajorWithOneBuild && cuda.parts.size() > 1;
      return No("cuDNN " + Text(first->version) + " is the first for CUDA " +
                    (by_minor ? MinorOf(cuda).ToString() : std::to_string(cuda.part(0))),
                first->source);
    }
  }
  const bool whole =
      std::ranges::all_of(rows, [](const CudnnRelease* row) { return row->basis == CudnnBasis::kMatrix; });
  if (!rows.empty() && whole && (cuda.parts.size() > 1 || cuda.part(0) >= kFirstMajorWithOneBuild))
    return NotInMatrix(*rows.back());
  return Unknown(rows.empty() ? Name(cudnn) + " is not in the table" : "no build of " + pair + " is recorded",
                 rows.empty() ? "" : rows.back()->source);
}

Answer CudnnForGpu(const Version& cudnn, const Version& cuda, const Version& cc) {
  const auto rows = FindCudnn(cudnn);
  if (rows.empty()) return Unknown(Name(cudnn) + " is not in the table");
  return CudnnForGpu(*rows.back(), cuda, cc);
}

Answer CudnnForGpu(const CudnnRelease& row, const Version& cuda, const Version& cc) {
  const std::string gpu = "compute capability " + cc.ToString();
  const std::string_view lowest = LowestCapability(row, cuda);
  if (cc < Known(lowest)) {
    const bool for_older = (!row.cc_min_cuda11.empty() && cc >= Known(row.cc_min_cuda11)) ||
                           (!row.cc_min_cuda10.empty() && cc >= Known(row.cc_min_cuda10));
    if (cuda.part(0) == 0 && for_older) {
      return Unknown("cuDNN " + Text(row.version) + " for an older CUDA serves " + gpu +
                         ", and which CUDA this one is for is not known",
                     row.source);
    }
    return No("cuDNN " + Text(row.version) + " needs compute capability " + Text(lowest) + " or higher",
              row.source);
  }
  // A list is of the build for the newest CUDA; builds before CUDA 12 have no PTX for what came later.
  const Capability* capability = FindCapability(cc);
  if (capability != nullptr && cuda.part(0) != 0 && cuda.part(0) < 12 &&
      Known(capability->first_cuda).part(0) > cuda.part(0)) {
    return No("cuDNN " + Text(row.version) + " for CUDA " + std::to_string(cuda.part(0)) +
                  " has no code for " + gpu + ": CUDA " + Text(capability->first_cuda) +
                  " is the first that compiles for it",
              row.source);
  }
  for (const std::string_view listed : row.cc_listed) {
    if (listed == cc.ToString())
      return Yes("cuDNN " + Text(row.version) + " has code for " + gpu, row.source);
  }
  for (const std::string_view listed : row.cc_listed) {
    if (Lists(listed, cc))
      return Yes("cuDNN " + Text(row.version) + " has code for " + Text(listed) + ", which serves " + gpu,
                 row.source);
  }
  if (!row.cc_listed.empty()) {
    const bool newer = std::ranges::all_of(row.cc_listed, [&](std::string_view listed) {
      return !listed.ends_with(".x") && Known(listed) < cc;
    });
    if (newer && !IsJetson(cc)) return OnNewerGpu(row, cuda, gpu);
    return Unknown("the support matrix of cuDNN " + Text(row.version) + " does not list " + gpu, row.source);
  }
  // Without a list: if a CUDA that it is built for compiles for the GPU from its first release on, the GPU
  // was not new at that time.
  if (capability == nullptr) return Unknown(gpu + " is not in the table");
  const auto build = std::ranges::find_if(row.cuda_builds, [&](std::string_view one) {
    const bool asked = cuda.part(0) == 0 || Known(one).part(0) == cuda.part(0);
    return asked && Known(one) >= Known(capability->first_cuda);
  });
  if (build != row.cuda_builds.end() && !capability->jetson) {
    return Yes("cuDNN " + Text(row.version) + " needs compute capability " + Text(lowest) + ", and CUDA " +
                   Text(*build) + ", for which it is built, compiles for " + Text(capability->cc),
               row.source);
  }
  return Unknown("no list of the GPUs of cuDNN " + Text(row.version) + " is recorded", row.source);
}

Answer CudnnServes(const Version& loaded, const Version& compiled_against) {
  const std::string pair = "compiled against " + Name(compiled_against) + ", loads " + loaded.ToString();
  if (loaded.part(0) != compiled_against.part(0)) {
    return No(pair + ": nothing is promised across majors", FindCudnnRule("abi-major")->source);
  }
  if (loaded.part(0) < kFirstAbi) {
    return Unknown(pair + ": before cuDNN 7 nothing was promised", FindCudnnRule("abi-before-7")->source);
  }
  if (loaded.part(1) < compiled_against.part(1)) {
    return No(pair + ": the library must not be of an older minor than the headers",
              FindCudnnRule("abi-minor-forward-no")->source);
  }
  return Yes(
      pair,
      FindCudnnRule(loaded.part(1) == compiled_against.part(1) ? "abi-patch" : "abi-minor-backward")->source);
}

const CudnnPart* FindCudnnPart(std::string_view file_name) {
  const auto parts = CudnnParts();
  const auto at = std::ranges::find_if(parts, [&](const CudnnPart& part) {
    return part.linux == file_name || base::SameName(part.windows, file_name);
  });
  return at == parts.end() ? nullptr : &*at;
}

bool NeedsZlibwapi(const Version& cudnn) { return cudnn >= Version{{8, 3}} && cudnn < Version{{8, 9, 4}}; }

}  // namespace culprit::knowledge
