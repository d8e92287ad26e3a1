// culprit why [LIBRARY] [--for TARGET]
#include "why/why.h"

#include <chrono>
#include <cstdlib>

#include "cli/command.h"
#include "cli/deadline.h"
#include "cli/image/image_subject.h"
#include "cli/options.h"
#include "cli/recorded_machine.h"
#include "collect/environment.h"
#include "collect/look.h"
#include "collect/toolkit/host_compiler.h"
#include "collect/windows/host.h"
#include "loader/load.h"
#include "render/why/why.h"
#include "snapshot/snapshot.h"

namespace culprit::cli {
namespace {

constexpr std::chrono::seconds kFilesAnswerWithin(10);

struct WhyOptions {
  Options common;
  std::string library;
  std::string target;
  std::string from;
  std::string snapshot_file;
  std::string interpreter;
  bool dot = false;
  bool all = false;
  bool no_dlopen = false;
};

// Writes the answer and ends the program: freeing the load graph would take a tenth of the whole time.
[[noreturn]] void AnswerLibrary(const WhyOptions& options, const collect::Look& look,
                                const loader::Question& question) {
  const auto answer = why::ExplainLibrary(look.snapshot, *look.view, question, options.library, options.from);
  const bool written =
      Write(options.common, {.title = "culprit why " + options.library,
                             .text = [&](const auto& style) { return render::ToText(answer, style); },
                             .json = [&] { return render::ToJson(answer); },
                             .windows = look.snapshot.windows() != nullptr});
  if (!written) std::exit(kExitCannot);
  if (answer.resolved) std::exit(kExitOk);
  std::exit(answer.uncertain ? kExitCannot : kExitFound);
}

[[noreturn]] void AnswerLoad(const WhyOptions& options, const collect::Look& look,
                             const loader::Question& question) {
  const auto graph = loader::Load(look.snapshot, *look.view, question);
  const auto answer = why::ExplainLoad(graph, look.snapshot, *look.view);
  bool written = false;
  if (options.dot) {
    written = WriteBytes(options.common, render::ToDot(answer));
  } else {
    const bool all = options.all || options.common.verbose;
    written =
        Write(options.common, {.title = "culprit why --for " + options.target,
                               .text = [&](const auto& style) { return render::ToText(answer, style, all); },
                               .json = [&] { return render::ToJson(answer); },
                               .windows = look.snapshot.windows() != nullptr});
  }
  if (!written || answer.uncertain) std::exit(kExitCannot);
  std::exit(answer.error.empty() && answer.missing.empty() ? kExitOk : kExitFound);
}

base::Result<collect::Look> LookAtTarget(const system::System& machine, const WhyOptions& options,
                                         const collect::Variables& variables) {
  if (options.target.empty()) return collect::LookAt(machine, "", options.interpreter);
  if (machine.platform() != base::Platform::kWindows) {
    std::string target = PathOnMachine(machine, options.target, options.common.root);
    // `--for python3` means what a shell would start, unless there is such a file here.
    if (options.target.find('/') == std::string::npos && !machine.Stat(target)) {
      const std::string found = collect::FindOnPath(
          {.system = machine, .environment = variables, .working_directory = "/"}, options.target);
      if (!found.empty()) target = found;
    }
    return collect::LookAt(machine, target, options.interpreter);
  }
  const auto environment = collect::EnvironmentOf(machine.platform(), variables);
  std::string target = PathOnMachine(machine, options.target);
  if (!machine.Stat(target)) {
    target = PathOnMachine(machine, collect::FindOnPath(machine, environment, options.target));
  }
  auto look = collect::LookAt(machine, target);
  if (look) look->interpreter = collect::HostProgram(machine, environment, target);
  return look;
}

}  // namespace

int RunWhy(int argc, const char* const* argv) {
  WhyOptions options;
  CommandLine app(
      "Shows which file is loaded for a library name, every place searched, and which copies are not used.",
      "culprit why");
  app.Add("LIBRARY", options.library,
          "the name a program loads, such as libcudnn.so.9; leave it out to see everything that is loaded");
  app.Add("--for", options.target, "the program (a path, or a name in PATH) or library that loads it",
          "TARGET");
  app.Add("--from", options.from, "the loaded library that calls dlopen (default: the program)", "LIB");
  app.Add("--snapshot", options.snapshot_file, "answer from a file written by `culprit snapshot`", "FILE");
  app.Add("--loader", options.interpreter, "the dynamic loader to use if the target does not name one",
          "PATH");
  app.Add("--dot", options.dot, "print the load graph for Graphviz");
  app.Add("--all", options.all, "list each operating system library");
  app.Add("--no-dlopen", options.no_dlopen, "leave out what CUDA libraries load with dlopen");
  AddCommonOptions(app, options.common);
  app.Footer(
      "Examples:\n"
      "  culprit why libcudnn.so.9 --for .venv/bin/python3\n"
      "  culprit why --for ./train\n"
      "  culprit why --for /usr/local/cuda/lib64/libcusolver.so --dot | dot -Tsvg > load.svg\n"
      "  culprit why libcublasLt.so.12 --for /app/server --root ./image --env image.env --format json\n"
      "  culprit why cudnn_cnn_infer64_8.dll --for python.exe --root ./disk --target windows --env box.env\n"
      "Exit status: 0 it loads, 1 something is missing or broken, 2 could not check, 64 wrong usage.");
  if (const auto status = app.Parse(argc, argv)) return *status;
  if (options.library.empty() && options.target.empty())
    return WrongUsage("why", "give a LIBRARY, or --for TARGET, or both", "culprit why --help");

  Deadline deadline(TimeToOpen(options.common, kFilesAnswerWithin));
  auto environment = ReadEnvironment(options.common);
  if (!environment) return Fail(environment.error());
  std::shared_ptr<const system::System> machine;
  std::optional<snapshot::Snapshot> recorded;
  base::Result<collect::Look> look;
  if (!options.snapshot_file.empty()) {
    auto snapshot = ReadRecordedMachine(options.snapshot_file);
    if (!snapshot) return Fail(snapshot.error());
    recorded = std::move(snapshot->snapshot);
    look = collect::LookInto(*recorded, options.target, options.interpreter);
  } else {
    auto opened = OpenMachine(options.common);
    if (!opened) return Fail(opened.error());
    machine = deadline.Watch(std::move(*opened));
    look = LookAtTarget(*machine, options, *environment ? **environment : machine->Environment());
  }
  if (!look) return Fail(look.error());
  if (*environment) collect::UseEnvironment(machine.get(), std::move(**environment), *look);

  loader::Question question{.target = look->target,
                            .target_as_given = options.target,
                            .interpreter = look->interpreter,
                            .known_dlopens = !options.no_dlopen};
  if (options.library.empty()) AnswerLoad(options, *look, question);
  AnswerLibrary(options, *look, question);
}

}  // namespace culprit::cli
