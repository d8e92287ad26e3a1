// Checks src/ against what its CMake files declare. Deliberately treats sources as plain text: an include
// behind an #if counts like any other.
#include "layers.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <optional>
#include <regex>
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

// The argument of an #include "..." line, or nullopt.
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

// The text between `keyword` and the next keyword of a culprit_folder or culprit_program call.
std::set<std::string> Arguments(const std::string& call, const std::string& keyword) {
  static const std::set<std::string> keywords = {"COLD",    "PLATFORM", "TESTS_ALONE", "UNIT",
                                                 "SOURCES", "WITHOUT",  "ALONE",       "HOT",
                                                 "SEES",    "LINKS",    "TEST_LINKS"};
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

// The room of a path below src/: the nearest folder above it that calls culprit_folder or culprit_program.
const Room* RoomOf(const std::vector<Room>& rooms, const fs::path& path) {
  for (fs::path folder = path.parent_path(); !folder.empty(); folder = folder.parent_path()) {
    const auto room = std::ranges::find(rooms, folder, &Room::folder);
    if (room != rooms.end()) return &*room;
  }
  return nullptr;
}

}  // namespace

std::vector<Room> Rooms(const fs::path& src) {
  std::vector<Room> rooms;
  for (const auto& entry : fs::recursive_directory_iterator(src)) {
    if (entry.path().filename() != "CMakeLists.txt") continue;
    Room room{.folder = entry.path().parent_path().lexically_relative(src)};
    for (const std::string& call : FolderCalls(ReadText(entry.path()))) {
      std::istringstream words(call);
      if (std::string name; room.name.empty() && words >> name) room.name = name;
      room.sees.merge(Arguments(call, "SEES"));
    }
    room.sees.erase(room.name);
    if (!room.name.empty()) rooms.push_back(std::move(room));
  }
  std::ranges::sort(rooms, {}, &Room::folder);
  return rooms;
}

std::vector<std::string> ForbiddenIncludes(const fs::path& src) {
  std::vector<std::string> violations;
  const std::vector<Room> rooms = Rooms(src);
  for (const fs::path& file : SourceFiles(src)) {
    const fs::path relative = file.lexically_relative(src);
    const Room* room = RoomOf(rooms, relative);
    if (room == nullptr) {
      violations.push_back(relative.string() + ": belongs to no room (no culprit_folder above it)");
      continue;
    }
    std::istringstream lines(ReadText(file));
    int number = 0;
    for (std::string line; std::getline(lines, line);) {
      ++number;
      const std::optional<fs::path> included = QuotedInclude(line);
      if (!included) continue;
      const std::string place = relative.string() + ":" + std::to_string(number) + ": ";
      const Room* seen = RoomOf(rooms, *included);
      if (seen == nullptr) {
        violations.push_back(place + "\"" + included->string() + "\" does not name its folder");
      } else if (seen != room && !room->sees.contains(seen->name)) {
        violations.push_back(place + room->name + " may not see " + seen->name);
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

std::vector<std::string> TooLong(const fs::path& src) {
  constexpr int kFile = 400, kFunction = 60;
  static const std::regex no_function(R"(^(namespace|class|struct|enum|union|extern|export)\b|=)");
  std::vector<std::string> violations;
  for (const fs::path& file : SourceFiles(src)) {
    const std::string name = file.lexically_relative(src).string() + ":";
    std::istringstream lines(ReadText(file));
    std::string head;  // the line at the first column that what follows belongs to
    int number = 0, begin = 0;
    for (std::string line; std::getline(lines, line);) {
      ++number;
      const bool first_column = !line.empty() && std::string_view(" }#/").find(line[0]) == std::string::npos;
      if (first_column) {
        head = line;
        begin = 0;
      }
      if (begin == 0 && line.ends_with('{')) begin = number;
      if (!line.starts_with('}')) continue;
      const int length = number - begin - 1;
      if (begin != 0 && length > kFunction && line == "}" && !std::regex_search(head, no_function))
        violations.push_back(name + std::to_string(begin) + ": a function of " + std::to_string(length) +
                             " lines");
      begin = 0;
      head.clear();
    }
    if (number > kFile) violations.push_back(name + " " + std::to_string(number) + " lines");
  }
  return violations;
}

std::set<std::string> ReadersOfSentences(const fs::path& src) {
  static const std::regex compares(
      R"re((==|!=|starts_with\(|ends_with\(|contains\(|find\() *"[^"\n]*[A-Za-z] [A-Za-z][^"\n]*")re");
  std::set<std::string> readers;
  for (const fs::path& file : SourceFiles(src)) {
    if (file.stem().string().ends_with("_test")) continue;
    const std::string text = ReadText(file);
    if (std::regex_search(text, compares)) readers.insert(file.lexically_relative(src).string());
  }
  return readers;
}

}  // namespace culprit::layers
