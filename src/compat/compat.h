// Which versions work together -> the result of `compat`: one answer for every pair that depends on each
// other.
#pragma once

#include "compat/question.h"
#include "report/compat.h"

namespace culprit::compat {

report::CompatAnswer Compat(const CompatQuestion& question);

}  // namespace culprit::compat
