#include "rules/kit/loading/load_error.h"

#include <array>
#include <vector>

#include "base/text.h"

namespace culprit::rules {
namespace {

struct Phrase {
  std::string_view words;
  std::string_view cause;
};
// In this order: the loader's own messages before those that libraries derive from them.
constexpr std::array kPhrases = {
    Phrase{"cannot open shared object file: No such file or directory", "not-found"},
    Phrase{"cannot open shared object file: Permission denied", "permissions"},
    Phrase{"file too short", "corrupt-library"},
    Phrase{"invalid ELF header", "corrupt-library"},
    Phrase{"ELF file's phentsize not the expected size", "corrupt-library"},
    Phrase{"cannot read file data", "corrupt-library"},
    Phrase{"failed to map segment", "permissions"},
    Phrase{"ELF load command past end of file", "corrupt-library"},
    Phrase{"object file has no", "corrupt-library"},
    Phrase{"wrong ELF class", "bitness-mismatch"},
    Phrase{"cannot enable executable stack", "permissions"},
    Phrase{"version `GLIBC", "glibc-too-old"},
    Phrase{"version `CXXABI", "glibc-too-old"},
    Phrase{"undefined symbol", "cuda-mixed-versions"},
    Phrase{"cannot open shared object file", "not-found"},
    Phrase{"Could not load library", "not-found"},
    Phrase{"Unable to load any of", "not-found"},
    Phrase{"Could not locate", "not-found"},
    Phrase{"The specified module could not be found", "not-found"},
    Phrase{"is not a valid Win32 application", "bitness-mismatch"},
};

bool IsNameCharacter(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.' || c == '_' ||
         c == '-' || c == '+';
}

// The first file name in a line: "libcudnn_graph.so.9", "cudnn_ops64_9.dll".
std::string LibraryIn(std::string_view line) {
  for (const std::string_view mark : {".so", ".dll"}) {
    const size_t at = line.find(mark);
    if (at == std::string_view::npos) continue;
    size_t begin = at, end = at + mark.size();
    while (begin > 0 && IsNameCharacter(line[begin - 1])) --begin;
    while (end < line.size() && IsNameCharacter(line[end])) ++end;
    while (end > begin && line[end - 1] == '.') --end;
    if (begin < at) return std::string(line.substr(begin, end - begin));
  }
  return "";
}

}  // namespace

LoadError ReadLoadError(std::string_view words) {
  const std::vector<std::string> lines = base::Split(words, '\n');
  for (const Phrase& phrase : kPhrases) {
    for (const std::string& line : lines) {
      if (line.find(phrase.words) == std::string::npos) continue;
      return {LibraryIn(line), std::string(phrase.words), std::string(phrase.cause)};
    }
  }
  return {};
}

}  // namespace culprit::rules
