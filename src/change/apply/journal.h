// What a run writes down before it does anything: one line of JSON for each thing that happens, on disk
// before the next begins, and what stood there before, in a folder beside it.
//
//   STATE/lock                         held while a run is at work
//   STATE/journal/TIME-PID/journal     the lines
//   STATE/journal/TIME-PID/old/N       what stood where step N puts something else; N-cache, N-links ... of
//   ldconfig
//
// Lines: {"record": "begin"}, then for each step "step" (what will be done), where needed "ready" (the rest
// of what is needed to take it back), "done"; at the end "end". Undoing adds "undone". A run without "end"
// and "undone" was killed. A last line without its newline was never written: nothing of what it says was
// begun.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/json_fwd.h"
#include "base/words.h"
#include "change/apply/files.h"

namespace culprit::apply {

enum class StepKind { kPut, kMode, kSwap, kCache };
constexpr std::array<std::string_view, 4> WordsOf(StepKind) { return {"put", "mode", "swap", "cache"}; }

struct Step {
  size_t number = 0;
  StepKind kind = StepKind::kPut;
  std::string text;
  bool outside = false;   // on this machine, though the run is about a tree (--env FILE)
  std::string path;       // "swap": the directory; "cache": that of ld.so.cache
  std::string temporary;  // name beside `path` that is ours
  std::string stage;      // another
  Standing before, after;
  Standing parent;    // the directory, for its time of last change
  std::string names;  // hash of the names in it
  bool ready = false, done = false;
};

struct Run {
  std::string folder;
  std::vector<Step> steps;
  bool ended = false, undone = false;
};

// One run of culprit at a time; let go when the process ends, however it ends.
class Lock {
 public:
  static base::Result<Lock> Take(const std::string& state);

 private:
  explicit Lock(Descriptor file) : file_(std::move(file)) {}
  Descriptor file_;
};

class Journal {
 public:
  static base::Result<Journal> Begin(const std::string& state, const std::string& root);
  static base::Result<Journal> Open(const std::string& folder);

  base::Result<void> Write(const Step& step);                      // "step"
  base::Result<void> Write(const char* record, const Step& step);  // "ready", "done"
  base::Result<void> Write(const char* record);                    // "end", "undone"
  // Keeps a file that stands there as old/NAME: another name for the same file where that can be, else a
  // copy.
  base::Result<void> Keep(const Spot& spot, const std::string& name, Standing& standing);
  base::Result<void> KeepText(const std::string& name, const std::string& text);

  int old() const { return old_.get(); }
  const std::string& folder() const { return folder_; }
  std::string id() const;
  // What was kept is not needed any more.
  void Forget();

 private:
  base::Result<void> Append(const base::Json& record);

  std::string folder_;
  Descriptor directory_, old_, log_;
};

base::Result<Run> ReadRun(const std::string& folder);
// Newest first. None when there is no folder yet.
base::Result<std::vector<std::string>> Folders(const std::string& state);
// The newest run that was not undone.
base::Result<std::optional<Run>> LastRun(const std::string& state);

}  // namespace culprit::apply
