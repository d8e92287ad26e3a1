// Names of functions as a person would write them.
#pragma once

#include <string>

namespace culprit::base {

// "_Z5StorePii" -> "Store(int*, int)"; anything else as it is. Of long ones what is in <> and the parameters
// are left out: "at::native::index_elementwise_kernel<...>".
std::string ReadableFunction(const std::string& symbol);

}  // namespace culprit::base
