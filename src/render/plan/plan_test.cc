// Hand-made plans; texts for people are compared exactly.
#include "render/plan/plan.h"

#include <gtest/gtest.h>

#include "base/edition.h"
#include "base/json.h"

namespace culprit::render {
namespace {

using report::Plan;

Plan Solution() {
  return {
      .outcome = Plan::Outcome::kSolution,
      .headline = "torch 2.4.1+cu118 fits driver 470.82 and GPU sm_37",
      .question = {"torch", "driver 470.82"},
      .packages = {{.name = "driver",
                    .version = "470.82",
                    .channel = report::ChannelKind::kHost,
                    .role = report::PackageRole::kDriver,
                    .present = true,
                    .because = {{"CUDA 11.8 needs driver >= 450.80.02", "a table"}}},
                   {.name = "torch",
                    .version = "2.4.1+cu118",
                    .channel = {report::ChannelKind::kTorchIndex, "https://download.pytorch.org/whl/cu118"},
                    .role = report::PackageRole::kFramework,
                    .wanted = true,
                    .was = "2.9.0",
                    .because = {{"later ones have no code for sm_37", "another table"},
                                {"has code for sm_37", "a table"},
                                {.text = "requires nvidia-cudnn-cu11==8.7.0.84",
                                 .source = "pins",
                                 .asks_for = "nvidia-cudnn-cu11==8.7.0.84"}}}},
      .removed = {{.name = "torchvision", .version = "0.24.0"}},
      .steps = {{"install", "from PyTorch's index", {"pip install torch==2.4.1+cu118", "true"}},
                {"verify", "", {"culprit check"}}},
      .notes = {"torch 2.99 is newer and not known enough"},
      .knowledge_date = "2026-11-15",
      .checked = true};
}
Plan Conflict() {
  return {.headline = "nothing fits",
          .requirements = {"torch", "GPU sm_120"},
          .conflict = {{"torch needs code for sm_120", "x", 0}, {"torch <= 2.6 has none", "y", 1}},
          .relaxations = {{"works with driver >= 570.26",
                           "--allow driver-upgrade",
                           {{.name = "torch", .version = "2.7.0"}}}},
          .knowledge_date = "2026-08-16"};
}

TEST(PlanText, VersionsReasonsStepsAndWhatCheckSays) {
  EXPECT_EQ(ToText(Solution(), {}, {.today = "2026-11-18"}),
            "torch 2.4.1+cu118 fits driver 470.82 and GPU sm_37\n"
            "asked: torch, driver 470.82\n"
            "\n"
            "versions\n"
            "  driver  470.82       here  (CUDA 11.8 needs driver >= 450.80.02)\n"
            "  torch   2.4.1+cu118  https://download.pytorch.org/whl/cu118, instead of 2.9.0\n"
            "      later ones have no code for sm_37\n"
            "      has code for sm_37\n"
            "  torchvision 0.24.0  removed\n"
            "\n"
            "steps\n"
            "  1 install: from PyTorch's index\n"
            "      pip install torch==2.4.1+cu118\n"
            "      true\n"
            "  2 verify\n"
            "      culprit check\n"
            "\n"
            "notes\n"
            "  torch 2.99 is newer and not known enough\n"
            "\n"
            "`culprit check` passes for this plan\n"
            "\n"
            "version tables from 2026-11-15, 3 days ago\n");
}

TEST(PlanText, SourcesStandBehindTheirFactsOnRequest) {
  const std::string text = ToText(Solution(), {}, {.verbose = true});
  EXPECT_NE(text.find("later ones have no code for sm_37  [another table]"), std::string::npos);
}

TEST(PlanText, AConflictIsAnIndentedArgumentAndWhatToTypeInstead) {
  EXPECT_EQ(
      ToText(Conflict(), {}, {.today = "2026-11-15"}),
      "nothing fits\n"
      "\n"
      "conflict\n"
      "  torch\n"
      "  GPU sm_120\n"
      "\n"
      "why\n"
      "  torch needs code for sm_120\n"
      "    torch <= 2.6 has none\n"
      "\n"
      "what works instead\n"
      "  works with driver >= 570.26\n"
      "      gives torch 2.7.0\n"
      "      --allow driver-upgrade\n"
      "\n"
      "version tables from 2026-08-16, 91 days ago; they do not include newer releases; update culprit to "
      "get them\n");
}

TEST(PlanText, APlanThatCheckRejectsIsSaidSo) {
  Plan plan = Solution();
  plan.findings = {{.code = "CUL6001", .summary = "torch has no code for this GPU"}};
  const std::string text = ToText(plan, {}, {});
  EXPECT_NE(text.find("this plan fails `culprit check` with 1 error"), std::string::npos) << text;
  EXPECT_NE(text.find("error CUL6001  torch has no code for this GPU"), std::string::npos) << text;
}

TEST(PlanText, ForeignTextCannotSteerTheTerminal) {
  Plan plan = Solution();
  plan.steps = {{"install", "", {"pip install \x1b[2J"}}};
  EXPECT_EQ(ToText(plan, {}, {}).find('\x1b'), std::string::npos);
  EXPECT_EQ(ToMarkdown(plan, {}).find('\x1b'), std::string::npos);
}

TEST(PlanJson, CommandsAreFlatAndConflictsAreObjects) {
  const auto solution = base::Json::parse(ToJson(Solution(), {.today = "2026-11-18"}));
  EXPECT_EQ(solution["schema"], "culprit.plan/1");
  EXPECT_EQ(solution["outcome"], "solution");
  EXPECT_EQ(solution["packages"][1]["channel"], "https://download.pytorch.org/whl/cu118");
  EXPECT_EQ(solution["commands"],
            base::Json::parse(R"(["pip install torch==2.4.1+cu118", "true", "culprit check"])"));
  EXPECT_EQ(solution["knowledge"]["days"], 3);
  const auto conflict = base::Json::parse(ToJson(Conflict(), {}));
  EXPECT_EQ(conflict["outcome"], "unsolvable");
  EXPECT_EQ(conflict["conflict"][1]["text"], "torch <= 2.6 has none");
  EXPECT_EQ(conflict["relaxations"][0]["option"], "--allow driver-upgrade");
  EXPECT_TRUE(conflict["knowledge"]["days"].is_null());
}

TEST(PlanMarkdown, HasATableAndBlocksToCopy) {
  const std::string text = ToMarkdown(Solution(), {.today = "2026-11-16"});
  EXPECT_NE(text.find("| torch | 2.4.1+cu118 | https://download.pytorch.org/whl/cu118 | instead of 2.9.0 |"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("```sh\npip install torch==2.4.1+cu118\ntrue\n```"), std::string::npos) << text;
  EXPECT_NE(text.find("version tables from 2026-11-15, yesterday"), std::string::npos) << text;
}

TEST(PlanWords, DaysAreCountedAcrossLeapYearsAndBadOnesAreNone) {
  EXPECT_EQ(base::DaysBetween("2024-02-28", "2024-03-01"), 2);
  EXPECT_EQ(base::DaysBetween("2026-11-15", "2026-11-14"), -1);
  EXPECT_EQ(base::DaysBetween("2026-02-30", "2026-11-14"), std::nullopt);
  EXPECT_EQ(base::DaysBetween("", "2026-11-14"), std::nullopt);
}

}  // namespace
}  // namespace culprit::render
