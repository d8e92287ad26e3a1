// Differences between ranks: collectives, libraries, settings, devices.
#include "run/ranks/compare.h"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

namespace culprit::ranks {
namespace {

using report::RankDifference;
using report::RankEnd;
using report::RankFactKind;
using report::WaitKind;

constexpr size_t kMostDifferences = 200, kMostValues = 50, kMostWaitsTold = 50;

using Value = std::pair<std::string, std::string>;
using Values = std::map<Value, report::Ranks>;

// A variable that is not set is a value of its own. A library that was not loaded is none: the rank may have
// failed before others loaded it, and not all loads can be watched.
void AddUnset(const ByRank& ranks, Values& values) {
  std::set<uint64_t> with;
  for (const auto& [value, numbers] : values) with.insert(numbers.begin(), numbers.end());
  report::Ranks without;
  for (const auto& [number, rank] : ranks) {
    if (!with.contains(number) && rank.left_out == 0) without.push_back(number);
  }
  if (!without.empty()) values[{"", ""}] = std::move(without);
}

RankDifference AsDifference(RankFactKind kind, const std::string& what, Values values) {
  RankDifference difference{.kind = kind, .what = what};
  for (auto& [value, numbers] : values)
    difference.values.push_back({value.first, value.second, std::move(numbers)});
  std::ranges::sort(difference.values, {}, [](const RankDifference::Value& value) {
    return std::tuple(-static_cast<std::ptrdiff_t>(value.ranks.size()), value.ranks);
  });
  if (difference.values.size() > kMostValues) difference.values.resize(kMostValues);
  return difference;
}

bool OfCollective(WaitKind kind) { return kind == WaitKind::kTimedOut || kind == WaitKind::kBegun; }

}  // namespace

std::vector<report::RankWait> WaitsOf(const ByRank& ranks) {
  std::map<std::tuple<WaitKind, std::string, uint64_t, std::string>, report::RankWait> waits;
  for (const auto& [number, rank] : ranks) {
    for (const Wait& wait : rank.waits) {
      report::RankWait& one = waits[{wait.kind, wait.what, wait.sequence, wait.group}];
      one.kind = wait.kind;
      one.what = wait.what;
      one.sequence = wait.sequence;
      one.group = wait.group;
      one.seconds = std::max(one.seconds, static_cast<double>(wait.milliseconds) / 1000);
      if (one.ranks.empty() || one.ranks.back() != number) one.ranks.push_back(number);
    }
  }
  std::vector<report::RankWait> list;
  for (auto& [key, wait] : waits) list.push_back(std::move(wait));
  std::ranges::sort(list, {}, [](const report::RankWait& wait) {
    return std::tuple(wait.kind, -static_cast<std::ptrdiff_t>(wait.ranks.size()), wait.ranks, wait.what,
                      wait.sequence, wait.group);
  });
  if (list.size() > kMostWaitsTold) list.resize(kMostWaitsTold);
  return list;
}

report::Ranks NotWaiting(const ByRank& ranks, const std::vector<report::RankWait>& waits) {
  report::Ranks absent;
  if (waits.empty() || !OfCollective(waits.front().kind)) return absent;
  const report::Ranks& there = waits.front().ranks;
  if (there.size() * 2 < ranks.size() || there.size() < 2) return absent;
  for (const auto& [number, rank] : ranks) {
    if (!std::ranges::binary_search(there, number)) absent.push_back(number);
  }
  return absent;
}

std::vector<RankDifference> DifferencesOf(const ByRank& ranks) {
  std::map<std::pair<RankFactKind, std::string>, Values> facts;
  for (const auto& [number, rank] : ranks) {
    for (const Fact& fact : rank.facts) {
      report::Ranks& with = facts[{fact.kind, fact.what}][{fact.value, fact.where}];
      if (with.empty() || with.back() != number) with.push_back(number);
    }
  }
  std::vector<RankDifference> differences;
  for (auto& [key, values] : facts) {
    if (key.first == RankFactKind::kSetting) AddUnset(ranks, values);
    if (values.size() > 1 && differences.size() < kMostDifferences)
      differences.push_back(AsDifference(key.first, key.second, std::move(values)));
  }
  return differences;
}

std::vector<report::SharedDevice> SharedDevices(const ByRank& ranks) {
  std::map<std::pair<std::string, std::string>, report::Ranks> users;
  for (const auto& [number, rank] : ranks) {
    for (const std::string& device : rank.devices) {
      report::Ranks& with = users[{rank.node, device}];
      if (with.empty() || with.back() != number) with.push_back(number);
    }
  }
  std::vector<report::SharedDevice> shared;
  for (auto& [place, with] : users) {
    if (with.size() > 1 && !place.first.empty())
      shared.push_back({place.first, place.second, std::move(with)});
  }
  return shared;
}

}  // namespace culprit::ranks
