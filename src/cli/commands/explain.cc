// culprit explain [LOG...|-|CODE|RECORD]: the ranked causes of a log, the page of a code, or the report of a
// recorded run.
#include "explain/explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <iterator>
#include <memory>
#include <system_error>

#include "base/product_version.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/console.h"
#include "cli/deadline.h"
#include "cli/explain_follow.h"
#include "cli/options.h"
#include "cli/progress.h"
#include "cli/run_report.h"
#include "cli/subject.h"
#include "engine/check.h"
#include "engine/diagnosis.h"
#include "explain/logs/plain_text.h"
#include "explain/logs/read_text.h"
#include "explain/logs/text_stream.h"
#include "explain/status_page.h"
#include "packed/peeked_stream.h"
#include "render/check/check.h"
#include "render/explain/explain.h"
#include "report/command.h"
#include "run/watch/programs.h"
#include "snapshot/record/record_file.h"
#include "system/stream.h"

namespace culprit::cli {
namespace {

struct ExplainOptions {
  Options common;
  std::vector<std::string> inputs;
  std::string snapshot;
  std::string host;
  bool here = false;
  bool follow = false;
  bool text = false;  // the argument is a code or the message itself
  bool WithFacts() const { return here || !snapshot.empty() || !host.empty() || !common.root.empty(); }
};

// What was read from all inputs.
struct Reading {
  std::vector<logs::Symptom> symptoms;
  std::vector<report::LogInput> inputs;
  std::string record = {};  // text of a record of `culprit run`; "" if there is none
};

bool WriteExplanation(const ExplainOptions& options, const report::Explanation& explanation) {
  const render::ExplainDetail detail{.verbose = options.common.verbose};
  return Write(options.common,
               {.title = "culprit explain",
                .text = [&](const auto& style) { return render::ToText(explanation, style, detail); },
                .json = [&] { return render::ToJson(explanation); },
                .markdown = [&] { return render::ToMarkdown(explanation); },
                .windows = explanation.windows});
}

bool WritePage(const Options& options, const report::RulePage& page) {
  return Write(options, {.title = page.code,
                         .text = [&](const auto& style) { return render::ToText(page, style); },
                         .json = [&] { return render::ToJson(page); },
                         .markdown = [&] { return render::ToMarkdown(page); }});
}

// Programs and archives are full of error messages of errors that did not happen.
std::string_view KindOfBinary(std::string_view start) {
  if (start.starts_with("\x7f"
                        "ELF"))
    return "an ELF file";
  if (start.starts_with("MZ") && start.find('\0') != std::string_view::npos) return "a Windows program";
  if (start.starts_with("PK\x03\x04")) return "a zip archive";
  return "";
}

// Files of a build system contain settings, not events.
std::string_view KindOfSettings(std::string_view start) {
  if (start.starts_with("# This is the CMakeCache file.")) return "a CMake cache";
  if (start.starts_with("ninja_required_version") || base::Contains(start, "\nninja_required_version"))
    return "a ninja build file";
  const bool list = base::Trim(start).starts_with('[');
  if (list && base::Contains(start, "\"directory\"") &&
      (base::Contains(start, "\"command\"") || base::Contains(start, "\"arguments\"")))
    return "a compilation database";
  return "";
}

constexpr size_t kRecordBeginning = 256;
constexpr size_t kSettingsBeginning = 2048;
constexpr size_t kLargestRecord = size_t{1} << 30;

base::Result<void> ReadOne(std::unique_ptr<base::ByteStream> stream, const std::string& name,
                           Reading& reading) {
  auto peeked = std::make_unique<packed::PeekedStream>(logs::PlainText(std::move(stream)));
  if (const std::string_view kind = KindOfBinary(peeked->Peek(16)); !kind.empty()) {
    return base::Fail(base::ErrorCode::kBadFormat,
                      fmt::format("{}: {}, not a log; try: culprit inspect {}", name, kind, name));
  }
  if (const std::string_view kind = KindOfSettings(peeked->Peek(kSettingsBeginning)); !kind.empty()) {
    const std::string folder(base::DirName(name));
    return base::Fail(base::ErrorCode::kBadFormat,
                      fmt::format("{}: {}, not a log; try: culprit check {}", name, kind,
                                  report::ForShell(folder.empty() ? "." : folder)));
  }
  if (record::LooksLikeRecord(peeked->Peek(kRecordBeginning))) {
    auto text = base::ReadToEnd(*peeked, kLargestRecord);
    if (!text) return std::unexpected(base::Error{text.error().code, name + ": " + text.error().message});
    reading.record = std::move(*text);
    return {};
  }
  auto text = logs::ReadLog(*peeked, reading.inputs.size());
  if (!text) return std::unexpected(base::Error{text.error().code, name + ": " + text.error().message});
  report::LogInput input{.name = name, .lines = text->lines};
  if (text->unknown) input.ends_with.push_back({.line = text->unknown->line, .text = text->unknown->text});
  if (text->mentioned)
    input.mentions.push_back({.line = text->mentioned->line, .text = text->mentioned->text});
  reading.inputs.push_back(std::move(input));
  std::ranges::move(text->symptoms, std::back_inserter(reading.symptoms));
  return {};
}

// Has a deadline for files, whose file system may hang; a pipe may be silent for long.
base::Result<std::unique_ptr<system::InputStream>> OpenLog(const std::string& name) {
  {
    const Deadline deadline(std::chrono::seconds(10));
    std::error_code error;
    if (!std::filesystem::is_fifo(name, error)) return system::OpenInput(name);
  }
  return system::OpenInput(name);
}

base::Result<Reading> ReadAll(const ExplainOptions& options) {
  Reading reading;
  Progress progress(!options.common.quiet);
  std::vector<std::string> names = options.inputs;
  if (names.empty()) names.emplace_back("-");
  for (const std::string& name : names) {
    progress.Show("reading " + name);
    if (name == "-") {
      if (system::StandardInputIsTerminal()) Note(options.common, "paste the log, then press Ctrl-D");
      if (auto read = ReadOne(system::StandardInput(), name, reading); !read)
        return std::unexpected(read.error());
      continue;
    }
    auto opened = OpenLog(name);
    if (!opened) return std::unexpected(opened.error());
    if (auto read = ReadOne(std::move(*opened), name, reading); !read) return std::unexpected(read.error());
  }
  return reading;
}

// A machine that only --host describes.
engine::Subject HostAlone(const std::string& host) {
  const std::string why = "--host describes only the driver and the GPU";
  snapshot::Snapshot machine{.tool_version = std::string(base::ProductVersion())};
  machine.stack.driver = machine.stack.driver.NotApplicable(why);
  machine.stack.gpus = machine.stack.gpus.NotApplicable(why);
  machine.stack.toolkits = machine.stack.toolkits.NotApplicable(why);
  machine.stack.cudnn = machine.stack.cudnn.NotApplicable(why);
  machine.stack.environments = machine.stack.environments.NotApplicable(why);
  machine.stack.context = machine.stack.context.NotApplicable(why);
  return {.known = std::make_shared<const snapshot::Snapshot>(std::move(machine)), .host = host};
}

base::Result<engine::Diagnosis> LookFor(const ExplainOptions& options) {
  if (!options.here && options.snapshot.empty() && options.common.root.empty()) {
    engine::Diagnosis diagnosis(HostAlone(options.host));
    if (auto looked = diagnosis.Look(); !looked) return std::unexpected(looked.error());
    return diagnosis;
  }
  Subject subject{.snapshot_file = options.snapshot, .rooted = !options.common.root.empty()};
  if (subject.snapshot_file.empty()) {
    auto machine = OpenMachine(options.common);
    if (!machine) return std::unexpected(machine.error());
    subject.machine = std::move(*machine);
  }
  return LookAt(subject, {.common = options.common, .host = options.host});
}

// Explains the log with the facts of the machine that the options name.
base::Result<report::Explanation> ExplainWithFacts(const ExplainOptions& options, Reading reading) {
  auto diagnosis = LookFor(options);
  if (!diagnosis) return std::unexpected(diagnosis.error());
  diagnosis->Play();
  auto explanation = diagnosis->Judge([read = std::make_shared<const Reading>(std::move(reading))](
                                          const rules::Scene& scene, const report::CheckReport& check) {
    const auto settled = explain::Settle(read->symptoms, {scene.snapshot, scene.view, {}}, check);
    return explain::Explain(read->symptoms, read->inputs, settled);
  });
  explanation.with_facts = true;
  explanation.windows = diagnosis->snapshot().windows() != nullptr;
  return explanation;
}

base::Result<report::Explanation> Explain(const ExplainOptions& options, Reading reading) {
  if (options.WithFacts()) return ExplainWithFacts(options, std::move(reading));
  return explain::Explain(reading.symptoms, std::move(reading.inputs));
}

int StatusOf(const report::Explanation& explanation) {
  if (!explanation.unknown.empty()) return kExitCannot;
  return explanation.causes.empty() ? kExitOk : kExitFound;
}

int Conclude(const ExplainOptions& options, Reading reading, std::vector<report::StatusPage> pages = {}) {
  auto explanation = Explain(options, std::move(reading));
  if (!explanation) return Fail(explanation.error());
  explanation->pages = std::move(pages);
  const bool asked_for_a_code = !explanation->pages.empty();
  if (!WriteExplanation(options, *explanation)) return kExitCannot;
  if (asked_for_a_code) return kExitOk;
  return StatusOf(*explanation);
}

// A record of `culprit run --save`: gives the same answer as after that run, on any machine.
int AnswerRecord(const ExplainOptions& options, const std::string& text) {
  if (options.inputs.size() > 1 || options.WithFacts())
    return WrongUsage("explain",
                      "pass a record of a run by itself; it already contains the facts of its machine");
  auto file = record::ParseRecord(text);
  if (!file) {
    const std::string name = options.inputs.empty() ? "-" : options.inputs.front();
    return Fail({file.error().code, name + ": " + file.error().message});
  }
  const auto run = std::make_shared<const record::Run>(std::move(file->run));
  constexpr std::chrono::seconds kPatience(60);
  engine::Diagnosis diagnosis({.known = std::make_shared<const snapshot::Snapshot>(std::move(file->machine)),
                               .programs = watch::ProgramsOf(*run),
                               .limit = kPatience});
  if (auto looked = diagnosis.Look(); !looked) return Fail(looked.error());
  const RunAnswer answer = ExplainRun(diagnosis, run, options.common);
  if (!WriteRun(options.common, answer, diagnosis.snapshot())) return kExitCannot;
  return StatusOf(answer.report.explanation);
}

// An argument that is not a file: a code of culprit, a code of CUDA and others, or the message itself.
std::optional<int> AnswerWords(const ExplainOptions& options, const std::string& words) {
  if (const report::RulePage page = engine::PageOf(words); !page.code.empty()) {
    return WritePage(options.common, page) ? kExitOk : kExitCannot;
  }
  Reading reading;
  if (auto read = ReadOne(std::make_unique<logs::TextStream>(words), "-", reading); !read)
    return std::nullopt;
  auto pages = explain::StatusPages(words);
  const bool speaks = std::ranges::any_of(reading.symptoms, [](const logs::Symptom& symptom) {
    return symptom.role() != knowledge::Role::kContext;
  });
  // An unknown error is "could not tell", as in a log.
  const bool fails = std::ranges::any_of(
      reading.inputs, [](const report::LogInput& input) { return !input.ends_with.empty(); });
  if (pages.empty() && !speaks && !fails) return std::nullopt;
  return Conclude(options, std::move(reading), std::move(pages));
}

int RunFollow(const ExplainOptions& options) {
  auto in = system::StandardInput();
  if (options.inputs.size() == 1 && options.inputs.front() != "-") {
    auto opened = OpenLog(options.inputs.front());
    if (!opened) return Fail(opened.error());
    in = std::move(*opened);
  }
  return Follow(*in, [&](std::span<const logs::Symptom> symptoms, uint64_t lines) {
    auto explanation = Explain(options, {{symptoms.begin(), symptoms.end()}, {{"-", lines}}});
    if (!explanation || explanation->causes.empty()) return;
    Say("\n{}\n", render::ToText(*explanation, {}, {.verbose = options.common.verbose}));
  });
}

int AnswerText(const ExplainOptions& options) {
  if (options.inputs.size() != 1 || options.follow)
    return WrongUsage("explain", "--text takes one code or message and cannot be used with --follow");
  if (const auto status = AnswerWords(options, options.inputs.front())) return *status;
  return Fail({base::ErrorCode::kNotFound,
               fmt::format("culprit does not know the code or message '{}'; `culprit rules` lists its codes",
                           options.inputs.front())});
}

int AnswerInputs(const ExplainOptions& options) {
  if (options.text) return AnswerText(options);
  if (options.follow) return RunFollow(options);
  auto reading = ReadAll(options);
  if (reading && !reading->record.empty()) return AnswerRecord(options, reading->record);
  if (options.common.format == Format::kHtml)
    return WrongUsage("explain", "--format html works only with the record of a run");
  if (reading) return Conclude(options, std::move(*reading));
  if (options.inputs.size() == 1 && reading.error().code == base::ErrorCode::kNotFound) {
    if (const auto status = AnswerWords(options, options.inputs.front())) return *status;
    return Fail(
        {base::ErrorCode::kNotFound,
         fmt::format("'{}' is not a file, a code or a message that culprit knows; `culprit rules` lists its "
                     "codes",
                     options.inputs.front())});
  }
  return Fail(reading.error());
}

}  // namespace

int RunExplain(int argc, const char* const* argv) {
  ExplainOptions options;
  CommandLine app(
      "Finds the causes behind a log, most likely first: the lines that show it, how to confirm it, and the "
      "fix. Or shows the page of one code: culprit, CUDA, cuDNN, NVML, Windows loader or Xid.",
      "culprit explain");
  app.Add("LOG", options.inputs,
          "logs (.gz, .xz and .zst work too; - or nothing reads standard input), a code, a message in "
          "quotes, or the record of a run",
          "[LOG|CODE|RECORD]...");
  app.Add("--here", options.here, "use facts from this machine to narrow the causes down");
  app.Add("--snapshot", options.snapshot,
          "use facts from another machine (a file written by culprit snapshot)", "FILE");
  app.Add("--host", options.host,
          "assume this driver and GPU: driver=535.104.05,gpu=sm_90; files on this machine are used only with "
          "--here",
          "HOST");
  app.Add("--follow", options.follow,
          "copy the input to the output and report a failure as soon as it appears");
  app.Add("--text", options.text, "treat the argument as a code or a message, never as a file");
  AddNoRedact(app, options.common, "the markdown and html output of a record");
  AddRulesUrl(app, options.common, "the html output of a record");
  AddCommonOptions(app, options.common, Formats::kWithPage);
  app.Footer(
      "Examples:\n"
      "  python train.py 2>&1 | culprit explain\n"
      "  python train.py 2>&1 | culprit explain --follow\n"
      "  culprit explain build.log\n"
      "  culprit explain slurm-*.out --here\n"
      "  culprit explain run.log.gz --snapshot machine.json\n"
      "  culprit explain CUDNN_STATUS_NOT_INITIALIZED\n"
      "  culprit explain \"error code 126\"\n"
      "  culprit explain cuda:803\n"
      "  culprit explain xid:79\n"
      "  culprit explain CUL3004\n"
      "  culprit explain failure.json            # from: culprit run --save failure.json\n"
      "Exit status: 0 no failure found in the text, or a page was shown; 1 a cause was found; 2 the text has "
      "an\n"
      "error whose cause culprit cannot tell, or could not be read; 64 wrong usage.");
  if (const auto status = app.Parse(argc, argv)) return *status;
  const int status = AnswerInputs(options);
  if (options.WithFacts()) EndAtOnce(status);
  return status;
}

}  // namespace culprit::cli
