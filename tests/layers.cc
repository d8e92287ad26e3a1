// The table of the floors, and the checks that read src/ against it. Deliberately plain text reading: an
// include behind an #if counts like any other.
#include "layers.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>
#include <string_view>

namespace culprit::layers {
namespace {

namespace fs = std::filesystem;

std::string ReadText(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<fs::path> SourceFiles(const fs::path& src) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(src)) {
    const std::string extension = entry.path().extension();
    if (entry.is_regular_file() && (extension == ".h" || extension == ".cc")) files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

std::string Join(const std::set<std::string>& names) {
  std::string joined;
  for (const std::string& name : names) joined += (joined.empty() ? "" : " ") + name;
  return joined;
}

// The argument of an #include "..." line, or nothing.
std::optional<fs::path> QuotedInclude(std::string_view line) {
  for (const std::string_view expected : {"#", "include", "\""}) {
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    if (!line.starts_with(expected)) return std::nullopt;
    line.remove_prefix(expected.size());
  }
  return fs::path(line.substr(0, line.find('"')));
}

// The calls of culprit_folder and culprit_program in a CMake file: everything between the parentheses.
std::vector<std::string> FolderCalls(const std::string& cmake) {
  std::string text;
  std::istringstream lines(cmake);
  for (std::string line; std::getline(lines, line);) text += line.substr(0, line.find('#')) + '\n';
  std::vector<std::string> calls;
  for (const std::string_view function : {"culprit_folder(", "culprit_program("}) {
    for (size_t at = text.find(function); at != std::string::npos; at = text.find(function, at)) {
      at += function.size();
      calls.push_back(text.substr(at, text.find(')', at) - at));
    }
  }
  return calls;
}

// What stands between `keyword` and the next keyword of a culprit_folder or culprit_program call.
std::set<std::string> Arguments(const std::string& call, const std::string& keyword) {
  static const std::set<std::string> keywords = {"SOURCES", "TESTS",      "SEES",
                                                 "LINKS",   "TEST_LINKS", "PRECOMPILE"};
  std::set<std::string> found;
  std::istringstream words(call);
  bool inside = false;
  for (std::string word; words >> word;) {
    if (keywords.contains(word)) {
      inside = word == keyword;
    } else if (inside) {
      found.insert(word);
    }
  }
  return found;
}

}  // namespace

const std::map<std::string, std::set<std::string>>& AllowedIncludes() {
  static const std::map<std::string, std::set<std::string>> table = {
      {"base", {}},
      {"system", {"base"}},
      {"binfmt", {"base"}},
      {"knowledge", {"base"}},
      {"snapshot", {"base", "binfmt"}},
      {"record", {"base", "snapshot"}},
      {"witness", {}},
      // binfmt: which function of a library a crash was in.
      {"watch", {"base", "system", "binfmt", "record", "snapshot", "knowledge", "witness"}},
      {"collect", {"base", "system", "binfmt", "snapshot", "record", "knowledge"}},
      {"loader", {"base", "binfmt", "snapshot", "record", "knowledge"}},
      {"logs", {"base", "knowledge"}},
      {"plan", {"base", "knowledge", "report"}},
      {"whatif", {"base", "system", "binfmt", "knowledge", "report"}},
      {"apply", {"base", "system", "report"}},
      {"cuda", {"base"}},
      {"probe", {"base", "system", "snapshot", "knowledge"}},
      {"prober", {"base", "cuda", "probe"}},
      {"report", {"base"}},
      {"rules", {"base", "snapshot", "binfmt", "loader", "knowledge", "report"}},
      {"diagnose",
       {"base", "binfmt", "snapshot", "record", "loader", "knowledge", "report", "rules", "logs"}},
      {"render", {"base", "report"}},
      {"cli",
       {"base", "system", "binfmt", "knowledge", "snapshot", "record", "collect", "loader", "logs", "plan",
        "probe", "watch", "report", "rules", "diagnose", "render", "whatif", "apply"}},
      {"api",
       {"base", "system", "binfmt", "knowledge", "snapshot", "collect", "loader", "report", "rules", "cuda"}},
  };
  return table;
}

std::vector<std::string> ForbiddenIncludes(const fs::path& src) {
  std::vector<std::string> violations;
  for (const fs::path& file : SourceFiles(src)) {
    const fs::path relative = file.lexically_relative(src);
    const std::string folder = *relative.begin();
    const auto row = AllowedIncludes().find(folder);
    if (row == AllowedIncludes().end()) {
      violations.push_back(relative.string() + ": the folder " + folder +
                           " is not in the table of tests/layers.cc");
      continue;
    }
    std::istringstream lines(ReadText(file));
    int number = 0;
    for (std::string line; std::getline(lines, line);) {
      ++number;
      const std::optional<fs::path> included = QuotedInclude(line);
      if (!included) continue;
      const std::string seen = *included->begin();
      if (std::distance(included->begin(), included->end()) < 2) {
        violations.push_back(relative.string() + ":" + std::to_string(number) + ": \"" + included->string() +
                             "\" does not name its folder");
      } else if (seen != folder && !row->second.contains(seen)) {
        violations.push_back(relative.string() + ":" + std::to_string(number) + ": " + folder +
                             " may not see " + seen);
      }
    }
  }
  return violations;
}

std::vector<std::string> DifferingSeesLists(const fs::path& src) {
  std::vector<std::string> violations;
  for (const auto& [folder, allowed] : AllowedIncludes()) {
    for (const std::string& call : FolderCalls(ReadText(src / folder / "CMakeLists.txt"))) {
      std::set<std::string> sees = Arguments(call, "SEES");
      for (const std::string& link : Arguments(call, "LINKS")) {
        if (link.starts_with("culprit_")) sees.insert(link.substr(sizeof("culprit_") - 1));
      }
      sees.erase(folder);
      // The command line may see everything and links what it uses; every other folder states its row, as far
      // as the row is written yet.
      std::set<std::string> expected = allowed;
      std::erase_if(expected, [&src](const std::string& seen) { return !fs::exists(src / seen); });
      if (folder == "cli" ? !std::ranges::includes(expected, sees) : sees != expected) {
        violations.push_back(folder + "/CMakeLists.txt: {" + Join(sees) +
                             "}, but the table of tests/layers.cc says {" + Join(expected) + "}");
      }
    }
  }
  return violations;
}

std::vector<std::string> ForbiddenNames(const fs::path& src) {
  static const std::set<std::string> forbidden = {"util",    "utils",   "common",   "helper",
                                                  "helpers", "manager", "managers", "misc"};
  std::vector<std::string> violations;
  for (const auto& entry : fs::recursive_directory_iterator(src)) {
    std::string words = entry.path().stem();
    std::ranges::replace(words, '_', ' ');
    std::istringstream in(words);
    for (std::string word; in >> word;) {
      if (forbidden.contains(word)) {
        violations.push_back(entry.path().lexically_relative(src).string() + ": a name that says nothing");
      }
    }
  }
  std::ranges::sort(violations);
  return violations;
}

std::vector<std::string> FilesWithoutOpeningComment(const fs::path& src) {
  std::vector<std::string> violations;
  for (const fs::path& file : SourceFiles(src)) {
    const std::string text = ReadText(file);
    if (text.starts_with("// ") || text.starts_with("/* ")) continue;
    const fs::path relative = file.lexically_relative(src);
    if (relative.extension() == ".cc") {
      std::string stem = relative.stem();
      if (stem.ends_with("_test")) stem.resize(stem.size() - sizeof("_test") + 1);
      const fs::path header = relative.parent_path() / (stem + ".h");
      if (text.starts_with("#include \"" + header.string() + "\"\n") && fs::exists(src / header)) continue;
    }
    violations.push_back(relative.string() + ": does not open with a comment");
  }
  return violations;
}

}  // namespace culprit::layers
