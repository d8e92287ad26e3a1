// The words of a user -> what is wanted.
#include <algorithm>
#include <cctype>
#include <set>
#include <vector>

#include "base/text.h"
#include "knowledge/packages/distributions.h"
#include "knowledge/packages/extensions.h"
#include "knowledge/packages/frameworks.h"
#include "knowledge/packages/pins.h"
#include "knowledge/packages/project_releases.h"
#include "knowledge/packages/projects.h"
#include "plan/question.h"

namespace culprit::plan {
namespace {

std::string Lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    c = c == '_' ? '-' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return lower;
}

const std::set<std::string, std::less<>>& KnownNames() {
  static const std::set<std::string, std::less<>> kNames = [] {
    std::set<std::string, std::less<>> names = {"cuda", "cudnn", "onnxruntime-gpu"};
    for (const auto& row : knowledge::FrameworkReleases()) names.emplace(row.framework);
    for (const auto& row : knowledge::Distributions()) names.emplace(row.package);
    for (const auto& pin : knowledge::Pins()) names.emplace(pin.package);
    for (const auto& row : knowledge::AllProjectWheels()) names.emplace(row.package);
    for (const auto& row : knowledge::SourceBuilds()) {
      if (!row.requirement.empty()) names.emplace(row.package);
    }
    return names;
  }();
  return kNames;
}

// Edits that turn one name into the other: a letter more, less or another, two letters swapped.
size_t Distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<size_t>> cost(a.size() + 1, std::vector<size_t>(b.size() + 1));
  for (size_t i = 0; i <= a.size(); ++i) cost[i][0] = i;
  for (size_t j = 0; j <= b.size(); ++j) cost[0][j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t replaced = cost[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      cost[i][j] = std::min({replaced, cost[i - 1][j] + 1, cost[i][j - 1] + 1});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
    }
  }
  return cost[a.size()][b.size()];
}

std::string Near(const std::string& name) {
  std::vector<std::pair<size_t, std::string>> near;
  for (const std::string& known : KnownNames()) {
    const size_t distance = Distance(name, known);
    const bool part = name.size() > 3 && (known.starts_with(name) || name.starts_with(known));
    if (distance <= 1 + name.size() / 4 || part) near.emplace_back(distance, known);
  }
  std::ranges::sort(near);
  std::string text;
  for (size_t i = 0; i < std::min<size_t>(near.size(), 3); ++i) {
    text += (i == 0 ? "" : ", ") + near[i].second;
  }
  return text;
}

bool IsNameCharacter(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_' || c == '.';
}

}  // namespace

std::string TableName(const std::string& name) {
  if (name == "cuda" || name == "cuda-toolkit" || name == "cudatoolkit") return "cuda";
  if (name == "cudnn") return "cudnn";
  if (name.starts_with("cupy-cuda")) return "cupy";
  if (const std::string_view own = knowledge::FrameworkName(name); !own.empty()) return std::string(own);
  if (const knowledge::TableEntry entry = knowledge::FindEntry(name); !entry.framework.empty())
    return std::string(entry.framework);
  return KnownNames().contains(name) ? name : "";
}

std::string VariantOfName(const std::string& name) {
  // Of cupy the extra says it.
  return name.starts_with("cupy-") ? "" : knowledge::FindEntry(name).variant;
}

std::string MeantBy(const std::string& name) {
  constexpr size_t kShortest = 4, kLong = 8, kLongest = 40;
  if (name.size() < kShortest || name.size() > kLongest) return "";
  const size_t most = name.size() < kLong ? 1 : 2;
  std::string nearest;
  size_t best = most + 1;
  const auto look = [&](std::string_view known, std::string_view meant) {
    const size_t size = std::max(known.size(), name.size()) - std::min(known.size(), name.size());
    if (size > most || known.front() != name.front()) return;
    if (const size_t distance = Distance(name, known); distance < best) {
      best = distance;
      nearest = meant;
    }
  };
  look("pytorch", "torch");
  for (const std::string& known : KnownNames()) look(known, known);
  return nearest;
}

base::Result<Want> ParseWant(const std::string& text) {
  using base::ErrorCode;
  const std::string_view whole = base::Trim(text);
  size_t end = 0;
  while (end < whole.size() && IsNameCharacter(whole[end])) ++end;
  Want want{.text = std::string(whole)};
  const std::string asked = Lower(whole.substr(0, end));
  want.asked = asked;
  const std::string shown = base::Printable(whole);
  if (asked.empty()) return base::Fail(ErrorCode::kBadFormat, "'" + shown + "' is not a package name");
  std::string_view rest = base::Trim(whole.substr(end));
  if (rest.starts_with('[')) {
    const size_t close = rest.find(']');
    if (close == std::string_view::npos)
      return base::Fail(ErrorCode::kBadFormat, "'" + shown + "' lacks a closing bracket");
    want.extra = base::Trim(rest.substr(1, close - 1));
    rest = base::Trim(rest.substr(close + 1));
  }
  want.name = TableName(asked);
  if (want.name.empty()) {
    const std::string near = Near(asked);
    return base::Fail(ErrorCode::kNotFound,
                      "unknown package '" + asked + "'" + (near.empty() ? "" : "; known packages: " + near));
  }
  if (asked.starts_with("cupy-")) want.extra = asked.substr(sizeof("cupy-") - 1);
  want.variant = VariantOfName(asked);
  for (const std::string& part : base::Split(rest, ',')) {
    std::string one;
    for (const char c : part) {
      if (c != ' ') one += c;
    }
    if (one.empty() && rest.empty()) break;
    const bool readable = knowledge::Meets(base::Version{{1}}, one) != knowledge::Verdict::kUnknown;
    if (!readable) {
      return base::Fail(ErrorCode::kBadFormat, "'" + shown + "': '" + base::Printable(one) +
                                                   "' is not a version range such as ==2.10.* or >=2.1,<2.5");
    }
    want.specifiers += (want.specifiers.empty() ? "" : ",") + one;
  }
  return want;
}

bool AsksForSomething(const Question& question) {
  return question.repair || !question.wants.empty() || !question.passed_through.empty();
}

std::string AskedCuda(const Question& question) {
  return question.cuda_words.empty() ? "CUDA " + question.cuda->ToString() : question.cuda_words;
}

bool IsHere(const Host& host, const base::Version& toolkit) {
  const auto same = [&](const base::Version& here) {
    return here.part(0) == toolkit.part(0) && here.part(1) == toolkit.part(1);
  };
  return std::ranges::any_of(host.toolkits, same);
}

}  // namespace culprit::plan
