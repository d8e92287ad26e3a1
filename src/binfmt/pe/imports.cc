// The imports of a PE file. Three tables: the imports, which the loader resolves before the file's code runs;
// the delay imports, which the file resolves itself at the first call (delayimp.h); and the bound imports,
// which only say for which builds addresses were precomputed.
//
// A table of functions is a list of words up to a zero. If the highest bit is set, the rest is an ordinal;
// otherwise the word points to a two-byte hint and a name. The loader uses the list that stays as the linker
// wrote it (OriginalFirstThunk) if there is one, else the one that it overwrites (FirstThunk).
#include "binfmt/pe/tables.h"

namespace culprit::binfmt {
namespace {

class ImportReader {
 public:
  ImportReader(PeImage& image, const PeFile& pe)
      : image_(image),
        base_(static_cast<uint32_t>(pe.image_base)),
        is64_(pe.bits == 64),
        text_budget_(image.MostText(kMaxPeImportTexts)),
        functions_left_(image.MostEntries(kMaxPeImports)) {}

  bool whole() const { return whole_; }

  std::optional<std::string> Text(uint32_t rva) {
    auto text = image_.Text(rva, text_budget_);
    if (!text) whole_ = false;
    return text;
  }

  // `by_address`: the words are addresses instead of RVAs, as in the first form of delay imports.
  void Functions(uint32_t rva, bool by_address, PeImport& import) {
    const uint64_t size = is64_ ? 8 : 4;
    const uint64_t by_ordinal = is64_ ? uint64_t{1} << 63 : uint64_t{1} << 31;
    for (uint64_t i = 0;; ++i) {
      const auto word =
          i < kMaxPeImportsOfDll && functions_left_ > 0 ? image_.Word(rva + i * size) : std::nullopt;
      if (!word) {
        whole_ = false;
        return;
      }
      if (*word == 0) return;
      --functions_left_;
      if ((*word & by_ordinal) != 0) {
        import.ordinals.push_back(static_cast<uint16_t>(*word));
        continue;
      }
      const uint32_t name =
          by_address ? FromAddress(static_cast<uint32_t>(*word)) : static_cast<uint32_t>(*word);
      auto text = image_.Text(uint64_t{name} + 2, text_budget_);
      if (!text) {
        whole_ = false;
        return;
      }
      import.names.push_back(*std::move(text));
    }
  }

  uint32_t FromAddress(uint32_t address) const { return address - base_; }

  void Cut() { whole_ = false; }

 private:
  PeImage& image_;
  uint32_t base_;
  bool is64_;
  bool whole_ = true;
  uint64_t text_budget_;
  uint64_t functions_left_;
};

// Calls read(rva of the descriptor) until it reports the end; false if it never does.
template <typename Read>
bool EachDescriptor(uint32_t rva, uint32_t size, Read read) {
  for (size_t i = 0; i <= kMaxPeImportDlls; ++i) {
    if (!read(rva + i * uint64_t{size})) return true;
  }
  return false;
}

void ReadImports(PeImage& image, const PeLayout& layout, ImportReader& reader, PeFile& pe) {
  const uint32_t table = layout[PeDirectory::kImports].rva;
  if (table == 0) return;
  const bool ended = EachDescriptor(table, 20, [&](uint64_t at) {
    const std::vector<uint32_t> words = image.Words(at, 5);
    if (words.size() < 5) {
      reader.Cut();
      return false;
    }
    const uint32_t original = words[0], stamp = words[1], name = words[3], first = words[4];
    if (name == 0 || first == 0) return false;
    auto dll = reader.Text(name);
    if (!dll) return false;
    PeImport& import = pe.imports.emplace_back();
    import.dll = *std::move(dll);
    import.bound = stamp != 0;
    const bool usable = original >= layout.headers_size && original < pe.image_size;
    reader.Functions(usable ? original : first, /*by_address=*/false, import);
    return true;
  });
  if (!ended) reader.Cut();
}

void ReadDelayImports(PeImage& image, const PeLayout& layout, ImportReader& reader, PeFile& pe) {
  const uint32_t table = layout[PeDirectory::kDelayImports].rva;
  if (table == 0) return;
  const bool ended = EachDescriptor(table, 32, [&](uint64_t at) {
    const std::vector<uint32_t> words = image.Words(at, 8);
    if (words.size() < 8) {
      reader.Cut();
      return false;
    }
    if (words[1] == 0) return false;
    const bool by_address = (words[0] & 1) == 0;
    const auto rva = [&](uint32_t word) { return by_address ? reader.FromAddress(word) : word; };
    auto dll = reader.Text(rva(words[1]));
    if (!dll) return false;
    PeImport& import = pe.delay_imports.emplace_back();
    import.dll = *std::move(dll);
    import.bound = words[7] != 0;
    if (words[4] != 0) reader.Functions(rva(words[4]), by_address, import);
    return true;
  });
  if (!ended) reader.Cut();
}

// The names follow the descriptors, at offsets from the start of the table. A descriptor is followed by those
// of the DLLs that its DLL forwards to; this file does not import these.
void ReadBoundImports(PeImage& image, const PeLayout& layout, ImportReader& reader, PeFile& pe) {
  const uint32_t table = layout[PeDirectory::kBoundImports].rva;
  if (table == 0) return;
  uint64_t at = table;
  const bool ended = EachDescriptor(table, 8, [&](uint64_t) {
    const auto stamp = image.U32(at);
    const auto name = image.U16(at + 4);
    const auto forwarders = image.U16(at + 6);
    if (!stamp || !name || !forwarders) {
      reader.Cut();
      return false;
    }
    if (*stamp == 0 && *name == 0) return false;
    auto dll = reader.Text(table + *name);
    if (!dll) return false;
    pe.bound_imports.push_back(*std::move(dll));
    at += 8 + uint64_t{*forwarders} * 8;
    return true;
  });
  if (!ended) reader.Cut();
}

}  // namespace

bool ReadPeImports(PeImage& image, const PeLayout& layout, PeFile& pe) {
  ImportReader reader(image, pe);
  ReadImports(image, layout, reader, pe);
  const bool whole = reader.whole();
  // Corruption in these two does not prevent loading.
  ReadDelayImports(image, layout, reader, pe);
  ReadBoundImports(image, layout, reader, pe);
  return whole;
}

}  // namespace culprit::binfmt
