// What the texts about ranks have in common.
#pragma once

#include <string>

#include "report/ranks.h"

namespace culprit::render {

std::string RanksInWords(const report::Ranks& ranks);  // "rank 3", "ranks 0-2,7"
std::string EndInWords(const report::RankEnds& ends);  // "failed: exit status 1"
std::string WaitInWords(const report::RankWait& wait);
// "2.21.5 (/usr/lib/libnccl.so.2)", "not set".
std::string ValueInWords(const report::RankDifference& difference,
                         const report::RankDifference::Value& value);
// "ranks 0-1 on n1: GPU with bus ID 18000".
std::string SharedInWords(const report::SharedDevice& shared);
// When the first one ended, and how sure that it was the first; "" if nothing is to be said.
std::string WhenInWords(const report::FirstRank& first);

}  // namespace culprit::render
