#include "snapshot/path_pattern.h"

#include "base/text.h"

namespace culprit::snapshot {

// Without recursion: the name and the pattern are foreign, and many stars must not take exponential time.
bool MatchesPattern(std::string_view name, std::string_view pattern) {
  size_t n = 0, p = 0;
  size_t star = std::string_view::npos, resume = 0;
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resume = n;
    } else if (p < pattern.size() && pattern[p] == name[n]) {
      ++p;
      ++n;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      n = ++resume;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

std::vector<std::string> ExpandPattern(FileView& view, std::string_view pattern) {
  std::vector<std::string> paths = {"/"};
  for (const std::string& part : base::SplitWords(pattern, "/")) {
    std::vector<std::string> next;
    for (const std::string& path : paths) {
      if (part.find('*') == std::string::npos) {
        next.push_back(base::JoinPath(path, part));
        continue;
      }
      const auto items = view.List(path);
      if (!items) continue;
      for (const auto& item : *items) {
        if (item.kind != FileKind::kRegular && MatchesPattern(item.name, part)) {
          next.push_back(base::JoinPath(path, item.name));
        }
      }
    }
    paths = std::move(next);
  }
  return paths;
}

}  // namespace culprit::snapshot
