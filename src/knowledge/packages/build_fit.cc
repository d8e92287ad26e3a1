// Whether a build of a framework works on a machine: the one place that decides it, for `compat` and `plan`.
#include <algorithm>
#include <optional>
#include <string>

#include "knowledge/arch.h"
#include "knowledge/packages/builds.h"
#include "knowledge/packages/pins.h"
#include "knowledge/packages/release.h"

namespace culprit::knowledge {
namespace {

using base::Version;

// Whether the build uses GPUs on its machine.
Answer UsesGpus(const Build& build) {
  const FrameworkRelease& row = build.row;
  const std::string where = MachineWords(build.machine);
  if (build.machine == Machine::kLinuxArm && row.libraries_aarch64 != LibrariesFrom::kUnknown) {
    if (row.libraries_aarch64 == LibrariesFrom::kNoGpu)
      return No(NameOf(build) + " has no GPU support on " + where, row.source);
    return Yes(NameOf(build) + " has GPU support on " + where, row.source);
  }
  const Answer platform = FrameworkOnPlatform(row, PlatformOf(build.machine));
  // The wheels of other frameworks for aarch64 may be for the CPU alone; of these, a wheel with CUDA in its
  // name says it.
  const bool named = row.framework == "onnxruntime" || row.framework == "cupy" || row.framework == "jax";
  const bool told = build.machine != Machine::kLinuxArm || named || !row.code_aarch64.empty();
  if (platform.verdict != Verdict::kYes || told) return platform;
  return Unknown("whether " + NameOf(build) + " has GPU support on " + where + " is not in the table",
                 row.source);
}

Answer NoRow(const Build& build, std::string_view what) {
  return Unknown("which " + Text(what) + " " + NameOf(build) +
                     " works with is not in the table: it has no row of its own",
                 build.row.source);
}

// CuPy compiles its kernels when they are used, with the NVRTC of the CUDA that it finds: what a newer GPU
// needs, a newer release of that major has, or the driver compiles the PTX.
Answer CompilesFor(const Build& build, const Version& cc, const Answer& otherwise) {
  const Capability* row = FindCapability(cc);
  if (row == nullptr || build.row.cuda.empty() || row->jetson) return otherwise;
  const std::string compiles = NameOf(build) + " compiles its kernels with CUDA " + Text(build.row.cuda);
  if (!row->last_cuda.empty() && MinorOf(Known(build.row.cuda)) > Known(row->last_cuda)) {
    return No(compiles + "; CUDA " + Text(row->last_cuda) +
                  " is the last that compiles for compute capability " + cc.ToString(),
              row->source);
  }
  return Yes(compiles + " or later", build.row.source);
}

std::string PythonsOf(const Distribution& wheel) {
  std::string list;
  for (const std::string_view python : wheel.pythons) list += (list.empty() ? "" : ", ") + Text(python);
  return list;
}

Answer WheelOnPython(const Distribution& wheel, const Version& minor) {
  const std::string name = Text(wheel.package) + " " + Text(wheel.version);
  if (!wheel.pythons.empty()) {
    const bool there =
        std::ranges::any_of(wheel.pythons, [&](std::string_view python) { return Known(python) == minor; });
    const std::string why = "the package index has wheels of " + name + " for Python " + PythonsOf(wheel);
    return there ? Yes(why, wheel.source) : No(why, wheel.source);
  }
  if (wheel.python.empty()) return Yes("the wheel of " + name + " is for every Python 3", wheel.source);
  return {AdmitsMinor(wheel.python, minor), "the wheel of " + name + " is for Python " + Text(wheel.python),
          wheel.source};
}

// Requires-Python of a release holds for all its builds: METADATA comes from one source, wherever they are
// published. The row of an abi3 wheel also has the Python of its tag, which belongs to that wheel alone.
std::optional<Answer> RefusedPython(const Build& build, const Version& minor) {
  std::string_view asked;
  for (const Distribution& row : build.release) {
    const bool of_release = !row.pythons.empty() || row.platform == "any";
    if (!of_release || row.python.empty() || row.python == asked) continue;
    asked = row.python;
    if (AdmitsMinor(asked, minor) == Verdict::kNo)
      return No(Text(row.package) + " " + Text(row.version) + " requires Python " + Text(row.python),
                row.source);
  }
  return std::nullopt;
}

// The Pythons that the row of the release names, for all of its builds.
Answer RowOnPython(const Build& build, const Version& minor) {
  const FrameworkRelease& row = build.row;
  const std::string span = NameOf(build) + " is built for Python " + Text(row.python) +
                           (row.python_until.empty() ? " and later" : " to " + Text(row.python_until));
  if (minor < Known(row.python)) return No(span, row.source);
  if (row.python_until.empty()) return Unknown(span + "; how far is not in the table", row.source);
  return minor <= Known(row.python_until) ? Yes(span, row.source) : No(span, row.source);
}

// Of a build that is not on the package index: its own index has the files, and culprit does not read it.
// What the release is said to be built for, and the Pythons of its build on the package index, decide where
// they agree; the lowest Python holds for every build.
Answer ElsewhereOnPython(const Build& build, const Version& minor) {
  const std::string ask = "; " + build.address + " would tell";
  if (build.row.python.empty() && build.wheel == nullptr) {
    return Unknown("the Python versions of " + NameOf(build) + " are not in the table" + ask,
                   build.row.source);
  }
  if (!build.row.python.empty() && minor < Known(build.row.python)) return RowOnPython(build, minor);
  if (build.row.python.empty() || build.wheel == nullptr) {
    Answer only = build.wheel == nullptr ? RowOnPython(build, minor) : WheelOnPython(*build.wheel, minor);
    if (only.verdict == Verdict::kNo)
      return Unknown(only.why + "; that does not decide for " + NameOf(build) + ask, only.source);
    return only;
  }
  Answer row = RowOnPython(build, minor);
  const Answer wheel = WheelOnPython(*build.wheel, minor);
  if (row.verdict == wheel.verdict) return row;
  if (row.verdict == Verdict::kUnknown && wheel.verdict == Verdict::kYes) return wheel;
  return Unknown(row.why + ", but " + wheel.why + ask, row.source);
}

}  // namespace

Answer IfThereIsOne(const Build& build, Answer answer) {
  if (build.in_table || answer.verdict != Verdict::kYes) return answer;
  return Unknown(
      "whether there is " + NameOf(build) + " is not in the table; " + build.address + " would tell",
      build.row.source);
}

Answer BuildOnMachine(const Build& build) {
  const std::string where = MachineWords(build.machine);
  if (build.published == PublishedOn::kUnknown)
    return Unknown("where " + NameOf(build) + " is published is not in the table", build.row.source);
  const bool on_index = build.published == PublishedOn::kPackageIndex;
  if (on_index && !build.release.empty() && build.wheel == nullptr)
    return No("the package index has no wheel of " + NameOf(build) + " for " + where, build.row.source);
  return UsesGpus(build);
}

Answer BuildOnDriver(const Build& build, const Version& driver, Platform platform) {
  if (!build.own_row) return NoRow(build, "drivers");
  return FrameworkOnDriver(build.row, driver, platform);
}

Answer BuildOnGpu(const Build& build, const Version& cc, const Version* driver) {
  if (!build.own_row) return NoRow(build, "GPUs");
  Answer answer = FrameworkOnGpu(build.row, cc, driver, PlatformOf(build.machine));
  const bool arm_unknown = build.machine == Machine::kLinuxArm && build.row.code.empty();
  if (build.row.framework == "cupy" && answer.verdict == Verdict::kUnknown && !arm_unknown)
    answer = CompilesFor(build, cc, answer);
  if (answer.verdict == Verdict::kNo) return answer;
  if (LoadsFromSystem(build)) return answer;  // SystemForBuild
  Answer cudnn = CudnnOfBuildOnGpu(build, cc);
  if (cudnn.verdict == Verdict::kNo)
    return No("the cuDNN of " + NameOf(build) + " does not run there: " + cudnn.why, cudnn.source);
  if (answer.verdict != Verdict::kYes || build.row.cuda.empty()) return answer;
  Answer cuda = CudaLibrariesOnGpu(CudaLoaded(build), cc);
  if (cuda.verdict == Verdict::kYes) return answer;
  cuda.why = NameOf(build) + " uses the libraries of CUDA " + cuda.why;
  return cuda;
}

Answer RequirementsOnPython(const Build& build, const Version& python) {
  const Answer fine = Yes("what it requires has wheels for Python " + python.ToString(), build.row.source);
  const bool pure = build.wheel != nullptr && build.wheel->pythons.empty();
  if (!pure || build.published != PublishedOn::kPackageIndex) return fine;
  const Version minor = MinorOf(python);
  for (const std::string_view extra : {std::string_view(), std::string_view(build.extra)}) {
    const Pin* pin = FindPin(build.distribution, build.version, extra);
    if (pin == nullptr) continue;
    for (const std::string_view text : pin->needs) {
      const size_t end = std::min(text.find_first_of("=<>~!["), text.size());
      const size_t specifier = std::min(text.find_first_of("=<>~!"), text.size());
      Answer answer = fine;
      for (const Distribution& wheel : DistributionsOf(text.substr(0, end))) {
        const bool here = wheel.platform == PlatformTag(build.machine) || wheel.platform == "any";
        if (!here || Meets(NumberOf(wheel.version), text.substr(specifier)) != Verdict::kYes) continue;
        answer = WheelOnPython(wheel, minor);
        if (answer.verdict == Verdict::kYes) break;
      }
      if (answer.verdict != Verdict::kYes) return answer;
    }
  }
  return fine;
}

Answer BuildOnPython(const Build& build, const Version& python) {
  const Version minor = MinorOf(python);
  const bool elsewhere = build.published == PublishedOn::kTorchIndex ||
                         build.published == PublishedOn::kFeed || build.published == PublishedOn::kIndex;
  if (elsewhere || build.wheel == nullptr) {
    if (auto refused = RefusedPython(build, minor)) return *std::move(refused);
  }
  if (elsewhere) return ElsewhereOnPython(build, minor);
  if (build.wheel == nullptr) {
    if (build.row.python.empty())
      return Unknown("the Python versions of " + NameOf(build) + " are not in the table", build.row.source);
    return RowOnPython(build, minor);
  }
  const Answer answer = WheelOnPython(*build.wheel, minor);
  if (answer.verdict != Verdict::kYes || build.published != PublishedOn::kPage) return answer;
  // Where CUDA is inside jaxlib and both come from a page of links: for the Pythons that the index has too.
  const Distribution* jaxlib = WheelFor("jaxlib", build.version, build.machine);
  if (jaxlib != nullptr) return WheelOnPython(*jaxlib, minor);
  return Unknown("the Python versions of jaxlib " + Text(build.version) + " are not in the table; " +
                     build.address + " would tell",
                 build.row.source);
}

}  // namespace culprit::knowledge
