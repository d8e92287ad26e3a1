// The files of a container: layers laid over each other, as container tools unpack them one after another.
// ".wh.NAME" removes NAME of the layers below, ".wh..wh..opq" everything of them in its directory. A parent
// that is a symlink is followed inside the tree; a name that climbs out of it is left out.
// https://github.com/opencontainers/image-spec/blob/main/layer.md
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "image/layer_contents.h"
#include "system/path_walk.h"
#include "system/system.h"

namespace culprit::image {

// An entry of a layer that cannot be part of the tree.
enum class Misfit {
  kClimbs,        // ".." out of the image
  kNoLinkTarget,  // a hard link to nothing
  kNoParent,      // below a file, or behind a loop of symlinks
  kNameTooLong,
};
struct LeftOut {
  size_t layer = 0;
  Misfit why = Misfit::kClimbs;
  std::string path{};
};

class Tree {
 public:
  struct Inode {
    system::FileType type = system::FileType::kOther;
    uint32_t mode = 0, group = 0;
    uint64_t size = 0;
    uint32_t layer = 0, entry = 0;  // that has its bytes
    uint32_t children = 0;          // of a directory: in children_
    std::string link{};
  };

  Tree();
  // Lays a layer over what is there. Its number is that of the calls before.
  void Add(const std::vector<LayerEntry>& entries);

  // Of a path without symlinks, "." and "..", which WalkPath() makes.
  const Inode* Find(std::string_view clean) const;
  system::Outcome<std::string> Walk(const std::string& path, system::LastLink last) const;
  std::vector<system::DirectoryEntry> List(const Inode& directory) const;
  uint64_t NumberOf(const Inode& inode) const { return static_cast<uint64_t>(&inode - inodes_.data()) + 1; }
  // The topmost layer that put a file at this path or a symlink on the way to it, or removed what was there;
  // for a directory, the one that created it. -1: none.
  int TopLayerOf(const std::string& path) const;

  // The topmost layer that removed what has this name, wherever it was: a library of that major version, a
  // header, a program of a bin directory, a package of Python; or that put something in the place of that
  // library which is no file. The one that removed something from this directory (of the loader's settings:
  // or wrote one anew); something at this path or below it.
  int RemoverOf(const std::string& name) const;
  int RemoverIn(const std::string& directory) const;
  // The topmost layer that put a file of another size in the place of this library.
  int ReplacerOf(const std::string& library) const;
  // Who removed a file of this name, or of a library of any version: "libnvvm.so", "libdevice.10.bc".
  int RemoverOfAnyVersion(std::string_view name) const;
  int RemoverBelow(const std::string& path) const;

  // The first few, and how many there were.
  const std::vector<LeftOut>& left_out() const { return left_out_; }
  size_t left_out_count() const { return left_out_count_; }

 private:
  struct Child {
    uint32_t inode = 0;
    uint32_t layer = 0;  // that put it there
  };
  using Children = std::map<std::string, Child, std::less<>>;

  void AddEntry(const LayerEntry& entry, uint32_t number);
  void AddWhiteout(Children& directory, const std::vector<std::string>& components);
  void AddHardLink(const LayerEntry& entry, Children& directory, std::string_view name);
  // The directory that holds the last component, with all before it made; nullptr: there can be none.
  Children* ParentOf(const std::vector<std::string>& components);
  Children* FindParent(std::span<const std::string> names);
  uint32_t NewDirectory();
  const Child* FindChild(std::string_view clean) const;
  // Removes what is of lower layers; true if nothing is left. `folder`: the name of the directory.
  bool RemoveLower(std::string_view folder, Children& directory);
  bool RemoveLower(std::string_view folder, const std::string& name, const Child& child);
  // Notes a library, or a setting of the loader, that an entry of another size takes the place of.
  void Replace(const LayerEntry& entry, const std::vector<std::string>& components, const Child& child);
  // Notes the libraries at this path that something else takes the place of.
  void Cover(const std::string& path, const Child& child);
  void LeaveOut(Misfit why, const std::string& path);
  Children& ChildrenOf(const Child& child) { return children_[inodes_[child.inode].children]; }

  std::vector<Inode> inodes_;
  std::vector<Children> children_;
  uint32_t layer_ = 0;  // that is added
  // The directory of the entry before: the next one is mostly in it too.
  std::optional<size_t> last_parent_;
  std::vector<std::string> last_names_;
  struct Covered {
    std::string path;
    uint32_t layer = 0;
  };
  std::map<std::string, uint32_t> removed_;              // path -> the last layer that removed it
  std::map<std::string, std::vector<Covered>> covered_;  // by library
  size_t covered_count_ = 0;
  std::map<std::string, uint32_t> removed_names_, robbed_;  // the same by name; by directory
  std::map<std::string, uint32_t> replaced_;                // by library
  std::vector<LeftOut> left_out_;
  size_t left_out_count_ = 0;
};

}  // namespace culprit::image
