// Which build of a release a question is about. A release may have several (torch +cu118 and +cu126,
// jax[cuda12] and jax[cuda13]); a question that names none is about any of them, so the one that fits best
// answers it.
#pragma once

#include <string>
#include <vector>

#include "compat/question.h"
#include "knowledge/answer.h"
#include "knowledge/packages/builds.h"
#include "report/compat.h"

namespace culprit::compat {

// Whether one build works with one of the other things.
struct BuildPair {
  std::string other;  // "driver 535.104.05"
  knowledge::Answer answer;
};

// The answers about one build, in the order of the question.
std::vector<BuildPair> PairsOf(const CompatQuestion& question, const knowledge::Build& build);
// How far a build is from working: lower is better, 0 is a yes to everything.
size_t DistanceOf(const std::vector<BuildPair>& pairs);

struct ChosenBuild {
  std::vector<knowledge::Build> builds;  // of the release; empty: not in the table
  size_t chosen = 0;
  std::vector<BuildPair> pairs;
  std::string read_as;  // "2.5.1" if "2.5" was asked; "" otherwise
};

// The build with the fewest noes, then the fewest unknowns; of equals one that is built with the CUDA that
// was asked about, then the default. `package` must outlive the result.
ChosenBuild ChooseBuild(const CompatQuestion& question, CompatPackage& package);

// "Linux", "Windows", "WSL"
std::string WhereWords(const CompatQuestion& question);
// "torch 2.7.0+cu128", "jax[cuda13] 0.10.2"
std::string BuildName(const knowledge::Build& build);
// The pip command for it; empty if its index is unknown.
report::Command InstallCommand(const knowledge::Build& build);

}  // namespace culprit::compat
