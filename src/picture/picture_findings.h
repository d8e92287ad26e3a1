// Marks the findings in a picture.
#pragma once

#include "report/check.h"
#include "report/picture.h"

namespace culprit::picture {

// Marks the libraries that a finding is about: culprit, suspect, findings, problem.
void MarkFindings(report::Picture& picture, const report::CheckReport& check);
// Marks edges between two versions of one family, or from a library to a culprit that does not match it.
void MarkMixed(report::Picture& picture, const report::CheckReport& check);

}  // namespace culprit::picture
