// culprit run [OPTIONS] -- COMMAND...: runs it, watches it, and explains why it failed. Its output and exit
// status stay its own.
#include <algorithm>
#include <array>
#include <memory>
#include <optional>

#include "base/text.h"
#include "cli/command.h"
#include "cli/console.h"
#include "cli/deadline.h"
#include "cli/inside.h"
#include "cli/progress.h"
#include "cli/ranks/ranks.h"
#include "cli/run_report.h"
#include "cli/subject.h"
#include "engine/record_machine.h"
#include "run/watch/programs.h"
#include "run/watch/watch.h"
#include "snapshot/record/record_file.h"

namespace culprit::cli {
namespace {

struct RunOptions {
  Options common;
  std::vector<std::string> command;
  std::string save;
  std::string ranks;               // --ranks: a folder, "-" or "none"
  std::vector<std::string> merge;  // folders and files of records; then there is no command
  int seconds = 10;
  bool always = false;
  bool no_loads = false;
  bool no_calls = false;
  bool sanitize = false;  // with memcheck, unless `tool` names another
  bool debug = false;
  watch::Tool tool = watch::Tool::kNone;
};

// Where the command begins: at "--", or at the first word that is not an option.
int BeginOfCommand(const CommandLine& app, int argc, const char* const* argv) {
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (!word.starts_with('-') || word == "-" || word == "--") return i;
    if (app.TakesValue(word)) ++i;
  }
  return argc;
}

// Removes "--sanitize=racecheck" from the words, because the parser knows --sanitize as a plain flag. False
// if there is no such check.
bool TakeSanitizer(std::vector<const char*>& words, RunOptions& options) {
  constexpr std::string_view kSanitize = "--sanitize=";
  for (auto word = words.begin(); word != words.end();) {
    const std::string_view text = *word;
    if (!text.starts_with(kSanitize)) {
      ++word;
      continue;
    }
    options.tool = watch::SanitizerNamed(text.substr(kSanitize.size()));
    if (options.tool == watch::Tool::kNone) return false;
    word = words.erase(word);
  }
  return true;
}

// A closed pipe is not a failure: `culprit run -- yes | head`.
bool Failed(const watch::Seen& seen) {
  if (seen.end.reader_left && seen.run.signal == "SIGPIPE") return false;
  return seen.run.failed();
}

void Save(const RunOptions& options, const RankHere* rank, const record::Run& run,
          const engine::Diagnosis& diagnosis) {
  Options to = options.common;
  to.output = options.save + (rank == nullptr ? "" : "." + std::to_string(rank->rank()));
  to.format = Format::kJson;
  if (!WriteBytes(to, record::ToJsonText(record::RecordFile{run, engine::RecordAsked(diagnosis)}))) return;
  Note(options.common, "record saved to " + to.output + "; read it with: culprit explain " + to.output);
}

void Report(const RunOptions& options, const std::shared_ptr<const system::System>& machine,
            const watch::Seen& seen, RankHere* rank) {
  Progress progress(!options.common.quiet);
  progress.Show("inspecting the machine");
  const auto run = std::make_shared<const record::Run>(seen.run);
  auto diagnosis = LookAt(
      {.machine = machine, .programs = watch::ProgramsOf(*run)},
      {.common = options.common, .python = watch::PythonOf(*machine, *run), .seconds = options.seconds});
  if (!diagnosis) return static_cast<void>(Fail(diagnosis.error()));
  progress.Show("checking what was loaded");
  const RunAnswer answer = ExplainRun(*diagnosis, run, options.common);
  progress.Clear();
  const bool told = rank != nullptr && rank->Tell(answer.report, Failed(seen), options.always);
  if (!told && (Failed(seen) || options.always)) WriteRun(options.common, answer, diagnosis->snapshot());
  if (!options.save.empty()) Save(options, rank, *run, *diagnosis);
}

void Declare(CommandLine& app, RunOptions& options) {
  app.Add("--always", options.always, "print the report even if the command succeeds");
  app.Add("--save", options.save, "save a record; `culprit explain FILE` reads it later, on any machine",
          "FILE");
  app.Add(
      "--ranks", options.ranks,
      "in a multi-rank job: a folder, shared by all nodes, for the records of all ranks, so that you get one "
      "report for the job; - writes the records to standard error, none makes each rank report for itself",
      "DIR");
  app.Add("--merge", options.merge,
          "run nothing; report on all ranks from a folder of records or from the output of a job",
          "DIR|FILE");
  app.Add("--no-loads", options.no_loads, "do not watch library loads (LD_AUDIT)");
  app.Add("--no-calls", options.no_calls, "do not watch CUDA calls, and do not enable CUDA and cuDNN logs");
  app.Add("--sanitize", options.sanitize,
          "run COMMAND under compute-sanitizer and summarise its report: kernel, line, kind of error; "
          "--sanitize=racecheck, initcheck or synccheck instead of memcheck");
  app.Add("--debug", options.debug, "run COMMAND under cuda-gdb and report where a kernel fails or hangs");
  AddNoRedact(app, options.common, "markdown and html output");
  AddRulesUrl(app, options.common, "html output");
  app.Add("--timeout", options.seconds, "timeout per collector after the run, in seconds", "SECONDS", 1,
          3600);
  AddOutputOptions(app, options.common, Formats::kWithPage);
  app.Rest("COMMAND", "the command to run, with its options", Value::kCommand);
  app.Footer(
      "  COMMAND...                  the command to run, with its options\n"
      "Examples:\n"
      "  culprit run -- python train.py --lr 1e-4\n"
      "  culprit run --always ./app\n"
      "  culprit run --save failure.json -- torchrun --nproc-per-node 8 train.py\n"
      "  culprit run --format html -o report.html -- python train.py\n"
      "  culprit run --sanitize -- ./app\n"
      "  srun culprit run -- python train.py\n"
      "  culprit run --merge culprit-ranks-4711.0\n"
      "  culprit explain failure.json\n"
      "Exit status: that of COMMAND; 127 not found, 126 cannot be started, 64 wrong usage; 2 if the tool "
      "for\n--sanitize or --debug is not installed (COMMAND is not run then). --merge: 1 a rank failed, 2 "
      "the end\nof a rank is unknown, otherwise 0.");
}

// The exit status if the command line is wrong or asks for help.
std::optional<int> Parse(CommandLine& app, int argc, const char* const* argv, RunOptions& options) {
  const int begin = BeginOfCommand(app, argc, argv);
  std::vector<const char*> words(argv, argv + begin);
  if (!TakeSanitizer(words, options))
    return WrongUsage("run", "--sanitize must be memcheck, racecheck, initcheck or synccheck");
  if (const auto status = app.Parse(static_cast<int>(words.size()), words.data())) return *status;
  if (options.sanitize && options.tool == watch::Tool::kNone) options.tool = watch::Tool::kMemcheck;
  if (options.debug && options.tool != watch::Tool::kNone)
    return WrongUsage("run", "use either --sanitize or --debug, not both");
  if (options.debug) options.tool = watch::Tool::kDebugger;
  if (options.tool != watch::Tool::kNone) options.always = true;  // the user asked for its report
  for (int i = begin; i < argc; ++i) {
    if (i > begin || std::string_view(argv[i]) != "--") options.command.emplace_back(argv[i]);
  }
  if (!options.merge.empty()) {
    if (!options.command.empty()) return WrongUsage("run", "--merge runs no command");
    if (options.common.format == Format::kHtml)
      return WrongUsage("run", "--merge: use --format text, json or markdown");
    options.common.on_stderr = false;
    return MergeRanks(options.common, options.merge);
  }
  if (options.command.empty()) return WrongUsage("run", "no command given", "culprit run -- python train.py");
  return std::nullopt;
}

int WatchAndReport(const RunOptions& options) {
  const std::shared_ptr<const system::System> machine = system::RealSystem();
  const watch::Request request{.command = options.command,
                               .loads = !options.no_loads,
                               .calls = !options.no_calls,
                               .logs = !options.no_calls,
                               .libraries = {AuditInside(), InjectionInside()},
                               .tool = options.tool,
                               .patience = MayWaitForEver() ? 1 : 30};
  const auto rank = RankHere::Join(options.common, options.ranks, machine, request.patience);
  const auto seen = watch::Watch(machine, request);
  if (!seen) return Fail(seen.error());
  if (!seen->end.started) {
    if (rank) {
      rank->Ended(*seen, false, seen->end.problem);
      rank->Leave(false);
    }
    Say("culprit run: {}\n", base::Printable(seen->end.problem));
    return seen->end.exit_status;
  }
  try {
    const bool asked = Failed(*seen) || options.always || !options.save.empty();
    if (rank) rank->Ended(*seen, asked);
    if (asked) Report(options, machine, *seen, rank.get());
    if (rank && !asked) rank->Leave(false);
  } catch (const std::exception& error) {  // a bug in culprit must not change the exit status
    Say("culprit: internal error: {}\n", error.what());
  }
  system::EndAs(seen->end);
}

}  // namespace

int RunRun(int argc, const char* const* argv) {
  RunOptions options;
  options.common.on_stderr = true;
  CommandLine app(
      "Runs COMMAND unchanged: same terminal, signals and exit status. If it fails, culprit prints the cause "
      "to standard error: the first CUDA call that failed, the library that did not load and every place "
      "searched, mixed versions, where it crashed or hung.",
      "culprit run");
  Declare(app, options);
  if (const auto status = Parse(app, argc, argv, options)) return *status;
  return WatchAndReport(options);
}

}  // namespace culprit::cli
