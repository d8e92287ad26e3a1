// Any bytes as a snapshot file: refused in one line, or read, and then written and read again without loss.
#include <cstddef>
#include <cstdint>

#include "require.h"
#include "snapshot/recorded_file_view.h"
#include "snapshot/snapshot.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  namespace snapshot = culprit::snapshot;
  const auto read = snapshot::ParseSnapshot({reinterpret_cast<const char*>(data), size});
  if (!read) {
    Require(!read.error().message.empty() && read.error().message.size() < 1000);
    return 0;
  }
  const auto again = snapshot::ParseSnapshot(snapshot::ToJsonText(*read));
  Require(again && *again == *read);
  snapshot::RecordedFileView view(read->files);
  for (const auto& [path, node] : read->files.nodes) {
    (void)view.Open(path);
    (void)view.List(path);
    (void)view.RealPath(path + "/../x");
  }
  return 0;
}
