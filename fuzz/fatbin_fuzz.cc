// Any bytes as a file with GPU code: no crash, no hang, and the counts fit into the bytes.
#include <cstddef>
#include <cstdint>

#include "binfmt/elf/elf.h"
#include "binfmt/gpu/fatbin.h"
#include "binfmt/gpu/gpu_support.h"
#include "require.h"

namespace {

namespace base = culprit::base;
namespace binfmt = culprit::binfmt;
using binfmt::GpuPart;
using binfmt::GpuScan;

uint64_t CountOf(const binfmt::GpuCode& code) {
  uint64_t count = 0;
  for (const GpuPart part : {GpuPart::kListed, GpuPart::kRelocatable, GpuPart::kElsewhere}) {
    for (const auto& [target, times] : Totals(code, part)) count += target.Name().empty() ? 0 : times;
  }
  return count;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const base::MemorySource source(std::as_bytes(std::span(data, size)));
  const binfmt::ElfFile elf = binfmt::ReadElf(source);
  for (const GpuScan scan : {GpuScan::kFatbinSections, GpuScan::kCudaFiles, GpuScan::kWholeFile}) {
    const binfmt::GpuCode code = binfmt::ReadGpuCode(source, elf, scan);
    Require(code.complete == code.problem.empty());
    // An entry takes 64 bytes, and none is counted twice; a cubin counts without being in a container.
    Require(CountOf(code) <= size / 64 + 1);
    for (const auto& containers : code.containers) Require(containers.count > 0);
    for (const bool jit : {false, true}) {
      const auto support = binfmt::Judge(code, {9, 0}, binfmt::PtxVersion{8, 4}, jit);
      Require(support.containers() <= size / 16 + 1);
    }
  }
  return 0;
}
