// CUL6019: CTranslate2 does not find cuBLAS, which it opens when a model runs on the GPU.
#include <algorithm>

#include "base/text.h"
#include "loader/library_copies.h"
#include "rules/kit/loading/failed_loads.h"
#include "rules/kit/python/package_changes.h"

namespace culprit::rules::ctranslate2_without_cublas {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
CTranslate2 (faster-whisper, many translation servers) bundles the CUDA runtime, and opens cuBLAS by name the first time
a model runs on the GPU. Its package does not point to one, and the loader does not find one either.

## Why it breaks
"Library libcublas.so.12 is not found or cannot be loaded", in the middle of the first call.

## How culprit knows
culprit simulates that dlopen from libctranslate2, in this shell.

## Fix
Install the cuBLAS package and make the loader find it: LD_LIBRARY_PATH for this one program, or `import torch` of the
same CUDA major first. Do not symlink libcublas.so.12 to libcublas.so.11.
## When this is not your problem
You use the CPU, or your program loads cuBLAS first. If the environment has a copy, this is a note, unless
LD_LIBRARY_PATH contains directories that are gone. If there is a GPU and no copy anywhere, it is an error.

## Sources
ctranslate2 4.8.4: names in libctranslate2; OpenNMT/CTranslate2 src/cuda/cublas_stub.cc.
)md";

// A copy that the loader does not search: in the environment, otherwise on the machine.
std::string CopyOf(const Scene& scene, const snapshot::PythonEnvironment& environment,
                   const std::string& name) {
  for (const std::string& site : environment.site_packages) {
    for (const char* folder : {"/nvidia/cublas/lib/", "/nvidia/cu13/lib/"}) {
      std::string path = site + folder + name;
      if (scene.view.Open(path).error == base::PathError::kNone) return path;
    }
  }
  const auto directories = loader::LibraryDirectories(scene.snapshot, scene.view);
  for (const auto& copy : loader::FindCopies(directories, scene.view, name)) {
    if (copy.path.find("/stubs/") == std::string::npos) return copy.path;
  }
  return "";
}

// libcublas of another CUDA major; "" if there is none.
std::string OtherMajor(const Scene& scene) {
  const auto directories = loader::LibraryDirectories(scene.snapshot, scene.view);
  for (const auto& copy : loader::FindCopies(directories, scene.view, "libcublas.so")) {
    if (copy.path.find("/stubs/") == std::string::npos) return copy.path;
  }
  return "";
}

// The newest cuBLAS of a CUDA major that our tables list for this environment; "" if there is none.
std::string NewestOf(const Scene& scene, const snapshot::PythonEnvironment& environment,
                     const std::string& major) {
  const std::string specifiers[] = {"==" + major + ".*"};
  const std::string package = major == "13" ? "nvidia-cublas" : "nvidia-cublas-cu" + major;
  return ExactVersion(scene, environment, package, specifiers).value_or("");
}

bool SearchLeadsNowhere(const Scene& scene) {
  return std::ranges::any_of(
      base::SplitWords(scene.Variable("LD_LIBRARY_PATH"), ":;"),
      [&](const std::string& element) { return scene.view.Directory(element) == base::PathError::kNoEntry; });
}

void Check(const Scene& scene, Ruling& ruling) {
  const Presence gpu = GpuExpected(scene);
  for (const auto& environment : EnvironmentsOf(scene, ruling)) {
    const auto* framework = FindFramework(environment, "ctranslate2");
    const auto* scenario = ScenarioOf(scene, environment, "ctranslate2");
    if (framework == nullptr || scenario == nullptr || gpu == Presence::kNo) continue;
    const auto failed = std::ranges::find_if(scenario->graph.requests, [](const loader::Request& request) {
      return !request.error.empty() && request.name.starts_with("libcublas.so");
    });
    if (failed == scenario->graph.requests.end()) continue;
    if (std::ranges::any_of(FailedLoads(scene), [&](const FailedLoad& load) {
          return load.request == &*failed && IsDamage(load.why);  // has its own rule
        }))
      continue;
    const std::string copy = CopyOf(scene, environment, failed->name);
    const std::string major = failed->name.substr(failed->name.rfind('.') + 1);
    report::Finding& finding = ruling.Fire(
        "ctranslate2 " + framework->version + " in " + environment.prefix + " does not find " + failed->name +
            (copy.empty() ? "" : ", which is in " + std::string(base::DirName(copy))),
        copy.empty() ? framework->directory : copy, {environment.prefix, failed->name});
    // The program or its start-up script may load a copy in the environment itself, so this may be fine. A
    // search path of missing directories was meant to help and does not.
    const bool own = copy.starts_with(environment.prefix + "/");
    if ((own && !SearchLeadsNowhere(scene)) || gpu == Presence::kUnknown)
      finding.severity = report::Severity::kNote;
    // By default it takes a GPU that is there, and fails.
    if (copy.empty() && gpu == Presence::kYes) finding.severity = report::Severity::kError;
    finding.affects.push_back(scenario->title);
    finding.evidence.push_back({failed->error, "dlopen of libctranslate2, predicted by the loader model"});
    if (copy.empty()) {
      const std::string other = OtherMajor(scene);
      finding.cause = other.empty() ? "cuda-library-missing" : "cuda-version-mismatch";
      finding.evidence.push_back(other.empty()
                                     ? report::Evidence{"this machine has no cuBLAS", "library directories"}
                                     : report::Evidence{other + " is for another CUDA major", other});
    }
    std::string directory(base::DirName(copy));
    finding.fix = {.text = "make the loader find the existing copy, for this program only",
                   .commands = {},
                   .risk = report::Risk::kLow};
    if (copy.empty()) {
      const Wanted cublas{major == "13" ? "nvidia-cublas" : "nvidia-cublas-cu" + major,
                          NewestOf(scene, environment, major)};
      finding.fix.text = "install cuBLAS for CUDA " + major +
                         ", then start the program with its directory in LD_LIBRARY_PATH";
      finding.fix.commands = {PipOf(environment) + " install " + ForPip(cublas)};
      if (environment.site_packages.empty() || cublas.version.empty()) continue;
      directory =
          environment.site_packages.front() + (major == "13" ? "/nvidia/cu13/lib" : "/nvidia/cublas/lib");
      AddInstall(scene, environment, cublas, Pip::kMissing, finding.fix.changes);
    }
    finding.fix.commands.push_back("LD_LIBRARY_PATH=" + Word(directory) + " " + PythonOf(environment) +
                                   " your_program.py");
    finding.fix.changes.push_back(report::AddToList{"LD_LIBRARY_PATH", directory});
  }
}

}  // namespace

extern const Rule kRule = {.code = "CUL6019",
                           .name = "ctranslate2_without_cublas",
                           .family = Family::kPython,
                           .cause = "search-path",
                           .severity = report::Severity::kWarning,
                           .since = "0.2.0",
                           .title = "CTranslate2 does not find cuBLAS",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::ctranslate2_without_cublas
