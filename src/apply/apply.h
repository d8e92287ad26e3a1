// Carries out those changes of fixes that can be taken back, and takes them back. A journal is written and
// on disk before each step; a run that was killed leaves every step either not done or done, and `Undo`
// works from any point.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "report/change.h"
#include "report/fix.h"

namespace culprit::apply {

// Where the changes go: this machine, or a tree of one below `root`.
struct Place {
  std::string root;              // "" = this machine
  std::string state;             // folder of journals
  std::string environment_file;  // --env FILE: variables are changed there; "" = where a shell sets them
};

// What --apply would do with a change: automatic or not and why not, root or not, the command it runs.
report::Action Describe(const report::Change& change, const Place& place);

// Carries out the automatic ones, in order. Stops at the first that fails and undoes what it has done.
base::Result<report::FixReport> Apply(std::span<const report::Change> changes, const Place& place);

// The last run that was not undone; also one that was killed half-way.
base::Result<report::FixReport> Undo(const Place& place);

}  // namespace culprit::apply
