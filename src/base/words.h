// The words of an enumeration, each written once. Next to the enumeration, define
//
//   constexpr std::array<std::string_view, 3> WordsOf(Switch) { return {"", "on", "off"}; }
//
// with one word per value, in order from 0. Word() is for output at the very end, FromWord() for reading a
// file or a protocol line; everything in between passes the enumeration.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <optional>
#include <string_view>
#include <type_traits>

namespace culprit::base {

template <typename Enum>
concept Worded = std::is_enum_v<Enum> && requires(Enum value) {
  { WordsOf(value)[0] } -> std::convertible_to<std::string_view>;
};

template <Worded Enum>
constexpr std::string_view Word(Enum value) {
  return WordsOf(value)[static_cast<size_t>(value)];
}

// nullopt if no value has that word.
template <Worded Enum>
constexpr std::optional<Enum> FromWord(std::string_view word) {
  constexpr auto kWords = WordsOf(Enum{});
  const auto found = std::ranges::find(kWords, word);
  if (found == kWords.end()) return std::nullopt;
  return static_cast<Enum>(found - kWords.begin());
}

}  // namespace culprit::base
