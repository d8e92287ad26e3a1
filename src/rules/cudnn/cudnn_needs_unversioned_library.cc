// CUL3013: cuDNN opens a library by its unversioned name.
#include "base/text.h"
#include "loader/library_copies.h"
#include "rules/kit/file_fixes.h"
#include "rules/kit/load_facts.h"
#include "rules/kit/load_fixes.h"
#include "rules/rule.h"

namespace culprit::rules::cudnn_needs_unversioned_library {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
Some cuDNN releases open a library by its unversioned name: libnvrtc.so (8 before 8.8) or libcuda.so (8, and 9 before 9.3).
Runtime packages provide only libnvrtc.so.N and libcuda.so.1.

## Why it breaks
Runtime-compiled engines fail: "Could not load library libnvrtc.so", "libnvrtc.so: cannot open shared object file: No such
file or directory". Other engines work, so it shows late.

## How culprit knows
data/libraries.toml lists the names that a release opens; the loader model searches for them.

## Fix
Add a symlink with the unversioned name next to the versioned file of the same CUDA, or install a newer cuDNN.

## When this is not your problem
Your program uses no runtime-compiled engine.

## Sources
Machine code of nvidia-cudnn-cu11 8.5 and 8.7, nvidia-cudnn-cu12 8.9.7 and 9.0 to 9.2.
)md";

void Check(const Scene& scene, Ruling& ruling) {
  for (const loader::Scenario& scenario : scene.scenarios) {
    for (const loader::Request& request : scenario.graph.requests) {
      if (request.error.empty() || request.alternative || request.requester == loader::kNone) continue;
      if (request.name != "libnvrtc.so" && request.name != "libcuda.so") continue;
      if (request.name == "libcuda.so" && scene.stack().context && scene.stack().context->wsl)
        continue;  // CUL2011
      const loader::Object& asker = scenario.graph.objects[request.requester];
      const knowledge::Library* library = LibraryOf(asker);
      if (library == nullptr || library->family != "cudnn") continue;
      // The versioned file on this machine; without one, a symlink is not enough.
      std::string numbered;
      const auto directories = loader::LibraryDirectories(scene.snapshot, scene.view);
      for (const auto& copy : loader::FindCopies(directories, scene.view, request.name)) {
        const bool apart =
            copy.path.find("/compat/") != std::string::npos || copy.path.find("/stubs/") != std::string::npos;
        if (numbered.empty() && !apart && base::BaseName(copy.path) != request.name) numbered = copy.path;
      }
      if (numbered.empty()) continue;
      report::Finding& finding =
          ruling.Fire(asker.path + " needs " + request.name + ", this machine has " + numbered, asker.path,
                      {request.name, numbered});
      finding.affects.push_back(scenario.title);
      finding.evidence.push_back({request.error, "predicted by the loader model"});
      finding.evidence.push_back({numbered + " exists", numbered});
      const bool driver = request.name == "libcuda.so";
      // Few engines need the driver by this name, and others replace them; cuDNN 7 needs NVRTC for engines
      // that are compiled at run time alone.
      const bool old = MajorOfName(base::BaseName(asker.path)) < 8;
      if (driver || old) finding.severity = report::Severity::kNote;
      finding.fix = {
          .text = driver ? "install the package that provides libcuda.so, or create the symlink"
                         : "create the symlink next to the versioned file, or install a newer cuDNN",
          .commands = {"sudo ln -s " + Word(base::BaseName(numbered)) + " " +
                       Word(base::JoinPath(base::DirName(numbered), request.name))},
          .risk = report::Risk::kLow,
          .changes = {report::PutLink{PlaceOf(scene, base::JoinPath(base::DirName(numbered), request.name)),
                                      std::string(base::BaseName(numbered))}}};
    }
  }
}

}  // namespace

extern const Rule kRule = {.code = "CUL3013",
                           .name = "cudnn_needs_unversioned_library",
                           .family = Family::kCudnn,
                           .cause = "dependent-missing",
                           .severity = report::Severity::kWarning,
                           .where = Where::kLinux,
                           .since = "0.2.0",
                           .title = "cuDNN opens a library by its unversioned name",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::cudnn_needs_unversioned_library
