// The parts of the report of all ranks; merge.cc puts them together.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "report/ranks.h"
#include "run/ranks/rank.h"

namespace culprit::ranks {

using ByRank = std::map<uint64_t, Rank>;

// ---- ends.cc
report::RankEnd EndOf(const Rank& rank);
// All ranks from 0 to `size`, those that failed by themselves first.
std::vector<report::RankEnds> EndsOf(const ByRank& ranks, uint64_t size);
// The rank whose end explains the others; nullopt if none failed.
std::optional<report::FirstRank> FirstOf(const ByRank& ranks, uint64_t size);

// ---- compare.cc
std::vector<report::RankWait> WaitsOf(const ByRank& ranks);
// Where at least half of the ranks wait in one collective: those that began and are not in it.
report::Ranks NotWaiting(const ByRank& ranks, const std::vector<report::RankWait>& waits);
std::vector<report::RankDifference> DifferencesOf(const ByRank& ranks);
std::vector<report::SharedDevice> SharedDevices(const ByRank& ranks);

}  // namespace culprit::ranks
