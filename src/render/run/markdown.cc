// The report of a run for an issue tracker: the cause and its evidence expanded, the rest collapsed.
#include "render/markdown.h"

#include <fmt/format.h>

#include "base/product_version.h"
#include "render/cause.h"
#include "render/document.h"
#include "render/finding.h"
#include "render/run/run.h"

namespace culprit::render {
namespace {

std::string CallMarkdown(const report::RunCall& call) {
  std::string text = fmt::format("{} returned {} ({}), {:.1f} s after the start", Code(call.function),
                                 Code(call.status), call.code, call.seconds);
  if (!call.detail.empty()) text += ", " + Code(call.detail);
  return text;
}

std::string FailedLoadMarkdown(const report::RunFailedLoad& failed) {
  std::string text = fmt::format("Not loaded: {}, needed by {}\n\n", Code(failed.name),
                                 failed.requested_by.empty() ? "the program" : Code(failed.requested_by));
  std::string places;
  for (const report::Place& place : failed.searched)
    places += fmt::format("- {} {}: {}\n", Plain(base::NameOrNone(place.via)), Code(place.path),
                          Plain(base::NameOrNone(place.outcome)));
  for (const report::Copy& copy : failed.elsewhere) places += "- exists in " + Code(copy.path) + "\n";
  return places.empty() ? text : text + Folded("places searched", places) + "\n";
}

std::string MixMarkdown(const report::RunMix& mix) {
  std::string text =
      "Two versions of " + Plain(mix.family) + " in one process: " + Plain(mix.because) + "\n\n";
  for (const auto& member : mix.members) {
    text += fmt::format("- {}{} {} by {}\n", member.odd ? "**odd** " : "", Code(member.path),
                        Plain(member.version), Plain(base::NameOrNone(member.via)));
  }
  return text + "\n";
}

std::string CrashMarkdown(const report::RunCrash& crash) {
  std::string text = fmt::format("{}: {}\n\n", Plain(crash.signal), Plain(crash.what));
  for (const report::RunFrame& frame : crash.frames) {
    text += fmt::format("1. {} {}{}\n", Code(frame.object.empty() ? "?" : frame.object),
                        frame.function.empty() ? fmt::format("+{:#x}", frame.offset) : Code(frame.function),
                        frame.guessed ? " (probably)" : "");
  }
  return text + "\n";
}

}  // namespace

std::string ToMarkdown(const report::RunReport& report) {
  std::string text = "### culprit run: " + Plain(report.headline) + "\n\n";
  text += fmt::format("{}: {} after {:.1f} s\n\n", Code(report.command), Plain(report.ended), report.seconds);
  for (const report::RunKernelError& error : report.kernel_errors) {
    text +=
        fmt::format("{}: {}{}{}\n\n", Plain(error.tool), Plain(error.kind),
                    error.kernel.empty() ? "" : " in " + Code(error.kernel),
                    error.file.empty() ? "" : " at " + Code(fmt::format("{}:{}", error.file, error.line)));
  }
  if (report.first_failure) {
    text += "First failing call: " + CallMarkdown(*report.first_failure) + "\n\n";
    if (!report.first_failure->meaning.empty()) text += Plain(report.first_failure->meaning) + "\n\n";
  }
  for (const report::RunFailedLoad& failed : report.failed_loads) {
    if (!failed.survived) text += FailedLoadMarkdown(failed);
  }
  for (const report::RunMix& mix : report.mixes) text += MixMarkdown(mix);
  if (report.crash) text += CrashMarkdown(*report.crash);
  for (const report::RunWait& wait : report.waits) {
    text +=
        fmt::format("- {}: {}{} {}\n", Plain(wait.thread), Plain(wait.function),
                    wait.seconds > 0 ? fmt::format(" for {:.1f} s", wait.seconds) : "", Plain(wait.state));
  }
  if (!report.waits.empty()) text += "\n";
  std::string others, loads, findings, missing;
  for (const report::LikelyCause& cause : report.explanation.causes) {
    (&cause == &report.explanation.causes.front() ? text : others) += CauseMarkdown(cause);
  }
  for (const report::RunLoad& load : report.loads) {
    if (load.title.empty()) continue;
    loads += fmt::format("- {} {} by {}\n", Code(load.path), Plain(load.version.version),
                         Plain(base::NameOrNone(load.via)));
  }
  for (const report::Finding& finding : report.check.findings) findings += FindingMarkdown(finding);
  for (const report::NotChecked& item : report.not_watched)
    missing += "- " + Plain(item.what) + ": " + Plain(item.why) + "\n";
  if (!others.empty()) text += Folded("other causes", others) + "\n";
  if (!loads.empty())
    text += Folded(fmt::format("CUDA libraries among {} loads", report.loads.size()), loads) + "\n";
  if (!findings.empty()) text += Folded("culprit check", findings) + "\n";
  if (!missing.empty()) text += Folded("not watched", missing) + "\n";
  return text + "culprit " + std::string(base::ProductVersion()) + "\n";
}

}  // namespace culprit::render
