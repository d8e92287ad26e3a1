// Internals of `culprit diff`: one difference per fact, found by one function per kind of fact, and joined
// afterwards, so that a fact that differs because of another one is listed below it.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "diff/diff.h"

namespace culprit::diff {

inline constexpr size_t kNoPart = static_cast<size_t>(-1);

struct Part {
  report::Difference difference;
  // Paths, variables, packages by which findings and other parts know it, the most specific first.
  std::vector<std::string> names;
  size_t cause = kNoPart;  // the part that explains it
};

// Which names the new findings mention, and how clearly.
struct Mention {
  size_t finding = 0;  // place in the list
  int strength = 0;    // 4 its subject, 3 its fix changes it, 2 its evidence or about, 1 in a command
};
using Mentions = std::map<std::string, std::vector<Mention>, std::less<>>;
Mentions MentionsOf(const std::vector<report::Finding>& findings);

class Parts {
 public:
  Parts(const Side& before_side, const Side& after_side, const Mentions& new_findings)
      : before(before_side), after(after_side), mentions(new_findings) {}

  const Side& before;
  const Side& after;
  const Mentions& mentions;
  std::vector<Part> list;
  std::vector<report::NotChecked> not_compared;
  std::set<std::string, std::less<>> reasons;  // why facts of those are not known
  std::vector<std::string> remarks;

  void Add(report::Difference difference, std::vector<std::string> names);
  // `cause` explains `effect`, unless that is explained already or it would go in a circle.
  void Explain(size_t effect, size_t cause);
  size_t RootOf(size_t part) const;
  // The names of the packages in an environment of either side.
  const std::unordered_set<std::string_view>& PackagesIn(const snapshot::PythonEnvironment& environment);
  // The first part that knows one of the names; kNoPart when none does.
  size_t Find(report::DifferenceKind kind, const std::vector<std::string>& names) const;

 private:
  // Of each kind, the first part that has a name.
  std::map<report::DifferenceKind, std::unordered_map<std::string, size_t>> by_name_;
  std::map<const snapshot::PythonEnvironment*, std::unordered_set<std::string_view>> packages_;
};

// New are those of `after` that `before` does not have: the same code about the same subject is the same
// finding, unless it got worse.
struct FindingChange {
  std::vector<report::Finding> new_findings, gone_findings;
  size_t same = 0;
};
FindingChange CompareFindings(const std::vector<report::Finding>& before,
                              const std::vector<report::Finding>& after);

// One function for each kind of fact.
void AddVariables(Parts& parts);
void AddDriver(Parts& parts);     // and GPUs
void AddLibraries(Parts& parts);  // toolkits, cuDNN
void AddPython(Parts& parts);     // environments, packages, frameworks
void AddContext(Parts& parts);    // system, loaders, ld.so.cache
void AddFiles(Parts& parts);
void AddLoads(Parts& parts);  // after all those that may explain one
void AddRuns(Parts& parts);   // of two records

// The installed package (in either state) that a file belongs to, as "NAME in PREFIX"; "" when none is known.
std::string OwnerOf(Parts& parts, const std::string& path);

// "none" for a missing value.
std::string OrNone(const std::string& text);
// A path without "..", as text: only to compare what findings and differences name.
std::string Plainly(std::string_view path);

// Calls `visit(key, a, b)` for each key of either list; a pointer is null where that list does not have it.
template <typename List, typename Key, typename Visit>
void Align(const List& before, const List& after, const Key& key, const Visit& visit) {
  using Item = typename List::value_type;
  std::map<std::string, std::pair<const Item*, const Item*>> both;
  for (const Item& item : before) both[key(item)].first = &item;
  for (const Item& item : after) both[key(item)].second = &item;
  for (const auto& [name, pair] : both) visit(name, pair.first, pair.second);
}

// The value of a fact, an empty one if it is absent. If one side could not be read, that is noted and null is
// returned: an unknown fact is not different.
template <typename T>
std::pair<const T*, const T*> BothOf(Parts& parts, const char* what, const snapshot::Fact<T>& before,
                                     const snapshot::Fact<T>& after) {
  static const T kNothing{};
  const auto known = [](const snapshot::Fact<T>& fact) {
    return fact.value || fact.state == snapshot::FactState::kAbsent;
  };
  if (known(before) && known(after))
    return {before.value ? &*before : &kNothing, after.value ? &*after : &kNothing};
  const bool first = !known(before);
  // Unknown on both sides, for the same reason: equal.
  if (before.state != after.state || before.why != after.why) {
    const std::string& why = first ? before.why : after.why;
    parts.reasons.insert(why);
    parts.not_compared.push_back(
        {what, std::string("not known ") + (first ? "before" : "after") + (why.empty() ? "" : ": " + why)});
  }
  return {nullptr, nullptr};
}

inline report::Differs HowOf(bool was, bool is) {
  return !was ? report::Differs::kAdded : !is ? report::Differs::kRemoved : report::Differs::kChanged;
}

}  // namespace culprit::diff
