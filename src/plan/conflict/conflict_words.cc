#include "plan/conflict/conflict_words.h"

namespace culprit::plan {
namespace {

constexpr size_t kMostLines = 40;

void Add(const std::vector<ConflictNode>& nodes, size_t depth, std::vector<report::ConflictLine>& lines) {
  for (const ConflictNode& node : nodes) {
    if (lines.size() >= kMostLines) return;
    lines.push_back({node.text + (node.unknown ? " (--allow unknown permits it)" : ""), node.source, depth});
    Add(node.below, depth + 1, lines);
  }
}

}  // namespace

std::vector<report::ConflictLine> LinesOf(const std::vector<ConflictNode>& graph) {
  std::vector<report::ConflictLine> lines;
  Add(graph, 0, lines);
  return lines;
}

std::string ConflictHeadline(const std::vector<Requirement>& smallest, Certain certain) {
  const bool sure = certain == Certain::kYes;
  if (smallest.size() == 1)
    return sure ? smallest.front().words + " is not available"
                : "could not tell whether " + smallest.front().words + " works";
  std::string words;
  for (size_t i = 0; i < smallest.size(); ++i) {
    words += (i == 0 ? "" : i + 1 == smallest.size() ? " and " : ", ") + smallest[i].words;
  }
  if (!sure) return "could not tell whether " + words + " work together";
  return smallest.size() == 2 ? smallest[0].words + " does not work with " + smallest[1].words
                              : words + " do not work together";
}

}  // namespace culprit::plan
