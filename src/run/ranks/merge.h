// The records of many ranks as one report. They may come in any order, twice, and in several goes; the report
// is the same.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "report/ranks.h"
#include "run/ranks/rank.h"

namespace culprit::ranks {

class Merge {
 public:
  // Of two records of one rank, the one that knows more counts.
  void Add(Rank rank);
  // Something that should be a record.
  void AddDamaged(const std::string& name, const std::string& why);

  // About the job that began last; mentions the number of others.
  report::RanksReport Report() const;
  // How many ranks of that job are so far.
  uint64_t Count(State state) const;

 private:
  using Ranks = std::map<uint64_t, Rank>;

  const Ranks* Latest() const;

  std::map<std::string, Ranks> jobs_;
  std::map<std::string, std::string> damaged_;
};

}  // namespace culprit::ranks
