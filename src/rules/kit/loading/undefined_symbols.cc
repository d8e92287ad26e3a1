#include "rules/kit/loading/undefined_symbols.h"

#include <algorithm>
#include <optional>

#include "base/demangle.h"
#include "base/text.h"
#include "base/windows/path.h"
#include "knowledge/libraries.h"
#include "loader/library_copies.h"
#include "rules/kit/file_fixes.h"
#include "rules/kit/load_facts.h"
#include "rules/kit/load_fixes.h"
#include "rules/kit/loading/forced_copy.h"
#include "rules/kit/loading/symbol_misses.h"
#include "rules/kit/python/package_facts.h"
#include "rules/kit/python/package_of_file.h"

namespace culprit::rules {
namespace {

using loader::MissingExport;
using loader::Scenario;
using snapshot::PythonEnvironment;

// Functions of Python itself. An extension for another Python is not imported at all: its name says which.
bool IsOfPython(const MissingExport& missing) {
  return missing.function.starts_with("Py") || missing.function.starts_with("_Py");
}

// A library that was given alone: the program that loads it may define what it needs.
bool HasNoProgram(const Scenario& scenario) {
  const auto& objects = scenario.graph.objects;
  return objects.empty() || objects.front().elf == nullptr || !objects.front().elf->interpreter;
}

const loader::Object* ObjectAt(const Scenario& scenario, const std::string& path) {
  const auto object = std::ranges::find(scenario.graph.objects, path, &loader::Object::path);
  return object == scenario.graph.objects.end() ? nullptr : &*object;
}

const knowledge::Library* CudaLibrary(const Scenario& scenario, const std::string& path) {
  const loader::Object* object = ObjectAt(scenario, path);
  return object == nullptr ? nullptr : loader::LibraryOf(*object);
}

bool HasNewAbi(std::string_view symbol) {
  return symbol.find("7__cxx11") != symbol.npos || symbol.find("B5cxx11") != symbol.npos;
}

// The function without its parameters.
std::string NameAlone(const std::string& symbol) {
  std::string name = base::ReadableFunction(symbol);
  name.resize(std::min(name.size(), name.find('(')));
  constexpr std::string_view kMark = "[abi:cxx11]";
  if (const size_t mark = name.find(kMark); mark != name.npos) name.erase(mark, kMark.size());
  return name;
}

// The library has the same function with the other kind of std::string.
bool IsOfOtherAbi(const MissingExport& missing) {
  return !missing.like.empty() && HasNewAbi(missing.function) != HasNewAbi(missing.like) &&
         NameAlone(missing.function) == NameAlone(missing.like);
}

// The library has the function with other parameters: a header of another release was compiled in.
bool HasOtherParameters(const MissingExport& missing) {
  return missing.function.starts_with("_Z") && missing.like.starts_with("_Z") &&
         NameAlone(missing.function) == NameAlone(missing.like);
}

// The package with the name of a module, or with the longest one that the module's name starts with:
// flash_attn_2_cuda.cpython-311-x86_64-linux-gnu.so is flash-attn's.
const snapshot::PythonPackage* PackageOfModule(const PythonEnvironment& environment, std::string module) {
  std::ranges::replace(module, '_', '-');
  const snapshot::PythonPackage* best = nullptr;
  for (const snapshot::PythonPackage& package : environment.packages) {
    const bool starts = module == package.name || module.starts_with(package.name + "-");
    if (starts && (best == nullptr || package.name.size() > best->name.size())) best = &package;
  }
  return best;
}

// The package that a file of an environment belongs to: by its framework, or by the name of its folder.
const snapshot::PythonPackage* ExtensionPackage(const PythonEnvironment& environment,
                                                const std::string& file) {
  for (const snapshot::Framework& framework : environment.frameworks) {
    if (file.starts_with(framework.directory + "/"))
      return environment.Find(framework.package.empty() ? framework.name : framework.package);
  }
  for (const std::string& site : environment.site_packages) {
    if (!file.starts_with(site + "/")) continue;
    std::string name = base::FoldCase(file.substr(site.size() + 1));
    name.resize(std::min(name.size(), name.find_first_of("/.")));
    return PackageOfModule(environment, std::move(name));
  }
  return nullptr;
}

struct Told {
  const Scene& scene;
  const Scenario& scenario;
  std::vector<MissingExport> missing;  // not empty
  std::string importer, provider;      // links in their directories resolved; provider may be ""
  bool other_abi = false;

  std::string What() const {
    const std::string name = base::ReadableFunction(missing.front().function);
    if (missing.size() == 1) return name;
    return name + " and " + std::to_string(missing.size() - 1) + " more symbol" +
           (missing.size() == 2 ? "" : "s");
  }
};

std::string WithVersion(const Scene& scene, const std::string& path, const std::string& shown) {
  const auto version = scene.view.Version(path);
  return shown + (version && !version->version.empty() ? " (" + version->version + ")" : "");
}

std::string Summary(const Told& told) {
  const std::string asker(base::BaseName(told.importer));
  const std::string it = told.missing.size() == 1 ? "it" : "them";
  if (told.other_abi) {
    return asker + " was built with the " + (HasNewAbi(told.missing.front().like) ? "old" : "new") +
           " C++ ABI and needs " + told.What() + ", but " + told.provider + " has " + it +
           " with the other ABI";
  }
  if (told.provider.empty())
    return asker + " needs " + told.What() + ", but no library that it loads has " + it;
  return asker + " needs " + told.What() + ", but " +
         WithVersion(told.scene, told.missing.front().dll, told.provider) + " does not have " + it;
}

// A file of the same name that has the symbol.
std::string BetterCopy(const Told& told) {
  if (told.provider.empty() || told.other_abi) return "";
  const auto directories = loader::LibraryDirectories(told.scene.snapshot, told.scene.view);
  for (const auto& copy :
       loader::FindCopies(directories, told.scene.view, base::BaseName(told.missing.front().dll))) {
    if (copy.path != told.missing.front().dll &&
        told.scene.view.Has(copy.path, told.missing.front().function) == true)
      return copy.path;
  }
  return "";
}

// Builds the extension again from its source, against what is installed.
report::Fix Rebuild(const Told& told, const PythonEnvironment& environment,
                    const snapshot::PythonPackage& package) {
  const snapshot::Framework* torch = FindFramework(environment, "torch");
  const std::string against = torch == nullptr ? "the installed packages" : "torch " + torch->version;
  return {.text = "build " + package.name + " again, for " + against +
                  (told.other_abi ? " and its C++ ABI" : "") +
                  ", or install a release of it that was built for " + against,
          .commands = {PipOf(environment) +
                       " install --force-reinstall --no-deps --no-cache-dir "
                       "--no-build-isolation --no-binary " +
                       Plain(package.name) + " " + Plain(package.name) + "==" + Plain(package.version)},
          .risk = report::Risk::kLow,
          .changes = {report::PutLibrary{.path = told.importer, .like = told.importer}}};
}

report::Fix LetWin(const Told& told, const std::string& better) {
  const std::string directory(base::DirName(better));
  return {.text = "let the copy that has " + std::string(told.missing.size() == 1 ? "it" : "them") + " win",
          .commands = {"LD_LIBRARY_PATH=" + Word(directory) + "${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} " +
                       StartCommand(told.scene, told.scenario)},
          .risk = report::Risk::kLow,
          .changes = {report::AddToList{"LD_LIBRARY_PATH", directory}}};
}

// LD_LIBRARY_PATH leads to the library that lacks the symbols, and to others in the same directory that the
// process gets from nowhere else.
bool ComesWithOthers(const Told& told) {
  const std::string& wrong = told.missing.front().dll;
  const loader::Object* object = ObjectAt(told.scenario, wrong);
  if (object == nullptr || object->via != loader::Via::kLdLibraryPath) return false;
  return std::ranges::any_of(told.scenario.graph.objects, [&](const loader::Object& other) {
    return &other != object && other.via == loader::Via::kLdLibraryPath &&
           base::DirName(other.path) == base::DirName(wrong);
  });
}

report::Fix FixFor(const Told& told, const FunctionMiss& miss, const std::string& better) {
  const Scene& scene = told.scene;
  if (miss.wrong_copy && !better.empty() && ComesWithOthers(told)) return LetWin(told, better);
  for (const std::string& path : {told.missing.front().dll, told.missing.front().importer}) {
    const loader::Object* object = ObjectAt(told.scenario, path);
    if (object != nullptr && ForcedByVariable(scene, told.scenario, *object))
      return WithoutVariable(scene, *object);
  }
  if (CudaLibrary(told.scenario, told.missing.front().dll) != nullptr && better.empty()) {
    report::Fix fix = FixSymbolMiss(scene, miss);
    if (!fix.changes.empty() && fix.changes.front().As<report::PutLibrary>() == nullptr) return fix;
    // The package has the right version, so the file is not its own.
    return ReinstallKeeper(scene, told.provider).value_or(std::move(fix));
  }
  const PythonEnvironment* environment = scene.EnvironmentOf(told.scenario);
  const auto* package =
      environment == nullptr || miss.wrong_copy ? nullptr : ExtensionPackage(*environment, told.importer);
  if (package != nullptr) return Rebuild(told, *environment, *package);
  if (!better.empty()) return LetWin(told, better);
  const std::string asker(base::BaseName(told.importer));
  if (told.provider.empty() || told.other_abi) {
    return {.text = "build " + asker + " again, for the libraries that are installed here",
            .commands = {"culprit why --for " + Word(told.importer)},
            .risk = report::Risk::kNone,
            .changes = {report::PutLibrary{.path = told.importer, .like = told.importer}}};
  }
  return {.text = "install the release of " + std::string(base::BaseName(told.provider)) + " that " + asker +
                  " was built with, or build " + asker + " again for this one",
          .commands = {"culprit why " + Word(base::BaseName(told.provider)) + " --for " +
                       Word(told.scenario.graph.target)},
          .risk = report::Risk::kNone,
          .changes = {report::PutLibrary{.path = told.provider, .like = told.provider}}};
}

std::string CauseOf(const Told& told) {
  if (const auto* library = CudaLibrary(told.scenario, told.missing.front().dll))
    return library->family == "cudnn" ? "cudnn-version-mismatch" : "cuda-mixed-versions";
  if (told.scene.EnvironmentOf(told.scenario) != nullptr || !SiteOf(told.provider).empty())
    return "framework-version-conflict";
  if (!told.provider.empty() && base::BaseName(told.provider).starts_with("libstdc++."))
    return "glibc-too-old";
  return "dependent-missing";
}

// CUL6003 says that the package was made for another release, and how to get the right one.
bool IsKnownMismatch(const Scene& scene, const std::string& file) {
  const Rule& rule = *FindRule("CUL6003");
  Ruling ruling(rule);
  rule.check(scene, ruling);
  return std::ranges::any_of(ruling.findings(), [&](const report::Finding& finding) {
    return file.starts_with(finding.subject + "/");
  });
}

}  // namespace

void FireUndefined(const Scene& scene, const FunctionMiss& miss, Ruling& ruling) {
  const Scenario& scenario = *miss.scenario;
  if (scenario.kind == Scenario::Kind::kAnyProgram) return;
  Told told{.scene = scene, .scenario = scenario, .missing = {}, .importer = {}, .provider = {}};
  const bool of_cuda = CudaLibrary(scenario, miss.dll) != nullptr;
  for (const MissingExport& missing : miss.functions) {
    // A call that is never made does no harm; one to a library of another release will be made.
    if (IsOfPython(missing) || (!missing.at_load && !of_cuda && !HasOtherParameters(missing))) continue;
    if (std::ranges::find(told.missing, missing.function, &MissingExport::function) == told.missing.end())
      told.missing.push_back(missing);
  }
  if (told.missing.empty()) return;
  const auto abi = std::ranges::find_if(told.missing, IsOfOtherAbi);
  told.other_abi = abi != told.missing.end();
  if (told.other_abi) std::iter_swap(told.missing.begin(), abi);
  const MissingExport& first = told.missing.front();
  told.importer = PlaceOf(scene, first.importer);
  if (!first.dll.empty()) told.provider = PlaceOf(scene, first.dll);
  if (HasNoProgram(scenario) && !of_cuda && !told.other_abi) {
    ruling.NotEnoughFacts("where " + told.importer + " gets " + told.What() + " from",
                          "the program that loads it may provide " +
                              std::string(told.missing.size() == 1 ? "it" : "them") +
                              "; check that program or its environment");
    return;
  }
  if (IsKnownMismatch(scene, told.importer)) return;
  report::Finding& finding =
      ruling.Fire(Summary(told), of_cuda || miss.wrong_copy ? told.provider : told.importer,
                  {std::string(base::BaseName(first.importer)), first.function});
  finding.cause = CauseOf(told);
  finding.affects.push_back(scenario.title);
  finding.evidence.push_back(
      {told.importer + ": undefined symbol: " + first.function,
       first.at_load ? "predicted by the loader model" : "predicted by the loader model, at the first call"});
  if (!told.provider.empty()) {
    finding.evidence.push_back(
        {told.provider +
             (told.other_abi ? " has " + base::ReadableFunction(first.like) + ", and is found through "
                             : " does not define it, and is found through ") +
             FoundThrough(scenario.graph, first.dll),
         "symbols of " + told.provider});
  }
  const std::string better = BetterCopy(told);
  if (!better.empty())
    finding.evidence.push_back(
        {WithVersion(scene, better, better) + " has " + first.function, "symbols of " + better});
  finding.fix = FixFor(told, miss, better);
}

}  // namespace culprit::rules
