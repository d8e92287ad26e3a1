// Carries out those changes of fixes that can be taken back, and takes them back. A journal is written and
// on disk before each step; a run that was killed leaves every step either not done or done, and `Undo`
// works from any point.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "report/change.h"
#include "report/fix.h"

namespace culprit::apply {

// Where the changes go: this machine, or a tree of one below `root`.
struct Place {
  std::string root;                              // "" = this machine
  std::string state;                             // folder of journals
  std::string environment_file;                  // --env FILE: variables are changed there, absolute path
  std::map<std::string, std::string> variables;  // of this shell: HOME, SHELL, VIRTUAL_ENV ...
  bool windows = false;                          // a machine of Windows: nothing is automatic there yet
};

// The folder for journals of changes below `root`: $CULPRIT_STATE, root's /var/lib/culprit, or where the
// user's programs keep such things.
std::string StateFolder(const std::map<std::string, std::string>& variables, const std::string& root);

// What --apply would do with a change: automatic or not and why not, root or not, the command it runs.
report::Action Describe(const report::Change& change, const Place& place);

// What keeps changes from being made or taken back in this build at all; "" = nothing.
std::string NotHere();

// One run of --apply: several fixes in one journal, taken back together.
class Applying {
 public:
  // Takes the lock. Fails while another run is at work, or when one was killed half-way and not undone.
  static base::Result<std::unique_ptr<Applying>> Begin(const Place& place);
  virtual ~Applying() = default;

  // The changes of one fix: all of them or, where one fails, none; `failed` is set then.
  virtual std::vector<report::AppliedStep> Make(std::span<const report::Change> changes, bool& failed) = 0;
  // Without it the run counts as killed half-way.
  virtual base::Result<void> End() = 0;
  virtual std::string journal() const = 0;
};

// The folder of a run that was killed half-way; "" when there is none.
std::string KilledRun(const Place& place);

// Takes back the last run that was not undone; also one that was killed half-way. `force`: also what somebody
// else has changed since. In the report: undone = false, when there is nothing to undo.
base::Result<report::FixReport> Undo(const Place& place, bool force);

}  // namespace culprit::apply
