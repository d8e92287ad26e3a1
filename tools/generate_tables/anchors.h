// The prefilter of a regular expression: literals, at least one of which is in every match.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace generate {

// src/explain/logs/anchors.h only examines every fourth position of a text, which needs literals of this
// length.
inline constexpr size_t kShortestAnchor = 7;

// The longest literal of each alternative at the top level; none if one of them has no such literal outside
// of groups, classes and repetitions.
std::vector<std::string> AnchorsOf(std::string_view pattern);

}  // namespace generate
