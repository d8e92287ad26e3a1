// What was changed stands in a tree of its own; every path is walked over both, component by component
// (path_walk.h), so a new link leads into old directories and an old link to new files. Only clean paths
// reach the system below. Changes of a changed machine are put into one tree: a machine that was changed a
// hundred times is asked as quickly as one that was changed once.
#include "system/changed.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include "base/text.h"
#include "base/windows/path.h"
#include "system/known_paths.h"
#include "system/path_walk.h"

namespace culprit::system {
namespace {

// No device of a machine has this number, so no new file is taken for one that is there.
constexpr uint64_t kNewDevice = 0xC0DE'0000'0001;

class TextSource final : public base::ByteSource {
 public:
  explicit TextSource(std::shared_ptr<const std::string> text) : text_(std::move(text)) {}
  uint64_t size() const override { return text_->size(); }
  base::Result<size_t> ReadAt(uint64_t offset, std::span<std::byte> out) const override {
    if (offset >= text_->size()) return size_t{0};
    const size_t n = std::min(out.size(), text_->size() - static_cast<size_t>(offset));
    std::memcpy(out.data(), text_->data() + offset, n);
    return n;
  }

 private:
  std::shared_ptr<const std::string> text_;
};

struct Node {
  std::string path;  // clean, in the spelling of the one who made it
  FileType type = FileType::kDirectory;
  std::shared_ptr<const std::string> bytes;  // of a file; of a link its target
  uint32_t mode = 0755;
  uint32_t group = 0;
  uint64_t number = 0;

  FileStatus status() const { return {type, bytes ? bytes->size() : 0, kNewDevice, number, mode, group}; }
};

class Changed final : public System {
 public:
  explicit Changed(std::shared_ptr<const System> before)
      : known_(std::make_shared<KnownPaths>(std::move(before))),
        windows_(below().platform() == base::Platform::kWindows),
        environment_(below().Environment()) {}

  void Change(SystemChanges changes) {
    Remove(changes.removed);
    for (auto& [path, node] : changes.put) Put(path, std::move(node));
    for (const auto& [path, mode] : changes.modes) SetMode(path, mode);
    for (const std::string& name : changes.unset) environment_.erase(Variable(name));
    for (const auto& [name, value] : changes.variables) environment_[Variable(name)] = value;
    for (const auto& [key, values] : changes.registry) {
      for (const auto& [name, value] : values.values) registry_[key].insert_or_assign(name, value);
      registry_.try_emplace(key);
    }
  }

  Outcome<OpenFile> Open(const std::string& path) const override {
    const auto clean = Walk(path, LastLink::kFollow);
    if (!clean) return std::unexpected(clean.error());
    if (const Node* node = Find(*clean)) {
      OpenFile file{node->status(), nullptr};
      if (node->type == FileType::kRegular) {
        if (!(node->mode & 0444)) return std::unexpected(PathError::kAccess);
        file.bytes = std::make_unique<TextSource>(node->bytes);
      }
      return file;
    }
    auto file = below().Open(*clean);
    if (const auto mode = modes_.find(Key(*clean)); mode != modes_.end()) {
      if (!(mode->second & 0444)) return std::unexpected(PathError::kAccess);
      // It could be read then; what it holds nobody has seen yet.
      if (!file && file.error() == PathError::kAccess) return std::unexpected(PathError::kNotRecorded);
      if (file) file->status.mode = mode->second;
    }
    return file;
  }
  Outcome<FileStatus> Stat(const std::string& path) const override { return Status(path, LastLink::kFollow); }
  Outcome<FileStatus> LinkStat(const std::string& path) const override {
    return Status(path, LastLink::kKeep);
  }
  Outcome<std::string> ReadLink(const std::string& path) const override {
    const auto clean = Walk(path, LastLink::kKeep);
    if (!clean) return std::unexpected(clean.error());
    const Node* node = Find(*clean);
    if (node == nullptr) return below().ReadLink(*clean);
    if (node->type != FileType::kLink) return std::unexpected(PathError::kOther);
    return *node->bytes;
  }
  Outcome<std::string> RealPath(const std::string& path) const override {
    const auto clean = Walk(path, LastLink::kFollow);
    if (!clean || !windows_) return clean;
    // The spelling of the one who made the file.
    if (const Node* node = Find(*clean)) return node->path;
    return below().RealPath(*clean).value_or(*clean);
  }
  Outcome<void> Access(const std::string& path, Rights rights) const override {
    const auto clean = Walk(path, LastLink::kFollow);
    if (!clean) return std::unexpected(clean.error());
    const Node* node = Find(*clean);
    const auto mode = modes_.find(Key(*clean));
    if (node == nullptr && mode == modes_.end()) return below().Access(*clean, rights);
    // Whoever asks is nobody special to a file that does not exist yet: the bits for others decide.
    const uint32_t wanted = rights == Rights::kRead ? 04 : 06;
    const uint32_t bits = node != nullptr ? node->mode : mode->second;
    if ((bits & wanted) == wanted) return {};
    return std::unexpected(PathError::kAccess);
  }
  Outcome<std::vector<DirectoryEntry>> List(const std::string& path) const override {
    const auto clean = Walk(path, LastLink::kFollow);
    if (!clean) return std::unexpected(clean.error());
    const auto type = TypeAt(*clean);
    if (!type) return std::unexpected(type.error());
    if (*type != FileType::kDirectory) return std::unexpected(PathError::kNotDirectory);
    std::vector<DirectoryEntry> entries;
    if (!Hidden(*clean)) {
      auto old = below().List(*clean);
      if (old) {
        for (DirectoryEntry& entry : *old) {
          const std::string child = base::JoinPath(*clean, entry.name);
          if (Find(child) == nullptr && !hidden_.contains(Key(child))) entries.push_back(std::move(entry));
        }
      } else if (old.error() == PathError::kAccess && modes_.contains(Key(*clean))) {
        return std::unexpected(PathError::kNotRecorded);
      } else if (old.error() != PathError::kNoEntry) {
        return std::unexpected(old.error());
      }
    }
    const std::string start = Key(*clean == "/" ? "/" : *clean + "/");
    for (auto at = nodes_.lower_bound(start); at != nodes_.end() && at->first.starts_with(start); ++at) {
      if (at->first.find('/', start.size()) == std::string::npos)
        entries.push_back({std::string(base::BaseName(at->second.path)), at->second.type});
    }
    std::ranges::sort(entries, {}, &DirectoryEntry::name);
    return entries;
  }

  std::map<std::string, std::string> Environment() const override { return environment_; }
  std::string WorkingDirectory() const override { return below().WorkingDirectory(); }
  base::Cpu HostCpu() const override { return below().HostCpu(); }
  base::Platform platform() const override { return below().platform(); }

  Outcome<RegistryKey> ReadRegistry(const std::string& key) const override {
    Outcome<RegistryKey> found = below().ReadRegistry(key);
    for (const auto& [changed, values] : registry_) {
      const bool same = base::SameName(changed, key);
      if (!same && !base::FoldCase(changed).starts_with(base::FoldCase(key) + "/")) continue;
      if (!found) found = RegistryKey{};
      if (same) {
        for (const auto& [name, value] : values) {
          std::erase_if(found->values, [&](const auto& old) { return base::SameName(old.first, name); });
          found->values.insert_or_assign(name, value);
        }
        continue;
      }
      const std::string name = base::Split(changed.substr(key.size() + 1), '/').front();
      if (std::ranges::none_of(found->keys, [&](const auto& old) { return base::SameName(old, name); })) {
        found->keys.insert(std::ranges::lower_bound(found->keys, name), name);
      }
    }
    return found;
  }

 private:
  const System& below() const { return known_->below(); }
  std::string Variable(const std::string& name) const {
    std::string text = name;
    if (windows_) {
      for (char& c : text) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    }
    return text;
  }
  // By which the maps know a path: names of Windows have no case.
  std::string Key(const std::string& clean) const { return windows_ ? base::FoldCase(clean) : clean; }

  const Node* Find(const std::string& clean) const {
    const auto node = nodes_.find(Key(clean));
    return node == nodes_.end() ? nullptr : &node->second;
  }
  // What the machine below has there does not count any more.
  bool Hidden(std::string_view clean) const {
    if (hidden_.empty()) return false;
    const std::string key = Key(std::string(clean));
    for (std::string_view at = key; at.size() > 1; at = base::DirName(at)) {
      if (hidden_.contains(at)) return true;
    }
    return false;
  }
  Outcome<PathNode> Lookup(const std::string& clean, bool new_directory) const {
    if (const Node* node = Find(clean)) {
      return PathNode{node->type, node->type == FileType::kLink ? *node->bytes : std::string()};
    }
    if (new_directory || hidden_.contains(Key(clean))) return std::unexpected(PathError::kNoEntry);
    return known_->At(clean);
  }
  Outcome<PathNode> Lookup(const std::string& clean) const {
    return Lookup(clean, Hidden(base::DirName(clean)));
  }
  Outcome<std::string> Walk(const std::string& path, LastLink last) const {
    return Resolve(Asked(path), last);
  }
  std::string Asked(const std::string& path) const {
    if (!windows_ || !base::IsWindowsPath(path)) return path;
    return base::FromWindowsPath(path) + (path.ends_with('/') ? "/" : "");  // "dir/" asks for a directory
  }
  // As WalkPath, which is asked only once for the files of one directory.
  Outcome<std::string> Resolve(const std::string& path, LastLink last) const {
    const auto place = DirectoryOf(path);
    if (!place) return std::unexpected(place.error());
    if (!*place) return WalkFromRoot(path, last);
    std::string clean = base::JoinPath((*place)->real, base::BaseName(path));
    const auto node = Lookup(clean, (*place)->new_inside);
    if (!node) return std::unexpected(node.error());
    if (node->type == FileType::kLink && last == LastLink::kFollow) return WalkFromRoot(path, last);
    return clean;
  }
  Outcome<std::string> WalkFromRoot(std::string_view path, LastLink last) const {
    return WalkPath(path, last, [this](const std::string& clean) { return Lookup(clean); });
  }
  // The directory of the last name of a path; nullopt where only the whole walk tells, as for "a/..".
  Outcome<std::optional<KnownDirectories::Place>> DirectoryOf(const std::string& path) const {
    const std::string_view name = base::BaseName(path), directory = base::DirName(path);
    if (name.empty() || name.size() > kLongestComponent || name == "." || name == ".." || directory == "/" ||
        CheckPath(path) != PathError::kNone)
      return std::nullopt;
    auto place = directories_.Find(directory);
    if (place) return place;
    auto real = WalkFromRoot(directory, LastLink::kFollow);
    if (!real) return std::unexpected(real.error());
    if (TypeAt(*real) != FileType::kDirectory) return std::unexpected(PathError::kNotDirectory);
    place = {.real = std::move(*real)};
    place->new_inside = Hidden(place->real);
    directories_.Remember(directory, *place);
    return place;
  }
  Outcome<FileType> TypeAt(const std::string& clean) const {
    if (clean == "/") return FileType::kDirectory;
    const auto node = Lookup(clean);
    if (!node) return std::unexpected(node.error());
    return node->type;
  }
  Outcome<FileStatus> Status(const std::string& path, LastLink last) const {
    const auto clean = Walk(path, last);
    if (!clean) return std::unexpected(clean.error());
    if (const Node* node = Find(*clean)) return node->status();
    // The walk ends at the link itself or at what is no link: the system below has nothing to follow.
    auto status = below().LinkStat(*clean);
    if (const auto mode = modes_.find(Key(*clean)); status && mode != modes_.end())
      status->mode = mode->second;
    return status;
  }

  // All at once: what a removed link led to is removed as well where it is named.
  void Remove(const std::set<std::string>& paths) {
    std::vector<std::string> gone;
    for (const std::string& path : paths) {
      const std::string asked = Asked(path);
      const auto place = DirectoryOf(asked);
      if (!place) continue;
      // Whether it is there at all need not be known.
      auto clean = *place ? base::JoinPath((*place)->real, base::BaseName(asked))
                          : WalkFromRoot(asked, LastLink::kKeep).value_or("/");
      if (clean != "/") gone.push_back(std::move(clean));
    }
    for (const std::string& clean : gone) Forget(clean);
    directories_.Clear();
  }
  // Takes away what is there and below.
  void Forget(const std::string& clean) {
    const std::string key = Key(clean), begin = key + "/", end = key + char{'/' + 1};
    const auto forget = [&](auto& keys) {
      keys.erase(key);
      keys.erase(keys.lower_bound(begin), keys.lower_bound(end));
    };
    forget(nodes_);
    forget(modes_);
    forget(hidden_);
    hidden_.insert(key);
  }
  void AddDirectory(const std::string& clean, uint32_t mode = 0755) {
    Forget(clean);
    directories_.Clear();
    nodes_[Key(clean)] = {.path = clean,
                          .type = FileType::kDirectory,
                          .bytes = nullptr,
                          .mode = mode,
                          .number = ++last_number_};
  }
  // The clean path at which something new goes; the directories above are made.
  std::string Place(const std::string& path) {
    std::string at = "/";
    const std::vector<std::string> names = base::SplitWords(
        windows_ && base::IsWindowsPath(path) ? base::FromWindowsPath(path) : base::CleanPath(path), "/");
    for (size_t i = 0; i < names.size(); ++i) {
      const std::string next = base::JoinPath(at, names[i]);
      if (i + 1 == names.size()) return next;
      const auto real = Walk(next, LastLink::kFollow);
      if (real && TypeAt(*real) == FileType::kDirectory) {
        at = *real;
      } else {
        AddDirectory(next);
        at = next;
      }
    }
    return at;
  }
  void Put(const std::string& path, ChangedNode node) {
    if (CheckPath(path) != PathError::kNone) return;
    const std::string clean = Place(path);
    if (clean == "/") return;
    if (node.type == FileType::kDirectory) {
      if (TypeAt(clean) == FileType::kDirectory) {
        SetMode(clean, node.mode);
      } else {
        AddDirectory(clean, node.mode);
      }
      return;
    }
    if (node.type == FileType::kLink || TypeAt(clean).value_or(FileType::kRegular) != FileType::kRegular)
      directories_.Clear();
    Forget(clean);
    Node made{.path = clean, .type = node.type, .bytes = nullptr, .mode = node.mode, .group = node.group};
    made.number = ++last_number_;
    if (node.type == FileType::kLink) {
      made.bytes = std::make_shared<const std::string>(std::move(node.target));
      made.mode = 0777;
    } else if (node.type == FileType::kRegular) {
      made.bytes = std::make_shared<const std::string>(std::move(node.bytes));
    }
    nodes_[Key(clean)] = std::move(made);
  }
  void SetMode(const std::string& path, uint32_t mode) {
    const auto clean = Walk(path, LastLink::kFollow);
    if (!clean) return;
    if (const auto node = nodes_.find(Key(*clean)); node != nodes_.end()) {
      node->second.mode = mode;
    } else {
      modes_[Key(*clean)] = mode;
    }
  }

  std::shared_ptr<const KnownPaths> known_;
  mutable KnownDirectories directories_;
  bool windows_;
  std::map<std::string, Node> nodes_;          // by Key
  std::set<std::string, std::less<>> hidden_;  // keys; everything below as well
  std::map<std::string, uint32_t> modes_;      // by Key
  std::map<std::string, std::map<std::string, std::string>> registry_;
  std::map<std::string, std::string> environment_;
  uint64_t last_number_ = 0;
};

}  // namespace

std::unique_ptr<System> ChangedSystem(std::shared_ptr<const System> before, SystemChanges changes) {
  const auto* changed = dynamic_cast<const Changed*>(before.get());
  auto machine = changed != nullptr ? std::make_unique<Changed>(*changed)  //
                                    : std::make_unique<Changed>(std::move(before));
  machine->Change(std::move(changes));
  return machine;
}

}  // namespace culprit::system
