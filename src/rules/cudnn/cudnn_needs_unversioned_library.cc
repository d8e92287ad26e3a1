// CUL3013: cuDNN asks for a library by a name without number.
#include "base/text.h"
#include "loader/library_copies.h"
#include "rules/kit/file_fixes.h"
#include "rules/kit/load_facts.h"
#include "rules/rule.h"

namespace culprit::rules::cudnn_needs_unversioned_library {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
Some releases of cuDNN (8 before 8.8, 9 before 9.3) open libnvrtc.so or libcuda.so by the bare name. Installations for
running programs have only libnvrtc.so.N and libcuda.so.1.

## Why it breaks
Engines that are compiled at run time fail: "Could not load library libnvrtc.so", "libnvrtc.so: cannot open shared
object file: No such file or directory". Others go on working, so it shows late.

## How culprit knows
Which names a release opens is in data/libraries.toml; the search for them is played.

## Fix
Give the bare name a link to the numbered file of the same CUDA, beside it; or take a newer cuDNN.

## When this is not your problem
Programs that use no runtime-compiled engine never notice.

## Sources
Machine code of nvidia-cudnn-cu11 8.5 and 8.7, nvidia-cudnn-cu12 9.0 to 9.2.
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
      // The numbered file, where the process has it or the machine: without one there is more to install than
      // a link.
      std::string numbered;
      const auto directories = loader::LibraryDirectories(scene.snapshot, scene.view);
      for (const auto& copy : loader::FindCopies(directories, scene.view, request.name)) {
        const bool apart =
            copy.path.find("/compat/") != std::string::npos || copy.path.find("/stubs/") != std::string::npos;
        if (numbered.empty() && !apart && base::BaseName(copy.path) != request.name) numbered = copy.path;
      }
      if (numbered.empty()) continue;
      report::Finding& finding = ruling.Fire(
          asker.path + " asks for " + request.name + ", this machine has " + numbered, asker.path);
      finding.affects.push_back(scenario.title);
      finding.evidence.push_back({request.error, "the loader's words, from its model"});
      finding.evidence.push_back({numbered + " is there under its number", numbered});
      const bool driver = request.name == "libcuda.so";
      if (driver)
        finding.severity = report::Severity::kNote;  // few engines ask for it, and others take their place
      finding.fix = {
          .text = driver ? "install the development name of the driver library, or set the link"
                         : "set the link beside the numbered file, or take a newer cuDNN",
          .commands = {"sudo ln -s " + std::string(base::BaseName(numbered)) + " " +
                       base::JoinPath(base::DirName(numbered), request.name)},
          .risk = "low",
          .changes = {report::PutLink{PlaceOf(scene, base::JoinPath(base::DirName(numbered), request.name)),
                                      std::string(base::BaseName(numbered))}}};
    }
  }
}

}  // namespace

extern const Rule kRule = {.code = "CUL3013",
                           .name = "cudnn_needs_unversioned_library",
                           .cause = "dependent-missing",
                           .severity = report::Severity::kWarning,
                           .where = Where::kLinux,
                           .since = "0.2.0",
                           .title = "cuDNN asks for a library by a name without number",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::cudnn_needs_unversioned_library
