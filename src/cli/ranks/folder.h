// The folder for the records of a job's ranks: one file per rank, and a few marker files. There are no locks:
// a record is renamed into place, and only one of several ranks succeeds in creating a marker.
#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <string>

#include "base/error.h"
#include "run/ranks/merge.h"
#include "run/ranks/rank.h"
#include "system/system.h"

namespace culprit::cli {

class RankFolder {
 public:
  RankFolder(std::string path, const std::string& job);

  const std::string& path() const { return path_; }
  // Makes it, for its owner alone. Fails if it cannot be written, or has a record of this rank already.
  base::Result<void> Join(const ranks::Rank& rank) const;
  bool Write(const ranks::Rank& rank) const;
  // How many have finished.
  uint64_t Done() const;
  // True for the first rank that creates it.
  bool Mark(const std::string& name) const;
  bool Marked(const std::string& name) const;
  // All records; `known` files are not read again.
  void Read(ranks::Merge& merge, std::set<std::string>& known) const;
  // With everything of this job in it.
  void Remove() const;

 private:
  std::string FileOf(uint64_t rank, ranks::State state) const;
  std::string MarkOf(const std::string& name) const;

  std::string path_, prefix_;
};

// Adds the records in a folder, or in a file: one a line, or in pieces between the lines of a job's output.
base::Result<void> AddRecords(const system::System& host, const std::string& place, ranks::Merge& merge);

}  // namespace culprit::cli
