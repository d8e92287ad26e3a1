#include "system/path_walk.h"

#include <algorithm>
#include <vector>

#include "base/text.h"

namespace culprit::system {
namespace {

// PATH_MAX (with the final NUL) and MAXSYMLINKS of Linux.
constexpr size_t kPathMax = 4096;
constexpr int kMaxLinks = 40;

}  // namespace

void PrependComponents(std::string_view path, std::vector<std::string>& pending) {
  if (path.ends_with('/')) pending.emplace_back(".");
  std::vector<std::string> names = base::SplitWords(path, "/");
  pending.insert(pending.end(), std::make_move_iterator(names.rbegin()),
                 std::make_move_iterator(names.rend()));
}

PathError CheckPath(std::string_view path) {
  if (path.empty()) return PathError::kNoEntry;
  if (path.front() != '/' || path.find('\0') != path.npos) return PathError::kOther;
  return path.size() >= kPathMax ? PathError::kNameTooLong : PathError::kNone;
}

Outcome<std::string> WalkPath(std::string_view path, LastLink last, const NodeLookup& lookup) {
  if (const PathError error = CheckPath(path); error != PathError::kNone) return std::unexpected(error);
  std::vector<std::string> pending;
  PrependComponents(path, pending);
  std::string at = "/";
  bool in_directory = true;
  int links = 0;
  while (!pending.empty()) {
    if (!in_directory) return std::unexpected(PathError::kNotDirectory);
    const std::string name = std::move(pending.back());
    pending.pop_back();
    if (name == ".") continue;
    if (name == "..") {
      at = std::string(base::DirName(at));
      continue;
    }
    if (name.size() > kLongestComponent) return std::unexpected(PathError::kNameTooLong);
    std::string next = base::JoinPath(at, name);
    const Outcome<PathNode> node = lookup(next);
    if (!node) return std::unexpected(node.error());
    if (node->type == FileType::kLink && (!pending.empty() || last == LastLink::kFollow)) {
      if (++links > kMaxLinks) return std::unexpected(PathError::kLoop);
      if (node->link_target.empty()) return std::unexpected(PathError::kNoEntry);
      if (node->link_target.front() == '/') at.resize(1);  // "/"
      PrependComponents(node->link_target, pending);
      continue;
    }
    at = std::move(next);
    in_directory = node->type == FileType::kDirectory;
  }
  return at;
}

}  // namespace culprit::system
