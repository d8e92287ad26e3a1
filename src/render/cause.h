// One cause; looks the same in the explanation of a log and of a run.
#pragma once

#include <string>

#include "base/json_fwd.h"
#include "report/explanation.h"

namespace culprit::render {

base::Json CauseJson(const report::LikelyCause& cause);
base::Json SymptomJson(const report::SeenSymptom& symptom);
std::string CauseMarkdown(const report::LikelyCause& cause);

}  // namespace culprit::render
