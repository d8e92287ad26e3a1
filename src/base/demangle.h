// Function names as people write them.
#pragma once

#include <string>

namespace culprit::base {

// "_Z5StorePii" -> "Store(int*, int)"; anything else stays as it is. Long names lose their parameters and
// what is in <>: "at::native::index_elementwise_kernel<...>".
std::string ReadableFunction(const std::string& symbol);

}  // namespace culprit::base
