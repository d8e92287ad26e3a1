// Which versions go together -> what `compat` says: one answer for every pair that has to do with each other.
#pragma once

#include "compat/question.h"
#include "report/compat.h"

namespace culprit::compat {

report::CompatAnswer Compat(const CompatQuestion& question);

}  // namespace culprit::compat
