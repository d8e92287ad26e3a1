// Libraries and programs as files: added, removed, changed version, size, contents or symlink target. What
// was not recorded is not different. Unmentioned files of one directory are reported together, and an added
// or removed directory is one difference with everything in it. Times and inodes are ignored.
#include <algorithm>
#include <optional>

#include "base/text.h"
#include "diff/parts.h"
#include "knowledge/libraries.h"

namespace culprit::diff {
namespace {

using report::Differs;
using snapshot::FileKind;
using snapshot::FileRecord;
using snapshot::PathError;
using snapshot::RecordedNode;

enum class Presence { kThere, kNotThere, kNotRecorded };

Presence PresenceOf(const FileRecord& files, const std::string& path) {
  const auto found = files.nodes.find(path);
  if (found != files.nodes.end())
    return found->second.error == PathError::kNoEntry ? Presence::kNotThere : Presence::kThere;
  const std::string parent(base::DirName(path));
  if (parent.empty() || parent == path) return Presence::kNotRecorded;
  const auto above = files.nodes.find(parent);
  if (above == files.nodes.end())
    return PresenceOf(files, parent) == Presence::kNotThere ? Presence::kNotThere : Presence::kNotRecorded;
  if (above->second.error == PathError::kNoEntry || above->second.listed) return Presence::kNotThere;
  return Presence::kNotRecorded;
}

bool IsLibraryOrProgram(const std::string& path, const RecordedNode& node) {
  if (node.kind == FileKind::kDirectory) return false;
  const std::string_view name = base::BaseName(path);
  return node.elf || node.pe || name.contains(".so") || name.ends_with(".dll") || name.ends_with(".pyd");
}

// Whether more is known than a name in a listing.
bool WasLookedAt(const RecordedNode& node) {
  return node.elf || node.pe || node.size != 0 || node.error != PathError::kNone ||
         node.kind == FileKind::kLink;
}

std::string VersionOf(const RecordedNode& node) {
  return node.version && *node.version ? (**node.version).version : "";
}

std::string Shown(const RecordedNode& node) {
  if (node.error != PathError::kNone) return std::string(base::Strerror(node.error));
  if (node.kind == FileKind::kLink) return "symlink to " + node.link_target;
  if (node.kind != FileKind::kRegular) return std::string(Name(node.kind));
  const std::string version = VersionOf(node);
  return (version.empty() ? "" : version + ", ") + std::to_string(node.size) + " bytes";
}

bool SameContents(const RecordedNode& a, const RecordedNode& b) {
  if (a.elf && b.elf) return *a.elf == *b.elf;
  if (a.pe && b.pe) return *a.pe == *b.pe;
  return true;
}

struct Change {
  std::string path;
  const RecordedNode* was = nullptr;
  const RecordedNode* is = nullptr;
};

std::optional<Change> ChangeAt(const Parts& parts, const std::string& path, const RecordedNode* was,
                               const RecordedNode* is) {
  const auto there = [](const RecordedNode* node) {
    return node != nullptr && node->error != PathError::kNoEntry;
  };
  if (!there(was) && !there(is)) return std::nullopt;
  if (!there(was)) {
    if (!IsLibraryOrProgram(path, *is) ||
        PresenceOf(parts.before.scene.snapshot.files, path) != Presence::kNotThere)
      return std::nullopt;
    return Change{path, nullptr, is};
  }
  if (!there(is)) {
    if (!IsLibraryOrProgram(path, *was) ||
        PresenceOf(parts.after.scene.snapshot.files, path) != Presence::kNotThere)
      return std::nullopt;
    return Change{path, was, nullptr};
  }
  if (!IsLibraryOrProgram(path, *was) && !IsLibraryOrProgram(path, *is)) return std::nullopt;
  if (!WasLookedAt(*was) || !WasLookedAt(*is)) return std::nullopt;
  if (was->kind == is->kind && was->error == is->error && was->link_target == is->link_target &&
      was->size == is->size && VersionOf(*was) == VersionOf(*is) && SameContents(*was, *is))
    return std::nullopt;
  return Change{path, was, is};
}

// The topmost directory above `path` that one side has and the other does not; "" when there is none.
std::string CameOrWentWith(const Parts& parts, const Change& change) {
  const FileRecord& without = (change.was == nullptr ? parts.before : parts.after).scene.snapshot.files;
  std::string top;
  for (std::string directory(base::DirName(change.path)); directory.size() > 1;
       directory = std::string(base::DirName(directory))) {
    if (PresenceOf(without, directory) != Presence::kNotThere) break;
    top = directory;
  }
  return top;
}

int SuspicionOf(const Change& change) {
  const bool cuda = knowledge::FindLibrary(base::BaseName(change.path)) != nullptr;
  if (change.was == nullptr) return cuda ? 44 : 14;
  if (cuda) return change.is == nullptr ? 56 : 54;
  const std::string_view directory = base::DirName(change.path);
  return directory.ends_with("bin") ? 12 : change.is == nullptr ? 30 : 24;
}

std::vector<std::string> NamesOf(const Change& change) {
  return {change.path, std::string(base::BaseName(change.path))};
}

void AddOne(Parts& parts, const Change& change) {
  const std::string was = change.was == nullptr ? "none" : Shown(*change.was);
  const std::string is = change.is == nullptr ? "none" : Shown(*change.is);
  std::string summary = change.path + ": " + was + " -> " + is;
  if (change.was == nullptr) summary = change.path + " (" + is + ") is new";
  if (change.is == nullptr) summary = change.path + " (" + was + ") is gone";
  if (was == is) summary = change.path + ": same size, different content";
  parts.Add({.how = HowOf(change.was != nullptr, change.is != nullptr),
             .kind = report::DifferenceKind::kFile,
             .subject = change.path,
             .summary = std::move(summary),
             .before = was,
             .after = is,
             .suspicion = SuspicionOf(change)},
            NamesOf(change));
}

// The deepest directory above all of them.
std::string Common(const std::vector<Change>& changes) {
  std::string common(base::DirName(changes.front().path));
  for (const Change& change : changes) {
    while (common.size() > 1 && !change.path.starts_with(common + "/"))
      common = std::string(base::DirName(common));
  }
  return common;
}

void AddTogether(Parts& parts, const std::string& directory, const std::vector<Change>& changes, bool whole) {
  const Differs how = HowOf(changes.front().was != nullptr, changes.front().is != nullptr);
  const std::string count = std::to_string(changes.size());
  const std::string word = changes.size() == 1 ? " library or program" : " libraries and programs";
  report::Difference difference{.how = how, .kind = report::DifferenceKind::kFile, .subject = directory};
  if (whole) {
    difference.summary =
        directory + (how == Differs::kAdded ? " is new" : " is gone") + ", with " + count + word;
  } else {
    difference.summary = count + word + " in " + directory +
                         (how == Differs::kAdded     ? " are new"
                          : how == Differs::kRemoved ? " are gone"
                                                     : " changed");
  }
  std::vector<std::string> names = {directory};
  for (const Change& change : changes) {
    difference.suspicion = std::max(difference.suspicion, SuspicionOf(change));
    for (std::string& name : NamesOf(change)) names.push_back(std::move(name));
    difference.leads_to.push_back(std::string(base::BaseName(change.path)) + ": " +
                                  (change.was == nullptr ? "none" : Shown(*change.was)) + " -> " +
                                  (change.is == nullptr ? "none" : Shown(*change.is)));
  }
  difference.before = how == Differs::kAdded ? "none" : count + word;
  difference.after = how == Differs::kRemoved ? "none" : count + word;
  parts.Add(std::move(difference), std::move(names));
}

}  // namespace

void AddFiles(Parts& parts) {
  const auto& before = parts.before.scene.snapshot.files.nodes;
  const auto& after = parts.after.scene.snapshot.files.nodes;
  if (before.empty() || after.empty()) {
    if (before.empty() != after.empty()) parts.not_compared.push_back({"files", "recorded on one side only"});
    return;
  }
  constexpr size_t kFew = 3;
  struct Group {
    std::vector<Change> changes;
    bool whole = false;
  };
  std::map<std::pair<std::string, Differs>, Group> groups;
  for (auto a = before.begin(), b = after.begin(); a != before.end() || b != after.end();) {
    const int order = a == before.end() ? 1 : b == after.end() ? -1 : a->first.compare(b->first);
    const std::string& path = order <= 0 ? a->first : b->first;
    const auto change =
        ChangeAt(parts, path, order <= 0 ? &a->second : nullptr, order >= 0 ? &b->second : nullptr);
    if (order <= 0) ++a;
    if (order >= 0) ++b;
    if (!change) continue;
    const Differs how = HowOf(change->was != nullptr, change->is != nullptr);
    const std::string whole = how == Differs::kChanged ? "" : CameOrWentWith(parts, *change);
    const bool named =
        whole.empty() && (parts.mentions.contains(path) || parts.mentions.contains(base::BaseName(path)));
    Group& group = groups[{!whole.empty() ? whole : named ? path : std::string(base::DirName(path)), how}];
    group.whole |= !whole.empty();
    group.changes.push_back(*change);
  }
  for (const auto& [key, group] : groups) {
    if (group.whole || group.changes.size() > kFew) {
      AddTogether(parts, group.whole ? Common(group.changes) : key.first, group.changes, group.whole);
    } else {
      for (const Change& change : group.changes) AddOne(parts, change);
    }
  }
}

}  // namespace culprit::diff
