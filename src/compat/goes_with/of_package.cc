// What goes with a release of a framework, or of a package that depends on one.
#include <algorithm>

#include "compat/chosen_build.h"
#include "compat/goes_with/goes_with.h"
#include "knowledge/driver.h"
#include "knowledge/packages/pins.h"
#include "knowledge/packages/project_fit.h"
#include "knowledge/packages/release.h"

namespace culprit::compat {
namespace {

using base::Machine;
using base::Version;
using knowledge::Build;
using knowledge::Text;
using knowledge::Verdict;

constexpr uint32_t kFirstPythonMinor = 5, kLastPythonMinor = 16;

std::string CodeOf(const Build& build) {
  std::string list;
  const bool windows = build.machine == Machine::kWindows && !build.row.code_windows.empty();
  for (const std::string_view code : windows ? build.row.code_windows : build.row.code)
    list += (list.empty() ? "" : ", ") + Text(code);
  return list;
}

void AddBuild(const CompatQuestion& question, const Build& build, Lines& lines) {
  const std::string name = BuildName(build);
  const std::string source = Text(build.row.source);
  const std::string_view cudnn = knowledge::CudnnOf(build.row, build.machine);
  if (!build.row.cuda.empty()) {
    const auto install = InstallCommand(build).Text();
    lines.push_back({.what = name,
                     .range = "CUDA " + Text(build.row.cuda) +
                              (cudnn.empty() || cudnn == "none" ? "" : ", cuDNN " + Text(cudnn)),
                     .why = install.value_or(""),
                     .source = source});
    const Version cuda = knowledge::Known(build.row.cuda);
    const std::string release = Text(build.row.cuda) + (cuda.parts.size() == 1 ? ".0" : "");
    const std::string_view lowest = knowledge::LowestCompatibleDriver(release, question.DriverPlatform());
    if (!lowest.empty())
      lines.push_back({.what = name + ", driver", .range = Text(lowest) + " and newer", .source = source});
  }
  if (const std::string code = CodeOf(build); !code.empty())
    lines.push_back({.what = name + ", GPU code", .range = code, .source = source});
}

std::vector<std::string> Pythons() {
  std::vector<std::string> pythons;
  for (uint32_t minor = kFirstPythonMinor; minor <= kLastPythonMinor; ++minor)
    pythons.push_back("3." + std::to_string(minor));
  return pythons;
}

void AddPythons(const std::vector<Build>& builds, Lines& lines) {
  const std::vector<std::string> pythons = Pythons();
  AddRange(lines, "Python",
           RangeOf(pythons,
                   [&](size_t i) {
                     const Version python = knowledge::Known(pythons[i]);
                     return std::ranges::any_of(builds, [&](const Build& build) {
                       return build.in_table &&
                              knowledge::BuildOnPython(build, python).verdict == Verdict::kYes &&
                              knowledge::RequirementsOnPython(build, python).verdict == Verdict::kYes;
                     });
                   }),
           "", builds.front().row.source);
}

void AddMachines(const CompatPackage& package, const std::string& version, Lines& lines) {
  report::GoesWith line{.what = "platform", .why = "with GPU support"};
  for (const Machine machine : {Machine::kLinuxX86, Machine::kLinuxArm, Machine::kWindows}) {
    for (const Build& build : knowledge::BuildsOfRelease(package.framework, version, machine)) {
      if (!build.in_table || knowledge::BuildOnMachine(build).verdict != Verdict::kYes) continue;
      line.values.push_back(knowledge::MachineWords(machine));
      line.source = build.row.source;
      break;
    }
  }
  if (!line.values.empty()) lines.push_back(std::move(line));
}

// Packages of which a release asks for exactly this one, and those that no pin names.
void AddCompanions(const CompatPackage& package, const std::string& version, Lines& lines) {
  const Version number = knowledge::NumberOf(version);
  const auto add = [&](std::string_view name, std::string_view release, std::string_view source) {
    const auto at = std::ranges::find(lines, name, &report::GoesWith::what);
    if (at == lines.end()) {
      lines.push_back({.what = Text(name), .values = {Text(release)}, .source = Text(source)});
    } else if (std::ranges::find(at->values, release) == at->values.end()) {
      at->values.emplace_back(release);
    }
  };
  for (const knowledge::Pin& pin : knowledge::Pins()) {
    const std::string_view wanted = pin.extra.empty() ? knowledge::Requirement(pin, package.key) : "";
    if (wanted.starts_with("==") && knowledge::Meets(number, wanted) == Verdict::kYes)
      add(pin.package, pin.version, pin.source);
  }
  for (const knowledge::Companion& row : knowledge::Companions()) {
    if (row.of == package.key && knowledge::Known(row.of_version) == number)
      add(row.package, row.version, row.source);
  }
}

// GPUs that a release has code for by what is known of itself, and the CUDA that its wheels are built for.
void AddCode(const knowledge::ProjectRelease& release, Lines& lines) {
  for (const knowledge::ProjectCode* row : release.code) {
    std::string list;
    for (const std::string_view code : row->code) list += (list.empty() ? "" : ", ") + Text(code);
    lines.push_back({.what = "GPU code" + (row->cuda.empty() ? "" : ", CUDA " + Text(row->cuda)),
                     .range = list,
                     .source = Text(row->source)});
  }
  if (!release.code.empty()) return;
  AddGpus(lines, [&](const Version& cc) {
    const auto fit = knowledge::ReleaseOnGpu(release, cc);
    return fit && fit->verdict == Verdict::kYes;
  });
}

// A package that is no framework: what it asks for, and where it runs.
void ListOfRelease(const CompatQuestion& question, CompatPackage& package, report::CompatAnswer& answer) {
  Lines& lines = answer.goes_with;
  const auto releases = knowledge::ReleasesOfProject(package.key, question.machine);
  const knowledge::ProjectRelease* release = knowledge::ReleaseMeant(releases, package.version);
  if (release == nullptr) return;
  if (release->version != package.version)
    answer.notes.push_back(package.shown + " is read as " + Text(release->version));
  for (const knowledge::Required& need : knowledge::RequirementsOf(*release, nullptr)) {
    lines.push_back({.what = need.name,
                     .range = need.specifiers.empty() ? "any" : need.specifiers,
                     .source = Text(need.source)});
  }
  if (const std::string_view cuda = knowledge::CudaOfName(*release); !cuda.empty()) {
    const std::string_view lowest =
        knowledge::LowestCompatibleDriver(Text(cuda) + ".0", question.DriverPlatform());
    lines.push_back({.what = "CUDA", .range = Text(cuda), .source = ""});
    if (!lowest.empty())
      lines.push_back({.what = "driver", .range = Text(lowest) + " and newer", .source = ""});
  }
  AddCode(*release, lines);
  const std::vector<std::string> pythons = Pythons();
  const auto fits = [&](size_t i) {
    const auto fit = knowledge::ReleaseOnPython(*release, knowledge::Known(pythons[i]));
    return fit && fit->verdict == Verdict::kYes;
  };
  const auto source = knowledge::ReleaseOnMachine(*release).source;
  AddRange(lines, "Python", RangeOf(pythons, fits), "", source);
}

}  // namespace

void ListOfPackage(const CompatQuestion& question, report::CompatAnswer& answer) {
  CompatPackage package = question.packages.front();
  Lines& lines = answer.goes_with;
  if (package.framework.empty()) return ListOfRelease(question, package, answer);
  const ChosenBuild choice = ChooseBuild(question, package);
  if (choice.builds.empty()) return;
  if (!choice.read_as.empty()) answer.notes.push_back(package.shown + " is read as " + choice.read_as);
  for (const Build& build : choice.builds) {
    if (build.in_table) AddBuild(question, build, lines);
  }
  const auto missing =
      std::ranges::find_if(choice.builds, [](const Build& build) { return !build.in_table; });
  if (missing != choice.builds.end()) {
    answer.notes.push_back("this release may have builds that are not in the table, such as " +
                           BuildName(*missing));
  }
  AddPythons(choice.builds, lines);
  AddMachines(package, package.version, lines);
  AddCompanions(package, package.version, lines);
}

}  // namespace culprit::compat
