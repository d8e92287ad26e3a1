// The operating system of the machine under inspection; not the one that culprit runs on.
#pragma once

namespace culprit::base {

enum class Platform { kLinux, kWindows };

}  // namespace culprit::base
