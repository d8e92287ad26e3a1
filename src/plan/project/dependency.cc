#include "plan/project/dependency.h"

#include <algorithm>
#include <cctype>

#include "base/python/package_name.h"
#include "base/text.h"
#include "knowledge/packages/pins.h"

namespace culprit::plan {
namespace {

using report::RequirementKind;

constexpr size_t kLongestRequirement = 4096;
constexpr size_t kShown = 60;

bool IsNameSign(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_' || c == '.';
}

std::unexpected<base::Error> Not(std::string_view text, const std::string& what) {
  const bool cut = text.size() > kShown;
  return base::Fail(base::ErrorCode::kBadFormat,
                    "'" + base::Printable(text.substr(0, kShown)) + (cut ? "..." : "") + "' " + what);
}

bool IsAddress(std::string_view text) {
  const size_t colon = text.find("://");
  return colon != std::string_view::npos && colon > 0 &&
         std::ranges::all_of(text.substr(0, colon), [](char c) {
           return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '+' || c == '-' || c == '.';
         });
}

bool IsPath(std::string_view text) {
  if (text.starts_with('.') || text.starts_with('/') || text.starts_with('~')) return true;
  const std::string_view first = text.substr(0, text.find_first_of(" ;[<>=!~@"));
  return first.find_first_of("/\\") != std::string_view::npos || first.ends_with(".whl") ||
         first.ends_with(".tar.gz") || first.ends_with(".zip");
}

// "git+https://host/x.git@main#egg=name" -> "name"
std::string EggOf(std::string_view address) {
  const size_t egg = address.find("#egg=");
  if (egg == std::string_view::npos) return "";
  std::string_view name = address.substr(egg + 5);
  size_t end = 0;
  while (end < name.size() && IsNameSign(name[end])) ++end;
  return base::NormalName(name.substr(0, end));
}

// Cuts a marker off `rest`, the end of the whole. Behind an address it needs a space before it, because
// addresses may have ";".
void TakeMarker(std::string_view whole, std::string_view& rest, bool address, Dependency& into) {
  const size_t at = address ? rest.find(" ;") : rest.find(';');
  if (at == std::string_view::npos) return;
  into.marker = base::Trim(rest.substr(rest.find(';', at) + 1));
  // Single quotes, so that the whole can stand between double ones in every shell.
  if (into.marker.find('\'') == std::string::npos) std::ranges::replace(into.marker, '"', '\'');
  const std::string_view before = base::Trim(whole.substr(0, whole.size() - rest.size() + at));
  into.text = std::string(before) + (address ? " ; " : "; ") + into.marker;
  rest = base::Trim(rest.substr(0, at));
}

bool IsSpecifier(std::string_view text) {
  const size_t sign = text.find_first_not_of("=<>~!");
  if (sign == 0 || sign == std::string_view::npos) return false;
  constexpr std::string_view kSigns[] = {"==", "!=", ">=", "<=", "<", ">", "~=", "==="};
  if (std::ranges::find(kSigns, text.substr(0, sign)) == std::end(kSigns)) return false;
  return std::ranges::all_of(text.substr(sign), [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '*' || c == '+' || c == '!' ||
           c == '-' || c == '_';
  });
}

base::Result<std::string> Specifiers(std::string_view rest, std::string_view whole) {
  if (rest.starts_with('(') && rest.ends_with(')')) rest = base::Trim(rest.substr(1, rest.size() - 2));
  std::string specifiers;
  if (rest.empty()) return specifiers;
  for (const std::string& part : base::Split(rest, ',')) {
    std::string one(base::Trim(part));
    // A space may stand between the sign and the version, nowhere else.
    const size_t sign = one.find_first_not_of("=<>~!");
    if (sign != std::string::npos) one = one.substr(0, sign) + std::string(base::Trim(one.substr(sign)));
    if (!IsSpecifier(one)) {
      const bool single = one.starts_with('=') && !one.starts_with("==");
      return Not(whole, single ? "has one '=': versions of pip are pinned with '=='"
                               : "is not a requirement such as torch==2.10.* or torch>=2.1,<2.5");
    }
    specifiers += (specifiers.empty() ? "" : ",") + one;
  }
  return specifiers;
}

}  // namespace

base::Result<Dependency> ParseDependency(std::string_view text) {
  const std::string_view whole = base::Trim(text);
  if (whole.empty() || whole.size() > kLongestRequirement || base::Printable(whole) != whole)
    return Not(whole, whole.empty() ? "is empty" : "is not a requirement");
  Dependency found{.text = std::string(whole)};
  std::string_view rest = whole;
  const bool address = IsAddress(whole.substr(0, whole.find_first_of(" [@")));
  if (address || IsPath(whole)) {
    TakeMarker(whole, rest, true, found);
    found.kind = address ? RequirementKind::kAddress : RequirementKind::kPath;
    found.name = EggOf(rest);
    return found;
  }
  size_t end = 0;
  while (end < rest.size() && IsNameSign(rest[end])) ++end;
  const std::string_view name = rest.substr(0, end);
  if (name.empty() || std::isalnum(static_cast<unsigned char>(name.front())) == 0)
    return Not(whole, "is not a package name");
  found.name = base::NormalName(name);
  rest = base::Trim(rest.substr(end));
  if (rest.starts_with('[')) {
    const size_t close = rest.find(']');
    if (close == std::string_view::npos) return Not(whole, "lacks a closing bracket");
    for (const std::string& extra : base::Split(rest.substr(1, close - 1), ',')) {
      if (!base::Trim(extra).empty())
        found.extras += (found.extras.empty() ? "" : ",") + base::NormalName(base::Trim(extra));
    }
    rest = base::Trim(rest.substr(close + 1));
  }
  if (rest.starts_with('@')) {
    found.kind = RequirementKind::kAddress;
    TakeMarker(whole, rest, true, found);
    return found;
  }
  TakeMarker(whole, rest, false, found);
  auto specifiers = Specifiers(rest, whole);
  if (!specifiers) return std::unexpected(specifiers.error());
  found.specifiers = *std::move(specifiers);
  return found;
}

bool IsReadable(std::string_view specifiers) {
  return specifiers.empty() || std::ranges::all_of(base::Split(specifiers, ','), [](const std::string& one) {
           return knowledge::Meets(base::Version{{1}}, one) != knowledge::Verdict::kUnknown;
         });
}

std::string PlaceWords(const report::Origin& origin) {
  if (origin.file.empty()) return "";
  return " (" + base::Printable(origin.file) + ":" + std::to_string(origin.line) + ")";
}

}  // namespace culprit::plan
