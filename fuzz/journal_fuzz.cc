// Any bytes as the events of a journal: read in bounded time and memory, and the result is consistent.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>

#include "run/watch/journal/reader.h"
#include "run/witness/journal.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  CulpritJournal header{};
  header.magic = CULPRIT_JOURNAL_MAGIC;
  header.size = header.used = sizeof header + size;
  std::string bytes(sizeof header + size, '\0');
  std::memcpy(bytes.data(), &header, sizeof header);
  if (size > 0) std::memcpy(bytes.data() + sizeof header, data, size);
  const culprit::watch::JournalFiles files{
      .real_path = [](const std::string& path) { return path.substr(0, 3); },
      .functions = [](const std::string&,
                      const std::vector<uint64_t>&) { return std::vector<std::string>{"f"}; }};
  const auto contents = culprit::watch::ReadJournal(bytes, 1, files);
  if (!contents) std::abort();
  for (const auto& process : contents->processes) {
    for (const auto& request : process.failed_requests)
      if (!request.object.empty()) std::abort();
    for (const auto& crash : process.crashes)
      for (const auto& frame : crash.frames)
        if (frame.object.empty() && (frame.guessed || frame.offset != 0)) std::abort();
  }
  return 0;
}
