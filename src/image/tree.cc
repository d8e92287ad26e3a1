#include "image/tree.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/python/package_name.h"
#include "base/text.h"

namespace culprit::image {
namespace {

using system::FileType;
using system::LastLink;
using system::Outcome;
using system::PathError;
using system::PathNode;

constexpr std::string_view kWhiteout = ".wh.", kReserved = ".wh..wh.", kOpaque = ".wh..wh..opq";
constexpr std::string_view kSearchSettings = "/etc/ld.so.conf.d";
constexpr size_t kMostLeftOut = 20;
constexpr size_t kMostCovered = 20'000;

FileType TypeOf(binfmt::TarType type) {
  switch (type) {
    case binfmt::TarType::kFile:
      return FileType::kRegular;
    case binfmt::TarType::kDirectory:
      return FileType::kDirectory;
    case binfmt::TarType::kSymlink:
      return FileType::kLink;
    case binfmt::TarType::kHardLink:
    case binfmt::TarType::kOther:
      break;
  }
  return FileType::kOther;
}

// The names of a path in a layer, where "." means nothing and ".." goes up; nullopt: it climbs out.
std::optional<std::vector<std::string>> Components(std::string_view path) {
  std::vector<std::string> names;
  for (std::string& name : base::SplitWords(path, "/")) {
    if (name == ".") continue;
    if (name != "..") {
      names.push_back(std::move(name));
    } else if (names.empty()) {
      return std::nullopt;
    } else {
      names.pop_back();
    }
  }
  return names;
}

// "libcudnn_ops.so.9" of libcudnn_ops.so.9.1.0: under which name a library is asked for differs. Those of the
// driver have its version in their names, and are asked for as libcuda.so.1.
std::string ToMajor(std::string_view name) {
  constexpr std::string_view kEnd = ".so.";
  constexpr size_t kDriver = 3;  // digits
  const size_t end = name.find(kEnd);
  if (end == name.npos) return std::string(name);
  const size_t begin = end + kEnd.size(), point = std::min(name.find('.', begin), name.size());
  const bool driver = point - begin >= kDriver && point < name.size();
  return driver ? std::string(name.substr(0, begin)) + "1" : std::string(name.substr(0, point));
}

// The name under which a removed file would be searched; "" if it is not searched by name.
std::string MissedAs(std::string_view folder, std::string_view name) {
  if (base::Contains(name, ".so")) return ToMajor(name);
  if (name.ends_with(".dist-info") || name.ends_with(".egg-info"))
    return base::NormalName(name.substr(0, name.find('-')));
  if (name.ends_with(".bc") || name.ends_with(".h")) return std::string(name);  // libdevice
  return folder == "bin" || folder == "sbin" ? std::string(name) : "";
}

std::string Joined(std::span<const std::string> names) {
  std::string path;
  for (const std::string& name : names) path.append("/").append(name);
  return path.empty() ? "/" : path;
}

}  // namespace

Tree::Tree() { NewDirectory(); }

uint32_t Tree::NewDirectory() {
  inodes_.push_back({.type = FileType::kDirectory,
                     .mode = 0755,
                     .layer = layer_,
                     .children = static_cast<uint32_t>(children_.size())});
  children_.emplace_back();
  return static_cast<uint32_t>(inodes_.size() - 1);
}

void Tree::LeaveOut(Misfit why, const std::string& path) {
  ++left_out_count_;
  if (left_out_.size() < kMostLeftOut) left_out_.push_back({layer_, why, path});
}

void Tree::Add(const std::vector<LayerEntry>& entries) {
  for (size_t i = 0; i < entries.size(); ++i) AddEntry(entries[i], static_cast<uint32_t>(i));
  ++layer_;
}

Tree::Children* Tree::ParentOf(const std::vector<std::string>& components) {
  const std::span<const std::string> names = std::span(components).first(components.size() - 1);
  if (last_parent_ && std::ranges::equal(last_names_, names)) return &children_[*last_parent_];
  last_parent_.reset();
  Children* parent = FindParent(names);
  if (parent != nullptr) {
    last_parent_ = static_cast<size_t>(parent - children_.data());
    last_names_.assign(names.begin(), names.end());
  }
  return parent;
}

Tree::Children* Tree::FindParent(std::span<const std::string> names) {
  // Nearly always it is there.
  const auto real = Walk(Joined(names), LastLink::kFollow);
  if (real) {
    const Inode* inode = Find(*real);
    return inode->type == FileType::kDirectory ? &children_[inode->children] : nullptr;
  }
  if (real.error() != PathError::kNoEntry) return nullptr;
  std::string at = "/";
  for (const std::string& name : names) {
    const std::string next = base::JoinPath(at, name);
    const auto there = Walk(next, LastLink::kFollow);
    if (there) {
      at = *there;
      if (Find(at)->type != FileType::kDirectory) return nullptr;
      continue;
    }
    if (there.error() != PathError::kNoEntry || FindChild(next) != nullptr) return nullptr;
    const uint32_t parent = Find(at)->children;
    const uint32_t made = NewDirectory();
    children_[parent].insert_or_assign(name, Child{made, layer_});
    at = next;
  }
  return &children_[Find(at)->children];
}

void Tree::AddEntry(const LayerEntry& entry, uint32_t number) {
  const auto components = Components(entry.path);
  if (!components) return LeaveOut(Misfit::kClimbs, entry.path);
  if (components->empty()) return;  // the root itself
  const bool too_long = entry.path.size() > 4095 || std::ranges::any_of(*components, [](const auto& name) {
                          return name.size() > system::kLongestComponent;
                        });
  if (too_long) return LeaveOut(Misfit::kNameTooLong, entry.path.substr(0, 80));
  Children* directory = ParentOf(*components);
  if (directory == nullptr) return LeaveOut(Misfit::kNoParent, entry.path);
  const std::string& name = components->back();
  if (entry.type != binfmt::TarType::kFile || name.starts_with(kWhiteout) || directory->contains(name))
    last_parent_.reset();  // the next name may lead elsewhere
  if (name.starts_with(kWhiteout)) return AddWhiteout(*directory, *components);
  if (entry.type == binfmt::TarType::kHardLink) return AddHardLink(entry, *directory, name);
  const auto known = directory->find(name);
  if (entry.type == binfmt::TarType::kDirectory) {
    if (known != directory->end() && inodes_[known->second.inode].type == FileType::kDirectory) {
      known->second.layer = layer_;
      inodes_[known->second.inode].mode = entry.mode;
      inodes_[known->second.inode].group = entry.group;
      return;
    }
    if (known != directory->end()) Cover(Joined(*components), known->second);
    const auto place = static_cast<size_t>(directory - children_.data());  // which grows
    const uint32_t made = NewDirectory();
    inodes_[made].mode = entry.mode;
    inodes_[made].group = entry.group;
    children_[place].insert_or_assign(name, Child{made, layer_});
    return;
  }
  if (known != directory->end() &&
      (entry.type != binfmt::TarType::kFile || inodes_[known->second.inode].type == FileType::kDirectory))
    Cover(Joined(*components), known->second);
  if (known != directory->end() && entry.type == binfmt::TarType::kFile)
    Replace(entry, *components, known->second);
  inodes_.push_back({.type = TypeOf(entry.type),
                     .mode = entry.mode,
                     .group = entry.group,
                     .size = entry.type == binfmt::TarType::kSymlink ? entry.link.size() : entry.size,
                     .layer = layer_,
                     .entry = number,
                     .link = entry.type == binfmt::TarType::kSymlink ? entry.link : ""});
  directory->insert_or_assign(name, Child{static_cast<uint32_t>(inodes_.size() - 1), layer_});
}

void Tree::AddHardLink(const LayerEntry& entry, Children& directory, std::string_view name) {
  const auto target = Components(entry.link);
  if (!target) return LeaveOut(Misfit::kClimbs, entry.link);
  const auto real = Walk(Joined(*target), LastLink::kKeep);
  const Inode* inode = real ? Find(*real) : nullptr;
  if (inode == nullptr || inode->type == FileType::kDirectory)
    return LeaveOut(Misfit::kNoLinkTarget, entry.path);
  directory.insert_or_assign(std::string(name), Child{static_cast<uint32_t>(inode - inodes_.data()), layer_});
}

void Tree::AddWhiteout(Children& directory, const std::vector<std::string>& components) {
  const std::string_view name = components.back();
  const std::string parent = Joined(std::span(components).first(components.size() - 1));
  if (name == kOpaque) {
    RemoveLower(base::BaseName(parent), directory);
    removed_.insert_or_assign(parent, layer_);
    robbed_.insert_or_assign(parent, layer_);
    return;
  }
  if (name.starts_with(kReserved)) return;  // notes of aufs
  removed_.insert_or_assign(base::JoinPath(parent, name.substr(kWhiteout.size())), layer_);
  const auto gone = directory.find(name.substr(kWhiteout.size()));
  if (gone == directory.end() || !RemoveLower(base::BaseName(parent), gone->first, gone->second)) return;
  robbed_.insert_or_assign(Walk(parent, LastLink::kFollow).value_or(parent), layer_);
  directory.erase(gone);
}

void Tree::Cover(const std::string& path, const Child& child) {
  if (inodes_[child.inode].type == FileType::kDirectory) {
    for (const auto& [name, below] : ChildrenOf(child)) Cover(base::JoinPath(path, name), below);
    return;
  }
  const std::string_view name = base::BaseName(path);
  if (child.layer >= layer_ || !base::Contains(name, ".so") || covered_count_ >= kMostCovered) return;
  ++covered_count_;
  removed_.insert_or_assign(path, layer_);
  covered_[ToMajor(name)].push_back({path, layer_});
}

void Tree::Replace(const LayerEntry& entry, const std::vector<std::string>& components, const Child& child) {
  const Inode& below = inodes_[child.inode];
  if (child.layer >= layer_ || below.type != FileType::kRegular || below.size == entry.size) return;
  const std::string& name = components.back();
  if (base::Contains(name, ".so.") && replaced_.size() < kMostCovered)
    replaced_.insert_or_assign(ToMajor(name), layer_);
  if (Joined(components).starts_with(kSearchSettings))
    robbed_.insert_or_assign(std::string(kSearchSettings), layer_);
}

bool Tree::RemoveLower(std::string_view folder, const std::string& name, const Child& child) {
  const bool directory = inodes_[child.inode].type == FileType::kDirectory;
  const bool goes = (!directory || RemoveLower(name, ChildrenOf(child))) && child.layer < layer_;
  if (std::string missed = goes ? MissedAs(folder, name) : ""; !missed.empty())
    removed_names_.insert_or_assign(std::move(missed), layer_);
  return goes;
}

bool Tree::RemoveLower(std::string_view folder, Children& directory) {
  std::erase_if(directory, [&](const auto& child) { return RemoveLower(folder, child.first, child.second); });
  return directory.empty();
}

const Tree::Child* Tree::FindChild(std::string_view clean) const {
  const Children* directory = &children_.front();
  const Child* child = nullptr;
  while (!clean.empty()) {
    clean.remove_prefix(1);  // '/'
    const size_t slash = clean.find('/');
    const std::string_view name = clean.substr(0, slash);
    const auto found = directory->find(name);
    if (found == directory->end()) return nullptr;
    child = &found->second;
    clean = slash == clean.npos ? "" : clean.substr(slash);
    const Inode& inode = inodes_[child->inode];
    if (inode.type == FileType::kDirectory) {
      directory = &children_[inode.children];
    } else if (!clean.empty()) {
      return nullptr;
    }
  }
  return child;
}

const Tree::Inode* Tree::Find(std::string_view clean) const {
  if (clean == "/") return &inodes_.front();
  const Child* child = FindChild(clean);
  return child == nullptr ? nullptr : &inodes_[child->inode];
}

Outcome<std::string> Tree::Walk(const std::string& path, LastLink last) const {
  // Names are asked for from left to right, so the directory of the last answer mostly holds the next one.
  std::string answered = "/";
  const Inode* there = &inodes_.front();
  return system::WalkPath(path, last, [&](const std::string& clean) -> Outcome<PathNode> {
    const Inode* inode = nullptr;
    if (base::DirName(clean) == answered && there->type == FileType::kDirectory) {
      const Children& children = children_[there->children];
      const auto child = children.find(base::BaseName(clean));
      inode = child == children.end() ? nullptr : &inodes_[child->second.inode];
    } else {
      inode = Find(clean);
    }
    if (inode == nullptr) return std::unexpected(PathError::kNoEntry);
    if (inode->type == FileType::kDirectory) {
      answered = clean;
      there = inode;
    }
    return PathNode{inode->type, inode->link};
  });
}

std::vector<system::DirectoryEntry> Tree::List(const Inode& directory) const {
  std::vector<system::DirectoryEntry> entries;
  for (const auto& [name, child] : children_[directory.children]) {
    if (entries.size() == system::kMostEntries) break;
    entries.push_back({name, inodes_[child.inode].type});
  }
  return entries;
}

int Tree::RemoverOf(const std::string& name) const {
  int top = -1;
  const std::string library = ToMajor(name);
  for (const std::string& missed : {library, base::NormalName(name)}) {
    if (const auto found = removed_names_.find(missed); found != removed_names_.end())
      top = std::max(top, static_cast<int>(found->second));
  }
  const auto covered = covered_.find(library);
  if (covered == covered_.end()) return top;
  for (const Covered& one : covered->second) {
    const auto real = Walk(one.path, LastLink::kFollow);
    if (!real || Find(*real)->type != FileType::kRegular) top = std::max(top, static_cast<int>(one.layer));
  }
  return top;
}

int Tree::ReplacerOf(const std::string& library) const {
  const auto found = replaced_.find(ToMajor(library));
  return found == replaced_.end() ? -1 : static_cast<int>(found->second);
}

int Tree::RemoverOfAnyVersion(std::string_view name) const {
  constexpr std::string_view kEnd = ".so";
  const size_t end = name.find(kEnd);
  const std::string stem(end == name.npos ? name : name.substr(0, end + kEnd.size()));
  int top = -1;
  for (auto at = removed_names_.lower_bound(stem); at != removed_names_.end() && at->first.starts_with(stem);
       ++at) {
    if (at->first.size() == stem.size() || at->first[stem.size()] == '.')
      top = std::max(top, static_cast<int>(at->second));
  }
  return top;
}

int Tree::RemoverBelow(const std::string& path) const {
  int top = -1;
  for (auto at = removed_.lower_bound(path); at != removed_.end() && at->first.starts_with(path); ++at) {
    if (at->first.size() == path.size() || at->first[path.size()] == '/')
      top = std::max(top, static_cast<int>(at->second));
  }
  return top;
}

int Tree::RemoverIn(const std::string& directory) const {
  const auto found = robbed_.find(Walk(directory, LastLink::kFollow).value_or(directory));
  return found == robbed_.end() ? -1 : static_cast<int>(found->second);
}

int Tree::TopLayerOf(const std::string& path) const {
  int top = -1;
  const auto count = [&](uint32_t layer) { top = std::max(top, static_cast<int>(layer)); };
  std::string missing;
  const auto real =
      system::WalkPath(path, LastLink::kFollow, [&](const std::string& clean) -> Outcome<PathNode> {
        const Child* child = FindChild(clean);
        if (child == nullptr) {
          missing = clean;
          return std::unexpected(PathError::kNoEntry);
        }
        const Inode& inode = inodes_[child->inode];
        if (inode.type == FileType::kLink) count(child->layer);
        return PathNode{inode.type, inode.link};
      });
  if (real && *real != "/") {
    const Child& child = *FindChild(*real);
    const Inode& inode = inodes_[child.inode];
    count(inode.type == FileType::kDirectory ? inode.layer : child.layer);
  }
  if (const auto removed = removed_.find(missing); removed != removed_.end()) count(removed->second);
  return top;
}

}  // namespace culprit::image
