#include "knowledge/packages/project_fit.h"

#include <algorithm>

#include "base/python/pep440.h"
#include "knowledge/arch.h"
#include "knowledge/packages/builds.h"
#include "knowledge/packages/release.h"

namespace culprit::knowledge {
namespace {

using base::Version;

Verdict AsVerdict(CodeFit fit) {
  switch (fit) {
    case CodeFit::kMachineCode:
    case CodeFit::kPtx:
      return Verdict::kYes;
    case CodeFit::kNo:
      return Verdict::kNo;
    case CodeFit::kUnknown:
      break;
  }
  return Verdict::kUnknown;
}

ReleaseFit OfCode(std::span<const std::string_view> code, const Version& cc, std::string_view source) {
  switch (const Verdict verdict = AsVerdict(CodeRunsOn(code, cc))) {
    case Verdict::kYes:
      return {verdict, "has code for " + GpuName(cc), source};
    case Verdict::kNo:
      return {verdict, "no code for " + GpuName(cc), source};
    case Verdict::kUnknown:
      return {verdict, "whether its code runs on " + GpuName(cc) + " is not known", source};
  }
  return {};
}

// The best of the builds inside one wheel.
ReleaseFit OfCodes(const std::vector<const ProjectCode*>& rows, const Version& cc) {
  ReleaseFit best = OfCode(rows.front()->code, cc, rows.front()->source);
  for (const ProjectCode* row : rows) {
    if (best.verdict == Verdict::kYes) break;
    ReleaseFit one = OfCode(row->code, cc, row->source);
    if (one.verdict == Verdict::kYes || best.verdict == Verdict::kNo) best = std::move(one);
  }
  return best;
}

// What a release asks of the machine: "gpu>=7.0".
std::optional<Required> AskedOfMachine(const ProjectRelease& release, std::string_view what) {
  for (const UnstatedNeeds* row : release.unstated) {
    for (const std::string_view text : row->needs) {
      Required required = TakeApart(text, release.version, row->source);
      if (required.name == what) return required;
    }
  }
  return std::nullopt;
}

bool HasPython(std::span<const std::string_view> pythons, const Version& minor) {
  return std::ranges::any_of(pythons, [&](std::string_view text) { return Known(text) == minor; });
}

// Of a row of wheels, or of a source archive.
template <typename Row>
ReleaseFit FileOnPython(const Row& row, const Version& minor) {
  if (!row.pythons.empty()) {
    std::string list;
    for (const std::string_view python : row.pythons) list += (list.empty() ? "" : ", ") + Text(python);
    return {HasPython(row.pythons, minor) ? Verdict::kYes : Verdict::kNo, "wheels for Python " + list,
            row.source};
  }
  if (row.python.empty()) return {Verdict::kYes, "one wheel for every Python 3", row.source};
  return {AdmitsMinor(row.python, minor), "Python " + Text(row.python), row.source};
}

}  // namespace

std::string GpuName(const Version& cc) {
  return "sm_" + std::to_string(cc.part(0)) + std::to_string(cc.part(1));
}

std::optional<ReleaseFit> ReleaseOnGpu(const ProjectRelease& release, const Version& cc) {
  if (!release.code.empty() && release.build == nullptr) return OfCodes(release.code, cc);
  const Extension* compiled = CompiledAgainst(release.package, release.version);
  if (compiled != nullptr && !compiled->code.empty()) return OfCode(compiled->code, cc, compiled->source);
  // The lowest GPU that its build script takes; wheels come from the same script.
  const SourceBuild* script =
      release.build != nullptr ? release.build : FindSourceBuild(release.package, release.version);
  if (script != nullptr && !script->code_min.empty()) {
    const Version lowest = Known(script->code_min);
    return ReleaseFit{cc >= lowest ? Verdict::kYes : Verdict::kNo, "needs " + GpuName(lowest) + " or newer",
                      script->source};
  }
  if (const auto asked = AskedOfMachine(release, "gpu"))
    return ReleaseFit{Meets(cc, asked->specifiers), "needs compute capability " + asked->specifiers,
                      asked->source};
  if (release.build != nullptr || release.project == nullptr) return std::nullopt;
  const GpuUse use = release.project->gpu;
  if (use != GpuUse::kOwn && use != GpuUse::kBuild) return std::nullopt;
  return ReleaseFit{Verdict::kUnknown, "which GPUs it has code for is not in the tables",
                    release.project->source, true};
}

std::string_view CudaOfName(const ProjectRelease& release) {
  if (release.project != nullptr) return release.project->cuda;
  const size_t at = release.package.rfind("-cu");
  if (at == std::string_view::npos) return "";
  const std::string_view major = release.package.substr(at + sizeof("-cu") - 1);
  const bool digits = major.size() == 2 && major.find_first_not_of("0123456789") == std::string_view::npos;
  return digits ? major : "";
}

std::optional<ReleaseFit> ReleaseOnDriver(const ProjectRelease& release, const Version& driver,
                                          Platform platform) {
  std::optional<ReleaseFit> bound;
  if (const auto asked = DriverBound(release))
    bound = ReleaseFit{Meets(driver, asked->specifiers), "needs driver " + asked->specifiers, asked->source};
  const std::string_view cuda = CudaOfName(release);
  if (cuda.empty() || (bound && bound->verdict == Verdict::kNo)) return bound;
  Answer answer = DriverForCuda(driver, Known(cuda), platform);
  return ReleaseFit{answer.verdict, "is built for CUDA " + Text(cuda) + "; " + answer.why, answer.source};
}

std::optional<ReleaseFit> ReleaseWithCuda(const ProjectRelease& release, const Version& cuda) {
  if (release.opened != nullptr && cuda.parts.size() > 1) return ReleaseBesideCuda(release, cuda);
  const auto built_for = [&](std::string_view own) { return Known(own).part(0) == cuda.part(0); };
  if (const std::string_view own = CudaOfName(release); !own.empty()) {
    const std::string_view source = release.project != nullptr ? release.project->source
                                    : release.wheel != nullptr ? release.wheel->source
                                                               : "";
    return ReleaseFit{built_for(own) ? Verdict::kYes : Verdict::kNo, "is built for CUDA " + Text(own),
                      source};
  }
  if (release.build != nullptr && !release.build->cuda.empty()) {
    const bool met = cuda >= Known(release.build->cuda);
    return ReleaseFit{met ? Verdict::kYes : Verdict::kNo,
                      "is built with nvcc of CUDA " + Text(release.build->cuda) + " or newer",
                      release.build->source};
  }
  ReleaseFit fit{Verdict::kNo, "", ""};
  for (const ProjectCode* row : release.code) {
    if (row->cuda.empty()) return std::nullopt;
    if (built_for(row->cuda)) fit.verdict = Verdict::kYes;
    fit.words += (fit.words.empty() ? "is built for CUDA " : ", ") + Text(row->cuda);
    fit.source = row->source;
  }
  return fit.words.empty() ? std::nullopt : std::optional(fit);
}

namespace {

// The CUDA of the library that it opens; "" = it has none for that.
std::string_view OpenedBeside(const ProjectRelease& release, const Version& cuda) {
  std::string_view lower, higher;
  for (const std::string_view own : release.libraries->cuda) {  // rising
    const Version number = Known(own);
    if (number == MinorOf(cuda)) return own;
    if (number.part(0) != cuda.part(0)) continue;
    if (number < cuda) {
      lower = own;
    } else if (higher.empty()) {
      higher = own;
    }
  }
  if (release.opened->by == OpenedBy::kExact) return "";
  return lower.empty() ? higher : lower;
}

std::string NoLibrary(const ProjectRelease& release, const Version& cuda) {
  std::string all, same;
  for (const std::string_view own : release.libraries->cuda) {
    all += (all.empty() ? "" : ", ") + Text(own);
    if (Known(own).part(0) == cuda.part(0)) same = own;
  }
  if (all.empty()) return "has no library for CUDA at all";
  std::erase(same, '.');
  const std::string other =
      same.empty() ? "" : "; " + Text(release.opened->variable) + "=" + same + " opens another of them";
  return "has no library for CUDA " + MinorOf(cuda).ToString() + ", only for " + all + other;
}

}  // namespace

std::optional<ReleaseFit> ReleaseBesideCuda(const ProjectRelease& release, const Version& cuda) {
  if (release.opened == nullptr) return std::nullopt;
  if (release.libraries == nullptr)
    return ReleaseFit{Verdict::kUnknown, "for which CUDA it has libraries is not in the tables",
                      release.opened->source, true};
  const std::string_view own = OpenedBeside(release, cuda);
  if (own.empty()) return ReleaseFit{Verdict::kNo, NoLibrary(release, cuda), release.libraries->source};
  return ReleaseFit{Verdict::kYes, "has a library for CUDA " + Text(own), release.libraries->source};
}

bool GoesWithCuda(const ProjectRelease& release, const Version& cuda, const std::vector<Version>& gpus) {
  if (release.opened == nullptr || release.libraries == nullptr) {
    const std::vector<uint32_t> majors = CudaMajorsOf(release, gpus);
    return majors.empty() || std::ranges::find(majors, cuda.part(0)) != majors.end();
  }
  const std::string_view own = OpenedBeside(release, cuda);
  return !own.empty() && std::ranges::all_of(release.code, [&](const ProjectCode* row) {
    return row->cuda != own || std::ranges::all_of(gpus, [&](const Version& cc) {
             return CodeRunsOn(row->code, cc) != CodeFit::kNo;
           });
  });
}

std::optional<ReleaseFit> ReleaseOnPython(const ProjectRelease& release, const Version& python) {
  const Version minor = MinorOf(python);
  if (release.wheel != nullptr) return FileOnPython(*release.wheel, minor);
  std::optional<ReleaseFit> best;
  for (const ProjectWheels* row : release.wheels) {
    ReleaseFit one = FileOnPython(*row, minor);
    if (!best || one.verdict == Verdict::kYes) best = std::move(one);
    if (best->verdict == Verdict::kYes) break;
  }
  if (!best && release.archive != nullptr) best = FileOnPython(*release.archive, minor);
  return best;
}

bool IsSourceOfWheels(const ProjectRelease& release) {
  return release.machine == Machine::kWindows && release.wheels.empty() && release.wheel == nullptr &&
         release.archive != nullptr && release.build == nullptr && release.project != nullptr &&
         release.project->gpu == GpuUse::kOwn;
}

ReleaseFit ReleaseOnMachine(const ProjectRelease& release) {
  const std::string where = MachineWords(release.machine);
  if (release.libraries != nullptr && release.libraries->cuda.empty())
    return {Verdict::kNo, "its wheel has no library for CUDA on " + where, release.libraries->source};
  if (release.wheel != nullptr)
    return {Verdict::kYes, "the package index has a wheel for " + where, release.wheel->source};
  if (!release.wheels.empty())
    return {Verdict::kYes, "the package index has a wheel for " + where, release.wheels.front()->source};
  if (release.build != nullptr)
    return {Verdict::kYes, "is built where it is installed", release.build->source};
  if (IsSourceOfWheels(release))
    return {Verdict::kUnknown, "the package index has no wheel for " + where + ", only a source archive",
            release.archive->source};
  if (release.archive != nullptr)
    return {Verdict::kYes, "the package index has its source", release.archive->source};
  return {Verdict::kNo, "the package index has no wheel for " + where, ""};
}

std::optional<Required> DriverBound(const ProjectRelease& release) {
  return AskedOfMachine(release, "driver");
}

std::vector<uint32_t> CudaMajorsOf(const ProjectRelease& release, const std::vector<Version>& gpus) {
  std::vector<uint32_t> majors;
  for (const ProjectCode* row : release.code) {
    const bool fits = std::ranges::all_of(
        gpus, [&](const Version& cc) { return CodeRunsOn(row->code, cc) != CodeFit::kNo; });
    if (fits && !row->cuda.empty()) majors.push_back(Known(row->cuda).part(0));
  }
  const Extension* compiled = CompiledAgainst(release.package, release.version);
  if (majors.empty() && compiled != nullptr && MajorOfVariant(compiled->variant) != 0)
    majors.push_back(MajorOfVariant(compiled->variant));
  return majors;
}

uint32_t MajorOfVariant(std::string_view variant) {
  constexpr std::string_view kStart = "cu";
  if (!variant.starts_with(kStart) || variant.size() < kStart.size() + 3) return 0;
  return Known(variant.substr(kStart.size(), 2)).part(0);
}

std::optional<ReleaseFit> ToolkitForRelease(const ProjectRelease& release, const Version* driver,
                                            const Version* cc, Platform platform) {
  constexpr uint32_t kOldest = 11;  // of the frameworks that others are built against
  if (release.build == nullptr || !release.build->nvcc) return std::nullopt;
  const bool there = std::ranges::any_of(Toolkits(), [&](const ToolkitRow& row) {
    const Version cuda = Known(row.cuda);
    const bool takes =
        cuda.part(0) >= kOldest && (release.build->cuda.empty() || cuda >= Known(release.build->cuda));
    return takes && (driver == nullptr || DriverForCuda(*driver, cuda, platform).verdict == Verdict::kYes) &&
           (cc == nullptr || ToolkitTargets(row.cuda, *cc).verdict == Verdict::kYes);
  });
  return ReleaseFit{
      there ? Verdict::kYes : Verdict::kNo,
      there ? "is built with a CUDA toolkit" : "no CUDA toolkit that it can be built with is for this",
      release.build->source};
}

}  // namespace culprit::knowledge
