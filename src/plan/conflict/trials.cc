#include "plan/conflict/trials.h"

#include <algorithm>
#include <array>

#include "plan/answer.h"
#include "plan/choose.h"
#include "plan/commands/requirements.h"

namespace culprit::plan {
namespace {

using Kind = Requirement::Kind;

// Facts whose needs do not count.
void Ignore(const Question& question, const std::vector<Requirement>& dropped, const Facts& facts,
            Demands& asked) {
  std::vector<bool>& ignored = asked.ignored.facts;
  if (Drops(dropped, Kind::kGlibc) && facts.glibc != 0) ignored[facts.glibc] = true;
  if (Drops(dropped, Kind::kCuda) && facts.cuda != 0) ignored[facts.cuda] = true;
  for (size_t i = 0; i < facts.limits.size(); ++i) {
    if (Drops(dropped, Kind::kLimit, i)) ignored[facts.limits[i]] = true;
  }
  for (const bool kept : {false, true}) {  // two GPUs may be of one kind
    for (size_t i = 0; i < facts.gpus.size(); ++i) {
      if (Drops(dropped, Kind::kGpu, i) != kept) ignored[facts.gpus[i]] = !kept;
    }
  }
  const auto installed = std::ranges::count(dropped, Kind::kInstalled, &Requirement::kind);
  const size_t left = question.installed.size() - static_cast<size_t>(installed);
  if (facts.several != 0 && asked.wants.size() + left < 2) ignored[facts.several] = true;
}

}  // namespace

const Universe& Trials::On(Machine machine) {
  const auto [at, fresh] = universes_.try_emplace(machine);
  if (fresh) {
    Question& there = questions_[machine] = question_;
    there.host.machine = machine;
    if (machine == Machine::kWindows && machine != question_.host.machine) there.host.glibc.reset();
    at->second = MakeUniverse(there, builds_, Width::kWide);
  }
  return at->second;
}

Demands Trials::Without(const std::vector<Requirement>& dropped, const Universe& universe) const {
  Demands asked;
  asked.ignored.facts.assign(universe.packages.size(), false);
  for (const Root& root : universe.roots) {
    if (root.of != Kind::kMachine && Drops(dropped, root.of, root.index)) continue;
    asked.roots.push_back(root);
    if (root.of == Kind::kWant) asked.wants.push_back(root.package);
  }
  const Host& host = question_.host;
  const Facts& facts = universe.facts;
  if (host.python && !Drops(dropped, Kind::kPython))
    asked.bounds.push_back({.package = facts.python, .accepts = {facts.python_here}});
  if (host.driver && !Drops(dropped, Kind::kDriver)) {
    Root driver{.package = facts.driver, .accepts = {facts.driver_here}};
    const size_t count = universe.packages[facts.driver].candidates.size();
    for (size_t i = facts.driver_here + 1; i < count && question_.allow_driver_upgrade; ++i)
      driver.accepts.push_back(i);
    asked.bounds.push_back(std::move(driver));
  }
  Ignore(question_, dropped, facts, asked);
  return asked;
}

bool Trials::Solvable(const std::vector<Requirement>& dropped) {
  const auto on = [&](Machine machine) {
    const Universe& universe = On(machine);
    return CanChoose(universe, Without(dropped, universe));
  };
  if (!Drops(dropped, Kind::kMachine)) return on(question_.host.machine);
  return std::ranges::any_of(std::array{Machine::kLinuxX86, Machine::kLinuxArm, Machine::kWindows}, on);
}

std::optional<std::vector<report::PlannedPackage>> Trials::Gives(const Demands& asked) {
  const auto choice = Choose(universe(), asked);
  if (!choice) return std::nullopt;
  return WantedOf(universe(), asked.wants, *choice);
}

}  // namespace culprit::plan
