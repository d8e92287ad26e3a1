// Collector of the toolkits.
#include "collect/stack.h"

namespace culprit::collect {

const CollectorInfo kToolkitsCollector = {"toolkits", {}};

snapshot::Fact<snapshot::Toolkits> CollectToolkits(const Surroundings&,
                                                   std::span<const snapshot::PythonEnvironment>) {
  return snapshot::Fact<snapshot::Toolkits>::Absent("toolkits");
}

}  // namespace culprit::collect
