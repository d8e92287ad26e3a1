// Which operating system a machine that is looked at has; not the one that culprit runs on.
#pragma once

namespace culprit::base {

enum class Platform { kLinux, kWindows };

}  // namespace culprit::base
