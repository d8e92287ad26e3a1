#include "cli/run_report.h"

#include <algorithm>
#include <array>
#include <thread>

#include "base/text.h"
#include "cli/page_facts.h"
#include "cli/paste.h"
#include "loader/observed/observed.h"
#include "render/run/run.h"
#include "run/judge/run.h"
#include "system/terminal_child.h"

namespace culprit::cli {
namespace {

bool IsPython(const std::string& program) { return base::BaseName(program).starts_with("python"); }

bool IsShell(const std::string& program) {
  static constexpr std::array<std::string_view, 6> kShells = {"sh", "bash", "dash", "zsh", "fish", "busybox"};
  return std::ranges::find(kShells, base::BaseName(program)) != kShells.end();
}

// Played first, observed behind it: both ask the same view of the files.
Played StartPlayingRun(const Facts& facts, const record::Run& run) {
  const Played played = StartPlaying(facts, ProgramsOf(run));
  std::promise<std::vector<loader::Scenario>> promise;
  Played both = promise.get_future().share();
  std::thread([facts, run, played, promise = std::move(promise)]() mutable {
    try {
      std::vector<loader::Scenario> scenarios = played.get();
      for (loader::Scenario& scenario : loader::ObservedProcesses(run, *facts.snapshot, *facts.view))
        scenarios.push_back(std::move(scenario));
      loader::DropPlayedThatWasSeen(scenarios);
      promise.set_value(std::move(scenarios));
    } catch (...) {
      promise.set_exception(std::current_exception());
    }
  }).detach();
  return both;
}

}  // namespace

std::vector<std::string> ProgramsOf(const record::Run& run) {
  if (run.processes.empty()) return {};
  // What it became in the end: `env` and many scripts exec another.
  std::string program;
  for (const record::Process& process : run.processes) {
    if (process.id == run.processes.front().id) program = process.program;
  }
  if (program.empty() || IsPython(program) || IsShell(program)) return {};
  return {program};
}

std::string PythonOf(const system::System& machine, const record::Run& run) {
  for (const record::Process& process : run.processes) {
    if (!IsPython(process.program)) continue;
    const auto own = machine.RealPath(process.program);
    const auto is_it = [&](const std::string& path) {
      const auto real = machine.RealPath(path);
      return real && own && *real == *own;
    };
    // By the name it was started with: a link in an environment is what makes it one.
    for (const std::string& word : {process.arguments.empty() ? std::string() : process.arguments.front(),
                                    run.command.empty() ? std::string() : run.command.front()}) {
      const std::string found = word.empty() ? "" : system::FindCommand(word).path;
      if (const std::string path = PathOnMachine(machine, found); !found.empty() && is_it(path)) return path;
    }
    // Or by the packages that it loaded from.
    for (const record::Loaded& load : process.loads) {
      const size_t packages = load.path.find("/site-packages/");
      const size_t library =
          packages == std::string::npos ? packages : load.path.rfind("/lib/python", packages);
      if (library == std::string::npos) continue;
      const std::string path = load.path.substr(0, library) + "/bin/python3";
      if (is_it(path)) return path;
    }
    return process.program;
  }
  return "";
}

RunAnswer ExplainRunInTime(const Facts& facts, const record::Run& run, const Options& options, int seconds,
                           bool redact) {
  RunAnswer answer;
  const auto explain = [&](const rules::Scene& scene, const report::CheckReport& check) {
    answer.report = run::ExplainRun(run, scene, check);
    answer.in_time = &scene.view == facts.view.get();
    if (options.format != Format::kHtml) return;
    answer.page = FactsForPage(scene, check, redact, &run);
  };
  JudgeInTime(facts, StartPlayingRun(facts, run), seconds, explain);
  return answer;
}

bool WriteRun(const Options& options, const RunAnswer& answer, const snapshot::Snapshot& snapshot,
              bool redact) {
  if (options.format == Format::kHtml) return WriteBytes(options, render::ToHtml(answer.report, answer.page));
  if (options.format == Format::kMarkdown)
    return WriteToPaste(options, render::ToMarkdown(answer.report), snapshot, redact);
  return Write(options, {.title = "culprit run",
                         .text =
                             [&](const auto& style) {
                               return render::ToText(answer.report, style, {.verbose = options.verbose});
                             },
                         .json = [&] { return render::ToJson(answer.report); },
                         .windows = snapshot.windows() != nullptr});
}

}  // namespace culprit::cli
