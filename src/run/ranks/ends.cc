// How the ranks ended, and which of them was first. A rank that failed by itself explains the others: those
// that were stopped, and those whose failure is that another one did not answer. If there is none, but others
// were lost or stopped, then it is one without a final record: killed together with culprit, or its node is
// gone.
#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <tuple>

#include "run/ranks/compare.h"

namespace culprit::ranks {
namespace {

using report::FirstRank;
using report::RankEnd;

// Clocks of nodes of a cluster agree better than this, or are not set at all.
constexpr uint64_t kClockDoubt = 1000;

std::string InWords(uint64_t milliseconds) {
  if (milliseconds == 0 || milliseconds > uint64_t{253402300799000}) return "";  // the year 9999
  return fmt::format("{:%FT%T}.{:03}Z", fmt::gmtime(static_cast<std::time_t>(milliseconds / 1000)),
                     milliseconds % 1000);
}

std::string HowOf(const Rank& rank) {
  switch (EndOf(rank)) {
    case RankEnd::kFailed:
    case RankEnd::kLostOthers:
      return rank.signal.empty() ? fmt::format("exit status {}", rank.exit_status) : rank.signal;
    case RankEnd::kStopped:
      return rank.interrupted;
    default:
      return "";
  }
}

// The ranks with this end, the earliest first.
std::vector<const Rank*> Ended(const ByRank& ranks, RankEnd end) {
  std::vector<const Rank*> found;
  for (const auto& [number, rank] : ranks) {
    if (EndOf(rank) == end) found.push_back(&rank);
  }
  std::ranges::sort(found, {}, [](const Rank* rank) { return std::tuple(rank->ended, rank->rank); });
  return found;
}

FirstRank AsFirst(const std::vector<const Rank*>& candidates) {
  const Rank& rank = *candidates.front();
  FirstRank first{
      .rank = rank.rank,
      .node = rank.node,
      .end = EndOf(rank),
      .ended = HowOf(rank),
      .at = InWords(rank.ended),
      .seconds = rank.ended > rank.began ? static_cast<double>(rank.ended - rank.began) / 1000 : 0,
      .finding = rank.finding};
  if (first.end == RankEnd::kNoEnd) return first;
  for (const Rank* other : candidates) {
    if (other == &rank) continue;
    const uint64_t later = other->ended - rank.ended;
    if (!first.before_next) first.before_next = static_cast<double>(later) / 1000;
    if (other->node != rank.node && later <= kClockDoubt) first.maybe_before.push_back(other->rank);
  }
  std::ranges::sort(first.maybe_before);
  return first;
}

// The first number that nobody has.
FirstRank Unheard(const ByRank& ranks) {
  uint64_t number = 0;
  for (const auto& [rank, record] : ranks) {
    if (rank != number) break;
    ++number;
  }
  FirstRank first{.rank = number, .node = "", .end = RankEnd::kUnheard, .ended = "", .at = ""};
  return first;
}

}  // namespace

RankEnd EndOf(const Rank& rank) {
  if (rank.state == State::kBegun) return RankEnd::kNoEnd;
  if (rank.exit_status == 0 && rank.signal.empty()) return RankEnd::kSucceeded;
  if (!rank.interrupted.empty()) return RankEnd::kStopped;
  return rank.lost_others ? RankEnd::kLostOthers : RankEnd::kFailed;
}

std::vector<report::RankEnds> EndsOf(const ByRank& ranks, uint64_t size) {
  std::map<std::pair<RankEnd, std::string>, report::Ranks> ends;
  for (const auto& [number, rank] : ranks) ends[{EndOf(rank), HowOf(rank)}].push_back(number);
  auto next = ranks.begin();
  report::Ranks unheard;
  for (uint64_t number = 0; number < size; ++number) {
    while (next != ranks.end() && next->first < number) ++next;
    if (next == ranks.end() || next->first != number) unheard.push_back(number);
  }
  if (!unheard.empty()) ends[{RankEnd::kUnheard, ""}] = std::move(unheard);
  std::vector<report::RankEnds> list;
  for (const RankEnd end : {RankEnd::kFailed, RankEnd::kLostOthers, RankEnd::kStopped, RankEnd::kNoEnd,
                            RankEnd::kUnheard, RankEnd::kSucceeded}) {
    for (auto& [key, numbers] : ends) {
      if (key.first == end) list.push_back({end, key.second, std::move(numbers)});
    }
  }
  return list;
}

std::optional<FirstRank> FirstOf(const ByRank& ranks, uint64_t size) {
  if (const auto failed = Ended(ranks, RankEnd::kFailed); !failed.empty()) return AsFirst(failed);
  const auto lost = Ended(ranks, RankEnd::kLostOthers);
  if (!lost.empty()) {
    // A watchdog timeout shows that all ranks existed, and that one did not reach the collective: no rank is
    // missing then.
    const bool timed_out = std::ranges::all_of(lost, [](const Rank* rank) { return !rank->waits.empty(); });
    if (const auto silent = Ended(ranks, RankEnd::kNoEnd); !silent.empty() && !timed_out)
      return AsFirst(silent);
    if (ranks.size() < size && !timed_out) return Unheard(ranks);
    return AsFirst(lost);
  }
  const auto stopped = Ended(ranks, RankEnd::kStopped);
  if (stopped.empty()) return std::nullopt;
  // Launchers stop the other ranks when one is gone. If most have no final record, they are still running.
  const auto silent = Ended(ranks, RankEnd::kNoEnd);
  return AsFirst(silent.empty() || silent.size() > stopped.size() ? stopped : silent);
}

}  // namespace culprit::ranks
