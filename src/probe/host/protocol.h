// The lines in which culprit-probe (and the small script in a framework's interpreter) tells what happens, as
// it happens. Strict, because a library that runs in the child may do anything to its standard output:
//
//   culprit-probe 1                     first line
//   begin STEP SUBJECT
//   library NAME PATH                   the step brought this file into the process
//   device CUDA-INDEX NVML-INDEX        a device follows; an index of "-": not seen by that one
//   fact NAME VALUE                     of the device just begun, by its names in snapshot/probe.h
//   holder PID BYTES NAME               of its memory
//   figure NAME VALUE                   of the step; "microseconds": how long it took, by the child's own
//   clock crash SIGNAL LIBRARY                from the handler of a signal; nothing follows stuck LIBRARY
//   asked by SIGTERM where it is; nothing follows ok DETAIL                           ends a step failed
//   STATUS CALL DETAIL           ends a step not-run DETAIL                      ends a step that was never
//   tried done                                last line
//
// Words are separated by one space. In a word every byte but the printable ones of ASCII is written %XX, and
// so are the space and '%'; the empty word is "%". A child begins each step once.
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
  // False from the first line on that is no line of the protocol, or stands in the wrong place; `problem`
  // then says which.
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
