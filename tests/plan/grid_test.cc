// Checks plan::Solve against tests/plan/grid.txt, and every answer against the tables without the solver:
// each bound of the chosen versions is checked again, and each requirement of a conflict is shown to be
// necessary.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <vector>

#include "base/text.h"
#include "knowledge/cudnn.h"
#include "knowledge/packages/frameworks.h"
#include "knowledge/packages/pins.h"
#include "knowledge/packages/release.h"
#include "plan/commands/requirements.h"
#include "plan/solve.h"
#include "plan/universe/builds.h"

namespace culprit::plan {
namespace {

using base::Version;
using knowledge::Known;
using knowledge::Verdict;
using report::PlannedPackage;

struct Row {
  int line = 0;
  Question question;
  std::vector<std::string> expected;
  std::string text;
};

Machine MachineNamed(const std::string& name) {
  for (const Machine machine : {Machine::kLinuxX86, Machine::kLinuxArm, Machine::kWindows}) {
    if (PlatformTag(machine) == name) return machine;
  }
  ADD_FAILURE() << name << " is no machine";
  return Machine::kLinuxX86;
}

std::vector<Row> ReadGrid() {
  std::vector<Row> rows;
  std::ifstream in(CULPRIT_PLAN_GRID);
  std::string text;
  for (int line = 1; std::getline(in, text); ++line) {
    if (text.empty() || text.starts_with('#')) continue;
    std::vector<std::string> cells;
    for (const std::string& cell : base::Split(text, '|')) cells.emplace_back(base::Trim(cell));
    if (cells.size() != 7 || cells[6].empty()) {
      ADD_FAILURE() << "line " << line << " has not seven cells: " << text;
      continue;
    }
    Row row{.line = line, .expected = base::SplitWords(cells[5], " "), .text = text};
    for (const std::string& want : base::SplitWords(cells[0], " ")) {
      const auto parsed = ParseWant(want);
      if (!parsed) {
        ADD_FAILURE() << "line " << line << ": " << parsed.error().message;
        continue;
      }
      row.question.wants.push_back(*parsed);
    }
    if (cells[1] != "-") row.question.host.driver = Known(cells[1]);
    if (cells[2] != "-") {
      for (const std::string& gpu : base::Split(cells[2], '+')) row.question.host.gpus.push_back(Known(gpu));
    }
    if (cells[3] != "-") row.question.host.python = Known(cells[3]);
    row.question.host.machine = MachineNamed(cells[4]);
    rows.push_back(std::move(row));
  }
  return rows;
}

const PlannedPackage* Find(const report::Plan& plan, const std::string& name) {
  for (const PlannedPackage& package : plan.packages) {
    if (package.name == name) return &package;
  }
  return nullptr;
}

const PlannedPackage* FindCudnn(const report::Plan& plan) {
  for (const PlannedPackage& package : plan.packages) {
    if (package.name == "cudnn" || package.name.starts_with("nvidia-cudnn-cu")) return &package;
  }
  return nullptr;
}

// The cuDNN of an answer: the package, or what a framework bundles.
std::string CudnnIn(const report::Plan& plan, Machine machine) {
  if (const PlannedPackage* package = FindCudnn(plan)) return package->version;
  for (const PlannedPackage& package : plan.packages) {
    const std::string_view framework = knowledge::FrameworkName(package.name);
    if (framework.empty()) continue;
    const size_t plus = package.version.find('+');
    const auto rows =
        knowledge::FindFramework(framework, NumberOf(package.version),
                                 plus == std::string::npos ? "" : package.version.substr(plus + 1));
    if (!rows.empty() && CudnnOf(*rows.front(), machine) != "none")
      return std::string(CudnnOf(*rows.front(), machine));
  }
  return "";
}

// "torch<=2.3.1", "build=cu118,cu126", "cudnn=8", "extra=cuda12"; "" if it holds.
std::string Broken(const std::string& expectation, const report::Plan& plan, Machine machine) {
  const size_t sign = expectation.find_first_of("<>=");
  const std::string name = expectation.substr(0, sign);
  const std::string bound = expectation.substr(sign);
  if (name == "build" || name == "extra") {
    const PlannedPackage* package = Find(plan, name == "build" ? "torch" : "jax");
    if (package == nullptr) return "it is not planned";
    const size_t plus = package->version.find('+');
    const std::string have = name == "extra"             ? package->extra
                             : plus == std::string::npos ? "pypi"
                                                         : package->version.substr(plus + 1);
    for (const std::string& allowed : base::Split(bound.substr(1), ',')) {
      if (allowed == have) return "";
    }
    return have + " is planned";
  }
  std::string version;
  if (name == "cudnn") {
    version = CudnnIn(plan, machine);
  } else if (const PlannedPackage* package = Find(plan, name)) {
    version = package->version;
  }
  if (version.empty()) return name + " is not planned";
  Version number = NumberOf(version);
  if (name == "cudnn" && number.parts.size() > 3) number.parts.resize(3);
  const bool major = bound.starts_with("=") && !bound.starts_with("==");
  const bool holds = major ? number.part(0) == Known(bound.substr(1)).part(0)
                           : knowledge::Meets(number, bound) == Verdict::kYes;
  return holds ? "" : version + " is planned";
}

// Every bound of the chosen versions, from the tables alone.
void AskAgain(const Question& question, const report::Plan& plan) {
  const base::Platform platform = PlatformOf(question.host.machine);
  const PlannedPackage* driver = Find(plan, "driver");
  const PlannedPackage* python = Find(plan, "python");
  for (const PlannedPackage& package : plan.packages) {
    if (package.role == report::PackageRole::kLibrary && package.name.starts_with("nvidia-cudnn-cu")) {
      for (const Version& cc : question.host.gpus) {
        const Version cuda = Known(package.name.substr(sizeof("nvidia-cudnn-cu") - 1));
        EXPECT_NE(knowledge::CudnnForGpu(NumberOf(package.version), cuda, cc).verdict, Verdict::kNo)
            << package.name << " " << package.version;
      }
    }
    if (package.role != report::PackageRole::kFramework || package.name.starts_with("cupy")) continue;
    const std::string_view framework = knowledge::FrameworkName(package.name);
    const size_t plus = package.version.find('+');
    std::string variant = plus == std::string::npos ? "" : package.version.substr(plus + 1);
    if (framework == "jax") variant = package.extra.substr(0, package.extra.find('_'));
    if (const size_t feed = package.channel.address.find("onnxruntime-cuda-"); feed != std::string::npos)
      variant = "cuda" + package.channel.address.substr(feed + sizeof("onnxruntime-cuda-") - 1, 2);
    const auto rows = knowledge::FindFramework(framework, NumberOf(package.version), variant);
    if (rows.empty()) continue;  // a patch release, judged as its minor release
    const knowledge::FrameworkRelease& row = *rows.front();
    if (driver != nullptr) {
      const Version version = Known(driver->version);
      EXPECT_EQ(knowledge::FrameworkOnDriver(row, version, platform).verdict, Verdict::kYes)
          << package.version;
      if (question.host.machine != Machine::kLinuxArm) {
        for (const Version& cc : question.host.gpus) {
          EXPECT_EQ(knowledge::FrameworkOnGpu(row, cc, &version, platform).verdict, Verdict::kYes)
              << package.name << " " << package.version;
        }
      }
    }
    ASSERT_NE(python, nullptr);
    if (const knowledge::Distribution* wheel =
            WheelFor(package.name, package.version.substr(0, plus), question.host.machine)) {
      bool listed = wheel->pythons.empty();
      for (const std::string_view one : wheel->pythons) listed |= one == python->version;
      EXPECT_TRUE(listed) << package.name << " " << package.version << " for Python " << python->version;
    }
    EXPECT_TRUE(!package.wanted || !package.because.empty());
  }
}

// The named requirements conflict, and dropping any one of them removes the conflict.
void ShowThatEachIsNecessary(const Question& question, const std::vector<std::string>& named,
                             BuildTable& builds) {
  std::vector<Requirement> smallest, dropped;
  for (const Requirement& one : RequirementsOf(question)) {
    const bool needed = std::ranges::find(named, one.words) != named.end();
    (needed ? smallest : dropped).push_back(one);
  }
  EXPECT_EQ(smallest.size(), named.size());
  const auto solvable = [&] {
    return std::ranges::any_of(Without(question, dropped),
                               [&](const Question& less) { return IsSolvable(less, builds); });
  };
  EXPECT_FALSE(solvable());
  for (const Requirement& one : smallest) {
    dropped.push_back(one);
    EXPECT_TRUE(solvable()) << "nothing fits without '" << one.words << "' either";
    dropped.pop_back();
  }
}

TEST(PlanGrid, EveryRowHolds) {
  const std::vector<Row> rows = ReadGrid();
  EXPECT_GE(rows.size(), 200U);
  BuildTable builds;
  for (size_t i = 0; i < rows.size(); ++i) {
    const Row& row = rows[i];
    SCOPED_TRACE("grid.txt:" + std::to_string(row.line) + ": " + row.text);
    const report::Plan plan = SolveWith(row.question, builds);
    const std::string told = plan.headline;
    const bool none = row.expected.front().starts_with("none=");
    if (none != (plan.outcome == report::Plan::Outcome::kUnsolvable)) {
      ADD_FAILURE() << told << (plan.conflict.empty() ? "" : ": " + plan.conflict.front().text);
      continue;
    }
    if (none) {
      const std::string named = row.text.substr(row.text.find("none=") + 5);
      const std::string word(base::Trim(named.substr(0, named.find('|'))));
      EXPECT_NE(told.find(word), std::string::npos) << told;
      EXPECT_FALSE(plan.conflict.empty());
      ShowThatEachIsNecessary(row.question, plan.requirements, builds);
      continue;
    }
    for (const std::string& expectation : row.expected) {
      const std::string broken = Broken(expectation, plan, row.question.host.machine);
      EXPECT_TRUE(broken.empty()) << expectation << ", but " << broken;
    }
    AskAgain(row.question, plan);
    if (i % 7 == 0) {  // the same question, the same answer
      const report::Plan again = Solve(row.question);
      EXPECT_EQ(again.packages, plan.packages);
      EXPECT_EQ(again.notes, plan.notes);
    }
  }
}

}  // namespace
}  // namespace culprit::plan
