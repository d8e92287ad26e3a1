// The operating system of the inspected machine, not of the one that culprit runs on; and the machines that
// wheels are built for.
#pragma once

namespace culprit::base {

enum class Platform { kLinux, kWindows };

// A machine with wheels of its own: "linux-x86_64", "linux-aarch64", "windows-x86_64". WSL is Linux with the
// driver of Windows.
enum class Machine { kLinuxX86, kLinuxArm, kWindows };

}  // namespace culprit::base
