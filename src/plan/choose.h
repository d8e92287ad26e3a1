// The best of all sets that fit: the newest of the first wanted package, then of the second ..., then the
// fewest changes to what is installed, then builds that need no other index, CUDA that the driver belongs
// to, and the order of the candidates.
#pragma once

#include <optional>

#include "plan/pool.h"
#include "plan/universe/universe.h"

namespace culprit::plan {

struct Order {
  size_t driver_first =
      kNone;  // this package, by its own order, before all others: the lowest driver that does
};
std::optional<Choice> Choose(const Universe& universe, const Order& order = {});
// Whether there is any set at all.
bool CanChoose(const Universe& universe);
bool CanChoose(const Universe& universe, const std::vector<Root>& roots);

}  // namespace culprit::plan
