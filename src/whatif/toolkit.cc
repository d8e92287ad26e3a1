// CUDA toolkits and cuDNN outside of Python.
#include "whatif/make.h"

namespace culprit::whatif {

Changes Make(const system::System& machine, const report::InstallToolkit& change) {
  static_cast<void>(machine);
  return base::Fail(base::ErrorCode::kUnsupported, "CUDA " + change.version + " cannot be installed yet");
}

Changes Make(const system::System& machine, const report::InstallCudnn& change) {
  static_cast<void>(machine);
  return base::Fail(base::ErrorCode::kUnsupported, "cuDNN " + change.version + " cannot be installed yet");
}

}  // namespace culprit::whatif
