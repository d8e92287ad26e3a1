// A machine in memory whose text files come from the fuzzer, so that collectors read them as they would on a
// real one. The input is one text: a line "@/proc/modules" begins that file.
#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <string_view>

#include "system/memory.h"

// Only files of `paths` are made: a path of the fuzzer's own may be one that cannot exist. What stands before
// the first file is left out.
inline void AddTexts(std::string_view input, std::span<const std::string_view> paths,
                     culprit::system::MemorySystem& machine) {
  std::string_view path;
  std::string text;
  const auto finish = [&] {
    if (!path.empty()) machine.AddFile(std::string(path), text, 0755);
    text.clear();
  };
  while (!input.empty()) {
    const size_t end = std::min(input.find('\n'), input.size() - 1) + 1;
    const std::string_view line = input.substr(0, end);
    const std::string_view named = line.substr(0, line.find('\n'));
    const auto found = named.starts_with('@') ? std::ranges::find(paths, named.substr(1)) : paths.end();
    if (found != paths.end()) {
      finish();
      path = *found;
    } else {
      text += line;
    }
    input.remove_prefix(end);
  }
  finish();
}
