// What a release of a package that is no framework has to do with the other things: by itself (its wheels,
// its GPU code, the CUDA in its name), and by what it requires: where it needs a framework, one of the builds
// that it accepts must fit as well.
#pragma once

#include <vector>

#include "compat/chosen_build.h"
#include "compat/question.h"
#include "knowledge/packages/project_releases.h"

namespace culprit::compat {

// One pair for each thing that it depends on, in the order of the question.
std::vector<BuildPair> PairsOf(const CompatQuestion& question, const knowledge::ProjectRelease& release);

}  // namespace culprit::compat
