// The parts of cuDNN 9 that only its graph opens (heuristic, engines): there, so that a copy is whole.
#include "cudnn.h"

EXPORT const uint32_t fake_cudnn_part = FAKE_VERSION_WORD;
