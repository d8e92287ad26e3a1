// Collector of the context.
#include "collect/stack.h"

namespace culprit::collect {

const CollectorInfo kContextCollector = {"context", {}};

snapshot::Fact<snapshot::Context> CollectContext(const Surroundings&) {
  return snapshot::Fact<snapshot::Context>::Absent("context");
}

}  // namespace culprit::collect
