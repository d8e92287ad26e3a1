// The driver and the services of the host.
#include "whatif/make.h"

namespace culprit::whatif {

Changes Make(const system::System& machine, const report::InstallDriver& change) {
  static_cast<void>(machine);
  return base::Fail(base::ErrorCode::kUnsupported, "driver " + change.version + " cannot be installed yet");
}

Changes Make(const system::System& machine, const report::StartProcess& change) {
  static_cast<void>(machine);
  return base::Fail(base::ErrorCode::kUnsupported, change.name + " cannot be started in the mind yet");
}

}  // namespace culprit::whatif
