// The page of a fleet with hostile names and of one that is too large, and what `fleet diff` says to people.
#include <gtest/gtest.h>

#include "render/fleet/diff.h"
#include "render/fleet/fleet.h"

namespace culprit::render {
namespace {

report::FleetReport SmallFleet() {
  const std::vector<report::NodeFact> usual = {{"driver", "580"}, {"package <b> in /x", "1"}};
  const std::vector<report::NodeFact> odd = {{"driver", "570"}, {"package <b> in /x", "1"}};
  report::FleetReport report{.verdict = report::Verdict::kErrors, .headline = "3 nodes", .nodes = 3};
  report.findings = {{"CUL1", "driver-missing", report::Severity::kError, "<script>x", "/y", {"n<3>"}}};
  report.groups = {{{"n1", "n2"}, usual, {}}, {{"n<3>"}, odd, {{"driver", "570", "580"}}}};
  report.outliers = {{"n<3>", "n1", {{"driver", "570", "580"}}}};
  report.unreachable = {{"n4", "<i>no answer"}};
  return report;
}

TEST(FleetPage, NamesTheOddOneWithWhatIsExpectedAndEscapes) {
  const std::string page = ToHtml(SmallFleet(), {});
  EXPECT_NE(page.find("class=\"odd\">570<span class=\"detail\">expected: 580</span>"), std::string::npos);
  EXPECT_NE(page.find("<span class=\"detail\">differs in driver</span></th>"), std::string::npos);
  EXPECT_NE(page.find("&lt;script&gt;x"), std::string::npos);
  EXPECT_NE(page.find("n&lt;3&gt;"), std::string::npos);
  EXPECT_NE(page.find("&lt;i&gt;no answer"), std::string::npos);
  EXPECT_NE(page.find("package &lt;b&gt; in /x"), std::string::npos) << "what all have in common";
  EXPECT_EQ(page.find("<script>x"), std::string::npos);
  EXPECT_EQ(page.find("class=\"limit\""), std::string::npos);
}

TEST(FleetPage, SaysWhoseWordsAFindingHas) {
  report::FleetReport report = SmallFleet();
  EXPECT_EQ(ToHtml(report, {}).find("; shown as on"), std::string::npos);
  report.findings[0].nodes = {"n2", "n<3>"};
  report.findings[0].varies = true;
  EXPECT_NE(ToHtml(report, {}).find("; shown as on n2, details differ"), std::string::npos);
  EXPECT_NE(ToText(report, {}, false).find("; shown as on n2, details differ\n"), std::string::npos);
}

TEST(FleetPage, StaysSmallAndSaysWhatIsLeftOut) {
  report::FleetReport report{.verdict = report::Verdict::kWarnings, .headline = "many"};
  for (size_t i = 0; i < 20000; ++i) {
    const std::string name = "n" + std::to_string(i), value(2000, 'x');
    const std::vector<report::FactDiffers> differs = {{"fact" + std::to_string(i % 700), value + name, "1"}};
    report.groups.push_back({{name}, {{differs[0].what, differs[0].value}}, differs});
    report.findings.push_back({"CUL1", "driver-missing", report::Severity::kError, "wrong", name, {name}});
    report.unreachable.push_back({name, "no answer"});
  }
  report.nodes = report.groups.size();
  const std::string page = ToHtml(report, {});
  EXPECT_LT(page.size(), 2'000'000u);
  EXPECT_NE(page.find("Shows 300 of 20000 stacks"), std::string::npos);
  EXPECT_NE(page.find("Shows 200 of 20000 findings"), std::string::npos);
  EXPECT_NE(page.find("Shows 300 of 20000 nodes"), std::string::npos);
}

TEST(FleetPage, WhatHadNoRoomIsNotTold) {
  report::FleetReport report = SmallFleet();
  report.groups[0].stack.push_back({"package z", "2"});
  report.groups[1].left_out = {.any = true, .after = "package <b> in /x"};
  report.groups.push_back({{"n4"}, {{"driver", "580"}}, {{"package z", "", "2"}}});
  const std::string page = ToHtml(report, {});
  EXPECT_NE(page.find("<td data-fact=\"package z\" class=\"same\">not reported</td>"), std::string::npos)
      << page;
  EXPECT_NE(page.find("<td data-fact=\"package z\" class=\"other\">none</td>"), std::string::npos) << page;
  report.groups.pop_back();
  EXPECT_EQ(ToHtml(report, {}).find("package z"), std::string::npos) << "not known of all nodes";
}

TEST(FleetText, SaysWhoseValueIsExpected) {
  report::FleetReport report = SmallFleet();
  EXPECT_NE(ToText(report, {}, false).find("driver: 570 (the others: 580)"), std::string::npos);
  report.baseline = "wanted";
  report.outliers[0].differs.push_back({"toolkit /a", "12", ""});
  const std::string text = ToText(report, {}, false);
  EXPECT_NE(text.find("different from wanted\n  n<3>\n    driver: 570 (the baseline: 580)\n"
                      "    toolkit /a: 12 (the baseline: none)\n"),
            std::string::npos)
      << text;
  EXPECT_EQ((text + ToMarkdown(report)).find("the others"), std::string::npos) << text;
}

TEST(FleetText, WhereAllDifferEachIsComparedWithTheFirst) {
  report::FleetReport report = SmallFleet();
  report.outliers.clear();
  EXPECT_NE(ToText(report, {}, false).find("driver: 570 (n1: 580)"), std::string::npos);
}

TEST(FleetText, HasNoHeadingWithNothingBelow) {
  report::FleetReport report{.verdict = report::Verdict::kUnknown, .headline = "0 nodes"};
  report.unreachable = {{"n4", "no answer"}};
  EXPECT_EQ(ToText(report, {}, false), "0 nodes\n\nno usable answer from\n  n4: no answer\n");
  EXPECT_EQ(ToMarkdown(report).find("|"), std::string::npos);
  report.groups = {{{"n1"}, {{"kernel", "6.1"}}, {}}};
  EXPECT_NE(ToText(report, {}, false).find("stacks\n  n1\n"), std::string::npos);
}

TEST(FleetText, SaysWhatMakesTheComparisonUnsure) {
  report::FleetReport report = SmallFleet();
  report.left_out = {"n1", "n2"};
  report.several = {"n1"};
  report.versions = {{"0.8.0", {"n1"}}, {"0.9.0", {"n2"}}};
  const std::string text = ToText(report, {}, false);
  for (const char* words : {"facts are missing: a brief snapshot holds at most 64 kB\n  n[1-2] (2)\n",
                            "Do several nodes have this name?\n  n1\n", "  0.8.0: n1\n"})
    EXPECT_NE(text.find(words), std::string::npos) << text;
}

report::FleetDiffReport Updated() {
  report::FleetDiffReport report{.verdict = report::Verdict::kWarnings, .headline = "4 nodes compared"};
  report.changes = {{{{"driver", "550.54", "580.95"}, {"toolkit /a", "", "13.0"}, {"toolkit /b", "12.4", ""}},
                     {"n001", "n002", "n003"},
                     {"n004"},
                     1},
                    {{{"variable X", "", "|"}}, {"n001"}, {}, 3}};
  report.new_findings = {{"CUL1", "driver-missing", report::Severity::kError, "an error", "/y", {"n001"}}};
  report.new_nodes = {"n005"};
  report.gone_nodes = {"n006"};
  report.unreachable = {{report::FleetSide::kAfter, {"n007", "no answer"}}};
  return report;
}

TEST(FleetDiffText, SaysWhatChangedAndWhereItDidNotArrive) {
  EXPECT_EQ(ToText(Updated(), {}, false), R"(4 nodes compared

new findings
  error CUL1  an error
    on n001

changes
  on n[001-003] (3)
    driver: 550.54 -> 580.95
    toolkit /a: 13.0 is new
    toolkit /b: 12.4 is gone
    did not reach n004
  on n001
    variable X: | is new
    3 nodes are unchanged

new
  n005

gone
  n006

no usable answer from
  n007 (after): no answer
)");
}

TEST(FleetDiffMarkdown, IsATable) {
  const std::string text = ToMarkdown(Updated());
  EXPECT_NE(text.find("| `n[001-003]` | `n004` |"), std::string::npos) << text;
  EXPECT_EQ(text.find("X: | is new"), std::string::npos) << "a bar of the text is no column\n" << text;
}

}  // namespace
}  // namespace culprit::render
