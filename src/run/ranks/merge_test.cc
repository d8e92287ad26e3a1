#include "run/ranks/merge.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "base/node_set.h"

namespace culprit::ranks {
namespace {

using report::RankEnd;
using report::RankFactKind;
using report::RanksReport;
using report::Verdict;
using report::WaitKind;

constexpr uint64_t kStart = 1'800'000'000'000;

// Four ranks a node; all of them finished.
std::vector<Rank> JobOfRanks(uint64_t size) {
  std::vector<Rank> ranks;
  for (uint64_t i = 0; i < size; ++i) {
    Rank rank;
    rank.job = "7.0";
    rank.node = "n" + std::to_string(i / 4);
    rank.rank = i;
    rank.size = size;
    rank.state = State::kDone;
    rank.began = kStart;
    rank.ended = kStart + 90'000;
    rank.facts = {{RankFactKind::kLibrary, "NCCL", "2.21.5", "/usr/lib/libnccl.so.2"}};
    ranks.push_back(rank);
  }
  return ranks;
}

void Fails(Rank& rank, uint64_t after, int64_t status, const std::string& headline) {
  rank.ended = kStart + after;
  rank.exit_status = status;
  rank.lost_others = false;
  rank.finding.headline = headline;
}

void LosesOthers(Rank& rank, uint64_t after) {
  Fails(rank, after, 1, "the connection to another rank was lost");
  rank.lost_others = true;
}

RanksReport ReportOf(const std::vector<Rank>& ranks) {
  Merge merge;
  for (const Rank& rank : ranks) merge.Add(rank);
  return merge.Report();
}

std::string RanksOf(const RanksReport& report, RankEnd end) {
  for (const auto& ends : report.ends) {
    if (ends.end == end) return base::FoldNumbers(ends.ranks);
  }
  return "";
}

TEST(Ranks, AllFinished) {
  const RanksReport report = ReportOf(JobOfRanks(8));
  EXPECT_EQ(report.verdict, Verdict::kOk);
  EXPECT_EQ(report.headline, "8 ranks finished with status 0, and all alike");
  EXPECT_FALSE(report.first);
  EXPECT_EQ(RanksOf(report, RankEnd::kSucceeded), "0-7");
}

TEST(Ranks, TheOneThatFailedByItselfIsFirst) {
  auto ranks = JobOfRanks(8);
  for (Rank& rank : ranks) LosesOthers(rank, 5100);
  LosesOthers(ranks[1], 4000);  // its clock is wrong, or it noticed before the other had ended
  Fails(ranks[5], 5000, 3, "KeyError: 'lr'");
  ranks[6].lost_others = false, ranks[6].interrupted = "SIGTERM", ranks[6].signal = "SIGTERM";
  ranks[7].state = State::kBegun;
  const RanksReport report = ReportOf(ranks);
  EXPECT_EQ(report.headline, "rank 5 of 8 on n1 failed first: KeyError: 'lr'");
  EXPECT_EQ(report.verdict, Verdict::kErrors);
  ASSERT_TRUE(report.first);
  EXPECT_EQ(report.first->rank, 5u);
  EXPECT_EQ(report.first->ended, "exit status 3");
  EXPECT_EQ(report.first->seconds, 5.0);
  EXPECT_FALSE(report.first->before_next);
  EXPECT_EQ(RanksOf(report, RankEnd::kFailed), "5");
  EXPECT_EQ(RanksOf(report, RankEnd::kLostOthers), "0-4");
  EXPECT_EQ(RanksOf(report, RankEnd::kStopped), "6");
  EXPECT_EQ(RanksOf(report, RankEnd::kNoEnd), "7");
}

TEST(Ranks, ClocksOfOtherNodesLeaveADoubt) {
  auto ranks = JobOfRanks(12);
  Fails(ranks[2], 5000, 1, "a");
  Fails(ranks[3], 5400, 1, "b");  // of the same node
  Fails(ranks[5], 5900, 1, "c");  // of another one, and close
  Fails(ranks[9], 10'000, 1, "d");
  const RanksReport report = ReportOf(ranks);
  ASSERT_TRUE(report.first);
  EXPECT_EQ(report.first->rank, 2u);
  EXPECT_EQ(report.first->before_next, 0.4);
  EXPECT_EQ(report.first->maybe_before, report::Ranks{5});
}

TEST(Ranks, OneThatLeftNoEndExplainsThoseThatLostIt) {
  auto ranks = JobOfRanks(4);
  for (Rank& rank : ranks) LosesOthers(rank, 5000);
  ranks[2].state = State::kBegun;
  EXPECT_EQ(ReportOf(ranks).headline,
            "rank 2 of 4 on n0 disappeared without a final record, and other ranks lost contact with it");
  ranks.erase(ranks.begin() + 2);
  EXPECT_EQ(ReportOf(ranks).headline,
            "rank 2 of 4 never wrote a record, and other ranks lost contact with it");
}

TEST(Ranks, OneThatLeftNoEndExplainsThoseThatWereStopped) {
  auto ranks = JobOfRanks(3);
  for (Rank& rank : ranks) {
    rank.ended = kStart + 5000 + rank.rank;
    rank.interrupted = rank.signal = "SIGTERM";
  }
  EXPECT_EQ(ReportOf(ranks).headline, "rank 0 of 3 on n0 was stopped first; no rank failed before that");
  ranks[1].state = State::kBegun;
  const RanksReport report = ReportOf(ranks);
  EXPECT_EQ(report.headline,
            "rank 1 of 3 on n0 has no final record (killed, or still running); other ranks were stopped");
  EXPECT_EQ(report.verdict, Verdict::kErrors);
  EXPECT_EQ(report.first->end, RankEnd::kNoEnd);
  ranks[2].state = State::kBegun;
  EXPECT_EQ(ReportOf(ranks).first->rank, 0u) << "most still run";
}

TEST(Ranks, ARankThatDoesNotComeToACollective) {
  auto ranks = JobOfRanks(8);
  for (Rank& rank : ranks) {
    LosesOthers(rank, 600'000 + rank.rank);
    rank.waits = {{WaitKind::kTimedOut, "ALLREDUCE", 12, "", 600'000}};
  }
  ranks[3].state = State::kBegun;
  ranks[3].waits.clear();
  ranks[6].waits = {{WaitKind::kTimedOut, "BROADCAST", 12, "", 600'000}};
  const RanksReport report = ReportOf(ranks);
  ASSERT_EQ(report.waits.size(), 2u);
  EXPECT_EQ(report.waits[0].what, "ALLREDUCE");
  EXPECT_EQ(base::FoldNumbers(report.waits[0].ranks), "0-2,4-5,7");
  EXPECT_EQ(base::FoldNumbers(report.waits[1].ranks), "6");
  EXPECT_EQ(report.not_waiting, (report::Ranks{3, 6}));
}

TEST(Ranks, WhatTheyLoadedAndHowTheyAreSet) {
  auto ranks = JobOfRanks(20);
  for (const size_t odd : {3u, 17u, 18u, 19u})
    ranks[odd].facts = {{RankFactKind::kLibrary, "NCCL", "2.18.3", "/opt/old/libnccl.so.2"}};
  ranks[4].facts.push_back({RankFactKind::kSetting, "NCCL_P2P_DISABLE", "1", ""});
  ranks[5].facts.clear();  // it failed before it loaded NCCL
  const RanksReport report = ReportOf(ranks);
  EXPECT_EQ(report.verdict, Verdict::kWarnings);
  ASSERT_EQ(report.differences.size(), 2u);
  const auto& nccl = report.differences[0];
  EXPECT_EQ(nccl.what, "NCCL");
  ASSERT_EQ(nccl.values.size(), 2u);
  EXPECT_EQ(nccl.values[0].value, "2.21.5");
  EXPECT_EQ(nccl.values[1].value, "2.18.3");
  EXPECT_EQ(base::FoldNumbers(nccl.values[1].ranks), "3,17-19");
  const auto& setting = report.differences[1];
  ASSERT_EQ(setting.values.size(), 2u);
  EXPECT_EQ(setting.values[0].value, "");
  EXPECT_EQ(setting.values[0].ranks.size(), 19u);
  EXPECT_EQ(base::FoldNumbers(setting.values[1].ranks), "4");
}

TEST(Ranks, TwoOnOneGpuOfANode) {
  auto ranks = JobOfRanks(8);
  for (Rank& rank : ranks) rank.devices = {std::to_string(1000 * (rank.rank % 4))};
  EXPECT_TRUE(ReportOf(ranks).shared.empty());  // the same numbers on two nodes
  ranks[6].devices = {"1000"};
  const RanksReport report = ReportOf(ranks);
  ASSERT_EQ(report.shared.size(), 1u);
  EXPECT_EQ(report.shared[0].node, "n1");
  EXPECT_EQ(report.shared[0].ranks, (report::Ranks{5, 6}));
  EXPECT_EQ(report.verdict, Verdict::kErrors);
}

std::string Summary(const RanksReport& report) {
  std::string text = report.headline;
  for (const auto& ends : report.ends) text += "|" + ends.ended + base::FoldNumbers(ends.ranks);
  for (const auto& difference : report.differences) {
    for (const auto& value : difference.values) text += "|" + value.value + base::FoldNumbers(value.ranks);
  }
  for (const auto& one : report.not_read) text += "|" + one.what + one.why;
  return text;
}

TEST(Ranks, InAnyOrderAndTwice) {
  auto ranks = JobOfRanks(16);
  Fails(ranks[9], 1000, 1, "x");
  ranks[4].facts[0].value = "2.18.3";
  ranks[12].state = State::kBegun;
  const auto final_ones = ranks;
  for (Rank rank : final_ones) {  // and each as it was before
    rank.state = State::kBegun, rank.ended = 0, rank.exit_status = 0, rank.facts.clear();
    ranks.push_back(rank);
    ranks.push_back(final_ones[rank.rank]);
  }
  Rank other;
  other.job = "6.0", other.size = 2, other.began = 1;
  ranks.push_back(other);
  std::mt19937 random(1);
  std::string first;
  for (int round = 0; round < 20; ++round) {
    std::ranges::shuffle(ranks, random);
    const std::string summary = Summary(ReportOf(ranks));
    if (first.empty()) first = summary;
    EXPECT_EQ(summary, first);
  }
  EXPECT_NE(first.find("rank 9 of 16"), std::string::npos);
  EXPECT_NE(first.find("job 6.0"), std::string::npos);
}

TEST(Ranks, LinesAreReadAsTheyWereWritten) {
  Rank rank = JobOfRanks(2)[1];
  rank.state = State::kEnded;
  rank.exit_status = 1;
  rank.signal = "SIGKILL";
  rank.interrupted = "SIGTERM";
  rank.lost_others = true;
  rank.version = "1";
  rank.left_out = 2;
  rank.devices = {"18000"};
  rank.waits = {{WaitKind::kBegun, "AllReduce", 31, "0", 5}};
  rank.finding = {"headline", "cause", "CUL1001", "because", {"seen"}, "fix", {"command"}, "last"};
  const auto back = ReadRank(ToLine(rank));
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(*back, rank);
}

TEST(Ranks, ALineIsNeverLong) {
  Rank rank = JobOfRanks(2)[1];
  for (int i = 0; i < 300; ++i)
    rank.facts.push_back({RankFactKind::kSetting, "NCCL_" + std::to_string(i), std::string(300, 'x'), ""});
  const std::string line = ToLine(rank);
  EXPECT_LE(line.size(), kMostBytes);
  const auto back = ReadRank(line);
  ASSERT_TRUE(back);
  EXPECT_EQ(back->facts.size() + back->left_out, rank.facts.size());
  rank.finding.headline = "h";
  rank.finding.fix = std::string(2 * kMostBytes, 'x');
  EXPECT_LE(ToLine(rank).size(), kMostBytes);
  EXPECT_EQ(ReadRank(ToLine(rank))->finding.headline, "h");
}

TEST(Ranks, DamagedOnesAreRows) {
  Merge merge;
  for (const Rank& rank : JobOfRanks(2)) merge.Add(rank);
  const std::string whole = ToLine(JobOfRanks(2)[1]);
  for (const std::string& text :
       {whole.substr(0, whole.size() / 2), std::string("{}"), std::string("[1]"), std::string(),
        std::string(R"({"schema":"culprit.brief/1","rank":1})"),
        std::string(R"({"schema":"culprit.rank/1","rank":"x","size":2})"),
        std::string(R"({"schema":"culprit.rank/1","rank":2,"size":2})"),
        std::string(R"({"schema":"culprit.rank/1","rank":1,"size":18446744073709551615})"),
        std::string(kMostBytes + 1, ' ')}) {
    const auto read = ReadRank(text);
    ASSERT_FALSE(read) << text.substr(0, 80);
    merge.AddDamaged("line " + std::to_string(text.size()), read.error().message);
  }
  const RanksReport report = merge.Report();
  EXPECT_EQ(report.heard, 2u);
  EXPECT_GE(report.not_read.size(), 8u);
}

TEST(Ranks, NothingAtAll) {
  Merge merge;
  merge.AddDamaged("notes.txt:1", "it is no record");
  for (const RanksReport& report : {Merge().Report(), merge.Report()}) {
    EXPECT_EQ(report.ranks, 0u);
    EXPECT_FALSE(report.first);
    EXPECT_EQ(report.verdict, Verdict::kUnknown);
    EXPECT_EQ(report.headline, "no rank record could be read");
    EXPECT_TRUE(report.ends.empty());
  }
}

}  // namespace
}  // namespace culprit::ranks
