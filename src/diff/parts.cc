#include "diff/parts.h"

#include <algorithm>

#include "base/text.h"

namespace culprit::diff {

void Parts::Add(report::Difference difference, std::vector<std::string> names) {
  std::erase(names, "");
  auto& first = by_name_[difference.kind];
  for (const std::string& name : names) first.try_emplace(name, list.size());
  list.push_back({std::move(difference), std::move(names)});
}

size_t Parts::RootOf(size_t part) const {
  while (list[part].cause != kNoPart) part = list[part].cause;
  return part;
}

void Parts::Explain(size_t effect, size_t cause) {
  if (cause == kNoPart || effect == cause || list[effect].cause != kNoPart || RootOf(cause) == effect) return;
  list[effect].cause = cause;
}

const std::unordered_set<std::string_view>& Parts::PackagesIn(
    const snapshot::PythonEnvironment& environment) {
  const auto [place, fresh] = packages_.try_emplace(&environment);
  if (fresh) {
    for (const auto& package : environment.packages) place->second.insert(package.name);
  }
  return place->second;
}

size_t Parts::Find(report::DifferenceKind kind, const std::vector<std::string>& names) const {
  const auto first = by_name_.find(kind);
  if (first == by_name_.end()) return kNoPart;
  for (const std::string& name : names) {
    if (const auto found = first->second.find(name); found != first->second.end()) return found->second;
  }
  return kNoPart;
}

std::string OrNone(const std::string& text) { return text.empty() ? "none" : text; }

std::string Plainly(std::string_view path) {
  if (!path.contains("..")) return std::string(path);
  std::vector<std::string> kept;
  for (std::string& component : base::Split(path, '/')) {
    if (component == ".." && kept.size() > 1) {
      kept.pop_back();
    } else {
      kept.push_back(std::move(component));
    }
  }
  std::string plain;
  for (size_t i = 0; i < kept.size(); ++i) plain += (i == 0 ? "" : "/") + kept[i];
  return plain;
}

}  // namespace culprit::diff
