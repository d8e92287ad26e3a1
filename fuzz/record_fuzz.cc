// Any bytes as the record of a run: refused in one line, or read, and then written and read again without
// loss. Its tools' reports are read as well.
#include <cstddef>
#include <cstdint>

#include "require.h"
#include "run/tools/kernel_errors.h"
#include "snapshot/record/record_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  namespace record = culprit::record;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  record::LooksLikeRecord(text);
  const auto read = record::ParseRecord(text);
  if (!read) {
    Require(!read.error().message.empty() && read.error().message.size() < 1000);
    return 0;
  }
  const auto again = record::ParseRecord(record::ToJsonText(*read));
  Require(again && again->run == read->run && again->machine == read->machine);
  culprit::run::KernelErrors(read->run);
  return 0;
}
