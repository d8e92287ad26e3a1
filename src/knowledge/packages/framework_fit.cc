// Whether one build of a framework works with a driver, GPU, toolkit, cuDNN or Python.
#include <string>

#include "knowledge/arch.h"
#include "knowledge/cudnn.h"
#include "knowledge/packages/builds.h"
#include "knowledge/packages/release.h"

namespace culprit::knowledge {
namespace {

using base::Version;

std::string Name(const FrameworkRelease& row) {
  return Text(row.framework) + " " + Text(row.version) + (row.variant.empty() ? "" : "+" + Text(row.variant));
}

LibrariesFrom LibrariesOf(const FrameworkRelease& row, Platform platform) {
  return platform == Platform::kWindows ? row.libraries_windows : row.libraries;
}

bool BringsItsOwn(LibrariesFrom from) {
  return from == LibrariesFrom::kBundled || from == LibrariesFrom::kNvidiaPip;
}

std::string_view CudnnOf(const FrameworkRelease& row, Platform platform) {
  return platform == Platform::kWindows && !row.cudnn_windows.empty() ? row.cudnn_windows : row.cudnn;
}

// A failure that was seen, although the code in the binary would run.
const KnownFailure* FailsOn(const FrameworkRelease& row, const Version& cc) {
  for (const KnownFailure& failure : KnownFailures()) {
    if (failure.framework != row.framework || cc < Known(failure.cc)) continue;
    const Version version = Known(row.version), last = Known(failure.until);
    if (version >= Known(failure.version) && (version <= last || BeginsWith(version, last))) return &failure;
  }
  return nullptr;
}

// Whether a driver compiles PTX of the release that the binary was built with.
Answer WithPtx(const FrameworkRelease& row, const std::string& gpu, const Version* driver) {
  const std::string name = Name(row);
  if (driver == nullptr) {
    return Yes(name + " has no machine code for " + gpu + ", the driver compiles its PTX at first use",
               row.source);
  }
  const PtxIsa* wanted = PtxOfCuda(row.cuda);
  const PtxIsa* known = NewestPtxOfDriver(*driver);
  if (wanted == nullptr || known == nullptr) {
    return Unknown(name + " has only PTX for " + gpu + "; whether driver " + DriverText(*driver) +
                       " compiles it is not known",
                   row.source);
  }
  const std::string both = name + " has only PTX for " + gpu + ", of ISA " + Text(wanted->isa) + "; driver " +
                           DriverText(*driver) + " compiles up to " + Text(known->isa);
  return Known(wanted->isa) <= Known(known->isa) ? Yes(both, known->source) : No(both, known->source);
}

}  // namespace

Answer FrameworkOnDriver(const FrameworkRelease& row, const Version& driver, Platform platform) {
  if (row.cuda.empty()) return Unknown("the CUDA of " + Name(row) + " is not in the table", row.source);
  Answer answer = DriverForCuda(driver, Known(row.cuda), platform);
  answer.why = Name(row) + " is built with CUDA " + Text(row.cuda) + "; " + answer.why;
  return answer;
}

Answer FrameworkWithCuda(const FrameworkRelease& row, const Version& cuda, Platform platform) {
  if (row.cuda.empty()) return Unknown("the CUDA of " + Name(row) + " is not in the table", row.source);
  const LibrariesFrom from = LibrariesOf(row, platform);
  const Version own = Known(row.cuda);
  if (BringsItsOwn(from)) {
    return Yes(Name(row) + " bundles CUDA " + Text(row.cuda) + "; an installed toolkit is not used",
               row.source);
  }
  if (from == LibrariesFrom::kNoGpu || from == LibrariesFrom::kUnknown) {
    return Unknown("where " + Name(row) + " gets CUDA from is not in the table", row.source);
  }
  const std::string wants = Name(row) + " loads libraries of CUDA " + Text(row.cuda) +
                            (row.extra.empty() ? "" : " (" + Text(row.extra) + " provides them)");
  if (!row.cuda_until.empty()) {
    const Version last = Known(row.cuda_until);
    const bool inside = cuda >= own && (cuda <= last || BeginsWith(cuda, last));
    const bool open = row.cuda_until == "99";
    const std::string span = wants + (open ? " or later" : " to " + Text(row.cuda_until));
    if (inside && open && cuda.part(0) > MinorOf(Known(Toolkits().back().cuda)).part(0))
      return Unknown(span, row.source);
    return inside ? Yes(span, row.source) : No(span, row.source);
  }
  if (cuda.part(0) != own.part(0))
    return No(wants + "; the libraries of CUDA " + cuda.ToString() + " have other names", row.source);
  if (own.part(0) < 11 && MinorOf(cuda) != MinorOf(own) && cuda.parts.size() > 1)
    return No(wants, row.source);
  if (!row.cuda_from.empty() && cuda.parts.size() > 1 && cuda < Known(row.cuda_from))
    return No(wants + " and supports CUDA " + Text(row.cuda_from) + " or newer", row.source);
  return Yes(wants + "; those of CUDA " + cuda.ToString() + " have the same names", row.source);
}

Answer FrameworkWithCudnn(const FrameworkRelease& row, const Version& cudnn, Platform platform) {
  const std::string_view own = CudnnOf(row, platform);
  if (own.empty()) return Unknown("the cuDNN of " + Name(row) + " is not in the table", row.source);
  if (own == "none") return Yes(Name(row) + " does not use cuDNN", row.source);
  const std::string built =
      Name(row) + (row.cudnn_below.empty() ? " is built with cuDNN " : " requires at least cuDNN ") +
      Text(own);
  if (!row.cudnn_below.empty() && cudnn >= Known(row.cudnn_below)) {
    return No(built + " and rejects " + Text(row.cudnn_below) + " and later", row.source);
  }
  const Version wanted = Known(own);
  if (!row.cudnn_until.empty()) {
    const Version last = Known(row.cudnn_until);
    const bool inside = cudnn >= wanted && (cudnn <= last || BeginsWith(cudnn, last));
    const std::string why = Name(row) + " accepts cuDNN " + Text(own) + " to " + Text(row.cudnn_until);
    return inside ? Yes(why, row.source) : No(why, row.source);
  }
  if (wanted.parts.size() == 1) {
    const bool same = wanted.part(0) == cudnn.part(0);
    const std::string why = Name(row) + " needs cuDNN " + Text(own) + ".x";
    return same ? Yes(why, row.source) : No(why, row.source);
  }
  Answer answer = CudnnServes(cudnn, wanted);
  const bool brings = BringsItsOwn(LibrariesOf(row, platform));
  const std::string own_one = brings ? built + " and bundles it; " : built + "; ";
  if (answer.verdict == Verdict::kYes) {
    answer.why = own_one + cudnn.ToString() + " also works" + (brings ? " if it is found first" : "");
  } else {
    answer.why = own_one + answer.why;
  }
  return answer;
}

Answer FrameworkOnGpu(const FrameworkRelease& row, const Version& cc, const Version* driver,
                      Platform platform) {
  const std::string gpu = "compute capability " + cc.ToString();
  const auto code = platform == Platform::kWindows && !row.code_windows.empty() ? row.code_windows : row.code;
  if (code.empty()) {
    if (!row.code_min.empty() && cc < Known(row.code_min)) {
      return No(Name(row) + " needs compute capability " + Text(row.code_min) + " or higher", row.source);
    }
    return Unknown("for which GPUs " + Name(row) + " has code is not in the table", row.source);
  }
  if (const KnownFailure* failure = FailsOn(row, cc)) return No(Text(failure->fact), failure->source);
  std::string list;
  for (const std::string_view item : code) list += (list.empty() ? "" : ", ") + Text(item);
  switch (CodeRunsOn(code, cc)) {
    case CodeFit::kMachineCode:
      return Yes(Name(row) + " has machine code for " + gpu + " (" + list + ")", row.source);
    case CodeFit::kPtx:
      return WithPtx(row, gpu, driver);
    case CodeFit::kNo:
      return No(Name(row) + " has code for " + list + ", none of which runs on " + gpu, row.source);
    case CodeFit::kUnknown:
      break;
  }
  return Unknown(Name(row) + " has code for " + list + "; whether that runs on " + gpu + " is not known",
                 row.source);
}

// The build of a row that names its release, on Linux x86-64.
Answer FrameworkOnPython(const FrameworkRelease& row, const Version& python) {
  for (const Build& build : BuildsOfRelease(row.framework, row.version, Machine::kLinuxX86)) {
    if (build.row.variant == row.variant) return BuildOnPython(build, python);
  }
  return Unknown("the Python versions of " + Name(row) + " are not in the table", row.source);
}

Answer FrameworkOnPlatform(const FrameworkRelease& row, Platform platform) {
  const std::string where = platform == Platform::kWindows ? "Windows" : "Linux";
  const LibrariesFrom from = platform == Platform::kWindows ? row.libraries_windows : row.libraries;
  if (from == LibrariesFrom::kUnknown)
    return Unknown("whether " + Name(row) + " has GPU support on " + where + " is not in the table",
                   row.source);
  if (from == LibrariesFrom::kNoGpu) return No(Name(row) + " has no GPU support on " + where, row.source);
  return Yes(Name(row) + " has GPU support on " + where, row.source);
}

}  // namespace culprit::knowledge
