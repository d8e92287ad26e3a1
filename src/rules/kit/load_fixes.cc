#include "rules/kit/load_fixes.h"

#include <algorithm>

#include "base/python/package_name.h"
#include "base/text.h"
#include "base/version.h"
#include "base/windows/path.h"
#include "knowledge/driver.h"
#include "rules/kit/changes.h"
#include "rules/kit/cudnn/cudnn_fixes.h"
#include "rules/kit/driver/driver_facts.h"
#include "rules/kit/file_fixes.h"
#include "rules/kit/python/asked.h"
#include "rules/kit/python/package_changes.h"
#include "rules/kit/python/package_facts.h"
#include "rules/kit/python/package_of_file.h"
#include "rules/kit/toolkit/toolkit_facts.h"

namespace culprit::rules {

Command StartCommand(const Scene& scene, const loader::Scenario& scenario) {
  const snapshot::PythonEnvironment* environment = scene.EnvironmentOf(scenario);
  const snapshot::Framework* framework = scene.FrameworkOf(scenario);
  if (environment == nullptr || framework == nullptr) return Word(scenario.title);
  const Command import = "import " + Plain(framework->name);
  return PythonOf(*environment) + " -c " + (scene.OnWindows() ? "\"" + import + "\"" : "'" + import + "'");
}

report::Fix ReinstallPackage(const snapshot::PythonEnvironment& environment, const std::string& package,
                             const std::string& version, std::string text) {
  const snapshot::PythonPackage* there = environment.Find(package);
  const bool conda = there != nullptr && there->installer == "conda";
  return {.text = std::move(text),
          .commands = {conda ? "conda install -p " + Word(environment.prefix) + " --force-reinstall " +
                                   Plain(package) + "=" + Plain(version)
                             : PipOf(environment) + " install --force-reinstall --no-deps " + Plain(package) +
                                   "==" + Plain(version)},
          .risk = report::Risk::kLow,
          .changes = {report::InstallPackage{environment.prefix, package, version}}};
}

std::string PinnedVersion(const Scene& scene, const snapshot::PythonEnvironment& environment,
                          const std::string& package) {
  const base::MarkerFacts facts = MarkerFactsOf(scene, environment);
  std::string of_extra;  // tensorflow[and-cuda] pins a cuDNN, tensorflow does not
  for (const snapshot::PythonPackage& asker : environment.packages) {
    for (const snapshot::Requirement& requirement : asker.requirements) {
      const std::string& specifier = requirement.specifier;
      const bool exact = specifier.starts_with("==") && specifier.find_first_of("*,") == std::string::npos;
      if (requirement.name == package && exact && base::Holds(requirement.marker, facts) != false)
        return specifier.substr(specifier.find_first_not_of("= "));
      if (requirement.name == package && exact && !requirement.extra.empty())
        of_extra = specifier.substr(specifier.find_first_not_of("= "));
    }
  }
  return of_extra;
}

std::vector<Command> RuntimeCommands(std::string_view dll) {
  if (!base::Contains(dll, "140")) return {};  // one runtime since Visual Studio 2015
  return {"winget install --exact --id Microsoft.VCRedist.2015+.x64"};
}

namespace {

// "11" for cublas64_11.dll, cudart64_110.dll and nvrtc64_112_0.dll, "12" for cudart64_12.dll, "9" for
// cudart64_92.dll: before CUDA 12 one digit of the minor version follows.
std::string CudaOfDll(std::string_view name) {
  name = base::BaseName(name);
  const size_t begin = name.find('_') + 1;
  std::string digits(name.substr(begin, name.find_first_not_of("0123456789", begin) - begin));
  const auto number = base::Version::Parse(digits);
  if (begin == 0 || !number || number->part(0) > 999 || !name.ends_with(".dll")) return "";  // cupti64_2024.1
  if (number->part(0) >= 80) digits.pop_back();
  return digits;
}

}  // namespace

std::string CudaOfSoname(const knowledge::Library& library, std::string_view soname) {
  static constexpr std::string_view kNumberedByCuda[] = {
      "cudart", "cublas", "cublasLt", "nvblas", "nvrtc", "nvJitLink", "nvfatbin", "cupti", "nvjpeg", "nppc"};
  const size_t so = soname.find(".so.");
  if (library.packages.size() == 1 && library.family == "cuda") {
    const std::string_view package = library.packages.front();
    const size_t suffix = package.rfind("_cu1");
    return suffix == std::string_view::npos ? "13" : std::string(package.substr(suffix + 3));
  }
  if (std::ranges::find(kNumberedByCuda, library.name) == std::end(kNumberedByCuda)) return "";
  if (so == std::string_view::npos) return CudaOfDll(soname);
  const auto version = base::Version::Parse(soname.substr(so + 4));
  return version ? std::to_string(version->part(0)) : "";
}

uint32_t MajorOfName(std::string_view name) {
  const size_t so = name.find(".so.");
  const size_t at = so != std::string_view::npos ? so + 4 : name.rfind('_') + 1;
  const auto version = base::Version::Parse(name.substr(at, name.find_first_not_of("0123456789", at) - at));
  return version ? version->part(0) : 0;
}

std::string PipPackage(const knowledge::Library& library, const std::string& cuda) {
  for (const std::string_view package : library.packages) {
    const bool suffixed = package.find("_cu1") != std::string_view::npos;
    const bool fits = suffixed ? package.ends_with("_cu" + cuda) : cuda == "13";
    if (!fits && library.packages.size() != 1) continue;
    std::string name(package);
    std::ranges::replace(name, '_', '-');
    return name;
  }
  return "";
}

namespace {

// Libraries that a toolkit package provides along with this one.
std::vector<std::string> Companions(const std::string& soname) {
  if (soname.starts_with("libcublas.so.")) return {"libcublasLt.so." + soname.substr(13)};
  return {};
}

// What NVIDIA's cuda-libraries-12-4 packages provide, all from one release.
bool IsInCudaLibraries(const knowledge::Library& library) {
  static constexpr std::string_view kNames[] = {"cudart",   "nvrtc",  "cublas",    "cublasLt", "nvblas",
                                                "cufft",    "cufftw", "curand",    "cusolver", "cusolverMg",
                                                "cusparse", "nppc",   "nvJitLink", "nvfatbin", "nvjpeg"};
  return std::ranges::find(kNames, library.name) != std::end(kNames);
}

// Which release of a CUDA major to install: that of the installed toolkit, otherwise the newest that the
// driver supports, if the driver is known; "" = none.
std::string ToolkitRelease(const Scene& scene, const std::string& major) {
  if (scene.stack().toolkits) {
    for (const snapshot::Toolkit& toolkit : scene.stack().toolkits->copies) {
      if (toolkit.kind == snapshot::ToolkitKind::kToolkit && MajorOf(toolkit.version) == major)
        return Release(toolkit.version);
    }
  }
  const auto driver = scene.stack().driver ? ModuleVersion(*scene.stack().driver) : std::nullopt;
  const auto rows = knowledge::Toolkits();
  for (auto row = rows.rbegin(); row != rows.rend(); ++row) {
    if (MajorOf(row->cuda) != major) continue;
    const bool runs = !driver || knowledge::DriverRunsCuda(*driver, row->cuda, scene.platform()).support !=
                                     knowledge::DriverSupport::kNo;
    if (runs) return Release(std::string(row->cuda));
  }
  return "";
}

// System-wide, where system packages put libraries.
report::Fix InstallForEverybody(const Scene& scene, const FailedLoad& failed, const std::string& cuda) {
  const std::string& soname = failed.request->name;
  const std::string title = failed.library == nullptr ? soname : std::string(failed.library->title);
  report::Fix fix{.text = "install " + title + (cuda.empty() ? "" : " of CUDA " + cuda) +
                          (failed.library == nullptr ? "" : ", which provides " + soname) +
                          "; do not symlink another version to this name, and do not get single files from a "
                          "download site",
                  .commands = {"culprit why " + Word(soname)},
                  .risk = report::Risk::kNone};
  if (scene.OnWindows()) {
    const std::string release = ToolkitRelease(scene, cuda);
    if (failed.library != nullptr && failed.library->family == "cuda" && !release.empty()) {
      fix.text = "install CUDA Toolkit " + release + ", which provides " + soname +
                 " and puts it on PATH, then open a new window; do not rename another version to this name, "
                 "and do not get single files from a download site";
      fix.changes = {report::InstallToolkit{release, ""}};
    } else {
      const std::string directory = scene.snapshot.windows()->directory + "/System32";
      fix.changes = {report::PutLibrary{.path = base::JoinPath(directory, soname)}};
    }
    return fix;
  }
  std::string directory = SystemDirectory(scene);
  Changes known = {report::RefreshCache{}};
  const PackageManager manager = PackageManagerOf(scene);
  const std::string release =
      failed.library != nullptr && IsInCudaLibraries(*failed.library) ? ToolkitRelease(scene, cuda) : "";
  if (!release.empty() && manager != PackageManager::kNone) {
    std::string package = "cuda-libraries-" + release;
    std::ranges::replace(package, '.', '-');
    fix.text = "install the CUDA " + release + " libraries, which provide " + soname +
               "; the package comes from NVIDIA's repository. Do not symlink another version to this name";
    fix.commands = {
        (manager == PackageManager::kDpkg ? Command("sudo apt-get install ") : "sudo dnf install ") +
        Plain(package)};
    fix.risk = report::Risk::kLow;
    const bool arm = scene.snapshot.cpu.machine == "aarch64";
    directory = "/usr/local/cuda-" + release + "/targets/" + (arm ? "sbsa" : "x86_64") + "-linux/lib";
    known = SearchedByLdconfig(directory, "988_cuda-" + cuda);  // the file that these packages write
  }
  std::vector<std::string> names = Companions(soname);
  names.push_back(soname);
  for (const std::string& name : names)
    fix.changes.push_back(report::PutLibrary{.path = base::JoinPath(directory, name), .soname = name});
  fix.changes.insert(fix.changes.end(), known.begin(), known.end());
  return fix;
}

}  // namespace

namespace {

// Whether a cuDNN installed by pip would be found. onnxruntime's provider has no RUNPATH to it.
bool LooksIntoPackages(const Scene& scene, const FailedLoad& failed) {
  const snapshot::Framework* framework = scene.FrameworkOf(*failed.scenario);
  if (scene.OnWindows() || framework == nullptr || framework->name != "onnxruntime") return true;
  return std::ranges::any_of(failed.request->attempts, [](const loader::Attempt& attempt) {
    return attempt.path.find("/nvidia/cudnn/lib/") != std::string::npos;
  });
}

bool IsNvidiaPackage(const snapshot::PythonPackage& package) { return package.name.starts_with("nvidia-"); }

// On Windows only PATH leads to NVIDIA's pip packages. Users with a toolkit and no such package keep using
// the toolkit.
bool TakesPackages(const Scene& scene, const snapshot::PythonEnvironment& environment) {
  if (environment.interpreter.empty()) return false;
  if (!scene.OnWindows() || std::ranges::any_of(environment.packages, IsNvidiaPackage)) return true;
  return !scene.stack().toolkits || scene.stack().toolkits->copies.empty();
}

// nvidia-cublas-cu12 -> nvidia/cublas/bin, nvidia-cuda-runtime-cu12 -> nvidia/cuda_runtime/bin, nvidia-cublas
// (CUDA 13) -> nvidia/cu13/bin/x86_64.
std::string FolderOnWindows(std::string package) {
  const size_t suffix = package.rfind("-cu1");
  if (suffix == std::string::npos) return "nvidia/cu13/bin/x86_64";
  package = package.substr(sizeof("nvidia-") - 1, suffix - (sizeof("nvidia-") - 1));
  std::ranges::replace(package, '-', '_');
  return "nvidia/" + package + "/bin";
}

// Also adds the package's directory to PATH if it is not there yet.
report::Fix OnPathToo(const Scene& scene, const snapshot::PythonEnvironment& environment,
                      const std::string& package, report::Fix fix) {
  if (!scene.OnWindows() || environment.site_packages.empty()) return fix;
  const std::string directory = base::JoinPath(environment.site_packages.front(), FolderOnWindows(package));
  for (const std::string& element : base::SplitWindowsPath(scene.Variable("PATH"))) {
    if (base::SameName(element, directory)) return fix;
  }
  fix.text += ", and put " + directory + " on PATH";
  fix.commands.push_back("set \"PATH=" + InQuotes(directory) + ";%PATH%\"");
  fix.changes.push_back(report::AddToList{"PATH", base::ToWindowsPath(directory)});
  return fix;
}

// What pip installs; if our tables know no version of the package, only the requested file.
report::Change BroughtByPip(const Scene& scene, const snapshot::PythonEnvironment& environment,
                            const std::string& package, const std::string& version, const std::string& file) {
  const std::string known =
      version.empty() ? ExactVersion(scene, environment, package, {}).value_or("") : version;
  if (!known.empty() || !scene.OnWindows() || environment.site_packages.empty())
    return report::InstallPackage{environment.prefix, package, known};
  return report::PutLibrary{
      .path =
          base::JoinPath(base::JoinPath(environment.site_packages.front(), FolderOnWindows(package)), file)};
}

// The package of the environment that is missing the file.
const snapshot::PythonPackage* LostBy(const snapshot::PythonEnvironment& environment,
                                      const std::string& name) {
  for (const snapshot::PythonPackage& package : environment.packages) {
    for (const snapshot::DamagedFile& file : package.damaged) {
      if (file.problem == snapshot::FileDamage::kMissing &&
          base::SameName(base::BaseName(file.path), base::BaseName(name)))
        return &package;
    }
  }
  return nullptr;
}

// The CUDA major that a missing library belongs to; "" if that is not known.
std::string CudaFor(const Scene& scene, const FailedLoad& failed) {
  const snapshot::Framework* framework = scene.FrameworkOf(*failed.scenario);
  const std::string cuda =
      failed.library == nullptr ? "" : CudaOfSoname(*failed.library, failed.request->name);
  if (!cuda.empty() || framework == nullptr || failed.library == nullptr) return cuda;
  return base::Split(framework->cuda, '.').front();
}

// The package with the library that another package of the environment requires; "" if none does.
std::string RequiredPackage(const Scene& scene, const snapshot::PythonEnvironment& environment,
                            const knowledge::Library& library) {
  for (const std::string_view one : library.packages) {
    std::string name = base::NormalName(one);
    if (!AskedOf(scene, environment, name).empty()) return name;
  }
  return "";
}

// The package that provides it in the environment of the scenario.
std::optional<Wanted> ByPip(const Scene& scene, const FailedLoad& failed) {
  const snapshot::PythonEnvironment* environment = scene.EnvironmentOf(*failed.scenario);
  const std::string cuda = CudaFor(scene, failed);
  std::string package = cuda.empty() || failed.library == nullptr ? "" : PipPackage(*failed.library, cuda);
  if (package.empty() && environment != nullptr && failed.library != nullptr)
    package = RequiredPackage(scene, *environment, *failed.library);
  if (environment == nullptr || !TakesPackages(scene, *environment) || package.empty()) return std::nullopt;
  return Wanted{package, VersionForAll(scene, *environment, package).value_or("")};
}

}  // namespace

std::optional<report::Fix> BringBack(const snapshot::PythonEnvironment& environment,
                                     const std::string& name) {
  const snapshot::PythonPackage* package = LostBy(environment, name);
  if (package == nullptr) return std::nullopt;
  return ReinstallPackage(
      environment, package->name, package->version,
      "reinstall " + package->name + ", which is missing " + std::string(base::BaseName(name)));
}

report::Fix Install(const Scene& scene, const FailedLoad& failed) {
  const snapshot::PythonEnvironment* environment = scene.EnvironmentOf(*failed.scenario);
  const bool into = environment != nullptr && TakesPackages(scene, *environment);
  if (into) {
    if (auto again = BringBack(*environment, failed.request->name)) return *std::move(again);
  }
  if (failed.IsCudnn()) {
    const std::string cuda = CudaOfProcess(scene, *failed.scenario);
    const CudnnChoice choice = ChooseCudnn(scene, MajorOfName(failed.request->name), cuda);
    if (into && LooksIntoPackages(scene, failed) && !choice.build.empty() && !choice.cuda.empty())
      return OnPathToo(scene, *environment, "nvidia-cudnn-cu" + choice.cuda,
                       InstallInto(scene, *environment, choice));
    if (!choice.version.empty()) return InstallForAll(scene, choice);
  }
  const std::string cuda = CudaFor(scene, failed);
  if (const auto wanted = ByPip(scene, failed)) {
    return OnPathToo(scene, *environment, wanted->package,
                     {.text = "install the package that provides it in this environment",
                      .commands = {PipOf(*environment) + " install " + ForPip(*wanted)},
                      .risk = report::Risk::kLow,
                      .changes = {BroughtByPip(scene, *environment, wanted->package, wanted->version,
                                               failed.request->name)}});
  }
  report::Fix fix = InstallForEverybody(scene, failed, cuda);
  const auto package = failed.library == nullptr
                           ? std::nullopt
                           : PackageForSite(scene, failed.asker, failed.library->packages);
  if (package) {
    fix.text = "install the package that provides it in the environment of the library that needs it";
    fix.commands = {Word(package->python) + " -m pip install " + ForPip({package->name, ""})};
    fix.risk = report::Risk::kLow;
  }
  return fix;
}

report::Fix Install(const Scene& scene, const std::vector<FailedLoad>& failed) {
  report::Fix joined = Install(scene, failed.front());
  if (failed.size() == 1) return joined;
  Command pip;
  std::vector<Command> alone;
  for (const FailedLoad& one : failed) {
    const report::Fix fix = Install(scene, one);
    for (const Command& command : fix.commands) {
      if (std::ranges::find(joined.commands, command) == joined.commands.end())
        joined.commands.push_back(command);
    }
    for (const report::Change& change : fix.changes) {
      if (std::ranges::find(joined.changes, change) == joined.changes.end()) joined.changes.push_back(change);
    }
    const auto wanted = ByPip(scene, one);
    const Command command =
        wanted ? PipOf(*scene.EnvironmentOf(*one.scenario)) + " install " + ForPip(*wanted) : Command();
    const bool is_new = std::ranges::find(alone, command) == alone.end();
    if (!wanted || !is_new || std::ranges::find(fix.commands, command) == fix.commands.end()) continue;
    pip = alone.empty() ? command : pip + " " + ForPip(*wanted);
    alone.push_back(command);
  }
  // The cache is refreshed when everything is there.
  const auto refreshes = [](const report::Change& change) {
    return change.As<report::RefreshCache>() != nullptr;
  };
  const auto refresh = std::ranges::find_if(joined.changes, refreshes);
  if (refresh != joined.changes.end()) std::rotate(refresh, refresh + 1, joined.changes.end());
  if (alone.size() < 2) return joined;
  for (const Command& command : alone) std::erase(joined.commands, command);
  joined.commands.insert(joined.commands.begin(), pip);
  joined.text = "install the packages that provide them in this environment";
  return joined;
}

report::Fix InstallInstead(const Scene& scene, const FailedLoad& failed) {
  if (auto fix = ReinstallKeeper(scene, PlaceOf(scene, failed.file))) return *fix;
  report::Fix fix = Install(scene, failed);
  const std::string package = failed.library == nullptr ? SystemPackage(scene, failed.request->name) : "";
  if (package.empty()) return fix;
  const bool debian = PackageManagerOf(scene) == PackageManager::kDpkg;
  fix.text = "reinstall " + package + ", the system package that provides " + failed.request->name;
  fix.commands = {(debian ? Command("sudo apt-get install --reinstall ") : "sudo dnf reinstall ") +
                  Plain(package)};
  fix.risk = report::Risk::kLow;
  return fix;
}

}  // namespace culprit::rules
