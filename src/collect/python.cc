// Collector of the python.
#include "collect/stack.h"

namespace culprit::collect {

const CollectorInfo kPythonCollector = {"python", {}};

snapshot::Fact<std::vector<snapshot::PythonEnvironment>> CollectPython(const Surroundings&) {
  return snapshot::Fact<std::vector<snapshot::PythonEnvironment>>::Absent("python");
}

}  // namespace culprit::collect
