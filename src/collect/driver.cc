// Collector of the driver.
#include "collect/stack.h"

namespace culprit::collect {

const CollectorInfo kDriverCollector = {"driver", {}};

snapshot::Fact<snapshot::Driver> CollectDriver(const Surroundings&) {
  return snapshot::Fact<snapshot::Driver>::Absent("driver");
}

}  // namespace culprit::collect
