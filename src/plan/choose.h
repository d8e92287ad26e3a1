// The best solution: the newest release of the first wanted package, then of the second ..., then the fewest
// changes to the installed packages, then builds that need no other index, CUDA that the driver belongs to,
// and the order of the candidates.
#pragma once

#include <optional>

#include "plan/pool.h"
#include "plan/universe/universe.h"

namespace culprit::plan {

std::optional<Choice> Choose(const Universe& universe);
// The same for what a trial asks. `first`: this package before all others, by its own order: the lowest
// driver that does.
std::optional<Choice> Choose(const Universe& universe, const Demands& asked, size_t first = kNone);
// Whether there is any set at all.
bool CanChoose(const Universe& universe);
bool CanChoose(const Universe& universe, const Demands& asked);

}  // namespace culprit::plan
