// Directories outside the usual ones where the libraries of a program may be: its own folders, and those that
// its run paths meant.
#pragma once

#include <string>
#include <vector>

#include "rules/rule.h"

namespace culprit::rules {

// The folders that a program of its own prefix brings: beside bin/program, lib and lib64; the directory of
// the program itself, and lib in it. They need not exist. Empty on Windows, where the loader searches the
// directory of the program.
std::vector<std::string> OwnDirectories(const Scene& scene, const loader::Scenario& scenario);

// A run path leads to a directory that is not there: the other directories beside it, since somebody may
// have renamed it, and the same path below another top directory, since somebody may have moved it.
std::vector<std::string> InsteadOfMissing(const Scene& scene, const loader::Scenario& scenario);

}  // namespace culprit::rules
