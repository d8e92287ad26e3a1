// What our libraries wrote in a watched program (witness/journal.h) -> the processes of a record. The bytes
// are untrusted, since the program can write to its own memory: any bytes give an answer, in linear time.
//
// A requested name is paired with the object that the same thread opens next. If there is none, the request
// failed, unless the last file tried is already loaded under another name (the loader stops there, and only
// `real_path` can tell). Two things look like a failure but are not: that case, if the files cannot be asked,
// and dlopen with RTLD_NOLOAD for a file that exists. In both, the last attempt is a file that can be loaded,
// so check that first when judging a failed request.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "snapshot/record/run.h"

namespace culprit::watch {

// Questions about files, asked after the run; each function may be empty.
struct JournalFiles {
  // With symlinks resolved; "" if nothing is there.
  std::function<std::string(const std::string& path)> real_path;
  // The end of the last segment, as an address in the file; 0 = unknown. Asked if the library in the program
  // could not tell.
  std::function<uint64_t(const std::string& path)> extent;
  // The functions at these addresses of the file (not of memory); "" = unknown.
  std::function<std::vector<std::string>(const std::string& path, const std::vector<uint64_t>& addresses)>
      functions;
  // A C++ function name, demangled.
  std::function<std::string(const std::string& name)> readable;
};

struct JournalContents {
  // In the order in which they first appear. After exec, a process is a new entry with the same id. For a
  // fork without exec, `loads` has only what the child loaded itself. Arguments are not redacted yet, and
  // failed calls have no status yet.
  std::vector<record::Process> processes;
  std::vector<record::Watched> watched;  // what the libraries report about themselves, each line once
  uint64_t lost_events = 0;
};

// `started`: CLOCK_MONOTONIC in nanoseconds at the start of the command; times are relative to it.
base::Result<JournalContents> ReadJournal(std::string_view bytes, uint64_t started,
                                          const JournalFiles& files);

}  // namespace culprit::watch
