// Which versions work together: one answer for every pair that is related. For a single key, what works with
// it.
#pragma once

#include "compat/question.h"
#include "report/compat.h"

namespace culprit::compat {

report::CompatAnswer Compat(const CompatQuestion& question);

}  // namespace culprit::compat
