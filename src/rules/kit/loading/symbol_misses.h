// CUL5020 on Linux: reports an undefined symbol of a CUDA library and how to fix it.
#pragma once

#include "rules/kit/loading/function_misses.h"

namespace culprit::rules {

// Lets the right release of both libraries win.
report::Fix FixSymbolMiss(const Scene& scene, const FunctionMiss& miss);

void FireSymbolMiss(const Scene& scene, const FunctionMiss& miss, Ruling& ruling);

}  // namespace culprit::rules
