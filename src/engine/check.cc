#include "engine/check.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <numeric>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "engine/findings.h"
#include "engine/not_seen.h"
#include "engine/stack_rows.h"
#include "engine/uses_cuda.h"
#include "policy/machine_facts.h"
#include "probe/judge/probe_words.h"

namespace culprit::engine {
namespace {

using report::CheckReport;
using report::Finding;
using report::NotChecked;
using report::Severity;
using report::Verdict;

// The lines of "not checked", each once.
class NotCheckedLines {
 public:
  explicit NotCheckedLines(std::vector<NotChecked>& lines) : lines_(lines) {}
  void Add(NotChecked line) {
    if (seen_.emplace(line.what, line.why).second) lines_.push_back(std::move(line));
  }

 private:
  std::vector<NotChecked>& lines_;
  std::set<std::pair<std::string, std::string>> seen_;
};

// What stands between a report without errors and "nothing wrong".
struct Doubts {
  bool unseen = false;   // a place, or a part of the stack, that should have been looked at
  bool blind = false;    // a rule that would have said "error" could not look
  std::string hostless;  // of files of a machine: what of its host is out of reach, "" for nothing
  std::string nothing;   // why there was nothing of CUDA to judge; "" if there was something
  bool whole = false;    // ... and what was to be read was read, so that there is nothing wrong either
};

// A part of the stack that could not be looked at at all. The rules that need it say so, unless they see no
// reason to ask; one that gave no answer may have held anything.
template <typename T>
void AddUnknown(NotCheckedLines& lines, const char* what, const snapshot::Fact<T>& fact, Doubts& doubts) {
  if (fact.state == snapshot::FactState::kUnreadable || fact.state == snapshot::FactState::kTimedOut ||
      fact.state == snapshot::FactState::kNotApplicable) {
    lines.Add({what, fact.why});
  }
  doubts.unseen |= fact.state == snapshot::FactState::kTimedOut;
}

// What of a build folder is not judged.
void AddOfBuilds(const snapshot::Fact<std::vector<snapshot::BuildFolder>>& builds, NotCheckedLines& lines,
                 Doubts& doubts) {
  if (!builds) return;
  for (const snapshot::BuildFolder& folder : *builds) {
    if (folder.programs_left_out > 0) {
      lines.Add({std::to_string(folder.programs_left_out) + " more programs and libraries in " + folder.path,
                 "only the first " + std::to_string(folder.programs.size()) +
                     " were checked; name the others as targets"});
    }
    if (!folder.extensions.empty()) {
      lines.Add({"what " + folder.extensions.front() +
                     (folder.extensions.size() == 1
                          ? ""
                          : " and " + std::to_string(folder.extensions.size() - 1) + " more") +
                     " load",
                 "Python imports them; check the environment where they get installed"});
    }
    for (const std::string& unread : folder.unread) lines.Add({unread, "it could not be read"});
    doubts.unseen |= !folder.unread.empty();
  }
}

void AddUnknowns(const rules::Scene& scene, NotCheckedLines& lines, Doubts& doubts) {
  const snapshot::Stack& stack = scene.stack();
  if (stack.recipes) {
    for (const snapshot::Recipe& recipe : *stack.recipes) {
      for (const snapshot::RecipeGap& gap : recipe.unread) lines.Add({gap.what, gap.why});
    }
    return;
  }
  AddUnknown(lines, "driver", stack.driver, doubts);
  AddUnknown(lines, "GPUs", stack.gpus, doubts);
  AddUnknown(lines, "toolkits", stack.toolkits, doubts);
  AddUnknown(lines, "cuDNN copies", stack.cudnn, doubts);
  AddUnknown(lines, "Python environments", stack.environments, doubts);
  AddUnknown(lines, "circumstances", stack.context, doubts);
  AddUnknown(lines, "build folders", stack.builds, doubts);
  AddOfBuilds(stack.builds, lines, doubts);
  for (NotChecked& place : NotSeen(scene.snapshot)) {
    lines.Add(std::move(place));
    doubts.unseen = true;
  }
  if (stack.gpus && !stack.gpus->empty() && !stack.gpus->front().assumed && !stack.probe) {
    lines.Add({"GPU memory in use, and by which process",
               "needs the running driver: use culprit probe or check --live"});
  }
}

// The same thing said of several processes is one finding that affects them all.
class MergedFindings {
 public:
  explicit MergedFindings(std::vector<Finding>& findings) : findings_(findings) {}
  void Add(const Finding& finding) {
    const auto [place, fresh] =
        places_.try_emplace({finding.code, finding.subject, finding.about}, findings_.size());
    if (fresh) return findings_.push_back(finding);
    std::vector<std::string>& affects = findings_[place->second].affects;
    for (const std::string& affected : finding.affects) {
      if (std::ranges::find(affects, affected) == affects.end()) affects.push_back(affected);
    }
  }

 private:
  std::vector<Finding>& findings_;
  // By what Finding::SaysTheSame() compares.
  std::map<std::tuple<std::string, std::string, std::vector<std::string>>, size_t> places_;
};

// Findings of one code stay in their order. (std::stable_sort of libstdc++ 12 uses what C++20 removed.)
void SortWorstFirst(std::vector<Finding>& findings) {
  std::vector<size_t> order(findings.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::sort(order, {}, [&](size_t i) {
    return std::tuple(findings[i].severity, findings[i].root, std::string_view(findings[i].code), i);
  });
  std::vector<Finding> sorted;
  for (const size_t i : order) sorted.push_back(std::move(findings[i]));
  findings = std::move(sorted);
}

std::string Hostless(const snapshot::Stack& stack) {
  const bool gpus = stack.gpus.state == snapshot::FactState::kNotApplicable;
  const bool driver =
      stack.driver.state == snapshot::FactState::kNotApplicable ||
      (stack.driver && stack.driver->kernel_version.state == snapshot::FactState::kNotApplicable);
  return gpus ? "the host" : driver ? "the driver of the host" : "";
}

size_t Count(const CheckReport& report, Severity severity) {
  return static_cast<size_t>(
      std::ranges::count_if(report.findings, [&](const Finding& f) { return f.severity == severity; }));
}

std::string Counted(size_t count, const std::string& noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

// Moves the findings that nobody wants to hear of out of the way.
void SetAside(std::vector<report::Ignored> ignored, CheckReport& report) {
  report.ignored = std::move(ignored);
  std::erase_if(report.findings, [&](Finding& finding) {
    const auto asked = std::ranges::find(report.ignored, finding.code, &report::Ignored::code);
    if (asked == report.ignored.end()) return false;
    asked->findings.push_back(std::move(finding));
    return true;
  });
}

size_t CountIgnored(const CheckReport& report) {
  size_t count = 0;
  for (const report::Ignored& one : report.ignored) count += one.findings.size();
  return count;
}

void Conclude(CheckReport& report, const Doubts& doubts) {
  const size_t errors = Count(report, Severity::kError), warnings = Count(report, Severity::kWarning);
  const std::string also = warnings > 0 ? ", " + Counted(warnings, "warning") : "";
  if (errors > 0) {
    report.verdict = Verdict::kErrors;
    report.headline = Counted(errors, "error") + also;
  } else if (doubts.unseen) {
    report.verdict = Verdict::kUnknown;
    report.headline = "could not tell: see \"not checked\"" + also;
  } else if (warnings > 0) {
    report.verdict = Verdict::kWarnings;
    report.headline = Counted(warnings, "warning");
  } else if (doubts.blind) {
    report.verdict = Verdict::kUnknown;
    report.headline = "inconclusive: see \"not checked\"";
  } else if (!doubts.nothing.empty()) {
    report.verdict = doubts.whole ? Verdict::kOk : Verdict::kUnknown;
    report.nothing_of_cuda = true;
    report.headline = doubts.nothing;
  } else {
    report.verdict = Verdict::kOk;
    report.headline = doubts.hostless.empty()
                          ? "nothing wrong"
                          : "nothing wrong in the files; " + doubts.hostless + " was not checked";
  }
  if (const size_t ignored = CountIgnored(report); ignored > 0)
    report.headline += ", " + std::to_string(ignored) + " ignored";
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
  std::vector<Finding> in_processes;
  std::ranges::copy_if(findings, std::back_inserter(in_processes), seen);
  std::erase_if(findings, [&](const Finding& finding) {
    return !finding.affects.empty() && !seen(finding) &&
           std::ranges::any_of(in_processes,
                               [&](const Finding& other) { return AsksTheSame(finding, other); });
  });
}

// What one rule said, its own or a site's: counted, and a doubt if it would have been an error.
void AddOutcome(std::string code, Severity severity, const std::vector<NotChecked>& lacking,
                NotCheckedLines& lines, CheckReport& report, Doubts& doubts) {
  ++report.rules_total;
  if (lacking.empty()) ++report.rules_run;
  for (const NotChecked& missing : lacking) lines.Add(missing);
  doubts.blind |= severity == Severity::kError && !std::ranges::all_of(lacking, &NotChecked::of_host);
  report.outcomes.push_back({std::move(code), lacking});
}

}  // namespace

CheckReport Check(const rules::Scene& scene, std::vector<report::Ignored> ignored,
                  std::span<const rules::Rule* const> asked, const policy::Policy* policy) {
  CheckReport report;
  Doubts doubts{.hostless = Hostless(scene.stack())};
  NotCheckedLines lines(report.not_checked);
  MergedFindings merged(report.findings);
  AddUnknowns(scene, lines, doubts);
  for (const auto& [rule, ruling] : AskRules(scene, asked)) {
    for (const Finding& finding : ruling.findings()) merged.Add(finding);
    AddOutcome(std::string(rule->code), rule->severity, ruling.not_checked(), lines, report, doubts);
    for (const NotChecked& remark : ruling.remarks()) lines.Add(remark);
  }
  if (scene.stack().probe) {
    probe::RaiseWhatHappened(scene, report);
    probe::ReadWords(scene, report);
  }
  DropForetold(scene, report.findings);
  report.stack = StackRows(scene);
  // Notes may be about anything, and what a site's rules say does not tell of CUDA.
  const bool nothing_found = std::ranges::none_of(
      report.findings, [](const Finding& finding) { return finding.severity != Severity::kNote; });
  if (policy != nullptr) {
    const auto facts = policy::FactsOf(scene.snapshot, report.stack, !scene.scenarios.empty());
    for (policy::Ruling& ruling : policy::Judge(*policy, facts)) {
      AddOutcome(ruling.rule->code, ruling.rule->severity, ruling.lacking, lines, report, doubts);
      if (ruling.finding) report.findings.push_back(*std::move(ruling.finding));
    }
  }
  SortWorstFirst(report.findings);
  SetAside(std::move(ignored), report);
  if (nothing_found) {
    doubts.nothing = NothingToJudge(scene);
    doubts.whole = scene.stack().recipes && NothingInRecipesIsSure(scene);
    for (NotChecked& target : WithoutCuda(scene)) lines.Add(std::move(target));
  }
  Conclude(report, doubts);
  return report;
}

CheckReport CheckFactsAlone(const rules::Scene& scene, std::vector<report::Ignored> ignored,
                            const std::string& why, const policy::Policy* policy) {
  CheckReport report = Check(scene, std::move(ignored), rules::AllRules(), policy);
  report.not_checked.insert(report.not_checked.begin(), {"what programs and frameworks load", why});
  if (report.verdict == Verdict::kOk) {
    report.verdict = Verdict::kUnknown;
    report.headline = "could not tell: reading files timed out";
  }
  return report;
}

std::vector<report::RulePage> RulePages(const policy::Policy* policy) {
  std::vector<report::RulePage> pages;
  for (const rules::Rule* rule : rules::AllRules()) {
    pages.push_back({.code = std::string(rule->code),
                     .name = std::string(rule->name),
                     .cause = std::string(rule->cause),
                     .severity = std::string(Name(rule->severity)),
                     .since = std::string(rule->since),
                     .title = std::string(rule->title),
                     .page = std::string(rule->page),
                     .family = rule->family});
  }
  if (policy != nullptr) std::ranges::transform(policy->rules, std::back_inserter(pages), policy::PageOf);
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
