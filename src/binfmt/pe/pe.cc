// Checks happen in the order of the headers: DOS header, signature, file header, optional header, section
// table; only then can anything be found by address. What Windows compares with the running process (machine,
// DLL or program) is passed on raw, because only a model of that process can judge it.
#include "binfmt/pe/pe.h"

#include <algorithm>

#include "binfmt/pe/tables.h"

namespace culprit::binfmt {
namespace {

constexpr uint64_t kDosHeader = 64;
constexpr uint64_t kFileHeader = 20;
constexpr uint64_t kSectionHeader = 40;

// Fields of a record that was copied completely.
class Record {
 public:
  explicit Record(std::span<const std::byte> bytes) : bytes_(bytes) {}
  uint16_t U16(size_t at) const { return static_cast<uint16_t>(LittleEndian(bytes_.subspan(at, 2))); }
  uint32_t U32(size_t at) const { return static_cast<uint32_t>(LittleEndian(bytes_.subspan(at, 4))); }
  uint64_t U64(size_t at) const { return LittleEndian(bytes_.subspan(at, 8)); }

 private:
  std::span<const std::byte> bytes_;
};

// The optional header without its directories; their number is its last field.
struct OptionalHeader {
  uint64_t directories = 0;  // where they start in it
  uint32_t directory_count = 0;
};

PeProblem ReadOptionalHeader(PeImage& image, uint64_t at, PeFile& pe, PeLayout& layout,
                             OptionalHeader& header) {
  constexpr uint16_t kPe32 = 0x10B, kPe32Plus = 0x20B;
  constexpr size_t kSize32 = 96, kSize64 = 112;
  std::array<std::byte, kSize64> bytes{};
  if (!image.file().Copy(at, std::span(bytes).first(2))) return PeProblem::kHeadersCut;
  const uint16_t magic = Record(bytes).U16(0);
  if (magic != kPe32 && magic != kPe32Plus) return PeProblem::kBadHeader;
  pe.bits = magic == kPe32Plus ? 64 : 32;
  const size_t size = magic == kPe32Plus ? kSize64 : kSize32;
  if (!image.file().Copy(at, std::span(bytes).first(size))) return PeProblem::kHeadersCut;
  const Record record(bytes);
  pe.entry_point = record.U32(16);
  pe.image_base = pe.bits == 64 ? record.U64(24) : record.U32(28);
  layout.section_alignment = record.U32(32);
  pe.image_size = record.U32(56);
  layout.headers_size = record.U32(60);
  pe.subsystem = record.U16(68);
  pe.dll_characteristics = record.U16(70);
  header = {.directories = size, .directory_count = record.U32(size - 4)};
  return PeProblem::kNone;
}

PeProblem ReadDirectories(PeImage& image, uint64_t at, uint32_t count, PeLayout& layout) {
  const size_t directories = std::min<size_t>(count, layout.directories.size());
  for (size_t i = 0; i < directories; ++i) {
    std::array<std::byte, 8> bytes;
    if (!image.file().Copy(at + i * bytes.size(), bytes)) return PeProblem::kHeadersCut;
    layout.directories[i] = {Record(bytes).U32(0), Record(bytes).U32(4)};
  }
  return PeProblem::kNone;
}

PeProblem ReadSections(PeImage& image, uint64_t at, uint16_t count, PeFile& pe) {
  for (uint16_t i = 0; i < count; ++i) {
    if (i == kMaxPeSections) return PeProblem::kBadHeader;
    std::array<std::byte, kSectionHeader> bytes;
    if (!image.file().Copy(at + i * kSectionHeader, bytes)) return PeProblem::kHeadersCut;
    const Record record(bytes);
    std::string name(reinterpret_cast<const char*>(bytes.data()), 8);
    name.resize(std::min(name.find('\0'), name.size()));
    const PeSection& section = pe.sections.emplace_back(PeSection{.name = std::move(name),
                                                                  .address = record.U32(12),
                                                                  .virtual_size = record.U32(8),
                                                                  .offset = record.U32(20),
                                                                  .raw_size = record.U32(16),
                                                                  .flags = record.U32(36)});
    if (section.raw_size == 0 || section.offset == 0) continue;  // nothing of it is in the file
    pe.needed_size = std::max(pe.needed_size, uint64_t{section.offset} + section.raw_size);
  }
  return PeProblem::kNone;
}

// Bytes after the last section: the certificate table, which the headers locate by offset, and the rest.
void MeasureTail(const PeLayout& layout, PeFile& pe) {
  const PeRange certificate = layout[PeDirectory::kCertificate];
  if (certificate.size > 0 && certificate.rva >= pe.needed_size && certificate.rva < pe.file_size) {
    pe.certificate_size = std::min<uint64_t>(certificate.size, pe.file_size - certificate.rva);
  }
  if (pe.file_size > pe.needed_size) {
    pe.overlay_size = pe.file_size - pe.needed_size - pe.certificate_size;
  }
}

}  // namespace

PeProblem ReadPeHeaders(PeImage& image, PeFile& pe, PeLayout& layout) {
  pe.file_size = image.file_size();
  if (pe.file_size == 0) return PeProblem::kEmpty;
  if (pe.file_size < kDosHeader) return PeProblem::kTooShort;
  std::array<std::byte, kDosHeader> dos;
  if (!image.file().Copy(0, dos)) return PeProblem::kTooShort;
  constexpr uint16_t kMz = 0x5A4D;
  if (Record(dos).U16(0) != kMz) return PeProblem::kNotPe;

  const uint64_t signature = Record(dos).U32(60);
  std::array<std::byte, 4 + kFileHeader> bytes;
  if (signature > pe.file_size - 4) return PeProblem::kHeadersCut;
  if (!image.file().Copy(signature, std::span(bytes).first(4))) return PeProblem::kHeadersCut;
  constexpr uint32_t kSignature = 0x4550;  // "PE\0\0"
  if (Record(bytes).U32(0) != kSignature) return PeProblem::kNotPe;
  if (!image.file().Copy(signature, bytes)) return PeProblem::kHeadersCut;
  const Record header{std::span(bytes).subspan(4)};
  constexpr uint16_t kDll = 0x2000;
  pe.machine = header.U16(0);
  pe.time_stamp = header.U32(4);
  pe.characteristics = header.U16(18);
  pe.dll = (pe.characteristics & kDll) != 0;

  const uint64_t optional_at = signature + bytes.size();
  OptionalHeader optional;
  PeProblem problem = ReadOptionalHeader(image, optional_at, pe, layout, optional);
  if (problem != PeProblem::kNone) return problem;
  problem = ReadDirectories(image, optional_at + optional.directories, optional.directory_count, layout);
  if (problem != PeProblem::kNone) return problem;
  pe.managed = layout[PeDirectory::kClr].rva != 0;
  pe.needed_size = layout.headers_size;
  problem = ReadSections(image, optional_at + header.U16(16), header.U16(2), pe);
  if (problem != PeProblem::kNone) return problem;
  MeasureTail(layout, pe);
  image.SetLayout(layout, pe);
  return PeProblem::kNone;
}

PeFile ReadPe(const base::ByteSource& source) {
  PeImage image(source);
  PeFile pe;
  PeLayout layout;
  pe.problem = ReadPeHeaders(image, pe, layout);
  if (pe.problem == PeProblem::kNone) {
    if (!pe.complete()) pe.problem = PeProblem::kSectionsCut;
    const bool whole = ReadPeImports(image, layout, pe);
    if (!whole && pe.complete()) pe.problem = PeProblem::kImportsCut;
    ReadPeExportHead(image, layout, pe);
    ReadPeResources(image, layout, pe);
  }
  if (image.failed()) pe.problem = PeProblem::kReadFailed;
  return pe;
}

}  // namespace culprit::binfmt
