// A fact, or the reason why it is not known. "Could not tell" is data, and goes into the report.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace culprit::snapshot {

enum class FactState { kValue, kAbsent, kUnreadable, kNotApplicable, kTimedOut };
constexpr std::array<std::string_view, 5> WordsOf(FactState) {
  return {"value", "absent", "unreadable", "not-applicable", "timed-out"};
}

template <typename T>
struct Fact {
  FactState state = FactState::kAbsent;
  std::optional<T> value;  // set exactly when state is kValue
  std::string why;         // for the other states, one line
  std::string source;      // where it was read or looked for

  static Fact Of(T value, std::string source) {
    return {FactState::kValue, std::move(value), {}, std::move(source)};
  }
  static Fact Absent(std::string source) { return {FactState::kAbsent, std::nullopt, {}, std::move(source)}; }
  static Fact Unreadable(std::string why, std::string source) {
    return {FactState::kUnreadable, std::nullopt, std::move(why), std::move(source)};
  }
  static Fact NotApplicable(std::string why) {
    return {FactState::kNotApplicable, std::nullopt, std::move(why), {}};
  }

  explicit operator bool() const { return value.has_value(); }
  const T& operator*() const { return *value; }
  const T* operator->() const { return &*value; }
  bool operator==(const Fact&) const = default;
};

}  // namespace culprit::snapshot
