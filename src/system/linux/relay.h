// From one stream of a watched command to the same of ours: every byte as it comes, without ever waiting for
// whoever reads ours while the command runs.
#pragma once

#include <array>
#include <functional>
#include <string>
#include <string_view>

#include "system/linux/descriptor.h"
#include "system/linux/terminal_start.h"

namespace culprit::system {

class Relay {
 public:
  using OnOutput = std::function<void(std::string_view)>;

  explicit Relay(ChildStreamEnds ends);

  int from() const { return from_.get(); }
  int to() const { return to_; }
  bool open() const { return static_cast<bool>(from_); }
  bool terminal() const { return terminal_; }
  bool writes() const { return !pending_.empty(); }  // something is read and not written yet
  bool reader_left() const { return reader_left_; }

  // How much was there; 0: nothing now.
  size_t Read(const OnOutput& on_output);
  // As much as goes without waiting.
  void WriteSome();
  // What it had written when it ended, not what its children in the background go on to write.
  void Drain(const OnOutput& on_output);
  // After Drain(): where somebody can still write, a daemon that the command started, a small process of its
  // own goes on. Without it the daemon's next write would end it (SIGPIPE), and its log would be lost. Our
  // output stays open as long as the daemon's would have been without culprit.
  void LeaveBehind();

 private:
  void WriteAll();
  void LoseReader(int error);

  Descriptor from_, kept_open_;
  int to_ = 1;
  bool terminal_ = false;
  bool at_once_ = false;  // the destination never blocks: a file
  bool reader_left_ = false;
  std::string pending_;
};

}  // namespace culprit::system
