#include "diagnose/run.h"

#include <fmt/format.h>

#include "base/text.h"
#include "diagnose/kernel_errors.h"
#include "diagnose/run_parts.h"

namespace culprit::diagnose {
namespace {

// As it could be typed.
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
    line += '\'';
    for (const char c : word) line += c == '\'' ? std::string("'\\''") : std::string(1, c);
    line += '\'';
  }
  return line;
}

std::vector<report::NotChecked> NotWatched(const record::Run& run) {
  std::vector<report::NotChecked> missing;
  for (const record::Watched& watched : run.watched) {
    if (!watched.why_not.empty()) missing.push_back({watched.what, watched.why_not});
  }
  for (const record::Text& text : run.texts) {
    if (text.left_out > 0)
      missing.push_back({text.name, fmt::format("{} bytes in its middle were not kept", text.left_out)});
  }
  if (run.lost_events > 0)
    missing.push_back({"events", fmt::format("there was no room for {} of them", run.lost_events)});
  return missing;
}

}  // namespace

report::RunReport ExplainRun(const record::Run& run, const rules::Scene& scene,
                             const report::CheckReport& check) {
  report::RunReport report{.command = CommandLine(run.command),
                           .ended = EndedHow(run),
                           .failed = run.failed(),
                           .exit_status = run.exit_status,
                           .signal = run.signal,
                           .seconds = Seconds(run.duration)};
  Heard heard = ReadTexts(run);
  Calls calls = FailedCalls(run, heard);
  report.first_failure = std::move(calls.first);
  report.other_failures = std::move(calls.others);
  report.loads = Loads(run, scene);
  report.failed_loads = FailedLoadsOf(run, scene, heard);
  report.mixes = Mixes(run, scene);
  report.crash = CrashOf(run, scene);
  report.waits = WaitsOf(run);
  report.last_words = run.failed() ? LastWords(run) : "";
  report.not_watched = NotWatched(run);
  KernelFindings kernels = KernelErrors(run);
  report.kernel_errors = std::move(kernels.errors);
  for (report::NotChecked& item : kernels.not_checked) report.not_watched.push_back(std::move(item));
  FindCauses(run, scene, check, std::move(heard), report);
  report.check = check;
  report.headline = Headline(run, report);
  return report;
}

}  // namespace culprit::diagnose
