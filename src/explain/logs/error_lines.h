// Lines that say that something went wrong, whatever it is: what a text ends with if no signature knows it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace culprit::logs {

struct ErrorLine {
  uint64_t line = 0;  // from 1, in the text
  std::string text;   // cleaned
};

// The line that ended it: the last exception, else the last crash, else the first error. With `talk`, also
// one in a sentence. nullopt if no line says so.
std::optional<ErrorLine> EndingError(std::string_view text, bool talk);

// The last exception in the words of the program itself, not of CUDA, a device or a library. nullopt if the
// last one is another.
std::optional<ErrorLine> OrdinaryException(std::string_view text);

// Lines in which words of failure mean no failure: counts of zero, tests that passed, web requests, table
// headers, packages that are there.
bool TellsOfSuccess(std::string_view line);

// Files could not be fetched or merged: networks, registries, keys of repositories, version control.
bool TellsOfFetching(std::string_view line);

// A hint is no evidence in a line that tells of something else: success, files to fetch, other makers'
// devices.
bool IsBesideThePoint(std::string_view line);

}  // namespace culprit::logs
