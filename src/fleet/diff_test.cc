#include "fleet/diff.h"

#include <gtest/gtest.h>

namespace culprit::fleet {
namespace {

using report::FactChange;
using report::FleetSide;
using report::Severity;
using report::Verdict;
using Names = std::vector<std::string>;

Brief With(const std::string& name, std::vector<report::NodeFact> facts) {
  return {.node = name,
          .taken = "1",
          .error = "",
          .version = "1",
          .verdict = Verdict::kOk,
          .facts = std::move(facts)};
}

Brief WithDriver(const std::string& name, const std::string& driver) {
  return With(name, {{"driver", driver}, {"kernel", "6.1"}, {"system", "Debian 12"}});
}

Merge FleetOf(const std::vector<Brief>& briefs) {
  Merge fleet;
  for (const Brief& brief : briefs) fleet.Add(brief);
  return fleet;
}

TEST(FleetDiff, NothingChanged) {
  const auto report = Diff(FleetOf({WithDriver("n1", "550")}), FleetOf({WithDriver("n1", "550")}));
  EXPECT_EQ(report.verdict, Verdict::kOk);
  EXPECT_EQ(report.headline, "1 node compared; nothing changed");
  EXPECT_TRUE(report.changes.empty());
}

TEST(FleetDiff, NamesTheNodesThatAnUpdateDidNotReach) {
  const auto report = Diff(FleetOf({WithDriver("n1", "550"), WithDriver("n2", "550"), WithDriver("n3", "550"),
                                    WithDriver("m", "470")}),
                           FleetOf({WithDriver("n1", "580"), WithDriver("n2", "580"), WithDriver("n3", "550"),
                                    WithDriver("m", "470")}));
  ASSERT_EQ(report.changes.size(), 1u);
  EXPECT_EQ(report.changes[0].facts, (std::vector<FactChange>{{"driver", "550", "580"}}));
  EXPECT_EQ(report.changes[0].nodes, (Names{"n1", "n2"}));
  EXPECT_EQ(report.changes[0].missed, (Names{"n3"}));  // m had another one
  EXPECT_EQ(report.verdict, Verdict::kWarnings);
  EXPECT_EQ(report.headline, "4 nodes compared; 2 changed; a change did not reach 1");
}

TEST(FleetDiff, OneThatDriftsIsNotAnUpdateThatTheOthersMissed) {
  const auto report =
      Diff(FleetOf({WithDriver("n1", "550"), WithDriver("n2", "550"), WithDriver("n3", "550")}),
           FleetOf({WithDriver("n1", "580"), WithDriver("n2", "550"), WithDriver("n3", "550")}));
  ASSERT_EQ(report.changes.size(), 1u);
  EXPECT_TRUE(report.changes[0].missed.empty());
  EXPECT_EQ(report.changes[0].still, 2u);
  EXPECT_EQ(report.verdict, Verdict::kOk);
}

TEST(FleetDiff, WhatChangedTogetherIsToldTogether) {
  const auto before = [](const std::string& name) {
    return With(name, {{"driver", "550"}, {"kernel", "6.1"}, {"system", "Debian 12"}, {"toolkit /a", "12"}});
  };
  const auto after = [](const std::string& name) {
    return With(name, {{"driver", "580"}, {"kernel", "6.1"}, {"system", "Debian 12"}, {"toolkit /b", "13"}});
  };
  Brief odd = after("n2");
  odd.facts.push_back({"variable X", "1"});
  const auto report =
      Diff(FleetOf({before("n1"), before("n2"), before("n3")}), FleetOf({after("n1"), odd, after("n3")}));
  ASSERT_EQ(report.changes.size(), 2u);
  EXPECT_EQ(report.changes[0].facts,
            (std::vector<FactChange>{
                {"driver", "550", "580"}, {"toolkit /a", "12", ""}, {"toolkit /b", "", "13"}}));
  EXPECT_EQ(report.changes[0].nodes.size(), 3u);
  EXPECT_EQ(report.changes[1].nodes, (Names{"n2"}));
  EXPECT_EQ(report.changes[1].still, 2u);
}

TEST(FleetDiff, WhatIsNewIsMissedOnlyByNodesOfTheSameKind) {
  const auto gpu = [](const std::string& name, bool more) {
    auto brief = WithDriver(name, "550");
    brief.facts.insert(brief.facts.begin(), {{"GPU 0", "H100"}, {"GPU 1", "H100"}});
    if (more) brief.facts.push_back({"toolkit /b", "13"});
    return brief;
  };
  const Brief login = With("login", {{"kernel", "6.1"}, {"system", "Debian 12"}});
  const auto report = Diff(FleetOf({gpu("n1", false), gpu("n2", false), gpu("n3", false), login}),
                           FleetOf({gpu("n1", true), gpu("n2", true), gpu("n3", false), login}));
  ASSERT_EQ(report.changes.size(), 1u);
  EXPECT_EQ(report.changes[0].missed, (Names{"n3"}));
}

TEST(FleetDiff, WhatWasLeftOutIsNeitherNewNorGone) {
  const auto node = [](const std::string& name, const std::string& driver, Names packages, size_t left_out) {
    Brief brief = With(name, {{"driver", driver}});
    for (const std::string& package : packages) brief.facts.push_back({"package " + package, "1"});
    brief.left_out = left_out;
    return brief;
  };
  // n1 has no room for c afterwards, n2 had none before, n3 gets c, n4 may have it.
  const auto report = Diff(FleetOf({node("n1", "1", {"a", "b", "c"}, 0), node("n2", "1", {"a", "b"}, 1),
                                    node("n3", "1", {"a", "b"}, 0), node("n4", "1", {"a", "b"}, 1)}),
                           FleetOf({node("n1", "1", {"a", "b"}, 1), node("n2", "1", {"a", "b", "c"}, 0),
                                    node("n3", "1", {"a", "b", "c"}, 0), node("n4", "1", {"a", "b"}, 1)}));
  ASSERT_EQ(report.changes.size(), 1u);
  EXPECT_EQ(report.changes[0].facts, (std::vector<FactChange>{{"package c", "", "1"}}));
  EXPECT_EQ(report.changes[0].nodes, (Names{"n3"}));
  EXPECT_EQ(report.changes[0].still, 0u);
  EXPECT_EQ(report.same, 3u);
  EXPECT_EQ(report.left_out, (Names{"n1", "n2", "n4"}));
}

TEST(FleetDiff, FindingsThatHadNoRoomAreNotGone) {
  Brief before = WithDriver("n1", "550"), after = With("n1", {});
  before.findings = {{"CUL1", "driver-missing", Severity::kError, "an error", "/x"}};
  after.left_out = 9;
  EXPECT_TRUE(Diff(FleetOf({before}), FleetOf({after})).gone_findings.empty());
  EXPECT_TRUE(Diff(FleetOf({after}), FleetOf({before})).new_findings.empty());
}

TEST(FleetDiff, FindingsNewAndGone) {
  std::vector<Brief> before = {WithDriver("n1", "550"), WithDriver("n2", "550"), WithDriver("n3", "550")};
  std::vector<Brief> after = before;
  const BriefFinding error{"CUL1", "driver-missing", Severity::kError, "an error", "/x"};
  const BriefFinding warning{"CUL2", "search-path", Severity::kWarning, "a warning", "/y"};
  BriefFinding worse = warning;
  worse.severity = Severity::kError;
  before[0].findings = {warning};
  after[0].findings = {worse};
  before[1].findings = {warning};
  after[2].findings = {error};
  const auto report = Diff(FleetOf(before), FleetOf(after));
  ASSERT_EQ(report.new_findings.size(), 2u);
  EXPECT_EQ(report.new_findings[0].nodes, (Names{"n3"}));
  EXPECT_EQ(report.new_findings[1].nodes, (Names{"n1"}));
  ASSERT_EQ(report.gone_findings.size(), 1u);
  EXPECT_EQ(report.gone_findings[0].nodes, (Names{"n2"}));
  EXPECT_EQ(report.verdict, Verdict::kErrors);
}

TEST(FleetDiff, NodesThatAreNewGoneOrSilent) {
  Brief old = WithDriver("n2", "550");
  old.findings = {{"CUL1", "driver-missing", Severity::kError, "an error", "/x"}};
  Merge after = FleetOf({WithDriver("n3", "550"), {.node = "n2", .taken = "1", .error = "no answer"}});
  after.AddDamaged("x.json", "it is empty");
  const auto report = Diff(FleetOf({WithDriver("n1", "550"), old}), after);
  EXPECT_EQ(report.new_nodes, (Names{"n3"}));
  EXPECT_EQ(report.gone_nodes, (Names{"n1"}));
  ASSERT_EQ(report.unreachable.size(), 2u);
  EXPECT_EQ(report.unreachable[0].side, FleetSide::kAfter);
  EXPECT_TRUE(report.gone_findings.empty()) << "not seen is not gone";
  EXPECT_EQ(report.verdict, Verdict::kUnknown);
}

}  // namespace
}  // namespace culprit::fleet
