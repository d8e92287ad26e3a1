#include "run/judge/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/text.h"
#include "run/judge/parts.h"
#include "run/tools/kernel_errors.h"

namespace culprit::run {
namespace {

std::string Quoted(char c, bool in_dollar_quotes) {
  if (!in_dollar_quotes) return c == '\'' ? "'\\''" : std::string(1, c);
  if (c == '\n') return "\\n";
  if (c == '\t') return "\\t";
  if (c == '\'' || c == '\\') return std::string("\\") + c;
  const auto byte = static_cast<unsigned char>(c);
  return byte < 0x20 || byte == 0x7f ? fmt::format("\\x{:02x}", byte) : std::string(1, c);
}

// Shell-quoted.
std::string CommandLine(const std::vector<std::string>& words) {
  std::string line;
  for (const std::string& word : words) {
    const bool plain = !word.empty() && word.find_first_not_of(
                                            "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                            "0123456789_-+=./:,@%[]") == std::string::npos;
    if (!line.empty()) line += ' ';
    if (plain) {
      line += word;
      continue;
    }
    // A terminal gets no control characters, and a line stays one line.
    const bool controls = std::ranges::any_of(word, [](unsigned char c) { return c < 0x20 || c == 0x7f; });
    line += controls ? "$'" : "'";
    for (const char c : word) line += Quoted(c, controls);
    line += '\'';
  }
  return line;
}

// Tools name the function of the CUDA library that stops a kernel. The assertion's own message says which
// kernel and line: "a.cu:22: void Guard(const int *, int): block: [0,0,0], thread: [60,0,0] Assertion `i < n`
// failed."
void NameAssertion(const Heard& heard, report::RunKernelError& error) {
  if (error.kind.find("ssert") == std::string::npos) return;
  if (!error.kernel.empty() && error.kernel != "__assertfail") return;
  for (const logs::Symptom& symptom : heard.symptoms) {
    const size_t block = symptom.text.find(": block: [");
    const size_t file = symptom.text.find(".cu");
    if (symptom.kind() != "kernel-assert" || block == std::string::npos || file > block) continue;
    const size_t line = symptom.text.find(':', file), function = symptom.text.find(": ", line + 1);
    if (line > block || function > block || function == block) continue;
    uint64_t number = 0;
    const char* digits = symptom.text.data() + line + 1;
    if (std::from_chars(digits, symptom.text.data() + function, number).ec != std::errc{}) continue;
    error.file = symptom.text.substr(0, line);
    error.line = number;
    error.kernel = symptom.text.substr(function + 2, block - function - 2);
    if (error.kernel.starts_with("void ")) error.kernel.erase(0, 5);
    const size_t says = symptom.text.find("Assertion", block);
    if (says != std::string::npos) error.detail = symptom.text.substr(says);
    return;
  }
}

std::vector<report::NotChecked> NotWatched(const record::Run& run) {
  std::vector<report::NotChecked> missing;
  for (const record::Watched& watched : run.watched) {
    if (!watched.why_not.empty()) missing.push_back({std::string(base::Word(watched.what)), watched.why_not});
  }
  for (const record::Text& text : run.texts) {
    if (text.left_out > 0)
      missing.push_back({std::string(base::Word(text.name)),
                         fmt::format("{} bytes in the middle were not kept", text.left_out)});
  }
  if (run.lost_events > 0)
    missing.push_back({"events", fmt::format("{} were not recorded: no space", run.lost_events)});
  return missing;
}

}  // namespace

report::RunReport ExplainRun(const record::Run& run, const rules::Scene& scene,
                             const report::CheckReport& check) {
  report::RunReport report;
  report.command = CommandLine(run.command);
  report.ended = EndedHow(run);
  report.failed = run.failed();
  report.exit_status = run.exit_status;
  report.signal = run.signal;
  report.seconds = Seconds(run.duration);
  Heard heard = ReadTexts(run);
  Calls calls = FailedCalls(run, heard);
  report.first_failure = std::move(calls.first);
  report.other_failures = std::move(calls.others);
  report.loads = Loads(run, scene);
  report.failed_loads = FailedLoadsOf(run, scene, heard);
  report.mixes = Mixes(run, scene);
  report.crash = CrashOf(run, scene);
  report.waits = WaitsOf(run);
  report.last_words = run.failed() ? heard.last.words : "";
  report.not_watched = NotWatched(run);
  KernelFindings kernels = KernelErrors(run);
  report.kernel_errors = std::move(kernels.errors);
  for (report::RunKernelError& error : report.kernel_errors) NameAssertion(heard, error);
  for (report::NotChecked& item : kernels.not_checked) report.not_watched.push_back(std::move(item));
  FindCauses(run, scene, check, std::move(heard), report);
  report.check = check;
  report.headline = Headline(run, report);
  return report;
}

}  // namespace culprit::run
