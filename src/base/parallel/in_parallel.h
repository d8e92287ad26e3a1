// Work on many files at once: most of the time of reading one is spent waiting for the system.
#pragma once

#include <cstddef>
#include <functional>

namespace culprit::base {

// Calls work(0) ... work(count - 1), in no order. A few threads that the whole program shares help with it as
// long as each has `share` of them or more to do; nobody waits for one that has not begun. What `work` throws
// is thrown here.
void InParallel(size_t count, size_t share, const std::function<void(size_t)>& work);

}  // namespace culprit::base
