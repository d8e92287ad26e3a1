// `culprit run` as one rank of a job: it leaves a record for the others, and one of them tells for all. No
// rank waits for another longer than a few seconds, and a folder that does not answer is given up.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cli/options.h"
#include "cli/ranks/folder.h"
#include "report/run.h"
#include "run/watch/watch.h"

namespace culprit::cli {

class RankHere {
 public:
  // Null where the command is not one of several, or `wish` (--ranks) is "none". `wish`: a folder; "-": the
  // record goes to standard error, in lines; "": a folder below the working directory, if the job has a name
  // and not too many ranks. `patience`: as in watch::Request.
  static std::unique_ptr<RankHere> Join(const Options& options, const std::string& wish,
                                        const watch::Machine& machine, int patience);

  // Its program has ended; `explained`: Tell() follows. `problem`: why it was not started.
  void Ended(const watch::Seen& seen, bool explained, const std::string& problem = "");
  // One rank that failed waits a while for the others and writes the report of all, or the last one does.
  // False if nobody will: the records cannot be written.
  bool Tell(const report::RunReport& report, bool failed, bool always);
  // The last one that ends well: writes the report if `always` or if another failed, else cleans up. If one
  // that failed is about to tell, it waits for that.
  void Leave(bool always);
  uint64_t rank() const { return rank_.rank; }

 private:
  RankHere(const Options& options, watch::Machine machine)
      : options_(options), machine_(std::move(machine)) {}

  // Does it aside; false if it fails, or not in time, and then the folder is given up.
  bool InTime(std::chrono::milliseconds limit, std::function<bool(const RankFolder&)> action);
  bool Save();
  ranks::Merge Gather();
  // For a while; whether another one has told.
  bool AwaitReport();
  // What Leave() does, without waiting.
  void Finish(bool always);
  void Write(const ranks::Merge& merge, bool complete);

  const Options& options_;
  watch::Machine machine_;
  std::shared_ptr<const RankFolder> folder_;  // null: lines on standard error, or given up
  bool lines_ = false, own_folder_ = false;
  ranks::Rank rank_;
};

// `culprit run --merge`: the exit status.
int MergeRanks(const Options& options, const std::vector<std::string>& places);

}  // namespace culprit::cli
