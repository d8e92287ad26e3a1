// Records files of a machine in a snapshot, so that it can answer the same questions later: whole
// listings of directories, the facts of every library in them, and every path that a live look asked for.
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>

#include "collect/live_file_view.h"
#include "snapshot/file_record.h"
#include "system/system.h"

namespace culprit::collect {

class Recorder {
 public:
  Recorder(const system::System& system, LiveFileView& view) : system_(system), view_(view) {}

  // The path and everything that leads to it, links included. Nothing there is recorded as just that.
  void AddPath(const std::string& path);
  // The complete listing, and the facts of each shared library (and each program, if asked for) in it.
  void AddDirectory(const std::string& path, bool programs);
  // Everything that was asked of the view so far.
  void AddAsked();

  snapshot::FileRecord Take() { return std::move(record_); }

 private:
  // The node at a clean path whose parents are directories; fills it in on first sight.
  snapshot::RecordedNode& AddNode(const std::string& path);

  const system::System& system_;
  LiveFileView& view_;
  snapshot::FileRecord record_;
  std::set<std::string> looked_at_;  // the other nodes are known from a listing only
};

// The variables that decide about loading and about CUDA. Others stay out of a file that people mail around.
std::map<std::string, std::string> RelevantEnvironment(const std::map<std::string, std::string>& environment);

}  // namespace culprit::collect
