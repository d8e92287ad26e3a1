// The prefilter of a regular expression: literals of which every match of it must contain one.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace generate {

// src/explain/logs/anchors.h looks at every fourth place of a text only, which needs literals of this length.
inline constexpr size_t kShortestAnchor = 7;

// The longest literal of each alternative at the top level; none when one of them has no such literal outside
// of its groups, classes and repetitions.
std::vector<std::string> AnchorsOf(std::string_view pattern);

}  // namespace generate
