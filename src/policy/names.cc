#include "policy/names.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/python/package_name.h"
#include "knowledge/libraries.h"
#include "knowledge/packages/extensions.h"
#include "knowledge/packages/frameworks.h"
#include "knowledge/packages/project_releases.h"
#include "policy/condition.h"

namespace culprit::policy {
namespace {

using Meant = std::expected<std::string, std::string>;

// The libraries for which check reports what frameworks load.
constexpr std::array<std::string_view, 3> kRecordedLibraries = {"cudnn", "cudart", "cublas"};

Meant LibraryName(const std::string& name) {
  const std::string key = base::NormalName(name);
  std::string expected;
  for (const std::string_view recorded : kRecordedLibraries) {
    const auto row = std::ranges::find(knowledge::Libraries(), recorded, &knowledge::Library::name);
    if (row == knowledge::Libraries().end()) continue;
    if (key == recorded || key == base::NormalName(row->title)) return std::string(row->title);
    expected += (expected.empty() ? "" : ", ") + std::string(row->title);
  }
  return std::unexpected("'" + name + "' is not one of the libraries whose loading is recorded: " + expected);
}

Meant FrameworkFactName(const std::string& name) {
  const std::string key = base::NormalName(name);
  if (const std::string_view own = knowledge::FrameworkName(key); !own.empty()) return std::string(own);
  const auto has = [&](const auto& rows) {
    return std::ranges::any_of(rows, [&](const auto& row) { return row.package == key; });
  };
  if (knowledge::FindProject(key) != nullptr || has(knowledge::Companions()) || has(knowledge::Extensions()))
    return key;
  return std::unexpected(
      "'" + name + "' is not a framework that culprit knows; for your own package, write \"" + name + "*\"");
}

}  // namespace

Meant FactName(Kind kind, const std::string& name) {
  if (kind == Kind::kPackage) return base::NormalName(name);
  if (name.contains('*')) return name;
  if (kind == Kind::kLoaded) return LibraryName(name);
  if (kind == Kind::kFramework) return FrameworkFactName(name);
  if (kind == Kind::kVariable && !IsRecorded(name))
    return std::unexpected("'" + name +
                           "' is not one of the variables in a snapshot; docs/policy.md lists them");
  return name;
}

std::string NameKey(Kind kind, const std::string& name) {
  return kind == Kind::kVariable ? name : base::NormalName(name);
}

}  // namespace culprit::policy
