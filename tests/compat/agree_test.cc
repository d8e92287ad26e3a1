// `compat` and `plan` never disagree: both are asked about every build of every framework on hosts of a grid
// (machines x driver branches x GPU architectures x Pythons). A build that plan would install is a yes of
// compat, and the other way round; what one cannot tell is not a yes of the other.
//
// plan is asked about each build without the solver, by what its universe leaves of a framework that is
// wanted alone, and about the framework with it. ./test takes a sample of the hosts with a fixed seed, ./test
// --all a larger one; CULPRIT_GRID_HOSTS=0 takes all.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "compat/compat.h"
#include "knowledge/arch.h"
#include "knowledge/driver.h"
#include "knowledge/packages/builds.h"
#include "knowledge/packages/extensions.h"
#include "knowledge/packages/frameworks.h"
#include "knowledge/packages/project_releases.h"
#include "knowledge/packages/release.h"
#include "plan/solve.h"
#include "plan/universe/builds.h"
#include "plan/universe/narrow.h"
#include "plan/universe/universe.h"

namespace culprit::plan {
namespace {

using base::Version;
using knowledge::Build;
using knowledge::Known;
using knowledge::Verdict;
using report::Compatible;

constexpr size_t kSampledHosts = 16;
constexpr size_t kSolvedOf = 4;  // hosts
constexpr unsigned kSeed = 23;

struct GridHost {
  Machine machine = Machine::kLinuxX86;
  Version driver, gpu, python;
};

std::string Text(const GridHost& host) {
  return std::string(PlatformTag(host.machine)) + " driver=" + knowledge::DriverText(host.driver) +
         " gpu=" + host.gpu.ToString() + " python=" + host.python.ToString();
}

// A driver of each branch, and one that is newer than the table.
std::vector<Version> Drivers(Machine machine) {
  std::vector<Version> drivers;
  for (const knowledge::DriverBranch& row : knowledge::DriverBranches()) {
    const auto range = knowledge::DriversOfBranch(row.branch);
    const bool linux = machine != Machine::kWindows;
    drivers.push_back(linux && range ? Known(range->newest) : Version{{row.branch + (linux ? 0 : 2), 40}});
  }
  drivers.push_back(Version{{knowledge::DriverBranches().back().branch + 50, 10}});
  return drivers;
}

std::vector<GridHost> Grid() {
  std::vector<GridHost> grid;
  for (const Machine machine : {Machine::kLinuxX86, Machine::kLinuxArm, Machine::kWindows}) {
    for (const Version& driver : Drivers(machine)) {
      for (const knowledge::Capability& row : knowledge::Capabilities()) {
        for (const uint32_t minor : {6U, 8U, 10U, 12U, 13U, 15U})
          grid.push_back({machine, driver, Known(row.cc), Version{{3, minor}}});
      }
    }
  }
  const char* hosts = std::getenv("CULPRIT_GRID_HOSTS");
  const size_t wanted = hosts == nullptr ? kSampledHosts : std::strtoul(hosts, nullptr, 10);
  if (wanted == 0) return grid;
  // Three of four where something works: a driver that drives the GPU.
  std::mt19937 random(kSeed);
  std::vector<GridHost> sample;
  while (sample.size() < wanted) {
    const GridHost& host = grid[random() % grid.size()];
    const bool drives =
        knowledge::DriverDrives(host.driver, host.gpu, PlatformOf(host.machine)).verdict == Verdict::kYes;
    if (drives || sample.size() % 4 == 0) sample.push_back(host);
  }
  return sample;
}

std::vector<std::string> Frameworks() {
  std::set<std::string> names;
  for (const knowledge::FrameworkRelease& row : knowledge::FrameworkReleases()) names.emplace(row.framework);
  names.erase("triton");                              // a library of torch for plan
  std::erase_if(names, [](const std::string& name) {  // what no index has cannot be planned
    return knowledge::BuildsOf(name, Machine::kLinuxX86).empty();
  });
  return {names.begin(), names.end()};
}

// Why plan leaves a candidate out: no, or unknown if nothing else speaks against it.
Verdict Status(const Universe& universe, const Narrowed& narrowed, size_t package, size_t candidate,
               std::string& why, int depth = 0) {
  if (narrowed.left[package][candidate]) return Verdict::kYes;
  Verdict verdict = Verdict::kYes;
  for (const Need& need : universe.at(package, candidate).needs) {
    const bool met =
        std::ranges::any_of(need.accepts, [&](size_t c) { return narrowed.left[need.package][c]; });
    if (met) continue;
    bool unknown = need.unknown;
    std::string below;
    const auto& candidates = universe.packages[need.package].candidates;
    if (!unknown && depth < 3) {
      for (const size_t accepted : need.accepts)
        unknown |= Status(universe, narrowed, need.package, accepted, below, depth + 1) == Verdict::kUnknown;
    }
    constexpr size_t kEnough = 200;
    below.resize(std::min(below.size(), kEnough));
    why += (why.empty() ? "" : "; ") + universe.packages[need.package].name + ": " + need.fails +
           (below.empty() ? "" : " (" + below + ")") + (candidates.empty() ? " nothing there" : "");
    if (!unknown) verdict = Verdict::kNo;
    if (unknown && verdict == Verdict::kYes) verdict = Verdict::kUnknown;
  }
  return verdict == Verdict::kYes ? Verdict::kNo : verdict;
}

report::CompatAnswer AskCompat(const std::string& framework, const Build& build, const GridHost& host) {
  compat::CompatQuestion question;
  question.driver = host.driver;
  question.cc = host.gpu;
  question.python = host.python;
  question.machine = host.machine;
  question.platform_given = true;
  question.packages.push_back({.key = framework,
                               .shown = framework + " " + build.shown,
                               .version = std::string(build.version),
                               .variant = std::string(build.row.variant),
                               .framework = framework});
  question.things = 4;
  return compat::Compat(question);
}

class Agreement : public testing::TestWithParam<std::string> {};

TEST_P(Agreement, OfEveryBuildOnEveryHost) {
  const std::string& framework = GetParam();
  BuildTable builds;
  size_t asked = 0, yes = 0, failed = 0, hosts = 0;
  for (const GridHost& host : Grid()) {
    Question question;
    question.wants.push_back({.name = framework, .text = framework});
    question.host = {
        .driver = host.driver, .gpus = {host.gpu}, .python = host.python, .machine = host.machine};
    const Universe universe = MakeUniverse(question, builds);
    const size_t package = universe.wants.front();
    const Narrowed narrowed = Narrow(universe, universe.roots);
    const std::vector<Build>& all = builds.Of(framework, host.machine);
    ASSERT_EQ(all.size(), universe.packages[package].candidates.size());
    bool any = false;
    for (size_t i = 0; i < all.size(); ++i) {
      std::string why;
      // Where nothing is left of something that is required, narrowing ends early: no build is installed.
      const Verdict planned = narrowed.empty == kNone || !narrowed.left[package][i]
                                  ? Status(universe, narrowed, package, i, why)
                                  : Verdict::kNo;
      const report::CompatAnswer answer = AskCompat(framework, all[i], host);
      ++asked;
      any |= answer.verdict == Compatible::kYes;
      yes += planned == Verdict::kYes;
      if ((planned == Verdict::kYes) == (answer.verdict == Compatible::kYes)) continue;
      if (++failed > 12) continue;
      std::string pairs;
      for (const auto& pair : answer.pairs) {
        if (pair.verdict != Compatible::kYes) pairs += "\n    " + pair.other + ": " + pair.why;
      }
      ADD_FAILURE() << framework << " " << all[i].shown << " " << all[i].row.variant << " on " << Text(host)
                    << "\n  plan: " << (planned == Verdict::kYes ? "yes" : why)
                    << "\n  compat: " << base::Word(answer.verdict) << pairs;
    }
    // The solver has a solution where compat has a build that fits. Explaining that there is none takes time.
    if (++hosts % kSolvedOf != 0) continue;
    const bool solved = SolveWith(question, builds).outcome == report::Plan::Outcome::kSolution;
    EXPECT_EQ(solved, any) << framework << " on " << Text(host);
  }
  EXPECT_EQ(failed, 0u) << "of " << asked << " questions";
  // Of a framework whose GPU code no row has, nothing can be told.
  const bool has_code = std::ranges::any_of(knowledge::FrameworkReleases(), [&](const auto& row) {
    return row.framework == framework && !(row.code.empty() && row.code_min.empty());
  });
  EXPECT_EQ(yes > 0, has_code) << "nothing works anywhere";
  std::cout << framework << ": " << asked << " questions, " << yes << " yes\n";
}

INSTANTIATE_TEST_SUITE_P(All, Agreement, testing::ValuesIn(Frameworks()),
                         [](const auto& framework) { return framework.param; });

// ---- packages beside a framework
// Those whose answer depends on the machine: by GPU code of their own, or by the CUDA of their name.
std::vector<std::string> Packages() {
  std::vector<std::string> names = {"xformers", "vllm"};
  for (const knowledge::Project& row : knowledge::Projects()) {
    const bool depends =
        row.gpu == knowledge::GpuUse::kOwn || row.gpu == knowledge::GpuUse::kBuild || !row.cuda.empty();
    const std::string name(row.package);
    const bool framework = !knowledge::FrameworkName(name).empty();
    if (depends && !framework && !knowledge::ReleasesOfProject(row.package, Machine::kLinuxX86).empty())
      names.push_back(name);
  }
  std::ranges::sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

// Whether the GPU code of a candidate, and of what it needs, is in a table.
bool IsTold(const Universe& universe, const Narrowed& narrowed, size_t package, size_t candidate,
            int depth = 0) {
  if (universe.at(package, candidate).code_unknown) return false;
  constexpr int kDeepest = 3;
  const NeedList& needs = universe.at(package, candidate).needs;
  return depth == kDeepest || std::ranges::all_of(needs.begin(), needs.end(), [&](const Need& need) {
           return std::ranges::any_of(need.accepts, [&](size_t accepted) {
             return narrowed.left[need.package][accepted] &&
                    IsTold(universe, narrowed, need.package, accepted, depth + 1);
           });
         });
}

class AgreementOfPackages : public testing::TestWithParam<std::string> {};

// plan takes a release of which no table tells the GPU code, and says so; compat says unknown.
TEST_P(AgreementOfPackages, OfEveryReleaseOnEveryHost) {
  const std::string& name = GetParam();
  constexpr size_t kOf = 4;  // hosts
  BuildTable builds;
  size_t asked = 0, yes = 0, failed = 0, hosts = 0;
  for (const GridHost& host : Grid()) {
    if (++hosts % kOf != 0) continue;
    Question question;
    question.wants.push_back({.name = name, .text = name});
    question.host = {
        .driver = host.driver, .gpus = {host.gpu}, .python = host.python, .machine = host.machine};
    const Universe universe = MakeUniverse(question, builds);
    const size_t package = universe.wants.front();
    const Narrowed narrowed = Narrow(universe, universe.roots);
    const auto& candidates = universe.packages[package].candidates;
    std::map<std::string, std::pair<bool, std::string>> planned;  // by version: whether, and why not
    for (size_t i = 0; i < candidates.size(); ++i) {
      if (candidates[i].version.empty()) continue;
      auto& [would, why] = planned[candidates[i].version];
      const bool left =
          narrowed.empty == kNone && narrowed.left[package][i] && IsTold(universe, narrowed, package, i);
      if (!left) Status(universe, narrowed, package, i, why);
      would |= left;
    }
    for (const auto& [version, answer] : planned) {
      compat::CompatQuestion same;
      same.driver = host.driver;
      same.cc = host.gpu;
      same.python = host.python;
      same.machine = host.machine;
      same.platform_given = true;
      same.packages.push_back({.key = name, .shown = name + " " + version, .version = version});
      same.things = 4;
      const report::CompatAnswer told = compat::Compat(same);
      ++asked;
      yes += answer.first;
      if (answer.first == (told.verdict == Compatible::kYes)) continue;
      if (++failed > 4) continue;
      std::string pairs;
      for (const auto& pair : told.pairs) {
        if (pair.verdict != Compatible::kYes) pairs += "\n    " + pair.other + ": " + pair.why;
      }
      ADD_FAILURE() << name << " " << version << " on " << Text(host)
                    << "\n  plan: " << (answer.first ? "yes" : answer.second)
                    << "\n  compat: " << base::Word(told.verdict) << pairs;
    }
  }
  EXPECT_EQ(failed, 0u) << "of " << asked << " questions";
  std::cout << name << ": " << asked << " questions, " << yes << " yes\n";
}

INSTANTIATE_TEST_SUITE_P(All, AgreementOfPackages, testing::ValuesIn(Packages()), [](const auto& package) {
  std::string name = package.param;
  std::ranges::replace(name, '-', '_');
  return name;
});

}  // namespace
}  // namespace culprit::plan
