// The steps of a run: what to do, how to do it so that it can be undone, and how to undo it.
#pragma once

#include <string>
#include <vector>

#include "change/apply/apply.h"
#include "change/apply/journal.h"

namespace culprit::apply {

// One thing to do, which nothing is known to forbid.
struct Intent {
  enum class Kind { kFile, kLink, kRemove, kMode, kCache, kPackages };
  Kind kind = Kind::kFile;
  std::string text;
  bool outside = false;     // the path is one of this machine, though the run is about a tree
  std::string path;         // kPackages: the directory site-packages
  std::string bytes;        // kFile
  std::string target;       // kLink
  uint32_t mode = 0644;     // kMode; kFile: of a new one
  bool root = false;        // this user may not
  std::string environment;  // kPackages: prefix
  std::vector<std::string> remove, install;     // names; "name==version"
  std::vector<std::vector<std::string>> fetch;  // commands without the place to unpack to
  std::vector<std::string> settings;            // files and variables that these follow
};

// The steps for a change. The error says why culprit leaves it to the user.
base::Result<std::vector<Intent>> IntentsOf(const report::Change& change, const Place& place);
// ... of a change of a variable: edits of the files that set it.
base::Result<std::vector<Intent>> VariableIntents(const report::Change& change, const Place& place);
// ... of a directory that ldconfig shall not go through any more.
base::Result<std::vector<Intent>> LoaderConfIntents(const report::DropFromLoaderConf& change,
                                                    const Place& place);
// ... of the loader's cache.
base::Result<Intent> CacheIntent(const Place& place);
// ... of packages of a virtual environment. Name and version; no version: it goes.
base::Result<Intent> PackageIntent(const std::string& prefix, const std::string& package,
                                   const std::string& version, bool install, const Place& place);

// A run at work.
struct Work {
  const Place& place;
  Journal& journal;
  std::vector<Step> steps;

  // A step with its number, its names for temporaries, and the directory in which it happens.
  // An error if the directory cannot be looked at: its times could not be restored.
  base::Result<Step> NewStep(StepKind kind, const Intent& intent, const Spot& spot) const;
  // Also remembers it.
  base::Result<void> Announce(const Step& step);
  base::Result<void> Done(Step& step);
};

std::string RootOf(bool outside, const Place& place);
// Each gives true when it did something, false when all is so already.
base::Result<bool> Put(Work& work, const Intent& intent);  // kFile, kLink, kRemove
base::Result<bool> ChangeMode(Work& work, const Intent& intent);
base::Result<bool> RefreshCache(Work& work, const Intent& intent);
base::Result<bool> ChangePackages(Work& work, const Intent& intent);

// Restores the old state. Works from any point at which a run, or another undo, was killed.
base::Result<void> TakeBack(const Step& step, const Place& place, const Journal& journal);
base::Result<void> TakeBackCache(const Step& step, const Place& place, const Journal& journal);
base::Result<void> TakeBackPackages(const Step& step);
// What stands there is neither what was there before nor what the step made: somebody else changed it.
bool ChangedSince(const Step& step, const Place& place);
bool CacheChangedSince(const Step& step, const Place& place, const Journal& journal);
bool PackagesChangedSince(const Step& step);
// What stood there before, at its place again: bytes from old/NAME, mode, owner, time.
base::Result<void> Restore(const Spot& spot, const Standing& before, const Journal& journal,
                           const std::string& kept, const std::string& temporary);
// The directory gets its time of last change back, if it has the same names in it again.
void RestoreTimes(const Step& step, const Place& place);
// Of the names in a directory, ours left out.
base::Result<std::string> HashOfNames(int directory);

}  // namespace culprit::apply
