// See generate_paths.h.
#include "generate_paths.h"

#include <algorithm>

namespace culprit::gold {
namespace {

// As many "../" as it takes to get from `directory` (below the root) to the root.
std::string UpFrom(const std::string& directory) {
  std::string up;
  if (directory.empty()) return up;
  for (size_t i = 0; i <= static_cast<size_t>(std::ranges::count(directory, '/')); ++i) up += "/..";
  return up;
}

}  // namespace

std::string PathGenerator::Directory(const std::string& from, const std::string& directory) {
  const std::string origin = random_.Percent(70) ? "$ORIGIN" : "${ORIGIN}";
  switch (random_.Weighted({55, 28, 5, 4, 2, 2, 3, 1})) {
    case 1:
      Note("path: $ORIGIN");
      return origin + UpFrom(from) + "/" + directory;
    case 2:
      Note("path: relative");
      return random_.Percent(70) ? directory : "../" + directory;
    case 3:
      Note("path: trailing slashes");
      return "@/" + directory + (random_.Percent(50) ? "/" : "///");
    case 4:
      Note("path: $LIB");
      return "@/" + directory + (random_.Percent(50) ? "/$LIB" : "/${LIB}");
    case 5:
      Note("path: $PLATFORM");
      return origin + UpFrom(from) + "/" + directory + (random_.Percent(50) ? "/$PLATFORM" : "/${PLATFORM}");
    case 6:
      Note("path: dots and double slashes");
      return random_.Percent(50) ? "@//" + directory : "@/" + directory + "/../" + directory;
    case 7:
      Note("path: $ORIGIN alone");
      return origin;
    default:
      return "@/" + directory;
  }
}

std::string PathGenerator::Element(const std::string& from) {
  switch (random_.Weighted({780, 40, 40, 30, 40, 20, 10, 15, 15, 15})) {
    case 1:
      Note("path: empty element");
      return "";
    case 2:
      Note("path: nonexistent directory");
      return random_.Percent(50) ? "@/gone" : "gone/away";
    case 3:
      Note("path: a file");
      return random_.Percent(60) ? "@/file" : random_.Percent(50) ? "file" : "@/file/sub";
    case 4: {
      static const std::vector<std::string> kOdd = {"$ORIGINAL/a", "$UNKNOWN/a", "@/a/${NOPE}", "@/$",
                                                    "${ORIGIN/a",  "@/${}/a",    "$$ORIGIN/a",  "$LIBS/a",
                                                    "$origin/a",   "$ORIGIN$LIB"};
      Note("path: no token");
      return random_.Pick(kOdd);
    }
    case 5:
      Note("path: too long");
      return (random_.Percent(50) ? "@/" : "") + std::string(300, 'n');
    case 6:
      Note("path: root directory");
      return "/";
    case 7:
      if (!has_directory_link) break;
      Note("path: directory link");
      return "@/dirlink";
    case 8:
      if (!has_locked) break;
      Note("path: locked directory");
      return random_.Percent(70) ? "@/locked" : "locked";
    case 9:
      if (!has_directory_loop) break;
      Note("path: directory loop");
      return random_.Percent(50) ? "@/dirloop" : "dirloop";
    default:
      break;
  }
  return Directory(from, random_.Pick(directories));
}

std::string PathGenerator::List(const std::string& from, const std::string& separator) {
  if (random_.Percent(2)) {
    Note("path: wholly empty");
    return "";
  }
  std::vector<std::string> elements;
  if (random_.Percent(covering)) {  // this list finds everything
    for (const auto& directory : directories) elements.push_back(Directory(from, directory));
    random_.Shuffle(elements);
  }
  for (size_t i = elements.empty() ? 1 + random_.Below(4) : random_.Below(2); i > 0; --i) {
    const size_t at = random_.Below(elements.size() + 1);
    if (!elements.empty() && random_.Percent(6)) {
      Note("path: duplicate");
      elements.push_back(random_.Pick(elements));
    } else {
      elements.insert(elements.begin() + static_cast<long>(at), Element(from));
    }
  }
  std::string list;
  for (size_t i = 0; i < elements.size(); ++i) {
    if (i > 0) list += separator == ";" && random_.Percent(40) ? ":" : separator;
    list += elements[i];
  }
  if (separator == ";") Note("path: semicolon");
  return list;
}

std::string PathGenerator::FilePath(const std::string& from_file, const std::string& name) {
  std::string directory = random_.Pick(directories);
  for (const auto& file : tree_.files)  // mostly an existing one
    if (file.path.ends_with("/" + name) && random_.Percent(85)) {
      directory = file.path.substr(0, file.path.find_last_of('/'));
      break;
    }
  const size_t slash = from_file.find_last_of('/');
  const std::string from = slash == std::string::npos ? "" : from_file.substr(0, slash);
  switch (random_.Weighted({54, 10, 28, 4, 4, 2})) {
    case 1:
      Note("file path: relative");
      return random_.Percent(70) ? directory + "/" + name : "./" + name;
    case 2:
      Note("file path: $ORIGIN");
      return (random_.Percent(70) ? "$ORIGIN" : "${ORIGIN}") + UpFrom(from) + "/" + directory + "/" + name;
    case 3:
      Note("file path: odd token");
      return random_.Percent(50) ? "$ORIGINAL/" + name : "@/" + directory + "/$NOPE/" + name;
    case 4:
      Note("file path: double slash");
      return "@//" + directory + "/" + name;
    case 5:
      Note("file path: a directory");
      return "@/" + directory + (random_.Percent(50) ? "/" : "");
    default:
      Note("file path: absolute");
      return "@/" + directory + "/" + name;
  }
}

}  // namespace culprit::gold
