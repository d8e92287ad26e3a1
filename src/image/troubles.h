// What could not be read of an image. An answer that needs it is "could not tell".
#pragma once

#include <cstddef>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace culprit::image {

struct Trouble {
  std::string path, why;
  auto operator<=>(const Trouble&) const = default;
};

// Any thread may add to it.
class Troubles {
 public:
  void Add(std::string path, std::string why) {
    const std::lock_guard lock(mutex_);
    if (kept_.size() < kMostKept)
      kept_.insert({std::move(path), std::move(why)});
    else
      more_ = true;
  }
  // The first few, sorted, and whether there were more.
  std::pair<std::vector<Trouble>, bool> All() const {
    const std::lock_guard lock(mutex_);
    return {std::vector<Trouble>(kept_.begin(), kept_.end()), more_};
  }

 private:
  static constexpr size_t kMostKept = 20;
  mutable std::mutex mutex_;
  std::set<Trouble> kept_;
  bool more_ = false;
};

}  // namespace culprit::image
