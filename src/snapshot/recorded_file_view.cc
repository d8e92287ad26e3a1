// The walk is that of path_resolution(7): 40 links at most, "dir/" asks for a directory, ".." after a link
// starts at its target. A record need not hold each directory on the way to a node: where a component is not
// recorded, the walk goes on at the next longer path that is, since it was recorded from there.
#include "snapshot/recorded_file_view.h"

#include <algorithm>

#include "base/text.h"
#include "base/windows/path.h"

namespace culprit::snapshot {
namespace {

// PATH_MAX (with the final NUL), NAME_MAX and MAXSYMLINKS of Linux.
constexpr size_t kPathMax = 4096;
constexpr size_t kNameMax = 255;
constexpr int kMaxLinks = 40;

const RecordedNode kSomeDirectory = {.kind = FileKind::kDirectory};

// Puts the components of `path` before those that are still to go; the next one is at the back.
void Prepend(std::string_view path, std::vector<std::string>& pending) {
  if (path.ends_with('/')) pending.emplace_back(".");
  const std::vector<std::string> names = base::SplitWords(path, "/");
  pending.insert(pending.end(), names.rbegin(), names.rend());
}

// May lookups go on below this node?
PathError EnterError(const RecordedNode& node) {
  if (node.kind == FileKind::kDirectory) return PathError::kNone;
  return node.kind == FileKind::kOther && node.error != PathError::kNone ? node.error
                                                                         : PathError::kNotDirectory;
}

bool Exists(const RecordedNode& node) {
  return node.error == PathError::kNone || node.error == PathError::kAccess;
}

}  // namespace

const RecordedNode* RecordedFileView::Find(const std::string& path) const {
  const auto node = record_.nodes.find(path);
  return node == record_.nodes.end() ? nullptr : &node->second;
}

const RecordedNode* RecordedFileView::FindAnyCase(std::string& path) const {
  const RecordedNode* const exact = Find(path);
  if (exact != nullptr || !base::IsWindowsPath(path)) return exact;
  if (spellings_.empty()) {
    for (const auto& [recorded, node] : record_.nodes) {
      if (base::IsWindowsPath(recorded)) spellings_.emplace(base::FoldCase(recorded), recorded);
    }
  }
  const auto spelling = spellings_.find(base::FoldCase(path));
  if (spelling == spellings_.end()) return nullptr;
  path = spelling->second;
  return Find(path);
}

const RecordedNode& RecordedFileView::DirectoryAt(const std::string& path) const {
  const RecordedNode* const node = Find(path);
  return node != nullptr ? *node : kSomeDirectory;
}

const RecordedFileView::Place& RecordedFileView::Follow(const std::string& path) {
  const auto [place, fresh] = followed_.try_emplace(path);
  if (fresh) place->second = Walk(path, LastLink::kFollow);
  return place->second;
}

RecordedFileView::Place RecordedFileView::Walk(const std::string& path, LastLink last) const {
  if (path.empty()) return {PathError::kNoEntry};
  if (path.front() != '/') return {PathError::kNotRecorded};
  if (path.size() >= kPathMax) return {PathError::kNameTooLong};
  std::vector<std::string> pending;
  Prepend(path, pending);
  std::string at = "/";
  const RecordedNode* here = &DirectoryAt(at);
  int links = 0;
  while (!pending.empty()) {
    if (const PathError error = EnterError(*here); error != PathError::kNone) return {error};
    const std::string name = std::move(pending.back());
    pending.pop_back();
    if (name == ".") continue;
    if (name == "..") {
      at = std::string(base::DirName(at));
      here = &DirectoryAt(at);
      continue;
    }
    if (name.size() > kNameMax) return {PathError::kNameTooLong};
    std::string next = base::JoinPath(at, name);
    const RecordedNode* node = FindAnyCase(next);
    if (node == nullptr && here->listed) return {PathError::kNoEntry};
    while (node == nullptr && !pending.empty() && pending.back() != "..") {
      if (pending.back() != ".") next = base::JoinPath(next, pending.back());
      pending.pop_back();
      node = FindAnyCase(next);
    }
    if (node == nullptr) return {PathError::kNotRecorded};
    if (node->kind == FileKind::kLink && (!pending.empty() || last == LastLink::kFollow)) {
      if (++links > kMaxLinks) return {PathError::kLoop};
      if (node->error != PathError::kNone) return {node->error};
      if (node->link_target.empty()) return {PathError::kNotRecorded};
      at = node->link_target.front() == '/' ? "/" : std::string(base::DirName(next));
      here = &DirectoryAt(at);
      Prepend(node->link_target, pending);
      continue;
    }
    at = std::move(next);
    here = node;
  }
  if (here == &kSomeDirectory && at != "/") return {PathError::kNotRecorded};
  return {here->error, here, std::move(at)};
}

bool RecordedFileView::IsDangling(const std::string& path) const {
  const Place place = Walk(path, LastLink::kKeep);
  return place.node != nullptr && place.node->kind == FileKind::kLink;
}

const FileFacts& RecordedFileView::Open(const std::string& path) {
  const auto [entry, is_new] = opened_.try_emplace(path);
  FileFacts& facts = entry->second;
  if (!is_new) return facts;
  const Place& place = Follow(path);
  facts.error = place.error;
  facts.dangling = place.error == PathError::kNoEntry && IsDangling(path);
  if (place.node == nullptr) return facts;
  facts.kind = place.node->kind;
  facts.id = place.node->id;
  facts.size = place.node->size;
  facts.set_user_id = place.node->set_user_id;
  facts.not_executable = place.node->not_executable;
  facts.elf = place.node->elf;
  facts.pe = place.node->pe;
  return facts;
}

PathError RecordedFileView::Directory(const std::string& path) {
  const Place& place = Follow(path);
  if (place.node == nullptr) return place.error;
  if (place.node->kind == FileKind::kDirectory && Exists(*place.node)) return PathError::kNone;
  return place.error != PathError::kNone ? place.error : PathError::kNotDirectory;
}

std::string RecordedFileView::RealPath(const std::string& path) {
  const Place& place = Follow(path);
  return place.node != nullptr && Exists(*place.node) ? place.path : path;
}

std::optional<std::vector<DirectoryItem>> RecordedFileView::List(const std::string& path) {
  const Place& place = Follow(path);
  if (place.node == nullptr || place.node->kind != FileKind::kDirectory || !place.node->listed) {
    return std::nullopt;
  }
  const std::string prefix = place.path == "/" ? "/" : place.path + "/";
  std::vector<DirectoryItem> items;
  for (auto node = record_.nodes.lower_bound(prefix); node != record_.nodes.end();) {
    if (!node->first.starts_with(prefix)) break;
    const std::string name = node->first.substr(prefix.size());
    if (const size_t slash = name.find('/'); slash != name.npos) {  // past all that is deeper
      node = record_.nodes.lower_bound(prefix + name.substr(0, slash) + static_cast<char>('/' + 1));
      continue;
    }
    const bool is_there = node->second.error != PathError::kNoEntry || node->second.kind == FileKind::kLink;
    if (is_there && !name.empty()) items.push_back({name, node->second.kind});
    ++node;
  }
  return items;
}

Fact<LibraryVersion> RecordedFileView::Version(const std::string& path) {
  const Place& place = Follow(path);
  if (place.node != nullptr && place.node->version) return *place.node->version;
  const PathError error = place.error != PathError::kNone ? place.error : PathError::kNotRecorded;
  return Fact<LibraryVersion>::Unreadable(std::string(base::Strerror(error)), path);
}

Fact<binfmt::GpuCode> RecordedFileView::GpuCode(const std::string& path) {
  const Place& place = Follow(path);
  if (place.node != nullptr && place.node->gpu_code) return *place.node->gpu_code;
  const PathError error = place.error != PathError::kNone ? place.error : PathError::kNotRecorded;
  return Fact<binfmt::GpuCode>::Unreadable(std::string(base::Strerror(error)), path);
}

const binfmt::PeExports* RecordedFileView::Exports(const std::string& path) {
  const Place& place = Follow(path);
  return place.node == nullptr ? nullptr : place.node->exports.get();
}

std::vector<std::string> RecordedFileView::NamesInside(const std::string& path) {
  const Place& place = Follow(path);
  return place.node == nullptr ? std::vector<std::string>() : place.node->names_inside;
}

// What was found for one process holds for another one that has no other files.
std::vector<UndefinedSymbol> RecordedFileView::Undefined(const std::string& path,
                                                         std::span<const std::string> process) {
  const Place& place = Follow(path);
  if (place.node == nullptr) return {};
  for (const RecordedUndefined& recorded : place.node->undefined) {
    const bool same = std::ranges::all_of(process, [&](const std::string& file) {
      return std::ranges::binary_search(recorded.process, RealPath(file));
    });
    if (same) return recorded.symbols;
  }
  return {};
}

}  // namespace culprit::snapshot
