#include "cli/user_path.h"

#include "base/text.h"
#include "base/windows_path.h"

namespace culprit::cli {

std::string InsidePath(const system::System& machine, const std::string& path) {
  if (machine.platform() == base::Platform::kWindows) {
    return base::FromWindowsPath(path, machine.WorkingDirectory());
  }
  return base::JoinPath(machine.WorkingDirectory(), path);
}

}  // namespace culprit::cli
