#include "run/ranks/merge.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "base/node_set.h"
#include "run/ranks/compare.h"

namespace culprit::ranks {
namespace {

using report::RankEnd;
using report::RanksReport;
using report::Verdict;

// Keeps the same one in any order of arrival.
bool KnowsMore(const Rank& a, const Rank& b) {
  const auto key = [](const Rank& rank) { return std::tuple(rank.state, rank.ended, rank.began); };
  return key(a) != key(b) ? key(a) > key(b) : ToLine(a) > ToLine(b);
}

size_t CountOf(const RanksReport& report, RankEnd end) {
  size_t count = 0;
  for (const report::RankEnds& ends : report.ends) count += ends.end == end ? ends.ranks.size() : 0;
  return count;
}

std::string RanksInWords(const report::Ranks& ranks) {
  return (ranks.size() == 1 ? "rank " : "ranks ") + base::FoldNumbers(ranks);
}

std::string FirstInWords(const RanksReport& report) {
  const report::FirstRank& first = *report.first;
  const std::string who =
      fmt::format("rank {} of {}{}", first.rank, report.ranks, first.node.empty() ? "" : " on " + first.node);
  const std::string& headline = first.finding.headline;
  switch (first.end) {
    case RankEnd::kFailed:
      return who + " failed first" + (headline.empty() ? ", with " + first.ended : ": " + headline);
    case RankEnd::kLostOthers:
      return who + " was the first to lose contact with other ranks" +
             (headline.empty() ? "" : ": " + headline);
    case RankEnd::kNoEnd:
      return who + (CountOf(report, RankEnd::kLostOthers) > 0
                        ? " disappeared without a final record, and other ranks lost contact with it"
                        : " has no final record (killed, or still running); other ranks were stopped");
    case RankEnd::kUnheard:
      return who + " never wrote a record, and other ranks lost contact with it";
    default:
      return who + " was stopped first; no rank failed before that" +
             (headline.empty() ? "" : ": " + headline);
  }
}

void Conclude(RanksReport& report) {
  const bool failed = report.first.has_value() || !report.shared.empty();
  const size_t missing = CountOf(report, RankEnd::kNoEnd) + CountOf(report, RankEnd::kUnheard);
  report.verdict = failed                             ? Verdict::kErrors
                   : report.ranks == 0 || missing > 0 ? Verdict::kUnknown
                   : !report.differences.empty()      ? Verdict::kWarnings
                                                      : Verdict::kOk;
  if (report.first) {
    report.headline = FirstInWords(report);
  } else if (!report.shared.empty()) {
    report.headline = RanksInWords(report.shared.front().ranks) + " use the same GPU";
  } else if (report.ranks == 0) {
    report.headline = "no rank record could be read";
  } else if (missing > 0) {
    report.headline = fmt::format("no rank failed; {} of {} have no final record", missing, report.ranks);
  } else {
    report.headline =
        fmt::format("{} ranks finished with status 0{}", report.ranks,
                    report.differences.empty() ? ", and all alike" : "; they differ in what they loaded");
  }
}

}  // namespace

void Merge::Add(Rank rank) {
  Ranks& ranks = jobs_[rank.job];
  const uint64_t number = rank.rank;
  const auto at = ranks.find(number);
  if (at == ranks.end()) {
    ranks.emplace(number, std::move(rank));
  } else if (KnowsMore(rank, at->second)) {
    at->second = std::move(rank);
  }
}

void Merge::AddDamaged(const std::string& name, const std::string& why) { damaged_.emplace(name, why); }

const Merge::Ranks* Merge::Latest() const {
  const Ranks* latest = nullptr;
  uint64_t best = 0;
  for (const auto& [job, ranks] : jobs_) {
    uint64_t began = 0;
    for (const auto& [number, rank] : ranks) began = std::max(began, rank.began);
    if (latest == nullptr || began > best) latest = &ranks, best = began;
  }
  return latest;
}

uint64_t Merge::Count(State state) const {
  const Ranks* ranks = Latest();
  if (ranks == nullptr) return 0;
  return static_cast<uint64_t>(
      std::ranges::count_if(*ranks, [&](const auto& one) { return one.second.state == state; }));
}

RanksReport Merge::Report() const {
  RanksReport report;
  if (const Ranks* ranks = Latest()) {
    for (const auto& [number, rank] : *ranks) report.ranks = std::max(report.ranks, rank.size);
    report.job = ranks->begin()->second.job;
    report.heard = ranks->size();
    report.first = FirstOf(*ranks, report.ranks);
    report.ends = EndsOf(*ranks, report.ranks);
    report.waits = WaitsOf(*ranks);
    report.not_waiting = NotWaiting(*ranks, report.waits);
    report.differences = DifferencesOf(*ranks);
    report.shared = SharedDevices(*ranks);
  }
  for (const auto& [job, ranks] : jobs_) {
    if (&ranks != Latest())
      report.not_read.push_back({"job " + job, fmt::format("{} ranks of another job", ranks.size())});
  }
  for (const auto& [name, why] : damaged_) report.not_read.push_back({name, why});
  Conclude(report);
  return report;
}

}  // namespace culprit::ranks
