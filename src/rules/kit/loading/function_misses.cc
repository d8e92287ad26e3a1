#include "rules/kit/loading/function_misses.h"

#include <algorithm>
#include <optional>

#include "base/text.h"
#include "base/windows/path.h"
#include "knowledge/libraries.h"
#include "loader/library_copies.h"
#include "rules/kit/cudnn/cudnn_fixes.h"
#include "rules/kit/file_fixes.h"
#include "rules/kit/load_facts.h"
#include "rules/kit/toolkit/toolkit_facts.h"

namespace culprit::rules {
namespace {

std::string WithVersion(const Scene& scene, const std::string& path) {
  const auto version = scene.view.Version(path);
  return path + (version && !version->version.empty() ? " (" + version->version + ")" : "");
}

// A copy of the DLL from the same release as the DLLs that need it.
std::string BetterCopy(const Scene& scene, const FunctionMiss& miss) {
  const auto wanted = scene.view.Version(miss.functions.front().importer);
  if (!wanted || wanted->version.empty()) return "";
  const auto directories = loader::LibraryDirectories(scene.snapshot, scene.view);
  for (const auto& copy : loader::FindCopies(directories, scene.view, base::BaseName(miss.dll))) {
    const auto version = scene.view.Version(copy.path);
    if (copy.path != miss.dll && version && version->version == wanted->version) return copy.path;
  }
  return "";
}

// Both are in one package or toolkit: reinstall all of it.
std::optional<report::Fix> InstallTogether(const Scene& scene, const std::string& importer,
                                           const std::string& dll) {
  if (base::DirName(importer) != base::DirName(dll)) return std::nullopt;
  if (auto fix = ReinstallKeeper(scene, dll)) return fix;
  if (!scene.stack().toolkits) return std::nullopt;
  for (const snapshot::Toolkit& toolkit : scene.stack().toolkits->copies) {
    if (!base::FoldCase(dll).starts_with(base::FoldCase(toolkit.root) + "/") || toolkit.version.empty())
      continue;
    const std::string release = Release(toolkit.version);
    return report::Fix{.text = "reinstall CUDA Toolkit " + release + ": " + std::string(base::BaseName(dll)) +
                               " is not from this release. Do not copy single DLLs into it",
                       .commands = {"culprit inspect " + Word(importer) + " " + Word(dll)},
                       .risk = report::Risk::kLow,
                       .changes = {report::InstallToolkit{release, toolkit.root}}};
  }
  return std::nullopt;
}

// One line for each DLL that needs something.
void AddImporters(const Scene& scene, const FunctionMiss& miss, report::Finding& finding) {
  for (size_t i = 0; i < miss.functions.size();) {
    const std::string& importer = miss.functions[i].importer;
    size_t end = i;
    while (end < miss.functions.size() && miss.functions[end].importer == importer) ++end;
    const std::string more =
        end - i == 1 ? "" : " and " + std::to_string(end - i - 1) + " more that are missing";
    finding.evidence.push_back(
        {WithVersion(scene, importer) + " imports " + miss.functions[i].function + more,
         "imports of " + importer});
    i = end;
  }
}

}  // namespace

std::vector<FunctionMiss> FunctionMisses(const loader::Scenario& scenario) {
  std::vector<FunctionMiss> misses;
  for (const loader::MissingExport& missing : scenario.graph.missing_exports) {
    auto known = std::ranges::find_if(misses, [&](const FunctionMiss& miss) {
      if (miss.of_any != missing.of_any || miss.dll != missing.dll) return false;
      // Of a CUDA library that lacks symbols, all who need them say so; any other file has its own reason.
      return !miss.of_any || knowledge::FindLibrary(base::BaseName(miss.dll)) != nullptr ||
             miss.functions.front().importer == missing.importer;
    });
    if (known == misses.end()) {
      known = misses.insert(misses.end(), {.scenario = &scenario,
                                           .dll = missing.dll,
                                           .functions = {},
                                           .cudnn = IsOfCudnn(missing.importer) && IsOfCudnn(missing.dll),
                                           .of_any = missing.of_any});
    }
    // The loader retries the same DLL whenever something requests it.
    const bool told = std::ranges::any_of(known->functions, [&](const loader::MissingExport& other) {
      return other.importer == missing.importer && other.function == missing.function;
    });
    if (!told) known->functions.push_back(missing);
  }
  return misses;
}

namespace {

const loader::Object* LoadedAs(const loader::LoadGraph& graph, const std::string& soname) {
  const auto has = [&](const loader::Object& object) {
    return object.elf != nullptr && object.elf->soname == soname;
  };
  const auto object = std::ranges::find_if(graph.objects, has);
  return object == graph.objects.end() ? nullptr : &*object;
}

// The loaded library that the importer needs and that lacks the function, while another copy of it has the
// function; "" if there is none.
std::string WrongCopy(const Scene& scene, const loader::Scenario& scenario,
                      const loader::MissingExport& missing) {
  const auto& importer = scene.view.Open(missing.importer).elf;
  if (importer == nullptr) return "";
  const auto directories = loader::LibraryDirectories(scene.snapshot, scene.view);
  for (const binfmt::ElfRequest& request : importer->requests) {
    const loader::Object* object = LoadedAs(scenario.graph, request.name);
    if (object == nullptr) continue;
    for (const auto& copy : loader::FindCopies(directories, scene.view, request.name)) {
      const auto& elf = scene.view.Open(copy.path).elf;
      if (elf == nullptr || elf->machine != object->elf->machine || elf->bits() != object->elf->bits())
        continue;
      if (copy.real_path != scene.view.RealPath(object->path) &&
          scene.view.Has(copy.path, missing.function) == true)
        return object->path;
    }
  }
  return "";
}

// All who need something of one library that is there in the wrong copy have one reason.
void JoinByWrongCopy(const Scene& scene, std::vector<FunctionMiss>& misses) {
  std::vector<FunctionMiss> joined;
  for (FunctionMiss& miss : misses) {
    const bool may = miss.of_any && knowledge::FindLibrary(base::BaseName(miss.dll)) == nullptr;
    const std::string wrong = may ? WrongCopy(scene, *miss.scenario, miss.functions.front()) : "";
    if (!wrong.empty()) {
      miss.dll = wrong;
      miss.wrong_copy = true;
    }
    const auto same = [&](const FunctionMiss& other) {
      return miss.wrong_copy && other.wrong_copy && other.scenario == miss.scenario && other.dll == miss.dll;
    };
    const auto first = std::ranges::find_if(joined, same);
    for (loader::MissingExport& missing : miss.functions) {
      if (!wrong.empty()) missing.dll = wrong;
      if (first != joined.end()) first->functions.push_back(missing);
    }
    if (first == joined.end()) joined.push_back(std::move(miss));
  }
  misses = std::move(joined);
}

}  // namespace

std::vector<FunctionMiss> FunctionMisses(const Scene& scene) {
  std::vector<FunctionMiss> misses;
  for (const loader::Scenario& scenario : scene.scenarios) {
    for (FunctionMiss& miss : FunctionMisses(scenario)) misses.push_back(std::move(miss));
  }
  if (!scene.OnWindows()) JoinByWrongCopy(scene, misses);
  return misses;
}

void Fire(const Scene& scene, const FunctionMiss& miss, Ruling& ruling) {
  const loader::MissingExport& first = miss.functions.front();
  report::Finding& finding =
      ruling.Fire(std::string(base::BaseName(first.importer)) + " needs " + first.function + ", but " +
                      WithVersion(scene, miss.dll) + " does not have it (error 127)",
                  miss.dll, {std::string(base::BaseName(first.importer)), first.function});
  finding.affects.push_back(miss.scenario->title);
  AddImporters(scene, miss, finding);
  finding.evidence.push_back({miss.dll + " is found through " + FoundThrough(miss.scenario->graph, miss.dll) +
                                  " and does not export it",
                              "exports of " + miss.dll});
  const std::string better = BetterCopy(scene, miss);
  finding.fix = {.text = "use all these DLLs from one release" +
                         (better.empty() ? ": install all of the release of " + first.importer : "") +
                         "; remove " + miss.dll + ", or put another directory before it on PATH",
                 .commands = {"culprit why " + Word(base::BaseName(miss.dll))},
                 .risk = report::Risk::kLow};
  if (better.empty()) {
    if (miss.cudnn) {
      finding.fix = ReinstallCudnn(scene, *miss.scenario, first.importer);
      return;
    }
    if (auto again = InstallTogether(scene, first.importer, miss.dll)) {
      finding.fix = *std::move(again);
      return;
    }
    const auto release = scene.view.Version(first.importer);
    finding.fix.changes = {report::PutLibrary{.path = miss.dll, .version = release ? release->version : ""}};
    return;
  }
  const auto version = scene.view.Version(better);
  finding.evidence.push_back({better + " is " + version->version + " and would match", version.source});
  finding.fix.commands.insert(finding.fix.commands.begin(),
                              "set \"PATH=" + InQuotes(base::DirName(better)) + ";%PATH%\"");
  finding.fix.changes = {report::AddToList{"PATH", base::ToWindowsPath(std::string(base::DirName(better)))}};
}

}  // namespace culprit::rules
