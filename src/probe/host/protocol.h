// The lines that culprit-probe (and the small script in a framework's interpreter) writes while it works.
// Strict, because a library that runs in the child may do anything to its standard output:
//
//   culprit-probe 1                     first line
//   begin STEP SUBJECT
//   library NAME PATH                   the step loaded this file
//   device CUDA-INDEX NVML-INDEX        a device follows; "-" if CUDA or NVML does not see it
//   fact NAME VALUE                     about that device; names as in snapshot/probe.h
//   holder PID BYTES NAME               of its memory
//   figure NAME VALUE                   about the step; "microseconds" is its duration
//   crash SIGNAL LIBRARY                from a signal handler; nothing follows
//   stuck LIBRARY                       the answer to SIGTERM: where it is; nothing follows
//   ok DETAIL                           ends a step
//   failed STATUS CALL DETAIL           ends a step
//   not-run DETAIL                      ends a step that was not tried
//   done                                last line
//
// Words are separated by one space. Inside a word, space, '%' and every byte that is not printable ASCII are
// written as %XX; the empty word is "%". A child begins each step once.
#pragma once

#include <chrono>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "snapshot/probe.h"

namespace culprit::probe {

inline constexpr std::string_view kGreeting = "culprit-probe 1";
inline constexpr size_t kLongestLine = 64 * 1024;
inline constexpr size_t kMostLines = 20'000;

std::string EncodeWord(std::string_view word);
std::optional<std::string> DecodeWord(std::string_view word);
// With the newline.
std::string EncodeLine(std::string_view tag, std::initializer_list<std::string_view> words = {});

// Reads the lines of one child, as they come.
class Transcript {
 public:
  // False from the first line that is not part of the protocol or is in the wrong place; `problem` says
  // which.
  bool Feed(std::string_view bytes);
  const std::string& problem() const { return problem_; }

  const std::vector<snapshot::ProbeStep>& steps() const { return steps_; }         // those that ended
  const std::optional<snapshot::ProbeStep>& current() const { return current_; }   // begun, not ended
  const std::vector<snapshot::ProbedDevice>& devices() const { return devices_; }  // of steps that ended
  bool done() const { return done_; }
  const std::string& crash_signal() const { return crash_signal_; }  // "SIGSEGV"; "" none was told
  const std::string& where() const { return where_; }                // of `crash` or `stuck`: the library

 private:
  bool Line(std::string_view line);
  bool InStep(const std::vector<std::string>& words);

  std::string rest_;
  size_t lines_ = 0;
  bool greeted_ = false;
  bool done_ = false;
  bool farewell_ = false;  // crash or stuck came
  std::string problem_;
  std::string crash_signal_;
  std::string where_;
  std::optional<snapshot::ProbeStep> current_;
  std::vector<snapshot::ProbeStep> steps_;
  std::vector<snapshot::ProbedDevice> devices_;
  std::vector<snapshot::ProbedDevice> telling_;  // of the current step
  std::chrono::steady_clock::time_point begun_at_;
};

}  // namespace culprit::probe
