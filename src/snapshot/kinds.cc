#include "snapshot/kinds.h"

#include <algorithm>
#include <iterator>

namespace culprit::snapshot {
namespace {

constexpr std::string_view kNotRead = "unknown: culprit does not read the database of rpm";
constexpr std::string_view kNotReadOnce = "not known: the database of rpm is not read";  // until 0.8

// In the order of PartProblem::Kind. A detail follows those that end in a space.
constexpr std::string_view kPartProblems[] = {
    "",
    "leads nowhere: -> ",
    "a loop of links: -> ",
    "not a file",
    "is empty",
    "not a library",
    "not a DLL",
    "a library of Linux, not a DLL",
    "a 32-bit DLL",
    "cut short",
    "cannot be read",
    "no file and no link of the name ",
    "not a link but a second file beside ",
    "renamed: ",
};

}  // namespace

Owner::Owner(PackageManager by, std::string name, std::string number)
    : manager(by), package(std::move(name)), version(std::move(number)) {}

Owner::Owner(std::string stored) {
  if (stored == kNotRead || stored == kNotReadOnce) {
    manager = PackageManager::kRpm;
    return;
  }
  const size_t first = stored.find(' ');
  const auto known = base::FromWord<PackageManager>(stored.substr(0, first));
  if (first != stored.npos && known) {
    const size_t second = std::min(stored.find(' ', first + 1), stored.size());
    manager = *known;
    package = stored.substr(first + 1, second - first - 1);
    if (second < stored.size()) version = stored.substr(second + 1);
  }
  if (text() == stored) return;
  *this = {};
  other_ = std::move(stored);
}

std::string Owner::text() const {
  if (manager == PackageManager::kNone) return other_;
  if (manager == PackageManager::kRpm && package.empty()) return std::string(kNotRead);
  return std::string(base::Word(manager)) + " " + package + (version.empty() ? "" : " " + version);
}

PartProblem::PartProblem(std::string stored) {
  for (size_t i = 0; i < std::size(kPartProblems); ++i) {
    const std::string_view words = kPartProblems[i];
    if (words.ends_with(' ') ? !stored.starts_with(words) : stored != words) continue;
    kind = static_cast<Kind>(i);
    detail = stored.substr(words.size());
    return;
  }
  kind = Kind::kOther;
  detail = std::move(stored);
}

std::string PartProblem::text() const {
  const auto place = static_cast<size_t>(kind);
  return (place < std::size(kPartProblems) ? std::string(kPartProblems[place]) : "") + detail;
}

}  // namespace culprit::snapshot
