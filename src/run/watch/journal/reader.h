// What the libraries in a watched program wrote (witness/journal.h) -> the processes of a record. The bytes
// are foreign: the program can write into its own memory, so any bytes give an answer, and none costs more
// than its length.
//
// A name that is asked for is paired with the object that the same thread opens next. One that nothing
// follows is a failed request, unless the last file that was tried is loaded already under another name
// (which makes the loader stop there, and only `real_path` can tell). Two things look like a failure and are
// none: that one where the files are not to be asked, and dlopen with RTLD_NOLOAD for a file that is there.
// In both the last attempt is a file that can be loaded, so who judges a failed request looks at that first.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "snapshot/record/run.h"

namespace culprit::watch {

// What is asked about the files of the machine, after the run; each may be empty.
struct JournalFiles {
  // Links resolved; "" where nothing is.
  std::function<std::string(const std::string& path)> real_path;
  // The first address behind the file's last segment, as in the file; 0 where it is not known. Asked where
  // the library in the program could not tell.
  std::function<uint64_t(const std::string& path)> extent;
  // The functions that hold these addresses of the file (not of memory), "" for none that is known.
  std::function<std::vector<std::string>(const std::string& path, const std::vector<uint64_t>& addresses)>
      functions;
  // The name of a C++ function as a person writes it.
  std::function<std::string(const std::string& name)> readable;
};

struct JournalContents {
  // In the order in which they were first heard of. A process that calls exec is another one with the same
  // id. Of one that forked without exec, `loads` has only what it loaded itself. Arguments are as they were
  // given: not redacted yet. Failed calls have no status yet.
  std::vector<record::Process> processes;
  std::vector<record::Watched> watched;  // what the libraries say of themselves, each sentence once
  uint64_t lost_events = 0;
};

// `started`: CLOCK_MONOTONIC in nanoseconds when the command was started, from which times are counted.
base::Result<JournalContents> ReadJournal(std::string_view bytes, uint64_t started,
                                          const JournalFiles& files);

}  // namespace culprit::watch
