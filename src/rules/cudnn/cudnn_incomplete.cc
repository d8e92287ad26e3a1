// CUL3003: the cuDNN in use lacks sub-libraries.
#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "base/text.h"
#include "base/windows/path.h"
#include "knowledge/cudnn.h"
#include "rules/kit/cudnn/cudnn_fixes.h"
#include "rules/kit/load_facts.h"
#include "rules/kit/load_fixes.h"
#include "rules/kit/loading/failed_loads.h"
#include "rules/kit/loading/forced_copy.h"
#include "rules/kit/search_fixes.h"
#include "rules/rule.h"

namespace culprit::rules::cudnn_incomplete {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
libcudnn is only a shim. Sub-libraries that it opens on first use do the work (graph, ops, cnn, adv, engines). The shim is
found, some of the sub-libraries are not.

## Why it breaks
"Unable to load any of {libcudnn_ops.so.9.1.0, ...}", "Invalid handle. Cannot load symbol cudnnCreateTensorDescriptor",
"Could not load library libcudnn_cnn_infer.so.8", CUDNN_STATUS_NOT_SUPPORTED_SUBLIBRARY_UNAVAILABLE, usually at the first
convolution and not at startup.

## How culprit knows
data/libraries.toml lists which sub-libraries a release opens, and by which names. The loader model searches for each.

## Fix
Reinstall the package that the shim belongs to. A wheel that bundles only the shim (ctranslate2) needs the sub-libraries
from nvidia-cudnn and a search path to them. Do not copy single files from another release.

## When this is not your problem
The cudnn-jit packages omit libcudnn_engines_precompiled on purpose; the rule does not count it.

## Sources
Traces of PyTorch with single sub-libraries removed (cuDNN 9.19); issues of faster-whisper and ctranslate2.
)md";

// CUL3017 reports a renamed DLL; the sub-libraries that it does not find do not matter.
bool IsRenamed(const Scene& scene, const std::string& asker) {
  const snapshot::FileFacts& facts = scene.view.Open(asker);
  return facts.pe != nullptr && facts.pe->export_name && !facts.pe->export_name->empty() &&
         !base::SameName(*facts.pe->export_name, base::BaseName(asker));
}

// The number of complete copies of the asker's major, or of other majors.
size_t CountWhole(const Scene& scene, const std::string& asker, bool same_major) {
  if (!scene.stack().cudnn) return 0;
  return static_cast<size_t>(
      std::ranges::count_if(*scene.stack().cudnn, [&](const snapshot::CudnnCopy& copy) {
        const bool same = copy.major == MajorOfName(base::BaseName(asker));
        return copy.missing_parts.empty() && same == same_major;
      }));
}

// Why a bundled shim finds no sub-libraries: not on the search path, of another major, or not installed.
std::string CauseOf(const Scene& scene, const FailedLoad& failed, const std::string& asker) {
  if (!BundlesOnlyShim(scene, asker)) return "cudnn-sublibrary-missing";
  if (failed.why == Why::kElsewhere) return "search-path";
  if (CountWhole(scene, asker, /*same_major=*/true) > 0) return "cudnn-sublibrary-missing";
  return CountWhole(scene, asker, /*same_major=*/false) > 0 ? "cudnn-version-mismatch" : "cudnn-missing";
}

// Installs a complete cuDNN of a bundled shim's major into its environment, and puts it on the search path.
std::optional<report::Fix> InstallBesideBundled(const Scene& scene, const FailedLoad& failed,
                                                const std::string& asker) {
  const auto* environment = scene.EnvironmentOf(*failed.scenario);
  if (environment == nullptr || environment->interpreter.empty() || environment->site_packages.empty())
    return std::nullopt;
  const CudnnChoice choice = ChooseLike(scene, asker, CudaOfProcess(scene, *failed.scenario));
  if (choice.build.empty() || choice.cuda.empty()) return std::nullopt;
  report::Fix fix = InstallInto(scene, *environment, choice);
  const std::string directory =
      environment->site_packages.front() + (scene.OnWindows() ? "/nvidia/cudnn/bin" : "/nvidia/cudnn/lib");
  const auto elements = scene.OnWindows() ? base::SplitWindowsPath(scene.Variable("PATH"))
                                          : base::SplitWords(scene.Variable("LD_LIBRARY_PATH"), ":;");
  if (std::ranges::none_of(elements, [&](const std::string& element) {
        return scene.OnWindows() ? base::SameName(element, directory) : element == directory;
      })) {
    report::Fix search = SearchToo(scene, failed, directory);
    fix.text += ", and " + search.text;
    fix.commands.insert(fix.commands.end(), search.commands.begin(), search.commands.end());
    fix.changes.insert(fix.changes.end(), search.changes.begin(), search.changes.end());
  }
  return fix;
}

report::Fix Repair(const Scene& scene, const FailedLoad& failed, const std::string& asker) {
  const bool bundled = BundlesOnlyShim(scene, asker);
  if (!failed.copies.empty() && failed.why == Why::kElsewhere && (bundled || scene.OnWindows())) {
    return SearchToo(scene, failed, std::string(base::DirName(failed.copies.front().path)));
  }
  if (bundled) {
    if (auto fix = InstallBesideBundled(scene, failed, asker)) return *std::move(fix);
  }
  if (auto fix = LetOwnCudnnWin(scene, *failed.scenario, asker)) return *std::move(fix);
  return ReinstallCudnn(scene, *failed.scenario, asker);
}

// Which release has the sub-library, and where it belongs.
void AddOrigin(const std::string& name, const std::string& version, const std::string& directory,
               report::Finding& finding) {
  const knowledge::CudnnPart* part = knowledge::FindCudnnPart(name);
  if (part == nullptr) return;
  const std::string since = part->since.empty() ? "every release of cuDNN " + std::to_string(part->major)
                                                : "cuDNN " + std::string(part->since) + " and later";
  finding.evidence.push_back({name + " is in " + since + "; the one from " +
                                  (version.empty() ? "the same release" : version) + " belongs in " +
                                  directory,
                              std::string(part->source)});
}

// "libcudnn_ops" of libcudnn_ops.so.9.19.0: cuDNN asks for a sub-library by several names.
std::string Stem(const FailedLoad& failed) {
  return failed.request->name.substr(0, failed.request->name.find(".so"));
}

// Sub-libraries whose file was found but is unusable: the rule about that file covers all their names.
std::set<std::string> DamagedParts(const Scene& scene) {
  std::set<std::string> stems;
  for (const FailedLoad& failed : FailedLoads(scene)) {
    if (failed.why == Why::kEmptyFile || failed.why == Why::kTruncated || failed.why == Why::kNotALibrary ||
        failed.why == Why::kUnusable)
      stems.insert(Stem(failed));
  }
  return stems;
}

// Processes that lack the main library, too. Whoever asks for sub-libraries there, as ONNX Runtime's provider
// does, is not cuDNN: what the rules about the main library say is the whole story.
std::set<const loader::Scenario*> WithoutCudnn(const Scene& scene) {
  std::set<const loader::Scenario*> scenarios;
  for (const FailedLoad& failed : FailedLoads(scene)) {
    if (failed.IsCudnnShim()) scenarios.insert(failed.scenario);
  }
  return scenarios;
}

// Engines that cuDNN can do without at the start: some operations fail later. A copy of NVIDIA's cudnn-jit
// packages has none of these parts.
void TellEngines(const Scene& scene, const loader::Scenario& scenario, Ruling& ruling) {
  for (const loader::Request& request : scenario.graph.requests) {
    const bool part = request.optional && request.object == loader::kNone && !request.alternative &&
                      !request.uncertain && request.requester < scenario.graph.objects.size() &&
                      base::Contains(request.name, "_engines_precompiled");
    if (!part) continue;
    const std::string& asker = scenario.graph.objects[request.requester].path;
    const std::string directory(base::DirName(asker));
    const std::string other = scene.OnWindows() ? "cudnn_cnn64_9.dll" : "libcudnn_cnn.so.9";
    if (!IsOfCudnn(asker) ||
        scene.view.Open(base::JoinPath(directory, other)).error != base::PathError::kNone)
      continue;
    const auto version = scene.view.Version(asker);
    const std::string name = request.name.find(".so") == request.name.npos || scene.OnWindows()
                                 ? request.name
                                 : request.name.substr(0, request.name.find(".so")) + ".so.9";
    // One that is there and does not load has a rule of its own.
    if (scene.view.Open(base::JoinPath(directory, name)).error != base::PathError::kNoEntry) continue;
    report::Finding& finding =
        ruling.Fire(asker + (version ? " (cuDNN " + version->version + ")" : "") + " does not find " + name +
                        ", without which some operations fail",
                    asker, {name});
    finding.severity = report::Severity::kWarning;
    finding.affects.push_back(scenario.title);
    finding.evidence.push_back({name + " is not found", "predicted by the loader model"});
    AddOrigin(name, version ? version->version : "", directory, finding);
    finding.fix = ReinstallCudnn(scene, scenario, asker);
  }
}

void Check(const Scene& scene, Ruling& ruling) {
  for (const loader::Scenario& scenario : scene.scenarios) TellEngines(scene, scenario, ruling);
  // By the copy's directory: sub-libraries need each other, so several miss the same one.
  std::map<std::string, std::vector<const FailedLoad*>> by_copy;
  const std::set<std::string> damaged = DamagedParts(scene);
  const std::set<const loader::Scenario*> without = WithoutCudnn(scene);
  for (const FailedLoad& failed : FailedLoads(scene)) {
    if (!IsOfCudnn(failed.asker) && without.contains(failed.scenario)) continue;
    const bool absent =
        failed.why == Why::kNowhere || failed.why == Why::kElsewhere || failed.why == Why::kOtherMajor;
    if (failed.IsCudnn() && !failed.IsCudnnShim() && absent && !damaged.contains(Stem(failed)) &&
        !IsRenamed(scene, failed.asker))
      by_copy[std::string(base::DirName(scene.view.RealPath(failed.asker)))].push_back(&failed);
  }
  for (const auto& [directory, parts] : by_copy) {
    const std::string& asker = parts.front()->asker;
    std::set<std::string> names;
    for (const FailedLoad* part : parts) names.insert(part->request->name);
    std::string list;
    for (const std::string& name : names) list += (list.empty() ? "" : ", ") + name;
    snapshot::Fact<snapshot::LibraryVersion> version;
    if (IsOfCudnn(asker)) version = scene.view.Version(asker);
    report::Finding& finding =
        Fire(ruling, *parts.front(),
             asker + (version ? " (cuDNN " + version->version + ")" : "") + " does not find " + list, asker,
             {names.begin(), names.end()});
    for (const std::string& name : names)
      AddOrigin(name, version ? version->version : "", directory, finding);
    for (const FailedLoad* part : parts) {
      if (std::ranges::find(finding.affects, part->scenario->title) == finding.affects.end()) {
        finding.affects.push_back(part->scenario->title);
      }
      for (const loader::LibraryCopy& copy : part->copies) {
        const auto fact = scene.view.Version(copy.path);
        const report::Evidence there{
            copy.path + (fact ? " is " + fact->version : " exists") + ", but not on the search path",
            fact ? fact.source : copy.path};
        if (std::ranges::find(finding.evidence, there) == finding.evidence.end())
          finding.evidence.push_back(there);
      }
    }
    finding.cause = CauseOf(scene, *parts.front(), asker);
    finding.fix = Repair(scene, *parts.front(), asker);
  }
}

}  // namespace

extern const Rule kRule = {.code = "CUL3003",
                           .name = "cudnn_incomplete",
                           .family = Family::kCudnn,
                           .cause = "cudnn-sublibrary-missing",
                           .severity = report::Severity::kError,
                           .since = "0.2.0",
                           .title = "the cuDNN in use lacks sub-libraries",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::cudnn_incomplete
