// CUL5020 on Linux, for symbols that any library of the process may define and none does.
#pragma once

#include "rules/kit/loading/function_misses.h"

namespace culprit::rules {

// Reports the symbols of one entry of FunctionMisses, or notes that only the program that loads a library can
// tell.
void FireUndefined(const Scene& scene, const FunctionMiss& miss, Ruling& ruling);

}  // namespace culprit::rules
