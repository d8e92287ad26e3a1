// The explanation for the terminal: the lines that matter, the causes, most likely first, and what is
// harmless.
#include <fmt/format.h>

#include <algorithm>

#include "render/explain/explain.h"

namespace culprit::render {
namespace {

using report::LikelyCause;
using report::LogLine;

std::string CauseRow(std::string_view label, const std::string& text) {
  return text.empty() ? "" : fmt::format("  {:<8} {}\n", label, base::Printable(text));
}

std::string Place(const LogLine& line) {
  return line.file.empty() ? fmt::format("line {}", line.line)
                           : fmt::format("{}:{}", base::Printable(line.file), line.line);
}

std::string LineText(const LogLine& line, const Style& style) {
  const std::string times = line.count > 1 ? fmt::format("  ({} times)", line.count) : "";
  return fmt::format("{}  {}{}", style.Dim(Place(line)), base::Printable(line.text), style.Dim(times));
}

std::string CauseText(const LikelyCause& cause, size_t rank, bool full, const Style& style) {
  std::string text = fmt::format("{}  {}  {}\n", style.Bad(fmt::format("{}. {}", rank, cause.cause)),
                                 style.Bold(cause.summary), style.Dim(report::Strength(cause.confidence)));
  std::string_view label = "seen";
  for (const LogLine& line : cause.evidence) {
    if (!full) break;  // mostly the same lines as for the first cause
    text += fmt::format("  {:<8} {}\n", label, LineText(line, style));
    label = "";
  }
  if (full) text += CauseRow("why", cause.because);
  for (const std::string& fact : cause.settled) text += CauseRow("here", fact);
  if (full) {
    for (const std::string& fact : cause.known) text += CauseRow("known", fact);
  }
  text += CauseRow("confirm", cause.separate_by);
  text += CauseRow("fix", cause.fix);
  for (const std::string& command : report::Texts(cause.commands))
    text += fmt::format("  {:<8}   {}\n", "", style.Good(command));
  text += CauseRow("do not", cause.avoid);
  if (full && !cause.code.empty())
    text += fmt::format("  {:<8} {}\n", "more", style.Dim("culprit explain " + cause.code));
  return text;
}

std::string StatusPageText(const report::StatusPage& page, const Style& style) {
  std::string text = fmt::format("{}\n", style.Bold(page.name));
  text += CauseRow("of", page.of + ", number " + page.number);
  text += CauseRow("means", page.meaning);
  std::string_view label = "causes";
  for (const auto& [slug, title] : page.causes) {
    text += fmt::format("  {:<8} {}: {}\n", label, slug, base::Printable(title));
    label = "";
  }
  text += fmt::format("  {:<8} {}\n", "source", style.Dim(page.source));
  return text;
}

// The text has an error that culprit cannot explain.
std::string UnknownText(const report::Explanation& explanation, const std::string& read, const Style& style) {
  std::string text = style.Warn("could not tell: there is an error in this text that culprit does not know") +
                     style.Dim("  (" + read + ")") + "\n";
  for (const LogLine& line : explanation.unknown) text += "  " + LineText(line, style) + "\n";
  std::string_view label = "near";
  for (const LikelyCause& cause : explanation.near) {
    text += fmt::format("  {:<8} {}: {}\n", label, cause.cause, base::Printable(cause.summary));
    if (!cause.because.empty()) text += CauseRow("", cause.because);
    label = "";
  }
  return text + "\nto find out whether CUDA is the cause, run the program under culprit: " +
         style.Good("culprit run -- PROGRAM") + "\n";
}

std::string Headline(const report::Explanation& explanation, const Style& style) {
  uint64_t lines = 0;
  for (const report::LogInput& input : explanation.inputs) lines += input.lines;
  const std::string read = explanation.inputs.size() == 1
                               ? fmt::format("{} line{} read", lines, lines == 1 ? "" : "s")
                               : fmt::format("{} lines of {} files read", lines, explanation.inputs.size());
  if (!explanation.unknown.empty()) return UnknownText(explanation, read, style);
  if (explanation.causes.empty()) {
    std::string text =
        style.Good("no CUDA failure found in this text") + style.Dim("  (" + read + ")") + "\n";
    for (const LogLine& line : explanation.mentioned)
      text += "  only mentioned: " + LineText(line, style) + "\n";
    if (!explanation.mentioned.empty())
      text += "\nif this is your error, run culprit explain on that line alone\n";
    return text;
  }
  std::string text = style.Bold("the first failure") + style.Dim("  (" + read + ")") + "\n";
  for (const LogLine& line : explanation.first_failure) text += "  " + LineText(line, style) + "\n";
  constexpr double kDecided = 0.6;
  if (explanation.causes.size() > 1 && explanation.causes.front().confidence < kDecided) {
    text += "\n" +
            style.Warn("The text alone is not conclusive. Start with the first \"confirm\" check below.") +
            "\n";
  }
  return text;
}

}  // namespace

std::string ToText(const report::Explanation& explanation, const Style& style, const ExplainDetail& detail) {
  std::string text;
  for (const report::StatusPage& page : explanation.pages)
    text += (text.empty() ? "" : "\n") + StatusPageText(page, style);
  if (explanation.pages.empty()) text += Headline(explanation, style);
  size_t rank = 0;
  for (const LikelyCause& cause : explanation.causes) {
    ++rank;
    text += "\n" + CauseText(cause, rank, rank == 1 || detail.verbose, style);
  }
  bool harmless = false;
  for (const report::SeenSymptom& symptom : explanation.symptoms) {
    if (!symptom.harmless) continue;
    if (!harmless) text += "\n" + style.Bold("harmless") + "\n";
    harmless = true;
    text += "  " + LineText(symptom.where, style) + "\n";
    text += CauseRow("", symptom.note);
  }
  if (detail.verbose && !explanation.symptoms.empty()) {
    text += "\n" + style.Bold("symptoms") + "\n";
    for (const report::SeenSymptom& symptom : explanation.symptoms) {
      text +=
          fmt::format("  {:<12} {:<28} {}\n", symptom.role, symptom.symptom, LineText(symptom.where, style));
    }
  }
  if (!explanation.causes.empty() && !explanation.with_facts && explanation.pages.empty()) {
    text += "\n" + style.Dim("on the failing machine, run `culprit explain --here LOG` to narrow this down") +
            "\n";
  }
  return text;
}

}  // namespace culprit::render
