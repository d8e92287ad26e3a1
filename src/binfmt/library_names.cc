#include "binfmt/library_names.h"

#include <algorithm>
#include <set>
#include <span>
#include <string_view>

#include "base/text.h"
#include "base/windows/path.h"
#include "binfmt/elf/constants.h"
#include "binfmt/elf/sections.h"

namespace culprit::binfmt {
namespace {

constexpr uint64_t kMostNameBytes = 64 << 20;
constexpr uint64_t kNamesChunk = 1 << 20;
constexpr size_t kMostLetters = 64;  // of a name, its end included

bool IsLetter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
         c == '.' || c == '+';
}

// "libcudnn.so", "libcudnn.so.9", "libcudart.so.11.0".
bool IsSoname(std::string_view text) {
  const size_t at = text.find(".so");
  if (at == std::string_view::npos || !text.starts_with("lib")) return false;
  const std::string_view numbers = text.substr(at + 3);
  if (numbers.empty()) return true;
  const std::vector<std::string> parts = base::Split(numbers.substr(1), '.');
  return numbers.front() == '.' && std::ranges::all_of(parts, base::IsNumber);
}

bool IsDllName(std::string_view text) { return base::FoldCase(text).ends_with(".dll"); }

// Texts of `width` bytes a letter that contain what stands at `marker`, from one zero to the next.
class Texts {
 public:
  Texts(std::string_view marker, size_t width, bool (*wanted)(std::string_view))
      : width_(width), wanted_(wanted) {
    for (const char c : marker) marker_.append(1, c).append(width - 1, '\0');
  }

  void Find(std::string_view bytes, std::set<std::string>& names) const {
    for (size_t at = bytes.find(marker_); at != std::string_view::npos; at = bytes.find(marker_, at + 1)) {
      size_t begin = at;
      while (begin >= width_ && IsLetterAt(bytes, begin - width_)) begin -= width_;
      size_t end = at;
      while (IsLetterAt(bytes, end)) end += width_;
      if (begin < width_ || !IsEndAt(bytes, begin - width_) || !IsEndAt(bytes, end)) continue;
      std::string text;
      for (size_t i = begin; i < end; i += width_) text += bytes[i];
      if (text.size() < kMostLetters && wanted_(text)) names.insert(std::move(text));
    }
  }

 private:
  bool IsLetterAt(std::string_view bytes, size_t at) const {
    return at + width_ <= bytes.size() && IsLetter(bytes[at]) && (width_ == 1 || bytes[at + 1] == '\0');
  }
  bool IsEndAt(std::string_view bytes, size_t at) const {
    return at + width_ <= bytes.size() &&
           bytes.substr(at, width_).find_first_not_of('\0') == std::string::npos;
  }

  std::string marker_;
  size_t width_;
  bool (*wanted_)(std::string_view);
};

// Reads a range of the file in chunks that overlap by more than a name, and hands each to `look`. Before the
// first one stands a zero, since a section may start with a name. `budget` is how much may still be read.
template <typename Look>
void ReadRange(const base::ByteSource& source, uint64_t offset, uint64_t size, uint64_t& budget, Look look) {
  constexpr uint64_t kOverlap = 4 * kMostLetters;
  if (offset >= source.size()) return;
  size = std::min({size, source.size() - offset, budget});
  budget -= size;
  std::string room;
  for (uint64_t done = 0; done < size; done += kNamesChunk) {
    const uint64_t begin = done < kOverlap ? 0 : done - kOverlap;
    const size_t wanted = static_cast<size_t>(std::min(kNamesChunk + kOverlap, size - begin));
    room.assign(2 + wanted + 2, '\0');
    const auto got =
        source.ReadAt(offset + begin, std::as_writable_bytes(std::span(room)).subspan(2, wanted));
    if (!got) return;
    const bool first = begin == 0;
    const bool last = begin + wanted >= size;
    look(std::string_view(room).substr(first ? 0 : 2, (first ? 2 : 0) + *got + (last ? 2 : 0)));
  }
}

bool OpensLibraries(const base::ByteSource& source, const ElfSection& names) {
  bool found = false;
  uint64_t budget = kMostNameBytes;
  ReadRange(source, names.offset, names.size, budget, [&](std::string_view bytes) {
    using namespace std::string_view_literals;
    found |= base::Contains(bytes, "\0dlopen\0"sv) || base::Contains(bytes, "\0dlmopen\0"sv);
  });
  return found;
}

}  // namespace

std::vector<std::string> ReadLibraryNames(const base::ByteSource& source, const ElfFile& elf) {
  if (elf.problem != ElfProblem::kNone || elf.bits() == 0) return {};
  ElfReader reader(source);
  reader.SetFormat(elf.bits(), elf.big_endian());
  const auto header = reader.Header();
  const auto sections = header ? ReadElfSections(reader, *header) : std::nullopt;
  if (!sections) return {};
  const auto symbols = std::ranges::find(*sections, ".dynstr", &ElfSection::name);
  if (symbols == sections->end() || !OpensLibraries(source, *symbols)) return {};
  const Texts texts(".so", 1, IsSoname);
  std::set<std::string> names;
  uint64_t budget = kMostNameBytes;
  for (const ElfSection& section : *sections) {
    if (!section.name.starts_with(".rodata") || section.type == SHT_NOBITS) continue;
    ReadRange(source, section.offset, section.size, budget,
              [&](std::string_view bytes) { texts.Find(bytes, names); });
  }
  return {names.begin(), names.end()};
}

std::vector<std::string> ReadLibraryNames(const base::ByteSource& source, const PeFile& pe) {
  constexpr uint32_t kInitializedData = 0x40, kExecutable = 0x20000000;
  const auto opens = [](const PeImport& import) {
    return std::ranges::any_of(import.names, [](const std::string& name) {
      return name.starts_with("LoadLibrary") || name.starts_with("LoadPackagedLibrary");
    });
  };
  if (pe.problem != PeProblem::kNone || std::ranges::none_of(pe.imports, opens)) return {};
  const Texts narrow(".dll", 1, IsDllName);
  const Texts wide(".dll", 2, IsDllName);
  std::set<std::string> names;
  uint64_t budget = kMostNameBytes;
  for (const PeSection& section : pe.sections) {
    if ((section.flags & kInitializedData) == 0 || (section.flags & kExecutable) != 0) continue;
    if (section.name.starts_with(".nv")) continue;  // GPU code
    ReadRange(source, section.offset, section.raw_size, budget, [&](std::string_view bytes) {
      narrow.Find(bytes, names);
      wide.Find(bytes, names);
    });
  }
  // The import tables lie among the data too, and what they name is loaded anyway.
  for (const auto* imports : {&pe.imports, &pe.delay_imports}) {
    for (const PeImport& import : *imports) names.erase(import.dll);
  }
  if (pe.export_name) names.erase(*pe.export_name);
  return {names.begin(), names.end()};
}

}  // namespace culprit::binfmt
