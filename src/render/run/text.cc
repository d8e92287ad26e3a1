// The report after a program failed: the cause in the first lines, then the evidence, the fix, and what could
// not be watched. Single loads only if verbose.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "render/place.h"
#include "render/run/run.h"
#include "render/wrapped.h"

namespace culprit::render {
namespace {

constexpr size_t kWidth = 96;
constexpr size_t kLabel = 11;  // "  {:<8} "

std::string WrappedRow(std::string_view label, const std::string& text) {
  if (text.empty()) return "";
  std::string rows;
  for (const std::string& line : Wrapped(text, kWidth - kLabel)) {
    rows += fmt::format("  {:<8} {}\n", label, line);
    label = "";
  }
  return rows;
}

std::string Lasting(double seconds) {
  return seconds < 10 ? fmt::format("{:.1f} s", seconds) : fmt::format("{:.0f} s", seconds);
}

std::string When(double seconds, const std::string& process, const Style& style) {
  return style.Dim(
      fmt::format("  {} after the start{}", Lasting(seconds), process.empty() ? "" : ", " + process));
}

std::string Title(const report::RunReport& report, const Style& style) {
  std::string text;
  const bool bad = report.failed || !report.kernel_errors.empty();
  const bool named = !report.explanation.causes.empty() && bad &&
                     report.explanation.causes.front().summary == report.headline;
  const std::string slug = named ? report.explanation.causes.front().cause + ": " : "";
  for (const std::string& line : Wrapped(slug + report.headline, kWidth)) {
    text += (bad ? style.Bad(line) : report.mixes.empty() ? style.Good(line) : style.Warn(line)) + "\n";
  }
  return text +
         style.Dim(fmt::format("{}: {} after {}", report.command, report.ended, Lasting(report.seconds))) +
         "\n";
}

std::string KernelText(const report::RunReport& report, const Style& style) {
  std::string text;
  for (const report::RunKernelError& error : report.kernel_errors) {
    const std::string times = error.count > 1 ? fmt::format("  ({} times)", error.count) : "";
    // Without a kernel, it is a call or a signal on the host.
    const bool on_gpu = !error.kernel.empty();
    text += "\n" + style.Bold(on_gpu ? "kernel error" : "error") + style.Dim("  " + error.tool) + "\n";
    text += WrappedRow("what", error.kind + times);
    text += WrappedRow("kernel", error.kernel);
    text += WrappedRow("line", !error.file.empty() ? fmt::format("{}:{}", error.file, error.line)
                               : on_gpu            ? "unknown; build with -lineinfo"
                                                   : "");
    text += WrappedRow("where", error.where);
    text += WrappedRow("", error.detail);
    std::string_view label = "host";
    for (const std::string& frame : error.host_frames) {
      text += fmt::format("  {:<8} {}\n", label, base::Printable(frame));
      label = "";
    }
  }
  return text;
}

std::string CallLine(const report::RunCall& call) {
  std::string line = fmt::format("{} returned {} ({})", call.function,
                                 call.status.empty() ? "an error" : call.status, call.code);
  return call.count > 1 ? fmt::format("{}, {} times", line, call.count) : line;
}

std::string CallText(const report::RunReport& report, const RunDetail& detail, const Style& style) {
  std::string text;
  if (report.first_failure) {
    const report::RunCall& call = *report.first_failure;
    text += "\n" + style.Bold("first failing call") + When(call.seconds, call.process, style) + "\n";
    text += WrappedRow("call", CallLine(call));
    text += WrappedRow(call.source == base::CallSource::kCupti ? "kernel" : "says", call.detail);
    if (call.detail.empty())
      text += WrappedRow("after", call.last_kernel.empty() ? "" : "kernel " + call.last_kernel);
    text += WrappedRow("means", call.meaning);
    text += WrappedRow("driver", call.said);
    text += WrappedRow("seen by", std::string(base::Word(call.source)));
  }
  const size_t others = report.other_failures.size();
  if (others == 0) return text;
  if (!detail.verbose) {
    return text + "\n" +
           style.Dim(fmt::format("{} {}call{} returned an error but {} not the cause (--verbose lists them)",
                                 others, report.first_failure ? "other " : "", others == 1 ? "" : "s",
                                 others == 1 ? "is" : "are")) +
           "\n";
  }
  text += "\n" + style.Bold("other failed calls") + "\n";
  for (const report::RunCall& call : report.other_failures) {
    text += fmt::format("  {:>9}  {}{}\n", Lasting(call.seconds), base::Printable(CallLine(call)),
                        call.process.empty() ? "" : style.Dim("  " + call.process));
  }
  return text;
}

// A hwcaps directory, which glibc tries below every directory.
bool ForCpus(const report::Place& place) {
  static constexpr std::array<std::string_view, 8> kNames = {
      "glibc-hwcaps", "tls", "atomics", "x86_64", "aarch64", "haswell", "xeon_phi", "avx512_1"};
  const std::string_view directory = base::DirName(place.path);
  return directory.find("/glibc-hwcaps/") != std::string_view::npos ||
         std::ranges::find(kNames, base::BaseName(directory)) != kNames.end();
}

// A library is tried under several names; the places of one name are enough.
std::vector<report::Place> WorthShowing(const report::RunFailedLoad& failed, bool all) {
  std::vector<report::Place> shown = failed.searched;
  if (all) return shown;
  std::erase_if(shown, [&](const report::Place& place) {
    return place.outcome == base::LoadOutcome::kMissing &&
           (ForCpus(place) || base::BaseName(place.path) != base::BaseName(failed.name));
  });
  return shown;
}

std::string FailedLoadText(const report::RunFailedLoad& failed, const RunDetail& detail, const Style& style) {
  std::string text = "\n" + style.Bold("failed load") + When(failed.seconds, failed.process, style) + "\n";
  text += fmt::format("  {:<8} {}\n", "library", style.Bad(failed.name));
  text += WrappedRow("for", (failed.requested_by.empty() ? "the program" : failed.requested_by) +
                                (failed.dlopen ? " (dlopen)" : ""));
  std::string_view label = "through";
  for (const std::string& step : failed.chain) {
    if (step == failed.requested_by) break;
    text += fmt::format("  {:<8} {}\n", label, base::Printable(step));
    label = "";
  }
  const auto places = WorthShowing(failed, detail.verbose);
  text += places.empty() ? WrappedRow("searched", "not recorded")
                         : "  searched, in this order:\n" + PlacesText(places, style);
  const size_t hidden = failed.searched.size() - places.size();
  if (hidden > 0)
    text += style.Dim(fmt::format("       and {} more: other names of it, and CPU-specific sub-directories",
                                  hidden)) +
            "\n";
  if (!failed.elsewhere.empty())
    text += "  it exists here:\n" + CopiesText(failed.elsewhere, style);
  else if (!failed.survived)
    text += WrappedRow("copies", "none in the usual places on this machine");
  return text;
}

std::string FailedLoadsText(const report::RunReport& report, const RunDetail& detail, const Style& style) {
  constexpr size_t kMost = 3;
  std::string text;
  size_t shown = 0, mattering = 0, survived = 0;
  for (const report::RunFailedLoad& failed : report.failed_loads) {
    ++(failed.survived ? survived : mattering);
    if (!detail.verbose && (failed.survived || shown == kMost)) continue;
    text += FailedLoadText(failed, detail, style);
    ++shown;
  }
  if (detail.verbose) return text;
  if (mattering > shown)
    text += "\n" + style.Dim(fmt::format("{} more loads failed (--verbose lists them)", mattering - shown)) +
            "\n";
  if (survived > 0) {
    text += "\n" +
            style.Dim(fmt::format("{} load{} failed harmlessly (--verbose lists {})", survived,
                                  survived == 1 ? "" : "s", survived == 1 ? "it" : "them")) +
            "\n";
  }
  return text;
}

std::string MixText(const report::RunMix& mix, const Style& style) {
  std::string text = "\n" + style.Bold("two versions of " + mix.family + " in one process") +
                     (mix.process.empty() ? "" : style.Dim("  " + mix.process)) + "\n";
  size_t width = 0;
  for (const auto& member : mix.members) width = std::max(width, member.version.size());
  for (const auto& member : mix.members) {
    const std::string line = fmt::format("{:<{}}  {}", member.version, width, member.path);
    text += fmt::format("  {} {}{}\n", member.odd ? style.Bad("x") : " ",
                        member.odd ? style.Bad(line) : base::Printable(line),
                        style.Dim("  " + std::string(base::NameOrNone(member.via))));
  }
  return text + WrappedRow("because", mix.because);
}

std::string FrameLine(const report::RunFrame& frame) {
  std::string line = frame.object.empty() ? "?" : frame.object;
  if (!frame.version.empty()) line += " " + frame.version;
  line += frame.function.empty() ? fmt::format(" +{:#x}", frame.offset) : "  " + frame.function;
  return frame.guessed ? line + "  (probably)" : line;
}

std::string CrashText(const report::RunReport& report, const RunDetail& detail, const Style& style) {
  const report::RunCrash& crash = *report.crash;
  constexpr size_t kMost = 12;
  std::string text =
      "\n" + style.Bold("crash: " + crash.signal) + When(crash.seconds, crash.process, style) + "\n";
  text += WrappedRow("what", crash.what);
  std::string_view label = "in";
  size_t shown = 0;
  for (const report::RunFrame& frame : crash.frames) {
    if (!detail.verbose && shown == kMost) break;
    text += fmt::format("  {:<8} {}\n", label,
                        shown == 0 ? style.Bad(FrameLine(frame)) : base::Printable(FrameLine(frame)));
    label = ++shown == 1 ? "by" : "";
  }
  if (report.explanation.causes.empty()) {
    text += WrappedRow("next", "to get the source line, if the library has debug information:");
    text +=
        fmt::format("  {:<8}   {}\n", "", style.Good("gdb -batch -ex run -ex bt --args " + report.command));
  }
  return text;
}

std::string WaitText(const report::RunReport& report, const Style& style) {
  if (report.waits.empty()) return "";
  std::string text = "\n" + style.Bold("what it was waiting for") + "\n";
  for (const report::RunWait& wait : report.waits) {
    std::string who = wait.process.empty() ? wait.thread : wait.process + ", " + wait.thread;
    std::string doing = wait.function;
    if (wait.seconds > 0) doing += " for " + Lasting(wait.seconds);
    text += fmt::format("  {}: {}{}\n", base::Printable(who), style.Bold(doing),
                        style.Dim(wait.state.empty() ? "" : "  " + wait.state));
  }
  return text;
}

std::string CauseText(const report::RunReport& report, const RunDetail& detail, const Style& style) {
  if (report.explanation.causes.empty()) return "";
  const report::LikelyCause& cause = report.explanation.causes.front();
  std::string text = "\n" + style.Bold("cause: " + cause.cause) +
                     style.Dim(fmt::format("  {}", report::Strength(cause.confidence))) + "\n";
  if (cause.summary != report.headline) text += WrappedRow("", cause.summary);
  for (const report::LogLine& line : cause.evidence) {
    constexpr size_t kLongest = 200;
    const std::string said = line.text.size() > kLongest ? line.text.substr(0, kLongest) + " ..." : line.text;
    text += WrappedRow("seen", line.watched ? said : fmt::format("\"{}\"", said));
  }
  text += WrappedRow("why", cause.because);
  for (const std::string& fact : cause.settled) {
    if (fact.find(cause.summary) == std::string::npos) text += WrappedRow("proof", fact);
  }
  for (const std::string& fact : cause.known) text += WrappedRow("known", fact);
  text += WrappedRow("confirm", cause.separate_by);
  text += WrappedRow("fix", cause.fix);
  for (const std::string& command : report::Texts(cause.commands))
    text += fmt::format("  {:<8}   {}\n", "", style.Good(command));
  text += WrappedRow("do not", cause.avoid);
  if (!cause.code.empty())
    text += fmt::format("  {:<8} {}\n", "more", style.Dim("culprit explain " + cause.code));
  constexpr double kSettled = 0.9;
  if (cause.confidence >= kSettled && !detail.verbose) return text;
  std::string_view label = "or";
  for (size_t i = 1; i < report.explanation.causes.size(); ++i) {
    const report::LikelyCause& other = report.explanation.causes[i];
    text += WrappedRow(
        label, fmt::format("{} ({}): {}", other.cause, report::Strength(other.confidence), other.summary));
    label = "";
  }
  return text;
}

// Other findings of check.
std::string FindingsText(const report::RunReport& report, const Style& style) {
  const bool uses_cuda =
      report.first_failure || !report.other_failures.empty() ||
      std::ranges::any_of(report.loads, [](const report::RunLoad& load) { return !load.title.empty(); });
  if (!uses_cuda) return "";  // problems with CUDA do not matter to this program
  std::string text;
  size_t warnings = 0;
  for (const report::Finding& finding : report.check.findings) {
    const bool told =
        !report.explanation.causes.empty() && report.explanation.causes.front().code == finding.code;
    if (finding.severity == report::Severity::kWarning && !told) ++warnings;
    if (told || finding.severity != report::Severity::kError) continue;
    text += WrappedRow(finding.code, finding.summary);
  }
  if (warnings > 0) text += fmt::format("  {} warning{}\n", warnings, warnings == 1 ? "" : "s");
  return text.empty()
             ? ""
             : "\n" + style.Bold("also found on this machine") + style.Dim("  culprit check") + "\n" + text;
}

std::string LoadLine(const report::RunLoad& load, const Style& style) {
  std::string line = fmt::format("  {:>9}  {}", Lasting(load.seconds), base::Printable(load.path));
  const std::string version = VersionText(load.version);
  if (!version.empty()) line += "  " + style.Good(version);
  std::string how(base::NameOrNone(load.via));
  if (!load.requested_by.empty()) how += ", needed by " + load.requested_by;
  if (load.closed) how += ", unloaded again";
  if (!load.process.empty()) how += ", " + load.process;
  line += style.Dim("  " + how);
  if (!load.problem.empty()) line += "  " + style.Bad(load.problem);
  return line + "\n";
}

// Each CUDA library once: file, version, directory.
std::string ShortLoads(const std::vector<report::RunLoad>& loads, const Style& style) {
  constexpr size_t kMost = 16;
  std::vector<const report::RunLoad*> shown;
  size_t name = 0, version = 0;
  for (const report::RunLoad& load : loads) {
    const bool known =
        std::ranges::any_of(shown, [&](const auto* other) { return other->path == load.path; });
    if (load.title.empty() || known || shown.size() > kMost * 16) continue;
    shown.push_back(&load);
    name = std::max(name, base::BaseName(load.path).size());
    version = std::max(version, load.version.version.size());
  }
  std::string text;
  for (size_t i = 0; i < std::min(shown.size(), kMost); ++i) {
    const report::RunLoad& load = *shown[i];
    text +=
        fmt::format("  {:<{}}  {:<{}}  {}{}\n", base::Printable(base::BaseName(load.path)), name,
                    base::Printable(load.version.version), version, base::Printable(base::DirName(load.path)),
                    style.Dim("  " + std::string(base::NameOrNone(load.via))));
  }
  if (shown.size() > kMost) text += style.Dim(fmt::format("  and {} more", shown.size() - kMost)) + "\n";
  return text;
}

std::string LoadsText(const report::RunReport& report, const RunDetail& detail, const Style& style) {
  if (report.loads.empty()) return "";
  const auto cuda =
      std::ranges::count_if(report.loads, [](const report::RunLoad& load) { return !load.title.empty(); });
  std::string text = "\n" +
                     style.Bold(fmt::format("{} librar{} loaded, {} from CUDA", report.loads.size(),
                                            report.loads.size() == 1 ? "y was" : "ies were", cuda)) +
                     (detail.verbose ? "" : style.Dim("  --verbose lists all, in load order")) + "\n";
  if (!detail.verbose) return text + ShortLoads(report.loads, style);
  for (const report::RunLoad& load : report.loads) text += LoadLine(load, style);
  return text;
}

std::string NotWatchedText(const report::RunReport& report, const Style& style) {
  if (report.not_watched.empty()) return "";
  std::string text = "\n" + style.Bold("not watched") + "\n";
  for (const report::NotChecked& item : report.not_watched) {
    for (const std::string& line : Wrapped(item.what + ": " + item.why, kWidth - 2))
      text += "  " + line + "\n";
  }
  return text;
}

}  // namespace

std::string ToText(const report::RunReport& report, const Style& style, const RunDetail& detail) {
  std::string text = Title(report, style);
  text += KernelText(report, style);
  text += CallText(report, detail, style);
  text += FailedLoadsText(report, detail, style);
  for (const report::RunMix& mix : report.mixes) text += MixText(mix, style);
  if (report.crash) text += CrashText(report, detail, style);
  text += WaitText(report, style);
  text += CauseText(report, detail, style);
  if (report.failed) text += FindingsText(report, style);
  text += LoadsText(report, detail, style);
  text += NotWatchedText(report, style);
  return text;
}

}  // namespace culprit::render
