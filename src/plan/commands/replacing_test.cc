// What gives way to a driver or a toolkit, and what conda brings instead of them.
#include <gtest/gtest.h>

#include <algorithm>

#include "plan/commands/command_parts.h"

namespace culprit::plan {
namespace {

using base::Version;
using report::Plan;
using Strings = std::vector<std::string>;

report::PlannedPackage Of(report::PackageRole role, const std::string& name, const std::string& version) {
  return {.name = name, .version = version, .channel = report::ChannelKind::kNvidiaApt, .role = role};
}
Plan PlanOf(std::vector<report::PlannedPackage> packages) {
  return {.outcome = Plan::Outcome::kSolution, .headline = "it fits", .packages = std::move(packages)};
}
Plan SystemPlan(const std::string& cuda, const std::string& cudnn) {
  return PlanOf({Of(report::PackageRole::kToolkit, "cuda-toolkit", cuda),
                 Of(report::PackageRole::kCudnn, "cudnn", cudnn)});
}
const report::PlanStep* Step(const Plan& plan, const std::string& title) {
  const auto at = std::ranges::find(plan.steps, title, &report::PlanStep::title);
  return at == plan.steps.end() ? nullptr : &*at;
}
Strings AllCommands(const report::PlanStep& step) {
  Strings all;
  for (const report::PlanChoice& choice : step.choices) {
    for (const std::string& command : report::Texts(choice.commands)) all.push_back(command);
  }
  return all;
}

Question WithDriver(const Version& driver, Machine machine = Machine::kLinuxX86) {
  Question question;
  question.host.driver = driver;
  question.host.gpus = {Version{{8, 0}}};
  question.host.machine = machine;
  return question;
}

TEST(Replacing, AnOldDriverGoesTheWayItCameAndLeavesTheContainerToolkit) {
  Plan plan = PlanOf({Of(report::PackageRole::kDriver, "driver", "525.60.13")});
  WriteCommands(plan, WithDriver(Version{{470, 82}}), {}, As::kPip);
  ASSERT_EQ(plan.steps.front().title, "remove");
  const Strings commands = AllCommands(plan.steps.front());
  EXPECT_EQ(commands.front(), "sudo apt-get purge '^(lib)?nvidia-.*-470.*$'");
  EXPECT_NE(std::ranges::find(commands, "sudo /usr/bin/nvidia-uninstall"), commands.end());
  EXPECT_TRUE(report::Texts(plan.steps.front().commands).empty()) << "only one of the choices is right";
}

TEST(Replacing, OnWindowsTheInstallerReplacesIt) {
  Plan plan = PlanOf({Of(report::PackageRole::kDriver, "driver", "527.41")});
  WriteCommands(plan, WithDriver(Version{{472, 50}}, Machine::kWindows), {}, As::kPip);
  ASSERT_EQ(plan.steps.front().title, "remove");
  ASSERT_EQ(plan.steps.front().choices.size(), 1u);
  EXPECT_TRUE(AllCommands(plan.steps.front()).empty());
}

TEST(Replacing, TheDriverOfWslIsThatOfWindows) {
  Plan plan = PlanOf({Of(report::PackageRole::kDriver, "driver", "525.60.13")});
  Question question = WithDriver(Version{{470, 82}});
  question.host.wsl = true;
  WriteCommands(plan, question, {}, As::kPip);
  EXPECT_EQ(Step(plan, "remove"), nullptr);
}

TEST(Replacing, AnotherToolkitMayStay) {
  Plan plan = SystemPlan("12.4.1", "9.1.0");
  Question question = WithDriver(Version{{550, 54, 14}});
  question.host.toolkits = {Version{{11, 8}}};
  WriteCommands(plan, question, {}, As::kPip);
  const report::PlanStep* step = Step(plan, "remove");
  ASSERT_NE(step, nullptr);
  EXPECT_TRUE(step->why.starts_with("CUDA 11.8 can stay")) << step->why;
  const Strings commands = AllCommands(*step);
  EXPECT_NE(std::ranges::find(commands, "sudo /usr/local/cuda-11.8/bin/cuda-uninstaller"), commands.end());
}

TEST(Conda, BringsCudaAndCudnnForAFrameworkThatTakesThemFromTheSystem) {
  Plan plan = SystemPlan("11.2.2", "8.9.7");
  plan.packages.push_back({.name = "tensorflow",
                           .version = "2.10.0",
                           .channel = report::ChannelKind::kPypi,
                           .role = report::PackageRole::kFramework});
  EXPECT_EQ(CondaCuda(plan, {}), (Strings{"cuda-version=11.2", "cudatoolkit=11.2", "cudnn >=8.1,<9"}));
  WriteCommands(plan, {}, {}, As::kConda);
  EXPECT_NE(plan.document.find("  - \"cudnn >=8.1,<9\"\n  - pip:\n      - tensorflow==2.10.0\n"),
            std::string::npos)
      << plan.document;
  ASSERT_NE(Step(plan, "libraries"), nullptr);
  EXPECT_EQ(Step(plan, "toolkit"), nullptr);
}

TEST(Conda, TheCudnnThatIsAskedForIsThatOfTheFile) {
  const Question question{
      .wants = {{.name = "cudnn", .specifiers = "==9.1.*", .extra = "", .text = "cudnn==9.1.*"}}};
  EXPECT_EQ(CondaCuda(SystemPlan("12.4.1", "9.1.1"), question),
            (Strings{"cuda-version=12.4", "cuda-toolkit=12.4", "cudnn ==9.1.*"}));
  EXPECT_EQ(CondaCuda(SystemPlan("11.8.0", "9.10.2"), {}).back(), "cudnn >=9,<10");
  EXPECT_TRUE(CondaCuda(PlanOf({}), {}).empty());
}

}  // namespace
}  // namespace culprit::plan
