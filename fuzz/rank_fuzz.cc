// Any bytes as the records of ranks, one a line, and as the output of a rank: what is read can be written and
// read again, and the report of all comes to an end.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/lines.h"
#include "require.h"
#include "run/ranks/merge.h"
#include "run/ranks/nccl_lines.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  namespace ranks = culprit::ranks;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  Require(ranks::ReadNcclLines(text).waits.size() <= 5);
  ranks::Merge merge;
  std::string_view rest = text, line;
  while (culprit::base::NextLine(rest, line)) {
    const auto rank = ranks::ReadRank(line);
    if (!rank) continue;
    if (rank->size > 100'000) continue;  // those who are missing are counted one by one
    const std::string again = ranks::ToLine(*rank);
    if (again.size() <= ranks::kMostBytes) Require(ranks::ReadRank(again).has_value());
    merge.Add(*rank);
  }
  const auto report = merge.Report();
  Require(report.heard <= report.ranks);
  return 0;
}
