// Checks happen in the order of glibc's open_verify and _dl_map_object_from_fd: length, magic, the
// identification bytes, the program headers, the dynamic section. What ld.so compares with the running
// machine (class, byte order, OS ABI, machine, type, phentsize) is passed on raw, because only a model of
// that machine can judge it.
#include "binfmt/elf/elf.h"

#include <algorithm>
#include <cstring>

#include "binfmt/elf/dynamic.h"
#include "binfmt/elf/notes.h"
#include "binfmt/elf/reader.h"

namespace culprit::binfmt {
namespace {

constexpr uint64_t kMaxInterpreter = 4096;  // PATH_MAX, the kernel's limit
constexpr size_t kMaxNoteSegments = 16;

// Segments that are read after all headers are known.
struct Segments {
  std::optional<ElfProgramHeader> dynamic, interpreter;
  std::vector<ElfProgramHeader> notes;
};

// kNone if the header is valid and reading can continue.
ElfProblem ReadHeader(ElfReader& reader, ElfFile& elf, ElfHeaderRecord& header) {
  const size_t n = reader.bytes().CopySome(0, std::as_writable_bytes(std::span(elf.ident)));
  if (reader.bytes().failed()) return ElfProblem::kReadFailed;
  const bool magic = n >= SELFMAG && std::memcmp(elf.ident.data(), ELFMAG, SELFMAG) == 0;
  reader.SetFormat(magic && elf.bits() == 32 ? 32 : 64, elf.big_endian());
  if (elf.file_size < reader.header_size() || n < elf.ident.size()) return ElfProblem::kTooShort;
  if (!magic) return ElfProblem::kNotElf;
  if (elf.bits() == 0) return ElfProblem::kBadHeader;
  if (elf.ident[EI_DATA] != ELFDATA2LSB && elf.ident[EI_DATA] != ELFDATA2MSB) return ElfProblem::kBadHeader;
  const auto record = reader.Header();
  if (!record) return ElfProblem::kTooShort;
  header = *record;
  elf.type = header.type;
  elf.machine = header.machine;
  elf.version = header.version;
  elf.phentsize = header.phentsize;
  elf.phnum = header.phnum;
  if (elf.ident[EI_VERSION] != EV_CURRENT || header.version != EV_CURRENT) return ElfProblem::kBadHeader;
  return ElfProblem::kNone;
}

void Take(const ElfProgramHeader& segment, ElfFile& elf, Segments& segments) {
  switch (segment.type) {
    case PT_LOAD:
      elf.loads.push_back(
          {segment.offset, segment.vaddr, segment.filesz, segment.memsz, segment.align, segment.flags});
      elf.needed_size = std::max(elf.needed_size, SaturatingAdd(segment.offset, segment.filesz));
      break;
    case PT_DYNAMIC:  // the last one with contents counts
      if (segment.filesz == 0) {
        elf.dynamic_empty = true;
      } else {
        elf.has_dynamic = true;
        segments.dynamic = segment;
      }
      break;
    case PT_INTERP:  // the first one counts
      if (!segments.interpreter) segments.interpreter = segment;
      break;
    case PT_NOTE:
      if (segments.notes.size() < kMaxNoteSegments) segments.notes.push_back(segment);
      break;
    case PT_GNU_STACK:
      elf.stack_flags = segment.flags;
      break;
    default:
      break;
  }
}

ElfProblem ReadProgramHeaders(ElfReader& reader, const ElfHeaderRecord& header, ElfFile& elf,
                              Segments& segments) {
  // PN_XNUM has no meaning for ld.so: it uses e_phnum as is.
  const uint64_t entry_size = reader.program_header_size();
  const uint64_t table_size = header.phnum * entry_size;
  if (SaturatingAdd(header.phoff, table_size) > elf.file_size) return ElfProblem::kHeadersCut;
  elf.loads.reserve(4);
  for (uint64_t at = header.phoff; at < header.phoff + table_size; at += entry_size) {
    const auto segment = reader.ProgramHeader(at);
    if (!segment) return ElfProblem::kHeadersCut;
    Take(*segment, elf, segments);
  }
  return ElfProblem::kNone;
}

// kNone if everything is there.
ElfProblem ReadSegments(ElfReader& reader, const Segments& segments, ElfFile& elf) {
  if (segments.interpreter) {
    uint64_t budget = kMaxInterpreter;
    const uint64_t end = SaturatingAdd(segments.interpreter->offset, segments.interpreter->filesz);
    elf.interpreter = reader.bytes().CString(segments.interpreter->offset, end, budget);
  }
  uint64_t notes_left = kMaxNotes;
  for (const ElfProgramHeader& segment : segments.notes) {
    elf.build_id = FindBuildId(reader, segment, notes_left);
    if (elf.build_id) break;
  }
  if (!segments.dynamic) return ElfProblem::kNoDynamic;
  elf.tags = std::make_shared<const ElfDynamicTags>(ReadDynamicTags(reader, elf.loads, *segments.dynamic));
  const ElfDynamicTags& tags = *elf.tags;
  ElfStrings strings(reader, elf.loads, tags.strtab);
  const bool dynamic_whole = FillDynamic(tags, strings, elf);
  const bool versions_whole = FillVersions(reader, tags, strings, elf);
  return dynamic_whole && versions_whole ? ElfProblem::kNone : ElfProblem::kDynamicCut;
}

}  // namespace

ElfFile ReadElf(const base::ByteSource& source) {
  ElfReader reader(source);
  ElfFile elf;
  elf.file_size = reader.bytes().size();
  ElfHeaderRecord header;
  elf.problem = ReadHeader(reader, elf, header);
  if (elf.problem == ElfProblem::kNone && header.phentsize == reader.program_header_size()) {
    Segments segments;
    elf.problem = ReadProgramHeaders(reader, header, elf, segments);
    if (elf.problem == ElfProblem::kNone) elf.problem = ReadSegments(reader, segments, elf);
  }
  if (reader.bytes().failed()) elf.problem = ElfProblem::kReadFailed;
  return elf;
}

}  // namespace culprit::binfmt
