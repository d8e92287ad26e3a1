// Packages of a Python environment.
#include "whatif/make.h"

namespace culprit::whatif {

Changes Make(const system::System& machine, const report::InstallPackage& change) {
  static_cast<void>(machine);
  return base::Fail(base::ErrorCode::kUnsupported, change.package + " cannot be installed in the mind yet");
}

Changes Make(const system::System& machine, const report::RemovePackage& change) {
  static_cast<void>(machine);
  return base::Fail(base::ErrorCode::kUnsupported, change.package + " cannot be removed in the mind yet");
}

}  // namespace culprit::whatif
