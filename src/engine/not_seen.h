// What a look could not see and should have: the one place that decides which refusals (Snapshot::unread)
// matter to a verdict. A place matters where a CUDA library, the loader's configuration or the judged
// environment would be found: the usual directories, those that variables name, site-packages. The home of
// another user or the processes of others do not.
#pragma once

#include <vector>

#include "report/finding.h"
#include "snapshot/snapshot.h"

namespace culprit::engine {

// Each with its reason and how to let culprit see it.
std::vector<report::NotChecked> NotSeen(const snapshot::Snapshot& snapshot);

}  // namespace culprit::engine
