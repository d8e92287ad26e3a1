// The words of an enumeration, each written once. Next to the enumeration, declare
//
//   constexpr std::array<std::string_view, 3> WordsOf(Switch) { return {"", "on", "off"}; }
//
// with a word for each value, in order from 0. Use Word() where output is written and FromWord() where a file
// or a protocol is read; in between, pass the enumeration.
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
