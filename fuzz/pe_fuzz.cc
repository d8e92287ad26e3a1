// Any bytes as a PE file: no crash, no hang, and no more memory than the limits of the reader allow.
#include <cstddef>
#include <cstdint>

#include "binfmt/gpu/fatbin.h"
#include "binfmt/pe/image.h"
#include "binfmt/pe/pe.h"
#include "require.h"

namespace base = culprit::base;
namespace binfmt = culprit::binfmt;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const base::MemorySource source(std::as_bytes(std::span(data, size)));
  const binfmt::PeFile pe = binfmt::ReadPe(source);
  Require(pe.file_size == size);
  Require(pe.problem != binfmt::PeProblem::kReadFailed);
  Require(pe.imports.size() <= binfmt::kMaxPeImportDlls + 1 && pe.sections.size() <= binfmt::kMaxPeSections);
  Require(!pe.manifest || pe.manifest->size() <= 2 * binfmt::kMaxPeResource);
  binfmt::PeMachineName(pe.machine);
  const binfmt::PeExports exports = binfmt::ReadPeExports(source, pe);
  for (const std::string& name : exports.names) Require(exports.Has(name));
  for (const auto& forwarder : exports.forwarders) Require(exports.FindForwarder(forwarder.name) != nullptr);
  binfmt::ReadPeWord(source, pe, "word");
  binfmt::ReadGpuCode(source, pe, binfmt::GpuScan::kWholeFile);
  return 0;
}
