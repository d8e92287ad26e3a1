// CUL6011: TensorFlow is built with CUDA, but does not find the libraries that it opens.
#include <algorithm>
#include <set>

#include "base/text.h"
#include "knowledge/libraries.h"
#include "knowledge/tools.h"
#include "loader/library_copies.h"
#include "rules/kit/file_fixes.h"
#include "rules/kit/load_fixes.h"
#include "rules/kit/loading/failed_loads.h"
#include "rules/kit/python/package_changes.h"

namespace culprit::rules::tensorflow_without_cuda_packages {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
The TensorFlow wheel contains GPU code, but no CUDA libraries. It opens them by name when it starts; some of them are
not found here, so it registers no GPU.

## Why it breaks
"Cannot dlopen some GPU libraries. Please make sure the missing libraries mentioned above are installed properly ...
Skipping registering GPU devices", or "Could not find cuda drivers on your machine", which means libcudart and not the
driver. `tf.config.list_physical_devices('GPU')` is empty.

## How culprit knows
It simulates the dlopen calls of TensorFlow's stubs, from the library that contains them.

## Fix
`pip install "tensorflow[and-cuda]"` of the same version: the extra pins the nvidia-* packages that this build was made
with, and TensorFlow finds them next to itself without LD_LIBRARY_PATH.

## When this is not your problem
You want TensorFlow on the CPU: it works.

## Sources
openxla/xla: xla/tsl/platform/default/dso_loader.cc, dlopen_checker.cc; METADATA of tensorflow (extra and-cuda).
)md";

// The extra installs more packages than our tables list by version (cuFFT, cuSPARSE ...): adds their
// libraries.
void AddFilesOfTheRest(const snapshot::PythonEnvironment& environment, const std::string& major,
                       const std::set<std::string>& missing, std::vector<report::Change>& changes) {
  if (environment.site_packages.empty()) return;
  for (const std::string& name : missing) {
    const auto* library = knowledge::FindLibrary(name);
    const std::string package = library == nullptr ? "" : PipPackage(*library, major);
    const bool comes = std::ranges::any_of(changes, [&](const report::Change& change) {
      const auto* install = change.As<report::InstallPackage>();
      return install != nullptr && install->package == package;
    });
    if (package.empty() || comes || CudaMajorOfPackage(package).empty()) continue;
    std::string folder = package.substr(7, package.rfind("-cu") - 7);  // "cufft" for nvidia-cufft-cu12
    std::ranges::replace(folder, '-', '_');
    report::PutLibrary put;
    put.path = environment.site_packages.front() + "/nvidia/" + folder + "/lib/" + name;
    changes.emplace_back(std::move(put));
  }
  // And the tools, which no library needs.
  constexpr std::string_view kSite = "{site}/";
  for (const knowledge::ToolRow& row : knowledge::Tools()) {
    const auto place =
        std::ranges::find_if(row.places, [&](std::string_view one) { return one.starts_with(kSite); });
    if (row.user != "tensorflow" || place == row.places.end()) continue;
    const std::string path =
        base::JoinPath(environment.site_packages.front(), std::string_view(*place).substr(kSite.size()));
    if (row.kind == knowledge::ToolKind::kProgram)
      changes.emplace_back(report::PutLibrary{.path = path, .program = true});
    else
      changes.emplace_back(report::PutText{path, "BC"});
  }
}

// Libraries that TensorFlow's own stubs do not find: what cuDNN opens has its own rules.
std::set<std::string> MissingStubs(const Scene& scene, const loader::Scenario& scenario) {
  std::set<std::string> missing;
  for (const auto& request : scenario.graph.requests) {
    const auto* library = knowledge::FindLibrary(request.name);
    const bool stub =
        request.opened_by == loader::OpenedBy::kDlopen && request.name.find('/') == std::string::npos;
    if (request.error.empty() || request.alternative || !stub || library == nullptr) continue;
    if (library->family == "driver" || library->family == "tensorrt") continue;
    if (request.requester == loader::kNone) continue;
    if (!base::BaseName(scenario.graph.objects[request.requester].path).starts_with("libtensorflow"))
      continue;
    // A damaged file has its own rule.
    if (std::ranges::any_of(FailedLoads(scene), [&](const FailedLoad& failed) {
          return failed.request == &request && IsDamage(failed.why);
        }))
      continue;
    missing.insert(request.name);
  }
  for (const FailedLoad& failed : FailedLoads(scene)) {
    if (failed.scenario == &scenario) missing.erase(failed.request->name);  // only cuDNN: has its own rules
  }
  for (const auto& request : scenario.graph.requests) {
    if (request.object != loader::kNone) missing.erase(request.name);  // by another way
  }
  return missing;
}

// The directory outside the environment that has the others: a toolkit.
std::string ToolkitInUse(const loader::Scenario& scenario, const snapshot::PythonEnvironment& environment) {
  for (const loader::Object& object : scenario.graph.objects) {
    const auto* library = LibraryOf(object);
    if (library != nullptr && library->family == "cuda" &&
        !object.real_path.starts_with(environment.prefix + "/"))
      return std::string(base::DirName(object.real_path));
  }
  return "";
}

// The release of the toolkit that has the others, again and whole.
report::Fix CompleteToolkit(const Scene& scene, const std::string& directory, const std::string& cuda,
                            const std::set<std::string>& missing) {
  std::string release = cuda.substr(0, cuda.find('.', cuda.find('.') + 1));
  report::Fix fix{.text = "install the missing CUDA " + release + " libraries (the others are in " +
                          directory + "); the package comes from NVIDIA's repository",
                  .commands = {},
                  .risk = report::Risk::kLow};
  for (const std::string& name : missing)
    fix.changes.emplace_back(report::PutLibrary{.path = base::JoinPath(directory, name), .soname = name});
  fix.changes.emplace_back(report::RefreshCache{});
  std::ranges::replace(release, '.', '-');
  const bool rpm = PackageManagerOf(scene) == PackageManager::kRpm;
  fix.commands = {(rpm ? Command("sudo dnf install ") : "sudo apt-get install ") +
                  Plain("cuda-libraries-" + release)};
  return fix;
}

// A directory of the environment itself that nobody put on the search path.
report::Fix SearchOwn(const snapshot::PythonEnvironment& environment, const std::string& place) {
  const bool conda = environment.kind == snapshot::EnvironmentKind::kConda;
  return {.text = "add " + place + ", which has all of them, to LD_LIBRARY_PATH" +
                  (conda ? "; set it in the environment (conda env config vars set) so that it always applies"
                         : ""),
          .commands = {"export LD_LIBRARY_PATH=" + Word(place) + "${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"},
          .risk = report::Risk::kLow,
          .changes = {report::AddToList{"LD_LIBRARY_PATH", place}}};
}

void Check(const Scene& scene, Ruling& ruling) {
  const Presence gpu = GpuExpected(scene);
  for (const auto& environment : EnvironmentsOf(scene, ruling)) {
    const auto* tensorflow = FindFramework(environment, "tensorflow");
    if (tensorflow == nullptr || tensorflow->cuda.empty() || gpu == Presence::kNo) continue;
    const auto* scenario = ScenarioOf(scene, environment, "tensorflow");
    if (scenario == nullptr) continue;
    const std::set<std::string> missing = MissingStubs(scene, *scenario);
    // Where others of these libraries lie somewhere else, so do these: CUL4007 tells what to do.
    const bool moved = std::ranges::any_of(FailedLoads(scene), [&](const FailedLoad& failed) {
      return failed.scenario == scenario && failed.why == Why::kElsewhere && failed.library != nullptr;
    });
    if (missing.empty() || moved) continue;
    const std::string release = tensorflow->version.substr(0, tensorflow->version.find('+'));
    report::Finding& finding = ruling.Fire(
        "tensorflow " + tensorflow->version + " in " + environment.prefix + " does not find " +
            *missing.begin() +
            (missing.size() > 1 ? " and " + std::to_string(missing.size() - 1) + " other libraries" : "") +
            ", so it uses no GPU",
        tensorflow->directory, {environment.prefix, *missing.begin()});
    if (gpu == Presence::kUnknown) finding.severity = report::Severity::kNote;
    finding.affects.push_back(scenario->title);
    const auto directories = loader::LibraryDirectories(scene.snapshot, scene.view);
    size_t elsewhere = 0;
    std::set<std::string> places;
    for (const std::string& name : missing) {
      const auto copies = loader::FindCopies(directories, scene.view, name);
      if (copies.empty()) continue;
      ++elsewhere;
      places.insert(std::string(base::DirName(copies.front().path)));
      finding.evidence.push_back({copies.front().path + " exists but is not searched", copies.front().path});
    }
    const bool only_cudnn = std::ranges::all_of(
        missing, [](const std::string& name) { return knowledge::FindLibrary(name)->family == "cudnn"; });
    if (only_cudnn) finding.cause = "cudnn-missing";
    if (elsewhere == missing.size()) finding.cause = "search-path";
    finding.evidence.push_back({"it was built for CUDA " + tensorflow->cuda, tensorflow->source});
    for (const std::string& name : missing) {
      finding.evidence.push_back(
          {name + " is not found", "dlopen of TensorFlow's stub, predicted by the loader model"});
    }
    const Wanted wanted{
        tensorflow->package.empty() ? "tensorflow" : tensorflow->package, release, {"and-cuda"}};
    finding.fix = {
        .text = "install the CUDA packages that this build pins; a toolkit of another version does not help",
        .commands = {PipOf(environment) + " install " + ForPip(wanted)},
        .risk = report::Risk::kLow};
    AddInstall(scene, environment, wanted, Pip::kMissing, finding.fix.changes);
    AddFilesOfTheRest(environment, MajorOf(tensorflow->cuda), missing, finding.fix.changes);
    const std::string toolkit = ToolkitInUse(*scenario, environment);
    if (elsewhere == 0 && !only_cudnn && !toolkit.empty() && !scene.OnWindows())
      finding.fix = CompleteToolkit(scene, toolkit, tensorflow->cuda, missing);
    const bool own = places.size() == 1 && places.begin()->starts_with(environment.prefix + "/");
    if (elsewhere == missing.size() && own && !scene.OnWindows())
      finding.fix = SearchOwn(environment, *places.begin());
  }
}

}  // namespace

extern const Rule kRule = {.code = "CUL6011",
                           .name = "tensorflow_without_cuda_packages",
                           .family = Family::kPython,
                           .cause = "cuda-library-missing",
                           .severity = report::Severity::kWarning,
                           .since = "0.2.0",
                           .title = "TensorFlow does not find the CUDA libraries that it opens",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::tensorflow_without_cuda_packages
