#include "run/watch/journal/files.h"

#include <algorithm>

#include "base/demangle.h"
#include "binfmt/elf/elf.h"
#include "binfmt/elf/functions.h"

namespace culprit::watch {
namespace {

constexpr size_t kMaxName = 1024;  // longer ones only repeat their template arguments

std::string Readable(const std::string& name) { return base::ReadableFunction(name).substr(0, kMaxName); }

uint64_t ExtentOf(const system::System& machine, const std::string& path) {
  const auto file = machine.Open(path);
  uint64_t end = 0;
  if (!file || file->bytes == nullptr) return end;
  for (const binfmt::ElfSegment& segment : binfmt::ReadElf(*file->bytes).loads)
    end = std::max(end, segment.vaddr + segment.memsz);
  return end;
}

}  // namespace

JournalFiles FilesOf(const system::System& machine) {
  return {.real_path = [&machine](const std::string& path) { return machine.RealPath(path).value_or(""); },
          .extent = [&machine](const std::string& path) { return ExtentOf(machine, path); },
          .functions =
              [&machine](const std::string& path, const std::vector<uint64_t>& addresses) {
                std::vector<std::string> names;
                const auto file = machine.Open(path);
                if (!file || file->bytes == nullptr) return names;
                names = binfmt::FunctionsAt(*file->bytes, binfmt::ReadElf(*file->bytes), addresses);
                for (std::string& name : names) name = Readable(name);
                return names;
              },
          .readable = Readable};
}

}  // namespace culprit::watch
