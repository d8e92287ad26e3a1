// What is laid out before a command is started, so that it can be watched: a private directory with the
// libraries that go into it, their journal and the logs, and the variables that switch them on. All of it is
// gone with this object.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "run/watch/journal/reader.h"
#include "run/watch/reach.h"
#include "run/watch/watch.h"
#include "snapshot/record/run.h"
#include "system/file_with_room.h"
#include "system/fresh_directory.h"
#include "system/system.h"

namespace culprit::watch {

class Witnesses {
 public:
  // Never fails: watched() lists what is not available. `cupti`: copies of libcupti, the best first.
  // `instead`: what a tool says that runs the command; then only logs are switched on.
  Witnesses(const system::System& machine, const Request& request, const Reach& reach,
            const std::vector<std::string>& cupti, std::vector<record::Watched> instead);

  // None, and why.
  Witnesses(const Request& request, const std::string& why);

  const std::map<std::string, std::string>& variables() const { return variables_; }
  // What will not be seen.
  const std::vector<record::Watched>& watched() const { return watched_; }
  bool audits() const { return variables_.contains("LD_AUDIT"); }
  const std::string& directory() const { return path_; }  // "" there is none

  // A program that continues in the background may start another one, whose loader would complain about a
  // missing library: then the library stays.
  void LeaveWhatIsNeeded(const system::System& machine);

  // After the run. `started`: as ReadJournal says.
  JournalContents Journal(const system::System& machine, uint64_t started) const;

 private:
  bool MakeJournal();
  std::string Lay(const std::string& name, Bytes bytes);

  std::unique_ptr<system::FreshDirectory> directory_;
  std::unique_ptr<system::FreshDirectory> memory_;  // the journal's, where it does not lie in directory_
  std::unique_ptr<system::FileWithRoom> journal_;
  std::string path_;
  std::map<std::string, std::string> variables_;
  std::vector<record::Watched> watched_;
};

}  // namespace culprit::watch
