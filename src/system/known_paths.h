// What a changed machine (changed.cc) knows of paths already, so that nobody is asked twice.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "system/path_walk.h"
#include "system/system.h"

namespace culprit::system {

// What the machine below says of clean paths, asked once each.
class KnownPaths {
 public:
  explicit KnownPaths(std::shared_ptr<const System> below) : below_(std::move(below)) {}
  const System& below() const { return *below_; }

  Outcome<PathNode> At(const std::string& clean) const {
    {
      const std::lock_guard lock(mutex_);
      if (const auto known = nodes_.find(clean); known != nodes_.end()) return known->second;
    }
    Outcome<PathNode> node = Ask(clean);
    const std::lock_guard lock(mutex_);
    return nodes_.emplace(clean, std::move(node)).first->second;
  }

 private:
  Outcome<PathNode> Ask(const std::string& clean) const {
    const Outcome<FileStatus> status = below_->LinkStat(clean);
    if (!status) return std::unexpected(status.error());
    if (status->type != FileType::kLink) return PathNode{status->type, {}};
    Outcome<std::string> target = below_->ReadLink(clean);
    if (!target) return std::unexpected(target.error());
    return PathNode{FileType::kLink, std::move(*target)};
  }

  std::shared_ptr<const System> below_;
  mutable std::mutex mutex_;
  mutable std::unordered_map<std::string, Outcome<PathNode>> nodes_;
};

// Where directories really are, by the path that was asked for. A copy of a machine starts without.
class KnownDirectories {
 public:
  struct Place {
    std::string real;
    bool new_inside = false;  // what the machine below has in it does not count
  };
  KnownDirectories() = default;
  KnownDirectories(const KnownDirectories&) {}

  std::optional<Place> Find(std::string_view path) const {
    const std::lock_guard lock(mutex_);
    const auto known = places_.find(path);
    return known == places_.end() ? std::nullopt : std::optional(known->second);
  }
  void Remember(std::string_view path, const Place& place) {
    const std::lock_guard lock(mutex_);
    places_.emplace(path, place);
  }
  void Clear() {
    const std::lock_guard lock(mutex_);
    places_.clear();
  }

 private:
  mutable std::mutex mutex_;
  std::map<std::string, Place, std::less<>> places_;
};

}  // namespace culprit::system
