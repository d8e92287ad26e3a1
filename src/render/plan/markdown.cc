// A plan for an issue tracker or a wiki: versions as a table, commands as a block to copy, reasons collapsed.
#include "render/markdown.h"

#include "base/product_version.h"
#include "base/text.h"
#include "render/finding.h"
#include "render/plan/plan.h"

namespace culprit::render {
namespace {

using report::Plan;

std::string PackagesMarkdown(const Plan& plan) {
  std::string table = "| package | version | from | |\n|---|---|---|---|\n", reasons;
  for (const report::PlannedPackage& package : plan.packages) {
    const std::string name = package.extra.empty() ? package.name : package.name + "[" + package.extra + "]";
    table += "| " + Plain(name) + " | " + Plain(VersionOf(package)) + " | " + Plain(package.channel.text()) +
             " | " +
             (package.present       ? "here"
              : package.was.empty() ? ""
                                    : "instead of " + Plain(package.was)) +
             " |\n";
    for (const report::Bound& bound : package.because) {
      reasons += "- " + Plain(package.name) + ": " + Plain(bound.text) +
                 (bound.source.empty() ? "" : " (" + Plain(bound.source) + ")") + "\n";
    }
  }
  for (const report::PlannedPackage& package : plan.removed)
    table += "| " + Plain(package.name) + " | " + Plain(package.version) + " | | removed |\n";
  return table + "\n" + (reasons.empty() ? "" : Folded("why these", reasons) + "\n");
}

std::string StepsMarkdown(const Plan& plan) {
  std::string text;
  for (const report::PlanStep& step : plan.steps) {
    text += "**" + Plain(step.title) + "**" + (step.why.empty() ? "" : ": " + Plain(step.why)) + "\n\n";
    if (const std::string block = ShellBlock(report::Texts(step.commands)); !block.empty())
      text += block + "\n";
    for (const report::PlanChoice& choice : step.choices) {
      text += "- " + Plain(choice.how) + "\n";
      for (const std::string& command : report::Texts(choice.commands)) text += "  - " + Code(command) + "\n";
      if (!choice.stays.empty()) text += "  - stays: " + Plain(choice.stays) + "\n";
    }
    if (!step.choices.empty()) text += "\n";
  }
  return text;
}

std::string ConflictMarkdown(const Plan& plan) {
  std::string text;
  if (!plan.requirements.empty()) text += "Conflict:\n\n";
  for (const std::string& requirement : plan.requirements) text += "- " + Plain(requirement) + "\n";
  if (!plan.conflict.empty()) text += "\nWhy:\n\n";
  for (const report::ConflictLine& line : plan.conflict) {
    text += std::string(2 * line.depth, ' ') + "- " + Plain(line.text) +
            (line.source.empty() ? "" : " (" + Plain(line.source) + ")") + "\n";
  }
  return text + (text.empty() ? "" : "\n");
}

std::string RelaxationsMarkdown(const Plan& plan) {
  if (plan.relaxations.empty()) return "";
  std::string text = "What works instead:\n\n";
  for (const report::Relaxation& relaxation : plan.relaxations) {
    text += "- " + Plain(relaxation.text);
    if (!relaxation.option.empty()) text += ": " + Code(relaxation.option);
    if (const std::string gives = GivesText(relaxation); !gives.empty()) text += " gives " + Plain(gives);
    text += "\n";
  }
  return text + "\n";
}

}  // namespace

std::string ToMarkdown(const Plan& plan, const PlanDetail& detail) {
  std::string text = "### culprit plan: " + Plain(plan.headline) + "\n\n";
  if (plan.outcome == Plan::Outcome::kSolution) {
    text += PackagesMarkdown(plan) + StepsMarkdown(plan);
    std::string document;
    for (const std::string& line : base::Split(plan.document, '\n')) document += base::Printable(line) + "\n";
    if (!plan.document.empty()) text += Fenced("", document.substr(0, document.size() - 1)) + "\n";
  } else {
    text += ConflictMarkdown(plan);
  }
  text += RelaxationsMarkdown(plan);
  for (const std::string& note : plan.notes) text += "- " + Plain(note) + "\n";
  if (!plan.notes.empty()) text += "\n";
  if (const std::string checked = CheckedText(plan); !checked.empty()) text += Plain(checked) + "\n\n";
  for (const report::Finding& finding : plan.findings) text += FindingMarkdown(finding);
  std::string missing;
  for (const auto& item : plan.not_checked)
    missing += "- " + Plain(item.what) + ": " + Plain(item.why) + "\n";
  if (!missing.empty()) text += Folded("not checked", missing) + "\n";
  return text + Plain(KnowledgeText(plan, detail)) + "\n\nculprit " + std::string(base::ProductVersion()) +
         "\n";
}

}  // namespace culprit::render
