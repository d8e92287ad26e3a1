// The words of an enumeration, each written once. Beside the enumeration stands
//
//   constexpr std::array<std::string_view, 3> WordsOf(Switch) { return {"", "on", "off"}; }
//
// with a word for each value, in their order from 0. Word() is for whoever writes one at the end of the way,
// FromWord() for whoever reads a file or a line of a protocol; in between the enumeration travels.
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

// nullopt when no value has that word.
template <Worded Enum>
constexpr std::optional<Enum> FromWord(std::string_view word) {
  constexpr auto kWords = WordsOf(Enum{});
  const auto found = std::ranges::find(kWords, word);
  if (found == kWords.end()) return std::nullopt;
  return static_cast<Enum>(found - kWords.begin());
}

}  // namespace culprit::base
