// `culprit run` as a page: how it ended and why, what was observed, then the machine as in `check`.
#include <fmt/format.h>

#include "render/page/sections.h"

namespace culprit::render {
namespace {

using report::RunReport;

std::string When(double seconds) { return fmt::format("<span class=\"when\">{:.3f} s</span>", seconds); }

std::string Who(const std::string& process, const PageText& text) {
  return process.empty() ? "" : " <span class=\"who\">" + text.Html(process) + "</span>";
}

std::string Call(const report::RunCall& call, const PageText& text) {
  std::string html = "<li>" + When(call.seconds) + Who(call.process, text) + "<div><b class=\"file\">" +
                     text.Html(call.function) + "</b> returned <b>" +
                     text.Html(call.status.empty() ? std::to_string(call.code) : call.status) + "</b>";
  if (call.count > 1) html += fmt::format(" ({} times)", call.count);
  for (const std::string& more : {call.meaning, call.detail}) {
    if (!more.empty()) html += "<span class=\"detail\">" + text.Sentence(more) + "</span>";
  }
  if (call.source != base::CallSource::kUnknown)
    html += "<span class=\"source\">seen by " + text.Html(base::Word(call.source)) + "</span>";
  return html + "</div></li>";
}

std::string Calls(const RunReport& report, const PageText& text) {
  std::string items;
  if (report.first_failure) items += Call(*report.first_failure, text);
  for (const report::RunCall& call : report.other_failures) items += Call(call, text);
  return items.empty()
             ? ""
             : Section("calls", "CUDA calls that failed", "<ol class=\"events\">" + items + "</ol>");
}

std::string Places(const std::vector<report::Place>& places, const PageText& text) {
  std::string items;
  for (const report::Place& place : places) {
    items += "<li><span class=\"fact\">" + text.Sentence(place.path) + "</span><span class=\"source\">" +
             text.Html(base::NameOrNone(place.via)) + ": " + text.Html(base::NameOrNone(place.outcome)) +
             "</span></li>";
  }
  return items.empty()
             ? ""
             : Fold(fmt::format("{} place{} searched", places.size(), places.size() == 1 ? "" : "s"),
                    "<ol class=\"proof\">" + items + "</ol>");
}

std::string FailedLoad(const report::RunFailedLoad& load, const PageText& text) {
  std::string html = "<li>" + When(load.seconds) + Who(load.process, text) + "<div><b class=\"file\">" +
                     text.Html(load.name) + "</b> could not be loaded";
  if (!load.requested_by.empty())
    html += "<span class=\"detail\">needed by " + text.Sentence(load.requested_by) + "</span>";
  std::string chain;
  for (const std::string& link : load.chain) chain += (chain.empty() ? "" : " &rarr; ") + text.Sentence(link);
  if (!chain.empty()) html += "<span class=\"detail\">loaded by " + chain + "</span>";
  for (const report::Copy& copy : load.elsewhere)
    html += "<span class=\"detail\">exists in " + text.Sentence(copy.path) + " " + text.Html(copy.note) +
            "</span>";
  return html + Places(load.searched, text) + "</div></li>";
}

std::string FailedLoads(const RunReport& report, const PageText& text) {
  std::string harmful, survived;
  size_t count = 0;
  for (const report::RunFailedLoad& load : report.failed_loads) {
    (load.survived ? survived : harmful) += FailedLoad(load, text);
    count += load.survived ? 1 : 0;
  }
  std::string html;
  if (!harmful.empty()) html += "<ol class=\"events\">" + harmful + "</ol>";
  if (!survived.empty())
    html +=
        Fold(fmt::format("{} the program ran without", count), "<ol class=\"events\">" + survived + "</ol>");
  return html.empty() ? "" : Section("loads", "Loads that failed", html);
}

std::string Mixes(const RunReport& report, const PageText& text) {
  std::string html;
  for (const report::RunMix& mix : report.mixes) {
    html += "<h3>" + text.Html(mix.family) + Who(mix.process, text) + "</h3><table class=\"stack\"><tbody>";
    for (const auto& member : mix.members) {
      html += std::string("<tr class=\"") + (member.odd ? "odd" : "depth0") + "\"><th scope=\"row\">" +
              text.Html(member.version) + "</th><td><span class=\"where\">" + text.Sentence(member.path) +
              "</span><span class=\"detail\">" + text.Html(base::NameOrNone(member.via)) +
              (member.requested_by.empty() ? "" : ", needed by " + text.Sentence(member.requested_by)) +
              "</span></td></tr>";
    }
    html += "</tbody></table>";
    if (!mix.because.empty()) html += "<p>" + text.Sentence(mix.because) + "</p>";
  }
  return html.empty() ? "" : Section("mixed", "Mixed versions in one process", html);
}

std::string Crash(const RunReport& report, const PageText& text) {
  if (!report.crash) return "";
  const report::RunCrash& crash = *report.crash;
  constexpr size_t kShown = 4;  // who crashed and who called; the rest is folded
  std::string top, rest;
  for (size_t i = 0; i < crash.frames.size(); ++i) {
    const report::RunFrame& frame = crash.frames[i];
    std::string& frames = i < kShown ? top : rest;
    frames += std::string("<li") + (frame.guessed ? " class=\"guessed\"" : "") + "><b class=\"file\">" +
              text.Html(frame.function.empty() ? "?" : frame.function) + "</b> <span class=\"detail\">" +
              text.Sentence(frame.object) + fmt::format(" +0x{:x} ", frame.offset) +
              text.Html(frame.version) + "</span></li>";
  }
  return Section("crash", "The crash",
                 "<p>" + When(crash.seconds) + Who(crash.process, text) + " " + text.Html(crash.signal) +
                     ": " + text.Sentence(crash.what) + "</p><ol class=\"frames\">" + top + "</ol>" +
                     (rest.empty() ? ""
                                   : Fold(fmt::format("{} more frames", crash.frames.size() - kShown),
                                          fmt::format("<ol class=\"frames\" start=\"{}\">", kShown + 1) +
                                              rest + "</ol>")));
}

std::string Waits(const RunReport& report, const PageText& text) {
  std::string items;
  for (const report::RunWait& wait : report.waits) {
    items += "<li>" + fmt::format("<span class=\"when\">for {:.1f} s</span>", wait.seconds) +
             Who(wait.process, text) + "<div><b class=\"file\">" + text.Html(wait.function) + "</b> " +
             text.Html(wait.thread) + " " + text.Html(wait.state) + "</div></li>";
  }
  return items.empty() ? ""
                       : Section("waits", "What it was doing when it was stopped",
                                 "<ol class=\"events\">" + items + "</ol>");
}

std::string KernelErrors(const RunReport& report, const PageText& text) {
  std::string html;
  for (const report::RunKernelError& error : report.kernel_errors) {
    html +=
        "<article class=\"finding error\"><p class=\"tags\"><span class=\"severity\">error</span> <span "
        "class=\"cause\">" +
        text.Html(error.tool) + "</span></p><h3>" + text.Sentence(error.kind) +
        "</h3><p>in <b class=\"file\">" + text.Html(error.kernel) + "</b> " + text.Html(error.where);
    if (!error.file.empty()) html += ", " + text.Sentence(error.file + ":" + std::to_string(error.line));
    if (error.count > 1) html += fmt::format(" ({} times)", error.count);
    html += "</p>" + (error.detail.empty() ? "" : "<p>" + text.Sentence(error.detail) + "</p>");
    std::string frames;
    for (const std::string& frame : error.host_frames) frames += "<li>" + text.Sentence(frame) + "</li>";
    if (!frames.empty()) html += Fold("Called from", "<ol class=\"frames\">" + frames + "</ol>");
    html += "</article>";
  }
  return html.empty() ? "" : Section("kernels", "Errors in kernels", html);
}

std::string Causes(const RunReport& report, const PageText& text) {
  std::string html;
  for (const report::LikelyCause& cause : report.explanation.causes) {
    html += "<article class=\"finding\"><p class=\"tags\"><span class=\"severity\">" +
            std::string(report::Strength(cause.confidence)) + "</span> " +
            text.CodeAndCause(cause.code, cause.cause) + "</p><h3>" + text.Sentence(cause.summary) + "</h3>";
    if (!cause.because.empty()) html += "<p>" + text.Sentence(cause.because) + "</p>";
    if (!cause.fix.empty() || !cause.commands.empty())
      html += "<div class=\"fix\"><h4>Fix</h4><p>" + text.Sentence(cause.fix) + "</p>" +
              CommandBlock(report::Texts(cause.commands), text) + "</div>";
    if (!cause.avoid.empty()) html += "<p class=\"risk\">" + text.Sentence(cause.avoid) + "</p>";
    std::string proof;
    for (const std::string& fact : cause.settled)
      proof += "<li><span class=\"fact\">" + text.Sentence(fact) + "</span></li>";
    for (const std::string& fact : cause.known)
      proof += "<li><span class=\"fact\">" + text.Sentence(fact) + "</span></li>";
    for (const report::LogLine& line : cause.evidence)
      proof += "<li><code class=\"line\">" + text.Html(line.text) +
               fmt::format("</code><span class=\"source\">line {}</span></li>", line.line);
    if (!proof.empty()) html += Fold("Proof", "<ul class=\"proof\">" + proof + "</ul>");
    html += "</article>";
  }
  return html.empty() ? "" : Section("causes", "Causes, most likely first", html);
}

}  // namespace

std::string ToHtml(const RunReport& report, const PageFacts& facts) {
  const PageText text(facts);
  const std::string state = text.Words(report.ended) + fmt::format(" after {:.1f} s", report.seconds);
  std::string main = VerdictSection(report.failed ? "errors" : "ok", state, text.Sentence(report.headline),
                                    CommandBlock({report.command}, text));
  main += Causes(report, text) + KernelErrors(report, text) + Mixes(report, text) +
          FailedLoads(report, text) + Calls(report, text) + Crash(report, text) + Waits(report, text) +
          TimelineSection(facts) + PictureSection(facts) +
          FindingsSection(report.check.findings, 0, "What check found on this machine", text) +
          StackSection(report.check.stack, text) +
          NotCheckedSection(report.not_watched, "Not watched", text) +
          NotCheckedSection(report.check.not_checked, "Not checked", text);
  return WholePage({.kind = "run", .title = "culprit: " + text.Words(report.headline), .main = main}, facts,
                   text);
}

}  // namespace culprit::render
