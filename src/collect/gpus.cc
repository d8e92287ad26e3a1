// Collector of the gpus.
#include "collect/stack.h"

namespace culprit::collect {

const CollectorInfo kGpusCollector = {"gpus", {}};

snapshot::Fact<std::vector<snapshot::Gpu>> CollectGpus(const Surroundings&) {
  return snapshot::Fact<std::vector<snapshot::Gpu>>::Absent("gpus");
}

}  // namespace culprit::collect
