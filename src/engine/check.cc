#include "engine/check.h"

#include <algorithm>
#include <string_view>
#include <tuple>
#include <utility>

#include "engine/findings.h"
#include "engine/stack_rows.h"
#include "probe/judge/probe_words.h"

namespace culprit::engine {
namespace {

using report::CheckReport;
using report::Finding;
using report::NotChecked;
using report::Severity;
using report::Verdict;

void AddOnce(std::vector<NotChecked>& list, NotChecked item) {
  if (std::ranges::find(list, item) == list.end()) list.push_back(std::move(item));
}

// A part of the stack that could not be looked at at all.
template <typename T>
void AddUnknown(CheckReport& report, const char* what, const snapshot::Fact<T>& fact) {
  if (fact.state == snapshot::FactState::kUnreadable || fact.state == snapshot::FactState::kTimedOut ||
      fact.state == snapshot::FactState::kNotApplicable) {
    AddOnce(report.not_checked, {what, fact.why});
  }
}

// The same thing said of several processes is one finding that affects them all.
void Add(std::vector<Finding>& findings, const Finding& finding) {
  for (Finding& known : findings) {
    if (!known.SaysTheSame(finding)) continue;
    for (const std::string& affected : finding.affects) {
      if (std::ranges::find(known.affects, affected) == known.affects.end())
        known.affects.push_back(affected);
    }
    return;
  }
  findings.push_back(finding);
}

// Findings of one code stay in their order. (std::stable_sort of libstdc++ 12 uses what C++20 removed.)
void SortWorstFirst(std::vector<Finding>& findings) {
  const auto rank = [](const Finding& finding) {
    return std::tuple(finding.severity, finding.root, finding.code);
  };
  std::vector<Finding> sorted;
  for (Finding& finding : findings) {
    sorted.insert(std::ranges::upper_bound(sorted, rank(finding), {}, rank), std::move(finding));
  }
  findings = std::move(sorted);
}

size_t Count(const CheckReport& report, Severity severity) {
  return static_cast<size_t>(
      std::ranges::count_if(report.findings, [&](const Finding& f) { return f.severity == severity; }));
}

std::string Counted(size_t count, const std::string& noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

void Conclude(CheckReport& report, bool blind, bool hostless) {
  const size_t errors = Count(report, Severity::kError), warnings = Count(report, Severity::kWarning);
  if (errors > 0) {
    report.verdict = Verdict::kErrors;
    report.headline = Counted(errors, "error") + (warnings > 0 ? ", " + Counted(warnings, "warning") : "");
  } else if (warnings > 0) {
    report.verdict = Verdict::kWarnings;
    report.headline = Counted(warnings, "warning");
  } else if (blind) {
    report.verdict = Verdict::kUnknown;
    report.headline = "inconclusive: see \"not checked\"";
  } else {
    report.verdict = Verdict::kOk;
    report.headline = hostless ? "nothing wrong in the files; the host was not checked" : "nothing wrong";
  }
}

// Whether both ask for the same thing to be done. What no file shows is a sentence and tells nothing apart.
bool AsksTheSame(const Finding& one, const Finding& other) {
  if (one.code != other.code || one.fix.commands != other.fix.commands ||
      one.fix.changes != other.fix.changes)
    return false;
  const bool in_words_alone =
      one.fix.commands.empty() && std::ranges::all_of(one.fix.changes, [](const report::Change& change) {
        return change.As<report::NotInFiles>() != nullptr;
      });
  return !in_words_alone || one.SaysTheSame(other);
}

// What was seen in a process need not be foretold of it too: the same thing to do, told once.
void DropForetold(const rules::Scene& scene, std::vector<Finding>& findings) {
  const auto seen = [&](const Finding& finding) {
    return std::ranges::any_of(scene.scenarios, [&](const loader::Scenario& scenario) {
      return scenario.WasSeen() &&
             std::ranges::find(finding.affects, scenario.title) != finding.affects.end();
    });
  };
  const std::vector<Finding> all = findings;
  std::erase_if(findings, [&](const Finding& finding) {
    return !finding.affects.empty() && !seen(finding) && std::ranges::any_of(all, [&](const Finding& other) {
      return seen(other) && AsksTheSame(finding, other);
    });
  });
}

}  // namespace

CheckReport Check(const rules::Scene& scene, std::span<const rules::Rule* const> asked) {
  CheckReport report;
  const snapshot::Stack& stack = scene.stack();
  AddUnknown(report, "driver", stack.driver);
  AddUnknown(report, "GPUs", stack.gpus);
  AddUnknown(report, "toolkits", stack.toolkits);
  AddUnknown(report, "cuDNN copies", stack.cudnn);
  AddUnknown(report, "Python environments", stack.environments);
  AddUnknown(report, "circumstances", stack.context);
  if (stack.gpus && !stack.gpus->empty() && !stack.gpus->front().assumed && !stack.probe) {
    AddOnce(report.not_checked, {"GPU memory in use, and by which process",
                                 "needs the running driver: use culprit probe or check --live"});
  }
  bool blind = false;  // a rule that would have said "error" could not look
  for (const auto& [rule, ruling] : AskRules(scene, asked)) {
    ++report.rules_total;
    for (const Finding& finding : ruling.findings()) Add(report.findings, finding);
    for (const NotChecked& missing : ruling.not_checked()) AddOnce(report.not_checked, missing);
    for (const NotChecked& remark : ruling.remarks()) AddOnce(report.not_checked, remark);
    if (ruling.not_checked().empty()) ++report.rules_run;
    report.outcomes.push_back({std::string(rule->code), ruling.not_checked()});
    blind |= rule->severity == Severity::kError &&
             !std::ranges::all_of(ruling.not_checked(), &NotChecked::of_host);
  }
  if (stack.probe) {
    probe::RaiseWhatHappened(scene, report);
    probe::ReadWords(scene, report);
  }
  DropForetold(scene, report.findings);
  SortWorstFirst(report.findings);
  report.stack = StackRows(scene);
  Conclude(report, blind, stack.gpus.state == snapshot::FactState::kNotApplicable);
  return report;
}

CheckReport CheckFactsAlone(const rules::Scene& scene, std::chrono::milliseconds limit) {
  CheckReport report = Check(scene);
  const auto seconds = std::chrono::ceil<std::chrono::seconds>(limit).count();
  report.not_checked.insert(report.not_checked.begin(),
                            {"what programs and frameworks load",
                             "no answer within " + std::to_string(seconds) +
                                 " s; a file system may not be responding (--timeout sets the limit)"});
  if (report.verdict == Verdict::kOk) {
    report.verdict = Verdict::kUnknown;
    report.headline = "could not tell: reading files timed out";
  }
  return report;
}

std::vector<report::RulePage> RulePages() {
  std::vector<report::RulePage> pages;
  for (const rules::Rule* rule : rules::AllRules()) {
    pages.push_back({.code = std::string(rule->code),
                     .name = std::string(rule->name),
                     .cause = std::string(rule->cause),
                     .severity = std::string(Name(rule->severity)),
                     .since = std::string(rule->since),
                     .title = std::string(rule->title),
                     .page = std::string(rule->page)});
  }
  return pages;
}

report::RulePage PageOf(std::string_view code) {
  const rules::Rule* rule = rules::FindRule(code);
  if (rule == nullptr) return {};
  for (report::RulePage& page : RulePages()) {
    if (page.code == rule->code) return std::move(page);
  }
  return {};
}

}  // namespace culprit::engine
