// The cuDNN 9 sub-libraries that only its graph opens (heuristic, engines): they exist so that a copy is complete.
#include "cudnn.h"

EXPORT const uint32_t fake_cudnn_part = FAKE_VERSION_WORD;
