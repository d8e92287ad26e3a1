#include "knowledge/packages/pins.h"

#include <algorithm>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/text.h"
#include "knowledge/packages/frameworks.h"
#include "knowledge/packages/release.h"

namespace culprit::knowledge {
namespace {

using base::Version;

// "2.5.1.post1" -> 2.5.1: post releases count as the release that they fix.
std::optional<Version> Plain(std::string_view text) {
  text = text.substr(0, text.find('+'));
  text = text.substr(0, text.find(".post"));
  return Version::Parse(text);
}

// ~=3.8.0 means >=3.8.0 and 3.8.*
bool Compatible(const Version& version, const Version& bound) {
  Version prefix = bound;
  prefix.parts.pop_back();
  return version >= bound && BeginsWith(version, prefix);
}

const std::vector<const Pin*>& PinsOf(std::string_view package) {
  static const auto kAll = [] {
    std::unordered_map<std::string_view, std::vector<const Pin*>> all;
    for (const Pin& pin : Pins()) all[pin.package].push_back(&pin);
    return all;
  }();
  static const std::vector<const Pin*> kNone;
  const auto found = kAll.find(package);
  return found == kAll.end() ? kNone : found->second;
}

// What `pin` says about the other package; empty if it does not require it.
std::optional<Answer> AsksFor(const Pin& pin, std::string_view other, std::string_view other_version) {
  const std::string_view wanted = Requirement(pin, other);
  const auto version = Plain(other_version);
  if (wanted.empty() || !version) return std::nullopt;
  std::string why = std::string(pin.package) + " " + std::string(pin.version) + " requires " +
                    std::string(other) + std::string(wanted);
  return Answer{Meets(*version, wanted), std::move(why), pin.source};
}

std::optional<Answer> AsCompanions(std::string_view package, std::string_view version, std::string_view other,
                                   std::string_view other_version) {
  const auto wanted = Plain(other_version);
  const auto own = Plain(version);
  if (!wanted || !own) return std::nullopt;
  std::string belongs;
  std::string_view source;
  for (const Companion& row : Companions()) {
    if (row.package != package || row.of != other || Known(row.version) != *own) continue;
    const bool fits =
        BeginsWith(*wanted, Known(row.of_version)) || (row.and_later && *wanted >= Known(row.of_version));
    const std::string why = std::string(package) + " " + std::string(version) + " belongs to " +
                            std::string(other) + " " + std::string(row.of_version) +
                            (row.and_later ? " and later" : "");
    if (fits) return Yes(why, row.source);
    belongs = why;
    source = row.source;
  }
  if (belongs.empty()) return std::nullopt;
  return No(belongs, source);
}

}  // namespace

const Pin* FindPin(std::string_view package, std::string_view version, std::string_view extra) {
  version = version.substr(0, version.find('+'));
  for (const Pin* pin : PinsOf(package)) {
    if (pin->version == version && pin->extra == extra) return pin;
  }
  return nullptr;
}

std::string_view Requirement(const Pin& pin, std::string_view package) {
  for (const std::string_view text : pin.needs) {
    if (!text.starts_with(package)) continue;
    const std::string_view rest = text.substr(package.size());
    if (rest.empty() || std::string_view("=<>~!").find(rest.front()) != std::string_view::npos) return rest;
  }
  return "";
}

Specifiers::Specifiers(std::string_view text) {
  static constexpr std::string_view kSigns[] = {"==", "===", "!=", ">=", "<=", ">", "<", "~="};
  for (bool more = true; more;) {
    const size_t comma = text.find(',');
    std::string_view bound = base::Trim(text.substr(0, comma));
    more = comma != std::string_view::npos;
    if (more) text.remove_prefix(comma + 1);
    const std::string_view own = bound.substr(0, std::min(bound.find_first_not_of("=<>~!"), bound.size()));
    const auto* const sign_at = std::ranges::find(kSigns, own);
    const std::string_view sign = sign_at == std::end(kSigns) ? "" : *sign_at;
    bound.remove_prefix(own.size());
    const bool prefix = bound.ends_with(".*");
    if (prefix) bound.remove_suffix(2);
    // There is no final release between 2.7.0rc0 and 2.7.0.
    if (sign == ">=") bound = bound.substr(0, bound.find("rc"));
    const auto number = Plain(bound);
    const bool readable =
        number && (!prefix || sign == "==" || sign == "!=") && (sign != "~=" || number->parts.size() > 1);
    all_.push_back({readable ? sign : "", readable ? *number : Version{{0}}, prefix});
  }
}

Verdict Specifiers::Meets(const Version& version) const {
  Verdict verdict = Verdict::kYes;
  for (const One& one : all_) {
    if (one.sign.empty()) {
      verdict = Verdict::kUnknown;
      continue;
    }
    const bool equal = one.prefix ? BeginsWith(version, one.bound) : version == one.bound;
    const bool met = one.sign.starts_with("==") ? equal
                     : one.sign == "!="         ? !equal
                     : one.sign == ">="         ? version >= one.bound
                     : one.sign == "<="         ? version <= one.bound
                     : one.sign == ">"          ? version > one.bound
                     : one.sign == "<"          ? version < one.bound
                                                : Compatible(version, one.bound);
    if (!met) return Verdict::kNo;
  }
  return verdict;
}

Verdict Meets(const Version& version, std::string_view specifiers) {
  return Specifiers(specifiers).Meets(version);
}

Verdict AdmitsMinor(std::string_view specifiers, const Version& minor) {
  constexpr uint32_t kLastPatch = 999;
  const Specifiers admitted(specifiers);
  Version version = MinorOf(minor);
  const Verdict first = admitted.Meets(version);
  if (first != Verdict::kNo) return first;
  version.parts.push_back(kLastPatch);
  return admitted.Meets(version);
}

bool AreRelated(std::string_view package, std::string_view other) {
  const auto asks = [](std::string_view one, std::string_view two) {
    return std::ranges::any_of(PinsOf(one),
                               [&](const Pin* pin) { return !Requirement(*pin, two).empty(); }) ||
           std::ranges::any_of(Companions(),
                               [&](const Companion& row) { return row.package == one && row.of == two; });
  };
  return asks(package, other) || asks(other, package);
}

bool IsPinned(std::string_view package) { return !PinsOf(package).empty(); }

Answer PackagesFit(std::string_view package, std::string_view version, std::string_view other,
                   std::string_view other_version) {
  for (int turn = 0; turn < 2; ++turn) {
    if (const Pin* pin = FindPin(package, version)) {
      if (const auto answer = AsksFor(*pin, other, other_version)) return *answer;
    }
    if (const auto answer = AsCompanions(package, version, other, other_version)) return *answer;
    std::swap(package, other);
    std::swap(version, other_version);
  }
  return Unknown("no data about " + std::string(package) + " " + std::string(version) + " and " +
                 std::string(other) + " " + std::string(other_version));
}

}  // namespace culprit::knowledge
