#include "fleet/merge.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "fleet/pieces.h"

namespace culprit::fleet {
namespace {

using report::FactDiffers;
using report::NodeFact;
using report::Severity;
using report::Verdict;

Brief Node(const std::string& name, const std::string& driver, const std::string& taken = "1") {
  Brief brief{.node = name, .taken = taken, .error = "", .version = "1", .verdict = Verdict::kOk};
  brief.facts = {{"driver", driver}, {"system", "Debian 12"}};
  return brief;
}

report::FleetReport ReportOf(const std::vector<Brief>& briefs) {
  Merge fleet;
  for (const Brief& brief : briefs) fleet.Add(brief);
  return fleet.Report(std::nullopt);
}

std::vector<Brief> Alike(int count) {
  std::vector<Brief> briefs;
  for (int i = 1; i <= count; ++i) briefs.push_back(Node("n" + std::to_string(i), "580"));
  return briefs;
}

TEST(Merge, AllAlike) {
  const auto report = ReportOf(Alike(3));
  EXPECT_EQ(report.verdict, Verdict::kOk);
  EXPECT_EQ(report.headline, "3 nodes: nothing wrong, and all alike");
  ASSERT_EQ(report.groups.size(), 1u);
  EXPECT_TRUE(report.outliers.empty());
}

TEST(Merge, NamesTheOddOneAndWhatDiffers) {
  auto briefs = Alike(8);
  briefs.push_back(Node("odd", "570"));
  briefs.back().facts.push_back({"variable LD_LIBRARY_PATH", "/opt"});
  const auto report = ReportOf(briefs);
  EXPECT_EQ(report.verdict, Verdict::kWarnings);
  ASSERT_EQ(report.outliers.size(), 1u);
  EXPECT_EQ(report.outliers[0].node, "odd");
  EXPECT_EQ(report.outliers[0].differs,
            (std::vector<FactDiffers>{{"driver", "570", "580"}, {"variable LD_LIBRARY_PATH", "/opt", ""}}));
}

TEST(Merge, HalfOfTheFleetIsAnotherKindOfNode) {
  auto briefs = Alike(4);
  for (int i = 0; i < 4; ++i) briefs.push_back(Node("m" + std::to_string(i), "570"));
  briefs.push_back(Node("odd", "570"));
  briefs.back().facts[1].value = "Debian 11";
  const auto report = ReportOf(briefs);
  EXPECT_EQ(report.groups.size(), 3u);
  ASSERT_EQ(report.outliers.size(), 1u);
  EXPECT_EQ(report.outliers[0].differs, (std::vector<FactDiffers>{{"system", "Debian 11", "Debian 12"}}));
}

TEST(Merge, NodesThatAllDifferAreNotCalledAlike) {
  const auto report = ReportOf({Node("a", "1"), Node("b", "2")});
  EXPECT_EQ(report.headline, "2 nodes; 2 different stacks; nothing wrong");
  EXPECT_EQ(report.groups[1].differs, (std::vector<FactDiffers>{{"driver", "2", "1"}}));
}

TEST(Merge, AnyOrderAndTwiceGivesTheSame) {
  auto briefs = Alike(5);
  briefs.push_back(Node("n2", "570", "2"));  // later
  briefs.push_back(Node("n3", "560", "0"));  // earlier
  briefs.push_back(Node("n4", "590", "1"));  // at the same time: one of them, always the same
  const auto again = briefs;
  briefs.insert(briefs.end(), again.begin(), again.end());
  const auto told = [](const report::FleetReport& report) {
    std::string text = report.headline;
    for (const auto& group : report.groups) {
      for (const std::string& node : group.nodes) text += "," + node;
      text += ";";
    }
    return text;
  };
  const std::string first = told(ReportOf(briefs));
  std::ranges::reverse(briefs);
  EXPECT_EQ(told(ReportOf(briefs)), first);
  EXPECT_NE(first.find("n1,n3,n5"), std::string::npos) << first;
}

TEST(Merge, WhoDoesNotAnswerIsARow) {
  Merge fleet;
  fleet.Add(Node("a", "580"));
  fleet.Add({.node = "b", .taken = "1", .error = "no answer within 30 s"});
  fleet.AddDamaged("c.json", "it is not JSON");
  const auto report = fleet.Report(std::nullopt);
  EXPECT_EQ(report.verdict, Verdict::kUnknown);
  ASSERT_EQ(report.unreachable.size(), 2u);
  EXPECT_EQ(report.unreachable[0].why, "no answer within 30 s");
  EXPECT_EQ(report.unreachable[1].node, "c.json");
}

TEST(Merge, FindingsHaveTheirNodesWorstFirst) {
  auto briefs = Alike(3);
  briefs[0].findings.push_back({"CUL2", "search-path", Severity::kWarning, "a warning", "/x"});
  briefs[1].findings.push_back({"CUL2", "search-path", Severity::kWarning, "a warning", "/x"});
  briefs[2].findings.push_back({"CUL1", "driver-missing", Severity::kError, "an error", "/y"});
  const auto report = ReportOf(briefs);
  ASSERT_EQ(report.findings.size(), 2u);
  EXPECT_EQ(report.findings[0].code, "CUL1");
  EXPECT_EQ(report.findings[1].nodes, (std::vector<std::string>{"n1", "n2"}));
  EXPECT_EQ(report.verdict, Verdict::kErrors);
}

TEST(Merge, ABaselineIsWhatAllAreComparedWith) {
  Merge fleet;
  for (const Brief& brief : Alike(3)) fleet.Add(brief);
  const auto report = fleet.Report(Node("wanted", "590"));
  EXPECT_EQ(report.outliers.size(), 3u);
  EXPECT_EQ(report.outliers[0].differs, (std::vector<FactDiffers>{{"driver", "580", "590"}}));
}

// A node with these packages, whose brief had no room for more.
Brief Full(const std::string& name, const std::vector<std::string>& packages) {
  Brief brief = Node(name, "580");
  brief.left_out = 3;
  for (const std::string& package : packages) brief.facts.push_back({"package " + package, "1"});
  std::ranges::sort(brief.facts);
  return brief;
}

TEST(Merge, WhatWasLeftOutIsNoDifference) {
  auto briefs = std::vector{Full("n1", {"a", "b", "c"}), Full("n2", {"a", "b", "c"}),
                            Full("n3", {"a", "b", "c"}), Full("odd", {"a"})};
  briefs.back().facts.push_back({"variable X", "long"});
  auto report = ReportOf(briefs);
  ASSERT_EQ(report.outliers.size(), 1u);
  EXPECT_EQ(report.outliers[0].differs, (std::vector<FactDiffers>{{"variable X", "long", ""}}));
  EXPECT_EQ(report.left_out.size(), 4u);
  briefs.back() = Full("odd", {"b"});  // a is before what was left out: there is none
  report = ReportOf(briefs);
  ASSERT_EQ(report.outliers.size(), 1u);
  EXPECT_EQ(report.outliers[0].differs, (std::vector<FactDiffers>{{"package a", "", "1"}}));
}

TEST(Merge, ALongerBriefIsNotAnotherStack) {
  auto briefs = std::vector{Full("n1", {"a"}), Full("n2", {"a", "b"})};
  const auto report = ReportOf(briefs);
  EXPECT_TRUE(report.outliers.empty());
  EXPECT_EQ(report.headline, "2 nodes: nothing wrong, and all alike in what they reported");
  Brief whole = Node("n3", "580");
  whole.facts.insert(whole.facts.begin() + 1, {"package a", "1"});
  briefs.push_back(whole);  // it says that there is no b
  briefs.push_back(whole);
  briefs.back().node = "n4";
  const auto more = ReportOf(briefs);
  ASSERT_EQ(more.outliers.size(), 1u);
  EXPECT_EQ(more.outliers[0].node, "n2");
  EXPECT_EQ(more.left_out, (std::vector<std::string>{"n1", "n2"}));
}

TEST(Merge, WithoutAnyPackageEverythingMayBeLeftOut) {
  auto briefs = Alike(4);
  Brief full = Full("full", {});
  full.facts.erase(full.facts.begin());
  briefs.push_back(full);
  EXPECT_TRUE(ReportOf(briefs).outliers.empty());
}

TEST(Merge, AnswersUnderOneNameAndOfSeveralVersionsAreSaid) {
  auto briefs = Alike(3);
  briefs.push_back(Node("n2", "570", "2"));
  briefs.push_back(Node("n3", "580", "2"));  // the same again
  briefs[0].version = "0";
  const auto report = ReportOf(briefs);
  EXPECT_EQ(report.several, (std::vector<std::string>{"n2"}));
  ASSERT_EQ(report.versions.size(), 2u);
  EXPECT_EQ(report.versions[0].nodes, (std::vector<std::string>{"n1"}));
}

TEST(Merge, ABaselineMayHaveLeftOutFacts) {
  Merge fleet;
  Brief brief = Node("n1", "580");
  brief.facts.insert(brief.facts.begin() + 1, {{"package a", "1"}, {"package b", "1"}});
  fleet.Add(brief);
  fleet.Add(Full("base", {"a"}));
  EXPECT_TRUE(fleet.Report(fleet.BriefOf("base")).outliers.empty());
  EXPECT_TRUE(fleet.Report(Full("file", {"a"})).outliers.empty());
}

TEST(Brief, IsReadAsItWasWritten) {
  Brief brief = Node("n1", "580");
  brief.findings.push_back({"CUL1", "driver-missing", Severity::kError, "an \"error\"", "/y"});
  const auto back = ReadBrief(ToLine(brief));
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(*back, brief);
}

TEST(Brief, RefusesWhatIsNotOne) {
  EXPECT_FALSE(ReadBrief("{"));
  EXPECT_FALSE(ReadBrief("[]"));
  EXPECT_FALSE(ReadBrief(R"({"schema": "culprit.check/1"})"));
  EXPECT_FALSE(ReadBrief(R"({"schema": "culprit.brief/1"})"));
  EXPECT_FALSE(ReadBrief(R"({"schema": "culprit.brief/1", "node": "a", "facts": 3})"));
  EXPECT_FALSE(ReadBrief(R"({"schema": "culprit.brief/1", "node": "a", "verdict": "fine"})"));
  EXPECT_FALSE(ReadBrief(std::string(kMostBytes + 1, ' ')));
}

TEST(Pieces, ComeTogetherHoweverTheyAreMixed) {
  Brief one = Node("n1", std::string(3000, 'x')), other = Node("n2", "580");
  std::vector<std::string> lines;
  for (const Brief& brief : {one, other}) {
    std::string text = InPieces(ToLine(brief), brief.node);
    for (size_t end; (end = text.find('\n')) != std::string::npos; text.erase(0, end + 1))
      lines.push_back("7: " + text.substr(0, end));
  }
  std::ranges::reverse(lines);
  Pieces pieces;
  for (const std::string& line : lines) EXPECT_TRUE(pieces.Add(line)) << line;
  EXPECT_FALSE(pieces.Add("srun: error: n3: task 2: Killed"));
  EXPECT_FALSE(pieces.Add("culprit-brief n1 3/2 x|"));
  EXPECT_TRUE(pieces.Add("culprit-brief n3 1/2 {|"));  // the rest never came
  const auto wholes = pieces.Take();
  ASSERT_EQ(wholes.size(), 3u);
  EXPECT_EQ(ReadBrief(wholes[0].line).value(), one);
  EXPECT_EQ(ReadBrief(wholes[1].line).value(), other);
  EXPECT_EQ(wholes[2].line, "");
}

TEST(Merge, TellsThatTheWordsOfAFindingDiffer) {
  Merge merge;
  for (const auto& [node, summary] : {std::pair("n1", "libx.so.1 is missing"),
                                      {"n2", "libx.so.1 is missing"},
                                      {"n3", "libx.so.2 is missing"}}) {
    Brief brief{.node = node,
                .taken = "1",
                .error = "",
                .version = "1",
                .verdict = report::Verdict::kErrors,
                .facts = {}};
    brief.findings = {{"CUL1", "driver-missing", report::Severity::kError, summary, "/x"}};
    merge.Add(brief);
    EXPECT_EQ(merge.Report(std::nullopt).findings[0].varies, brief.node == "n3");
  }
}

TEST(Brief, NamesPartsOfCudnnThatAreNotAsTheRest) {
  snapshot::Snapshot snapshot;
  snapshot::CudnnCopy copy;
  copy.directory = "/lib";
  copy.version = "9.14.0";
  copy.parts = {{.name = "libcudnn.so.9", .path = "", .version = "9.14.0", .problem = {}},
                {.name = "libcudnn_cnn.so.9", .path = "", .version = "", .problem = {}},
                {.name = "libcudnn_graph.so.9", .path = "", .version = "9.1.0", .problem = {}},
                {.name = "libcudnn_ops.so.9",
                 .path = "",
                 .version = "9.14.0",
                 .problem = snapshot::PartProblem::Kind::kEmpty}};
  copy.missing_parts = {"libcudnn_adv.so.9"};
  snapshot.stack.cudnn.value = {copy};
  snapshot.stack.cudnn.state = snapshot::FactState::kValue;
  const Brief brief = MakeBrief(snapshot, {}, [](const std::string& text) { return text; }, "n", "1");
  const std::vector<report::NodeFact> expected = {{"libcudnn_adv.so.9 of cuDNN /lib", "missing"},
                                                  {"libcudnn_graph.so.9 of cuDNN /lib", "9.1.0"},
                                                  {"libcudnn_ops.so.9 of cuDNN /lib", "is empty"}};
  EXPECT_EQ(brief.facts, expected);
}

TEST(Brief, NeverGrowsTooLarge) {
  snapshot::Snapshot snapshot;
  snapshot::PythonEnvironment environment;
  environment.prefix = "/opt/venv";
  for (int i = 0; i < 5000; ++i)
    environment.packages.push_back({.name = "package" + std::to_string(i), .version = "1.0"});
  snapshot.stack.environments.value = {environment};
  snapshot.stack.environments.state = snapshot::FactState::kValue;
  const Brief brief = MakeBrief(snapshot, {}, [](const std::string& text) { return text; }, "n", "1");
  EXPECT_LE(ToLine(brief).size(), kMostBytes);
  EXPECT_GT(brief.left_out, 0u);
  EXPECT_GT(brief.facts.size(), 500u);
}

}  // namespace
}  // namespace culprit::fleet
