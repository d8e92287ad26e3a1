// The explanation for an issue tracker: the likeliest cause open, the others folded.
#include "render/markdown.h"

#include <fmt/format.h>

#include "base/product_version.h"
#include "render/cause.h"
#include "render/explain/explain.h"

namespace culprit::render {

using report::LikelyCause;

std::string CauseMarkdown(const LikelyCause& cause) {
  std::string text = fmt::format("#### {}: {} ({})\n\n", Plain(cause.cause), Plain(cause.summary),
                                 report::Strength(cause.confidence));
  for (const report::LogLine& line : cause.evidence) {
    const std::string where = line.file.empty() ? "" : Plain(line.file) + ", ";
    text += fmt::format("- {}line {}: {}\n", where, line.line, Code(line.text));
  }
  for (const std::string& fact : cause.settled) text += "- here: " + Plain(fact) + "\n";
  for (const std::string& fact : cause.known) text += "- known: " + Plain(fact) + "\n";
  const auto paragraph = [&](const char* label, const std::string& words) {
    if (!words.empty()) text += fmt::format("\n{}: {}\n", label, Plain(words));
  };
  paragraph("Why", cause.because);
  paragraph("Confirm", cause.separate_by);
  paragraph("Fix", cause.fix);
  if (const std::string block = ShellBlock(report::Texts(cause.commands)); !block.empty())
    text += "\n" + block;
  paragraph("Do not", cause.avoid);
  return text + "\n";
}

namespace {

std::string PageMarkdown(const report::StatusPage& page) {
  std::string text = fmt::format("#### {}\n\n{}, number {}\n\n{}\n\n", Code(page.name), Plain(page.of),
                                 Plain(page.number), Plain(page.meaning));
  for (const auto& [slug, title] : page.causes) text += "- " + Plain(slug) + ": " + Plain(title) + "\n";
  return text + "\nSource: " + Plain(page.source) + "\n\n";
}

}  // namespace

std::string ToMarkdown(const report::Explanation& explanation) {
  std::string text = "### culprit explain\n\n";
  for (const report::StatusPage& page : explanation.pages) text += PageMarkdown(page);
  if (explanation.pages.empty() && explanation.causes.empty() && explanation.unknown.empty())
    text += "No CUDA failure found in this text.\n\n";
  for (const report::LogLine& line : explanation.mentioned)
    text += fmt::format("- only mentioned: line {}: {}\n", line.line, Code(line.text));
  if (!explanation.unknown.empty())
    text += "Could not tell: there is an error in this text that culprit does not know.\n\n";
  for (const report::LogLine& line : explanation.unknown)
    text += fmt::format("- line {}: {}\n", line.line, Code(line.text));
  std::string others, harmless;
  for (const LikelyCause& cause : explanation.causes) {
    (&cause == &explanation.causes.front() ? text : others) += CauseMarkdown(cause);
  }
  for (const report::SeenSymptom& symptom : explanation.symptoms) {
    if (!symptom.harmless) continue;
    harmless +=
        fmt::format("- line {}: {} {}\n", symptom.where.line, Code(symptom.where.text), Plain(symptom.note));
  }
  if (!others.empty()) text += Folded("other causes", others) + "\n";
  if (!harmless.empty()) text += Folded("harmless lines", harmless) + "\n";
  return text + "culprit " + std::string(base::ProductVersion()) + "\n";
}

}  // namespace culprit::render
