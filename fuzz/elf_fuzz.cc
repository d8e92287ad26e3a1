// Any bytes as an ELF file: no crash, no hang, and no more memory than the limits of the reader allow.
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "binfmt/elf/defined.h"
#include "binfmt/elf/elf.h"
#include "binfmt/elf/exports.h"
#include "binfmt/elf/functions.h"
#include "binfmt/elf/section_text.h"
#include "binfmt/elf/wanted.h"
#include "require.h"

namespace base = culprit::base;
namespace binfmt = culprit::binfmt;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const base::MemorySource source(std::as_bytes(std::span(data, size)));
  const binfmt::ElfFile elf = binfmt::ReadElf(source);
  Require(elf.file_size == size);
  Require(elf.problem != binfmt::ElfProblem::kReadFailed);
  Require(elf.requests.size() <= 65536 && elf.version_needs.size() <= 65536 &&
          elf.version_defs.size() <= 65536);
  binfmt::MachineName(elf.machine);
  // Symbols of the corpus, and one that a file has only by chance.
  for (const char* symbol : {"word", "w", ""}) binfmt::ReadElfWord(source, elf, symbol);
  Require(binfmt::FunctionsAt(source, elf, {0, 0x1000, ~uint64_t{0}}).size() == 3);
  binfmt::ReadElfExports(source, elf);
  binfmt::ReadElfAsks(source, elf);
  if (const auto defined = binfmt::ElfDefined::Read(source, elf)) defined->Has("word");
  if (const auto wanted = binfmt::ReadElfWanted(source, elf)) {
    Require(binfmt::ReadElfUnbound(source, elf, *wanted).size() <= wanted->size());
  }
  const std::vector<std::string> names = {"word", "cudnnCreate"};
  Require(binfmt::FindNearestNames(source, elf, names).size() == names.size());
  binfmt::ReadElfSection(source, ".modinfo", 4096);
  return 0;
}
