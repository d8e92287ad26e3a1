// Applies the changes of fixes that can be undone, and undoes them. Before each step, the journal is on disk;
// a killed run leaves every step either done or not done, and `Undo` works from any point.
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

// How --apply would make a change: whether automatic, and if not, why; whether as root; the command it runs.
report::Action Describe(const report::Change& change, const Place& place);

// Why this build cannot make or undo changes at all; "" if it can.
std::string NotHere();

// One run of --apply: several fixes in one journal, undone together.
class Applying {
 public:
  // Takes the lock. Fails while another run is active, or if an earlier one was killed and not undone.
  static base::Result<std::unique_ptr<Applying>> Begin(const Place& place);
  virtual ~Applying() = default;

  // The changes of one fix: all of them or, if one fails, none; then `failed` is set.
  virtual std::vector<report::AppliedStep> Make(std::span<const report::Change> changes, bool& failed) = 0;
  // Without it the run counts as killed.
  virtual base::Result<void> End() = 0;
  virtual std::string journal() const = 0;
};

// The folder of a killed run; "" if there is none.
std::string KilledRun(const Place& place);

// Undoes the last run that was not undone, even a killed one. `force`: even if something else changed the
// files since. In the report, undone = false if there is nothing to undo.
base::Result<report::FixReport> Undo(const Place& place, bool force);

}  // namespace culprit::apply
