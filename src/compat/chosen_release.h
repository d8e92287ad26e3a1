// Whether a release of a package (not a framework) works with the other things: by itself (its wheels, its
// GPU code, the CUDA in its name), and by its requirements: if it needs a framework, one of the builds that
// it accepts must work as well.
#pragma once

#include <vector>

#include "compat/chosen_build.h"
#include "compat/question.h"
#include "knowledge/packages/project_releases.h"

namespace culprit::compat {

// One pair for each thing that it depends on, in the order of the question.
std::vector<BuildPair> PairsOf(const CompatQuestion& question, const knowledge::ProjectRelease& release);

}  // namespace culprit::compat
