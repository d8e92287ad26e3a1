// The operating system of the inspected machine, not of the one that culprit runs on.
#pragma once

namespace culprit::base {

enum class Platform { kLinux, kWindows };

}  // namespace culprit::base
