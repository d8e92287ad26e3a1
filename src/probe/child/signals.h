// After a crash, writes one line that names the library it was in. Does the same on SIGTERM, with which the
// runner asks where a step hangs.
#pragma once

namespace culprit::prober {

// `descriptor`: of the protocol.
void WatchSignals(int descriptor);

}  // namespace culprit::prober
