// Collector of the cudnn.
#include "collect/stack.h"

namespace culprit::collect {

const CollectorInfo kCudnnCollector = {"cudnn", {}};

snapshot::Fact<std::vector<snapshot::CudnnCopy>> CollectCudnn(const Surroundings&,
                                                              std::span<const snapshot::PythonEnvironment>) {
  return snapshot::Fact<std::vector<snapshot::CudnnCopy>>::Absent("cudnn");
}

}  // namespace culprit::collect
