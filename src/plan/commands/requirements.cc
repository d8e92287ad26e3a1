#include "plan/commands/requirements.h"

#include <algorithm>
#include <atomic>
#include <span>

#include "base/parallel/in_parallel.h"
#include "knowledge/driver.h"
#include "knowledge/packages/release.h"
#include "plan/choose.h"
#include "plan/conflict/trials.h"
#include "plan/universe/making.h"
#include "plan/universe/universe.h"

namespace culprit::plan {
namespace {

using Kind = Requirement::Kind;

template <typename T>
void Erase(std::vector<T>& items, const std::vector<Requirement>& dropped, Kind kind) {
  std::vector<T> left;
  for (size_t i = 0; i < items.size(); ++i) {
    if (!Drops(dropped, kind, i)) left.push_back(items[i]);
  }
  items = std::move(left);
}

// Gives up requirements in their order, where nothing can be solved without them either. What is unsolvable
// without all of a list is so without each of them, so lists are tried whole before their halves.
void DropWhatIsNotNeeded(Trials& trials, std::span<const Requirement> list,
                         std::vector<Requirement>& dropped) {
  if (list.empty()) return;
  dropped.insert(dropped.end(), list.begin(), list.end());
  if (!trials.Solvable(dropped)) return;
  dropped.resize(dropped.size() - list.size());
  if (list.size() == 1) return;
  DropWhatIsNotNeeded(trials, list.first(list.size() / 2), dropped);
  DropWhatIsNotNeeded(trials, list.subspan(list.size() / 2), dropped);
}

// On another machine than that of the question. Each is tried with tables of its own, at the same time.
bool IsSolvableElsewhere(const Question& question, const std::vector<Requirement>& dropped) {
  std::vector<Question> elsewhere = Without(question, dropped);
  std::erase_if(elsewhere, [&](const Question& one) { return one.host.machine == question.host.machine; });
  std::atomic<bool> solvable = false;
  base::InParallel(elsewhere.size(), 1, [&](size_t i) {
    BuildTable builds;
    if (IsSolvable(elsewhere[i], builds)) solvable = true;
  });
  return solvable;
}

}  // namespace

bool Drops(const std::vector<Requirement>& dropped, Kind kind, size_t index) {
  return std::ranges::any_of(dropped,
                             [&](const Requirement& one) { return one.kind == kind && one.index == index; });
}

std::vector<Requirement> RequirementsOf(const Question& question) {
  const Host& host = question.host;
  std::vector<Requirement> all;
  all.push_back({Kind::kMachine, 0, MachineWords(host.machine)});
  if (host.glibc) all.push_back({Kind::kGlibc, 0, "glibc " + host.glibc->ToString()});
  if (question.cuda) all.push_back({Kind::kCuda, 0, AskedCuda(question)});
  for (size_t i = 0; i < question.keep.size(); ++i)
    all.push_back({Kind::kKeep, i, "--keep " + question.keep[i]});
  for (size_t i = 0; i < question.limits.size(); ++i)
    all.push_back({Kind::kLimit, i, question.limits[i].words});
  if (question.repair) {
    for (size_t i = 0; i < question.installed.size(); ++i)
      all.push_back({Kind::kInstalled, i, question.installed[i].package + " (installed)"});
  }
  for (size_t i = 0; i < host.gpus.size(); ++i)
    all.push_back({Kind::kGpu, i, "GPU " + GpuName(host.gpus[i])});
  if (host.python) all.push_back({Kind::kPython, 0, "Python " + knowledge::MinorOf(*host.python).ToString()});
  if (host.driver) all.push_back({Kind::kDriver, 0, "driver " + knowledge::DriverText(*host.driver)});
  for (size_t i = 0; i < question.wants.size(); ++i) all.push_back({Kind::kWant, i, question.wants[i].text});
  return all;
}

std::vector<Question> Without(const Question& question, const std::vector<Requirement>& dropped) {
  Question less = question;
  if (Drops(dropped, Kind::kGlibc)) less.host.glibc.reset();
  if (Drops(dropped, Kind::kCuda)) less.cuda.reset();
  if (Drops(dropped, Kind::kPython)) less.host.python.reset();
  if (Drops(dropped, Kind::kDriver)) less.host.driver.reset();
  Erase(less.keep, dropped, Kind::kKeep);
  Erase(less.limits, dropped, Kind::kLimit);
  Erase(less.installed, dropped, Kind::kInstalled);
  Erase(less.host.gpus, dropped, Kind::kGpu);
  Erase(less.wants, dropped, Kind::kWant);
  if (!Drops(dropped, Kind::kMachine)) return {less};
  std::vector<Question> each;
  for (const Machine machine : {Machine::kLinuxX86, Machine::kLinuxArm, Machine::kWindows}) {
    each.push_back(less);
    each.back().host.machine = machine;
    if (machine == Machine::kWindows) each.back().host.glibc.reset();
  }
  return each;
}

bool IsSolvable(const Question& question, BuildTable& builds) {
  return CanChoose(MakeUniverse(question, builds));
}

std::vector<Requirement> SmallestConflict(Trials& trials) {
  const std::vector<Requirement> all = RequirementsOf(trials.question());
  const std::span<const Requirement> others = std::span(all).subspan(1);  // the machine is the first
  std::vector<Requirement> dropped;
  DropWhatIsNotNeeded(trials, others, dropped);
  // The machine has most seldom to do with it. Where what is left conflicts on every other one too, no more
  // than that has to be known about them.
  dropped.push_back(all.front());
  if (IsSolvableElsewhere(trials.question(), dropped)) {
    // Otherwise it has, unless all requirements together conflict on the other ones too, each in its own way.
    dropped.pop_back();
    const std::vector<Requirement> machine = {all.front()};
    if (!trials.Solvable(machine)) {
      dropped = machine;
      DropWhatIsNotNeeded(trials, others, dropped);
    }
  }
  std::vector<Requirement> smallest;  // wants first: that is how people say it
  for (const Requirement& one : all) {
    if (!Drops(dropped, one.kind, one.index)) smallest.push_back(one);
  }
  const auto wants = std::ranges::find(smallest, Kind::kWant, &Requirement::kind);
  std::ranges::rotate(smallest, wants);
  return smallest;
}

std::vector<Requirement> SmallestConflict(const Question& question, BuildTable& builds) {
  Trials trials(question, builds);
  return SmallestConflict(trials);
}

}  // namespace culprit::plan
