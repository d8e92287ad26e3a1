// Whether there was anything of CUDA to judge: "nothing wrong" is said only of something.
#pragma once

#include <string>
#include <vector>

#include "report/check.h"
#include "rules/rule.h"

namespace culprit::engine {

// The programs and environments that were named and use no CUDA, with what is known of each: "/bin/ls", "uses
// no CUDA".
std::vector<report::NotChecked> WithoutCuda(const rules::Scene& scene);

// Why there was nothing to judge: "/bin/ls uses no CUDA", "no CUDA found: ..."; "" if there was something.
std::string NothingToJudge(const rules::Scene& scene);
// Of recipes without GPUs: whether no image in them leaves that open. Without a host nothing but their text
// is judged.
bool NothingInRecipesIsSure(const rules::Scene& scene);

}  // namespace culprit::engine
