// What a crash leaves behind: one line that says in which library it was. The same for the question of the
// runner, by SIGTERM, where a step hangs.
#pragma once

namespace culprit::prober {

// `descriptor`: of the protocol.
void WatchSignals(int descriptor);

}  // namespace culprit::prober
