// Sorting that keeps the order of equals.
#pragma once

#include "base/parallel/in_order.h"

namespace culprit::plan {

using base::SortInOrder;

}  // namespace culprit::plan
