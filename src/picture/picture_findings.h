// Marks what the findings say in a picture.
#pragma once

#include "report/check.h"
#include "report/picture.h"

namespace culprit::picture {

// The libraries that a finding is about: culprit, suspect, findings, problem.
void MarkFindings(report::Picture& picture, const report::CheckReport& check);
// Edges between two versions of one family, or from a library to a culprit that conflicts with it.
void MarkMixed(report::Picture& picture, const report::CheckReport& check);

}  // namespace culprit::picture
