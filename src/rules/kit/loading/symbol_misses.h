// CUL5020 on Linux: how an undefined symbol of a CUDA library is told and mended.
#pragma once

#include "rules/kit/loading/function_misses.h"

namespace culprit::rules {

void FireSymbolMiss(const Scene& scene, const FunctionMiss& miss, Ruling& ruling);

}  // namespace culprit::rules
