// A status by its number: its name from the library in this process, otherwise from
// knowledge/messages/status_codes, with its meaning and the causes it suggests.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace culprit::api {

enum class Interface { kRuntime, kDriver, kCudnn, kCublas, kNvrtc };

// CUDA's two interfaces share one macro: "cuMemAlloc(&p, n)" is the driver's, everything else the runtime's.
Interface CudaInterfaceOf(std::string_view call);

struct StatusFacts {
  std::string name;  // "cudaErrorMemoryAllocation"; "status 12345" if unknown
  std::string meaning;
  std::vector<std::string> causes;  // most likely first
};
StatusFacts FactsOf(Interface interface, int32_t status);

// 90100 -> 9, 8902 -> 8: cudnnGetVersion() of the cuDNN in this process; 0 if there is none.
uint32_t LoadedCudnnMajor();

}  // namespace culprit::api
