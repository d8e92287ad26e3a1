// Any bytes as what the records of a Python package say: METADATA, RECORD, names of records, values in Python
// files.
#include <cstddef>
#include <cstdint>

#include "collect/library/package_owner.h"
#include "collect/python/metadata.h"
#include "collect/python/text.h"
#include "require.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  namespace collect = culprit::collect;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const collect::Metadata metadata = collect::ParseMetadata(text);
  Require(metadata.name.size() <= size && metadata.version.size() <= size);
  Require(metadata.requirements.size() <= size);
  collect::ParseRequirement(text);
  if (const auto id = collect::ParseRecordName(text)) Require(!id->name.empty());
  collect::ParseCondaRecordName(text);
  for (const auto platform : {culprit::base::Platform::kLinux, culprit::base::Platform::kWindows}) {
    for (const auto& line : collect::SharedLibrariesOf(text, platform)) Require(!line.path.empty());
  }
  collect::RecordLists(text, "/opt/venv/lib/python3.12/site-packages",
                       "/opt/venv/lib/python3.12/site-packages/torch/lib/libtorch_cuda.so");
  collect::PythonAssignment(text, "cuda");
  collect::PythonEntry(text, "cuda_version");
  return 0;
}
