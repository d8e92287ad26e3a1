// Names of many nodes in few words, as Slurm and ClusterShell write them: n[001-128,130],login1.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace culprit::base {

// Sorted, numbers by their value; each name once.
std::vector<std::string> SortedNodes(std::vector<std::string> names);

// "n[001-003,7],login"; numbers of different widths stay apart, so that unfolding gives the same names.
std::string FoldNodes(std::vector<std::string> names);

// "0-3,17": numbers of ranks and the like, in any order.
std::string FoldNumbers(std::vector<uint64_t> numbers);

// The names in "n[001-003,7],login", in that order. At most `most` of them.
Result<std::vector<std::string>> UnfoldNodes(std::string_view text, size_t most = 100'000);

}  // namespace culprit::base
