// The load graph for Graphviz: every request that found a file is an edge, dlopen dashed, missing ones red.
#include <fmt/format.h>

#include <set>

#include "render/why/why.h"

namespace culprit::render {
std::string ToDot(const report::LoadAnswer& answer) {
  std::string dot = "digraph load {\n  rankdir=LR;\n  node [shape=box, fontname=\"sans-serif\"];\n";
  dot += fmt::format("  n0 [label={}, style=bold];\n", base::InDoubleQuotes(answer.target));
  for (size_t i = 0; i < answer.loads.size(); ++i) {
    const auto& load = answer.loads[i];
    std::string label = load.name;
    if (!load.version.version.empty()) label += " " + load.version.version;
    label += " [" + std::string(base::NameOrNone(load.via)) + "] " + load.path;
    dot += fmt::format("  n{} [label={}{}];\n", i + 1, base::InDoubleQuotes(label),
                       load.system ? ", color=gray, fontcolor=gray" : "");
  }
  std::set<std::pair<size_t, size_t>> drawn;
  for (const auto& edge : answer.edges) {
    if (!drawn.insert({edge.from, edge.to}).second) continue;
    dot += fmt::format("  n{} -> n{}{};\n", edge.from, edge.to,
                       edge.dlopen ? " [style=dashed, label=dlopen]" : "");
  }
  for (size_t i = 0; i < answer.missing.size(); ++i) {
    const auto& missing = answer.missing[i];
    dot += fmt::format("  m{} [label={}, color=red, fontcolor=red];\n", i,
                       base::InDoubleQuotes(missing.name + " not found"));
    dot += fmt::format("  n{} -> m{} [color=red];\n", missing.parent, i);
  }
  return dot + "}\n";
}

}  // namespace culprit::render
