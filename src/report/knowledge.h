// The result of `culprit knowledge`, as plain values.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "base/edition.h"
#include "base/words.h"

namespace culprit::report {

enum class TablesUse {
  kUsed,
  kAbsent,
  kOlder,    // not newer than those that are built in, or than another file
  kRefused,  // something is wrong with it
};
constexpr std::array<std::string_view, 4> WordsOf(TablesUse) {
  return {"used", "absent", "older", "refused"};
}

// A place where tables may be.
struct TablesFile {
  std::string path;
  TablesUse use = TablesUse::kAbsent;
  base::Edition edition{};
  std::string why{};  // it is refused
};

struct TableSize {
  std::string name;  // "drivers.toolkit"
  size_t rows = 0;
};

struct KnowledgeAnswer {
  base::Edition built_in;
  std::vector<TablesFile> files;
  std::vector<TableSize> tables;
};

}  // namespace culprit::report
