#include "plan/conflict/passed_conflict.h"

#include <algorithm>
#include <map>
#include <vector>

#include "base/python/pep440.h"
#include "base/text.h"
#include "plan/project/dependency.h"

namespace culprit::plan {
namespace {

// Versions at the ends of what a part allows: if the other excludes the lowest and the highest of them, no
// version between meets both.
std::vector<std::string> EndsOf(const std::string& part) {
  const size_t sign = std::min(part.find_first_not_of("=<>~!"), part.size());
  const std::string op = part.substr(0, sign);
  std::string version = part.substr(sign);
  if (op != "==" && op != "===") return {};
  if (!version.ends_with(".*")) return {version};
  version.resize(version.size() - 2);
  return {version, version + ".999999"};
}

bool Excludes(const std::string& part, const std::string& other) {
  const std::vector<std::string> ends = EndsOf(part);
  if (!ends.empty()) {
    return std::ranges::all_of(ends,
                               [&](const std::string& end) { return base::Meets(end, other) == false; });
  }
  // ">=2" and "<2": the lower end of one is above the other.
  const bool lower = part.starts_with('>') || part.starts_with("~=");
  const bool upper = other.starts_with('<');
  return lower && upper && base::Meets(part.substr(part.find_first_not_of(">=~")), other) == false;
}

bool Exclude(const std::string& a, const std::string& b) {
  for (const std::string& one : base::Split(a, ',')) {
    for (const std::string& two : base::Split(b, ',')) {
      if (!one.empty() && !two.empty() && (Excludes(one, two) || Excludes(two, one))) return true;
    }
  }
  return false;
}

}  // namespace

std::optional<std::pair<size_t, size_t>> ExcludingEachOther(const Question& question) {
  std::map<std::string, std::vector<size_t>> by_name;
  for (size_t i = 0; i < question.passed_through.size(); ++i) {
    const report::PassedThrough& passed = question.passed_through[i];
    if (passed.kind != report::RequirementKind::kNamed || passed.specifier.empty()) continue;
    std::vector<size_t>& same = by_name[passed.name];
    for (const size_t other : same) {
      if (Exclude(question.passed_through[other].specifier, passed.specifier)) return std::pair(other, i);
    }
    same.push_back(i);
  }
  return std::nullopt;
}

std::string WordsOf(const report::PassedThrough& passed) {
  return base::Printable(passed.text) + PlaceWords(passed.origin);
}

}  // namespace culprit::plan
