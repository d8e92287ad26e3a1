// A kernel that only exists as PTX: the driver's own compiler has to work.
#include "probe/child/kernel.h"
#include "probe/child/step.h"

namespace culprit::prober {

Outcome KernelStep(Session& session) {
  if (auto failure = session.MakeContext()) return std::unexpected(*failure);
  double load_ms = 0;
  if (auto failure = RunKernel(session, kKernelPtx, load_ms)) return std::unexpected(*failure);
  session.teller().Figure("jit_ms", Short(load_ms));
  return "compiled in " + Short(load_ms) + " ms";
}

}  // namespace culprit::prober
