// The solver, and the only user of libsolv: candidates become solvables, a need becomes a name that the
// matching candidates provide, and versions are ranks. It answers one question many times: can these be
// installed together?
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "plan/universe/narrow.h"
#include "plan/universe/universe.h"

namespace culprit::plan {

// The candidate of each package, kNone where it is not installed.
using Choice = std::vector<size_t>;

class Pool {
 public:
  // Only candidates that are left are known to the pool, and needs that count.
  Pool(const Universe& universe, const Narrowed& narrowed, const Ignored& ignored = {});
  ~Pool();
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  // One of each; nothing when that cannot be. The candidates that come first are preferred, but not at any
  // price: who needs the best asks again with fewer.
  std::optional<Choice> Install(const std::vector<Root>& roots) const;

 private:
  struct Inside;
  std::unique_ptr<Inside> inside_;
};

}  // namespace culprit::plan
