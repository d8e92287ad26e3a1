// `culprit diff`: two machines (or one at two times) -> what is different, in the order of suspicion.
#pragma once

#include "report/check.h"
#include "report/diff.h"
#include "rules/rule.h"

namespace culprit::diagnose {

struct Side {
  const rules::Scene& scene;
  const report::CheckReport& check;
};

report::DiffReport Diff(const Side& before, const Side& after);

}  // namespace culprit::diagnose
