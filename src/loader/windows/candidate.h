// What Windows does with one candidate file for a DLL. ntdll first checks whether something is there, then
// opens it, lets the kernel check the image, and only then checks the machine. A file for another machine is
// skipped and the search continues (STATUS_IMAGE_MACHINE_TYPE_MISMATCH); anything else that exists but cannot
// be used ends the search.
#pragma once

#include <cstdint>
#include <string>

#include "loader/load_graph.h"

namespace culprit::loader {

inline constexpr uint32_t kErrorAccessDenied = 5;
inline constexpr uint32_t kErrorIoDevice = 1117;
inline constexpr uint32_t kErrorCannotResolve = 1921;

// The machine of a process.
struct ProcessMachine {
  uint16_t machine = binfmt::kPeMachineX64;
  int bits = 64;
  bool on_arm64 = false;  // Windows on ARM64 runs programs for any machine, others only x86
};

struct WindowsCandidate {
  enum class Next { kTake, kGoOn, kStop };
  Next next = Next::kGoOn;
  Outcome outcome = Outcome::kMissing;
  uint32_t code = 0;   // for kStop
  std::string detail;  // what is wrong with the file
  const snapshot::FileFacts* facts = nullptr;
};
WindowsCandidate TryCandidate(snapshot::FileView& view, const std::string& path,
                              const ProcessMachine& process);

}  // namespace culprit::loader
