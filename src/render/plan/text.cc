// A plan for the terminal: the versions with the reason for each, the steps with their commands, what check
// says about the result; or the conflict as an indented list, and what works instead.
#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "render/finding.h"
#include "render/plan/plan.h"

namespace culprit::render {
namespace {

using report::Plan;
using report::PlannedPackage;

std::string Remark(const PlannedPackage& package) {
  if (package.present) return "here";
  std::string remark = package.channel.kind == report::ChannelKind::kHost ? "" : package.channel.text();
  if (!package.was.empty()) remark += (remark.empty() ? "" : ", ") + ("instead of " + package.was);
  return remark;
}

std::string NameOf(const PlannedPackage& package) {
  return package.extra.empty() ? package.name : package.name + "[" + package.extra + "]";
}

std::string BoundText(const report::Bound& bound, const Style& style, bool verbose) {
  std::string text = base::Printable(bound.text);
  if (verbose && !bound.source.empty()) text += "  " + style.Dim("[" + bound.source + "]");
  return text;
}

// A requirement is shown with the package that it restricts.
std::vector<const report::Bound*> Shown(const PlannedPackage& package, bool verbose) {
  std::vector<const report::Bound*> shown;
  for (const report::Bound& bound : package.because) {
    if (verbose || bound.asks_for.empty()) shown.push_back(&bound);
  }
  return shown;
}

// One reason goes on the same line, several go below it.
std::string PackageText(const PlannedPackage& package, std::array<size_t, 2> width, const Style& style,
                        bool verbose) {
  const std::string label = base::Printable(NameOf(package));
  std::string line =
      "  " + (package.wanted ? style.Bold(label) : label) + std::string(width[0] - label.size(), ' ');
  line += fmt::format("  {:<{}}", base::Printable(VersionOf(package)), width[1]);
  if (const std::string remark = Remark(package); !remark.empty()) line += "  " + style.Dim(remark);
  const auto bounds = Shown(package, verbose);
  if (bounds.size() == 1) line += "  (" + BoundText(*bounds.front(), style, verbose) + ")";
  while (line.ends_with(' ')) line.pop_back();
  line += "\n";
  for (const report::Bound* bound : bounds) {
    if (bounds.size() > 1) line += "      " + BoundText(*bound, style, verbose) + "\n";
  }
  return line;
}

std::string PackagesText(const Plan& plan, const Style& style, bool verbose) {
  std::array<size_t, 2> width{};
  for (const PlannedPackage& package : plan.packages) {
    width[0] = std::max(width[0], base::Printable(NameOf(package)).size());
    width[1] = std::max(width[1], base::Printable(VersionOf(package)).size());
  }
  std::string text;
  for (const PlannedPackage& package : plan.packages) text += PackageText(package, width, style, verbose);
  for (const PlannedPackage& package : plan.removed) {
    text += "  " + base::Printable(package.name) + " " + base::Printable(package.version) + "  " +
            style.Warn("removed");
    for (const report::Bound* bound : Shown(package, verbose))
      text += "  (" + BoundText(*bound, style, verbose) + ")";
    text += "\n";
  }
  return text.empty() ? text : "\n" + style.Bold("versions") + "\n" + text;
}

std::string StepsText(const Plan& plan, const Style& style) {
  std::string text;
  size_t number = 0;
  for (const report::PlanStep& step : plan.steps) {
    text += fmt::format("  {} {}", ++number, style.Bold(step.title));
    if (!step.why.empty()) text += ": " + base::Printable(step.why);
    text += "\n";
    for (const std::string& command : report::Texts(step.commands))
      text += "      " + style.Good(command) + "\n";
    for (const report::PlanChoice& choice : step.choices) {
      text += "      - " + base::Printable(choice.how) + "\n";
      for (const std::string& command : report::Texts(choice.commands))
        text += "          " + style.Good(command) + "\n";
      if (!choice.stays.empty()) text += "        stays: " + base::Printable(choice.stays) + "\n";
    }
  }
  return text.empty() ? text : "\n" + style.Bold("steps") + "\n" + text;
}

std::string ConflictText(const Plan& plan, const Style& style, bool verbose) {
  std::string text;
  if (!plan.requirements.empty()) {
    text += "\n" + style.Bold("conflict") + "\n";
    for (const std::string& requirement : plan.requirements)
      text += "  " + base::Printable(requirement) + "\n";
  }
  if (!plan.conflict.empty()) text += "\n" + style.Bold("why") + "\n";
  for (const report::ConflictLine& line : plan.conflict) {
    text += std::string(2 + 2 * line.depth, ' ') + base::Printable(line.text);
    if (verbose && !line.source.empty()) text += "  " + style.Dim("[" + line.source + "]");
    text += "\n";
  }
  return text;
}

std::string RelaxationsText(const Plan& plan, const Style& style) {
  if (plan.relaxations.empty()) return "";
  std::string text = "\n" + style.Bold("what works instead") + "\n";
  for (const report::Relaxation& relaxation : plan.relaxations) {
    text += "  " + base::Printable(relaxation.text) + "\n";
    const std::string gives = GivesText(relaxation);
    if (!gives.empty()) text += "      gives " + base::Printable(gives) + "\n";
    if (!relaxation.option.empty()) text += "      " + style.Good(relaxation.option) + "\n";
  }
  return text;
}

}  // namespace

std::string ToText(const Plan& plan, const Style& style, const PlanDetail& detail) {
  const bool solved = plan.outcome == Plan::Outcome::kSolution;
  const bool broken = std::ranges::any_of(
      plan.findings, [](const report::Finding& f) { return f.severity == report::Severity::kError; });
  const bool told = !plan.uncertain;
  std::string text = (solved && !broken && told ? style.Good(plan.headline)
                      : solved || !told         ? style.Warn(plan.headline)
                                                : style.Bad(plan.headline)) +
                     "\n";
  if (!plan.question.empty()) {
    text += style.Dim("asked: " + AskedText(plan)) + "\n";
  }
  text += solved ? PackagesText(plan, style, detail.verbose) + StepsText(plan, style)
                 : ConflictText(plan, style, detail.verbose);
  text += RelaxationsText(plan, style);
  if (!plan.notes.empty()) text += "\n" + style.Bold("notes") + "\n";
  for (const std::string& note : plan.notes) text += "  " + base::Printable(note) + "\n";
  if (const std::string checked = CheckedText(plan); !checked.empty()) {
    text += "\n" +
            (broken                          ? style.Bad(checked)
             : plan.findings.empty() && told ? style.Good(checked)
                                             : style.Warn(checked)) +
            "\n";
  }
  for (const report::Finding& finding : plan.findings) text += "\n" + FindingText(finding, style);
  if (!plan.not_checked.empty()) {
    text += "\n" + style.Bold("not checked") + "\n";
    for (const report::NotChecked& item : plan.not_checked)
      text += fmt::format("  {}: {}\n", base::Printable(item.what), base::Printable(item.why));
  }
  return text + "\n" + style.Dim(KnowledgeText(plan, detail)) + "\n";
}

}  // namespace culprit::render
