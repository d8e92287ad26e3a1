#include "plan/solve.h"

#include <algorithm>

#include "base/parallel/in_parallel.h"
#include "base/text.h"
#include "knowledge/driver.h"
#include "knowledge/packages/distributions.h"
#include "knowledge/packages/release.h"
#include "plan/answer.h"
#include "plan/choose.h"
#include "plan/commands/requirements.h"
#include "plan/conflict/conflict_graph.h"
#include "plan/conflict/conflict_words.h"
#include "plan/conflict/contradiction.h"
#include "plan/conflict/relax.h"
#include "plan/conflict/trials.h"
#include "plan/universe/builds.h"
#include "plan/universe/making.h"
#include "plan/universe/universe.h"

namespace culprit::plan {
namespace {

std::vector<std::string> QuestionWords(const Question& question) {
  std::vector<std::string> words;
  for (const Want& want : question.wants) words.push_back(want.text);
  for (const report::PassedThrough& passed : question.passed_through) {
    if (passed.origin.file.empty()) words.push_back(passed.text);
  }
  for (const Limit& limit : question.limits) {
    if (std::ranges::find(words, limit.words) == words.end()) words.push_back(limit.words);
  }
  if (question.repair) words.push_back("the installed packages");
  if (question.cuda) words.push_back(AskedCuda(question));
  const Host& host = question.host;
  words.push_back(host.driver ? "driver " + knowledge::DriverText(*host.driver) : "any driver");
  for (const base::Version& cc : host.gpus) words.push_back("GPU " + GpuName(cc));
  if (host.gpus.empty()) words.push_back("any GPU");
  if (host.python) words.push_back("Python " + host.python->ToString());
  words.push_back(MachineWords(host.machine) + (host.wsl ? " (WSL)" : ""));
  for (const std::string& keep : question.keep) words.push_back("--keep " + keep);
  return words;
}

// "3 requirements are passed through"
std::string PassedCount(const report::Plan& plan) {
  const size_t count = plan.passed_through.size();
  return std::to_string(count) + (count == 1 ? " requirement is" : " requirements are") + " passed through";
}

void NotePassed(report::Plan& plan) {
  constexpr size_t kNamed = 8;
  if (plan.passed_through.empty()) return;
  std::string names;
  for (size_t i = 0; i < std::min(kNamed, plan.passed_through.size()); ++i)
    names += (i == 0 ? "" : ", ") + base::Printable(plan.passed_through[i].text);
  if (plan.passed_through.size() > kNamed)
    names += " and " + std::to_string(plan.passed_through.size() - kNamed) + " more";
  plan.notes.push_back(
      "passed through unchanged, because their requirements are not in the tables: " + names +
      "; if one of them requires other versions than these, the installer reports it");
  std::string older;
  for (const report::PlannedPackage& package : plan.packages) {
    if (!package.range.empty()) older += (older.empty() ? "" : ", ") + package.name;
  }
  if (!older.empty()) plan.notes.push_back("because of those, pip may choose older releases of: " + older);
}

// What a new build was compiled against, and only requires without a bound: pip would take one that is too
// new.
void BoundCompiled(const Question& question, const Universe& universe, const Choice& choice,
                   report::Plan& plan) {
  const bool windows = question.host.machine == Machine::kWindows;
  const auto planned = [&](std::string_view name, bool present) {
    return std::ranges::any_of(plan.packages, [&](const report::PlannedPackage& package) {
      return package.name == name && (present || !package.present);
    });
  };
  for (size_t p = 0; p < universe.packages.size(); ++p) {
    if (choice[p] == kNone || universe.at(p, choice[p]).row == nullptr) continue;
    const Candidate& chosen = universe.at(p, choice[p]);
    for (const knowledge::Compiled& row : knowledge::CompiledPackages()) {
      const std::string against(row.against);
      const bool bounds = row.required && row.package == chosen.row->framework &&
                          chosen.number < knowledge::Known(windows ? row.below_windows : row.below);
      const bool told = std::ranges::any_of(
          plan.passed_through, [&](const report::PassedThrough& passed) { return passed.name == against; });
      if (!bounds || told || !planned(universe.packages[p].name, false) || planned(against, true) ||
          question.provided.contains(against))
        continue;
      const std::string bound = "<" + std::to_string(row.major + 1);
      plan.passed_through.push_back({.name = against, .specifier = bound, .text = against + bound});
      plan.notes.push_back(against + bound + ": " + chosen.distribution + " " + chosen.version +
                           " was compiled for " + against + " " + std::to_string(row.major));
    }
  }
}

// Lines that exclude each other: no set of the rest helps.
void TellContradiction(const Question& question, const Contradiction& found, BuildTable& builds,
                       report::Plan& plan) {
  plan.requirements = {found.one.words};
  plan.headline = found.one.words + " excludes every version";
  plan.conflict.push_back({"no version of " + found.one.name + " satisfies it", "", 0});
  std::vector<BoundingLine> dropped = {found.one};
  if (found.other) {
    plan.requirements.push_back(found.other->words);
    plan.headline = plan.requirements[0] + " does not work with " + plan.requirements[1];
    plan.conflict.back().text = "no version of " + found.one.name + " satisfies both";
    dropped.insert(dropped.begin(), *found.other);
  }
  for (const BoundingLine& line : dropped) {
    const Question less = WithoutLine(question, line);
    if (!AsksForSomething(less)) continue;
    const report::Plan without = SolveWith(less, builds);
    if (without.outcome != report::Plan::Outcome::kSolution) continue;
    report::Relaxation relaxation{"works without " + line.words, "", {}};
    for (const report::PlannedPackage& package : without.packages) {
      if (package.wanted) relaxation.gives.push_back(package);
    }
    plan.relaxations.push_back(std::move(relaxation));
  }
}

// "could not tell whether torch==2.6.9 (r.txt:1) works: the tables do not contain it"
std::string UnlistedHeadline(const std::vector<std::string>& unlisted) {
  std::string words;
  for (size_t i = 0; i < unlisted.size(); ++i)
    words += (i == 0 ? "" : i + 1 == unlisted.size() ? " and " : ", ") + unlisted[i];
  const bool one = unlisted.size() == 1;
  return "could not tell whether " + words + (one ? " works" : " work") + ": the tables do not contain " +
         (one ? "it" : "them");
}

// For packages with unknown releases: which known release would work with the other packages?
void TellUnlisted(const Question& question, BuildTable& builds, report::Plan& plan) {
  constexpr size_t kMostTried = 3;
  Question listed = question;
  for (report::PassedThrough& passed : listed.passed_through) passed.unlisted_of.clear();
  for (size_t i = 0; i < question.passed_through.size(); ++i) {
    const report::PassedThrough& passed = question.passed_through[i];
    if (passed.unlisted_of.empty()) continue;
    plan.unlisted.push_back(WordsOf(passed));
    plan.not_checked.push_back({WordsOf(passed), "the tables have no such release"});
    if (plan.unlisted.size() > kMostTried) continue;
    Question other = WithoutLine(listed, {.from = BoundingLine::From::kPassed, .index = i});
    other.provided.erase(passed.unlisted_of);
    other.wants.push_back({.name = passed.unlisted_of, .text = passed.name, .asked = passed.name});
    const report::Plan instead = SolveWith(other, builds);
    if (instead.outcome != report::Plan::Outcome::kSolution) continue;
    report::Relaxation relaxation;
    for (const report::PlannedPackage& package : instead.packages) {
      if (!package.wanted) continue;
      relaxation.gives.push_back(package);
      if (package.name != passed.name) continue;
      relaxation.text = "works with " + package.name + " " + package.version;
      relaxation.option = package.name + "==" + package.version.substr(0, package.version.find('+'));
    }
    if (!relaxation.text.empty()) plan.relaxations.push_back(std::move(relaxation));
  }
  if (plan.unlisted.empty()) return;
  const bool rest = std::ranges::any_of(plan.packages, &report::PlannedPackage::wanted);
  plan.headline = UnlistedHeadline(plan.unlisted) + (rest ? "; the rest: " + plan.headline : "");
}

std::string SolutionHeadline(const report::Plan& plan, const std::vector<base::Version>& gpus) {
  std::string what, with;
  for (const report::PlannedPackage& package : plan.packages) {
    if (package.wanted) what += (what.empty() ? "" : ", ") + package.name + " " + package.version;
    if (package.role == report::PackageRole::kPython) with += " with Python " + package.version;
    if (package.role == report::PackageRole::kDriver && !package.present)
      with += " on driver >= " + package.version + LastBranchWords(gpus);
  }
  size_t changes = plan.removed.size();
  for (const report::PlannedPackage& package : plan.packages) {
    const bool library =
        package.role == report::PackageRole::kLibrary && package.was.empty();  // comes with another
    const bool host =
        package.role == report::PackageRole::kDriver || package.role == report::PackageRole::kPython;
    if (!host && !library && !package.present) ++changes;
  }
  if (what.empty() && changes == 0 && !plan.passed_through.empty())
    return "no package from the tables; " + PassedCount(plan) + with;
  if (what.empty() && changes == 0) return "the environment already works; nothing to change";
  if (what.empty())
    return std::to_string(changes) + (changes == 1 ? " change fixes" : " changes fix") + " the environment" +
           with;
  std::string untold;
  for (const std::string& name : plan.code_unknown) untold += (untold.empty() ? "" : ", ") + name;
  if (untold.empty()) return what + with;
  return what + with + "; could not tell whether the GPU is supported by " + untold;
}

}  // namespace

report::Plan Solve(const Question& question) {
  BuildTable builds;
  return SolveWith(question, builds);
}

report::Plan SolveWith(const Question& question, BuildTable& builds) {
  report::Plan plan;
  plan.knowledge_date = knowledge::KnowledgeDate();
  plan.question = QuestionWords(question);
  plan.passed_through = question.passed_through;
  plan.notes = question.notes;
  if (const auto found = FindContradiction(question)) {
    TellContradiction(question, *found, builds, plan);
    return plan;
  }
  if (!AsksForSomething(question)) {
    plan.outcome = report::Plan::Outcome::kSolution;
    plan.headline = "no packages were requested, so there is nothing to plan";
    return plan;
  }
  const Universe universe = MakeUniverse(question, builds);
  if (const auto choice = Choose(universe)) {
    plan.outcome = report::Plan::Outcome::kSolution;
    WriteAnswer(question, universe, *choice, plan);
    plan.headline = SolutionHeadline(plan, question.host.gpus);
    TellUnlisted(question, builds, plan);
    plan.uncertain = !plan.unlisted.empty() || !plan.code_unknown.empty();
    NotePassed(plan);
    BoundCompiled(question, universe, *choice, plan);
    for (const std::string& keep : question.keep) {
      const bool there = std::ranges::any_of(
          question.installed, [&](const Installed& installed) { return installed.package == keep; });
      if (!there) plan.notes.push_back("--keep " + keep + ": no such package is installed");
    }
    return plan;
  }
  Trials trials(question, builds);
  const std::vector<Requirement> smallest = SmallestConflict(trials);
  for (const Requirement& one : smallest) plan.requirements.push_back(one.words);
  const Gives unknown = WithUnknown(trials);
  plan.uncertain = unknown || MayWork(trials);
  plan.headline = ConflictHeadline(smallest, plan.uncertain ? Certain::kNo : Certain::kYes);
  const bool unlisted = smallest.size() == 1 && smallest.front().kind == Requirement::Kind::kWant &&
                        universe.roots[smallest.front().index].accepts.empty();
  if (unlisted) {
    plan.unlisted = plan.requirements;
    plan.headline = UnlistedHeadline(plan.unlisted);
    plan.uncertain = true;
  }
  // The answer is about the smallest conflict only; the rest of the question does not matter.
  std::vector<Requirement> others = RequirementsOf(question);
  std::erase_if(others, [&](const Requirement& one) {
    const bool machine = one.kind == Requirement::Kind::kMachine;
    return machine || std::ranges::find(plan.requirements, one.words) != plan.requirements.end();
  });
  base::InParallel(2, 1, [&](size_t part) {
    if (part == 0) {
      plan.relaxations = RelaxationsOf(trials, smallest, unknown);
    } else {
      BuildTable own;
      plan.conflict = LinesOf(Simplify(GraphOf(MakeUniverse(Without(question, others).front(), own))));
    }
  });
  return plan;
}

}  // namespace culprit::plan
