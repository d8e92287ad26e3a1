// A progress line on stderr for anything that takes longer than a second; on a terminal only.
#pragma once

#include <chrono>
#include <mutex>
#include <string>

namespace culprit::cli {

class Progress {
 public:
  explicit Progress(bool wanted);
  ~Progress();                         // removes the line
  void Show(const std::string& what);  // from any thread
  void Clear();                        // until the next Show()

 private:
  std::mutex mutex_;
  bool wanted_;
  bool shown_ = false;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace culprit::cli
