// See stamp.h. Everything has the machine's own class and byte order, so <link.h>'s types work.
#include "stamp.h"

#include <elf.h>
#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <stdexcept>

#include "marker.h"

namespace culprit::gold {
namespace {

using Dyn = ElfW(Dyn);
constexpr int64_t kDtRelrSize = 35, kDtRelr = 36, kDtRelrEntry = 37;  // newer than many <elf.h>

template <typename T>
T Get(const std::string& bytes, size_t offset) {
  T value;
  if (offset + sizeof value > bytes.size()) throw std::runtime_error("template: read beyond its end");
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

template <typename T>
void Set(std::string& bytes, size_t offset, const T& value) {
  if (offset + sizeof value > bytes.size()) throw std::runtime_error("template: write beyond its end");
  std::memcpy(bytes.data() + offset, &value, sizeof value);
}

uint32_t ElfHash(const std::string& name) {
  uint32_t hash = 0;
  for (const char c : name) {
    hash = (hash << 4) + static_cast<unsigned char>(c);
    const uint32_t high = hash & 0xf0000000;
    hash = (hash ^ (high >> 24)) & ~high;
  }
  return hash;
}

class Stamper {
 public:
  explicit Stamper(std::string bytes) : bytes_(std::move(bytes)) {
    const auto header = Get<ElfW(Ehdr)>(bytes_, 0);
    for (size_t i = 0; i < header.e_phnum; ++i) {
      const auto ph = Get<ElfW(Phdr)>(bytes_, header.e_phoff + i * sizeof(ElfW(Phdr)));
      if (ph.p_type == PT_LOAD) loads_.push_back(ph);
      if (ph.p_type == PT_DYNAMIC) dynamic_ = ph;
    }
    for (size_t i = 0; i < dynamic_.p_filesz / sizeof(Dyn); ++i)
      old_.push_back(Get<Dyn>(bytes_, dynamic_.p_offset + i * sizeof(Dyn)));
    strings_ = OffsetOf(Value(DT_STRTAB));
    spare_ = bytes_.find(std::string(1000, 'X'), strings_);
    if (spare_ == std::string::npos) throw std::runtime_error("template: no spare room");
    spare_end_ = bytes_.find_first_not_of('X', spare_);
  }

  std::string Run(const Stamp& stamp) {
    for (const auto& request : stamp.requests) Add(request.tag, PutString(request.name));
    if (stamp.decoys) {
      if (stamp.soname) Add(DT_SONAME, PutString("libdecoy.so"));
      if (stamp.rpath) Add(DT_RPATH, PutString("/decoy"));
      if (stamp.runpath) Add(DT_RUNPATH, PutString("/decoy"));
    }
    if (stamp.soname) Add(DT_SONAME, PutString(*stamp.soname));
    if (stamp.rpath) Add(DT_RPATH, PutString(*stamp.rpath));
    if (stamp.runpath) Add(DT_RUNPATH, PutString(*stamp.runpath));
    uint64_t flags_1 = stamp.flags_1;
    static constexpr std::array kRewritten = {int64_t{DT_NULL},    int64_t{DT_NEEDED},    int64_t{DT_SONAME},
                                              int64_t{DT_RPATH},   int64_t{DT_RUNPATH},   int64_t{DT_FLAGS_1},
                                              int64_t{DT_VERNEED}, int64_t{DT_VERNEEDNUM}};
    for (const Dyn& d : old_) {
      if (d.d_tag == DT_FLAGS_1) flags_1 |= d.d_un.d_val;
      if (std::ranges::find(kRewritten, int64_t{d.d_tag}) == kRewritten.end()) Add(d.d_tag, d.d_un.d_val);
    }
    if (flags_1 != 0) Add(DT_FLAGS_1, flags_1);
    if (stamp.relr) {
      Add(kDtRelr, AddressOf(Take(sizeof(ElfW(Addr)), 8)));
      Add(kDtRelrSize, 0);
      Add(kDtRelrEntry, sizeof(ElfW(Addr)));
    }
    if (!stamp.version_defs.empty()) PutVersionDefs(stamp);
    PutVersionNeeds(stamp);
    if (!Has(DT_VERSYM) && (!stamp.version_defs.empty() || !stamp.version_needs.empty())) PutVersionSymbols();
    if (const uint64_t code = SymbolValue("CallDlopen"); code != 0) Add(GOLD_CODE_TAG, code);
    if (new_.size() >= old_.size()) throw std::runtime_error("template: too few spare dynamic tags");
    new_.resize(old_.size());
    for (size_t i = 0; i < new_.size(); ++i) Set(bytes_, dynamic_.p_offset + i * sizeof(Dyn), new_[i]);
    return std::move(bytes_);
  }

 private:
  void Add(int64_t tag, uint64_t value) {
    Dyn d{};
    d.d_tag = static_cast<decltype(d.d_tag)>(tag);
    d.d_un.d_val = value;
    new_.push_back(d);
  }
  bool Has(int64_t tag) const {
    return std::ranges::any_of(old_, [tag](const Dyn& d) { return d.d_tag == tag; });
  }
  uint64_t Value(int64_t tag) const {
    for (const Dyn& d : old_)
      if (d.d_tag == tag) return d.d_un.d_val;
    throw std::runtime_error("template: a dynamic tag is missing");
  }
  size_t OffsetOf(uint64_t address) const {
    for (const auto& load : loads_)
      if (address >= load.p_vaddr && address < load.p_vaddr + load.p_filesz)
        return address - load.p_vaddr + load.p_offset;
    throw std::runtime_error("template: an address lies outside");
  }
  uint64_t AddressOf(size_t offset) const { return offset - strings_ + Value(DT_STRTAB); }

  // Takes aligned room from the spare string.
  size_t Take(size_t size, size_t align) {
    spare_ = (spare_ + align - 1) / align * align;
    const size_t at = spare_;
    spare_ += size;
    if (spare_ > spare_end_) throw std::runtime_error("template: spare room used up");
    return at;
  }
  uint64_t PutString(const std::string& text) {
    const size_t at = Take(text.size() + 1, 1);
    std::memcpy(bytes_.data() + at, text.c_str(), text.size() + 1);
    return at - strings_;
  }

  void PutVersionDefs(const Stamp& stamp) {
    std::vector<std::string> names = {stamp.soname.value_or("base")};
    names.insert(names.end(), stamp.version_defs.begin(), stamp.version_defs.end());
    constexpr size_t kSize = sizeof(ElfW(Verdef)) + sizeof(ElfW(Verdaux));
    const size_t at = Take(names.size() * kSize, 8);
    for (size_t i = 0; i < names.size(); ++i) {
      ElfW(Verdef) def{};
      def.vd_version = VER_DEF_CURRENT;
      def.vd_flags = i == 0 ? VER_FLG_BASE : 0;
      def.vd_ndx = static_cast<ElfW(Half)>(i + 1);
      def.vd_cnt = 1;
      def.vd_hash = ElfHash(names[i]);
      def.vd_aux = sizeof def;
      def.vd_next = i + 1 < names.size() ? kSize : 0;
      ElfW(Verdaux) aux{};
      aux.vda_name = static_cast<ElfW(Word)>(PutString(names[i]));
      Set(bytes_, at + i * kSize, def);
      Set(bytes_, at + i * kSize + sizeof def, aux);
    }
    next_version_ = names.size() + 1;
    Add(DT_VERDEF, AddressOf(at));
    Add(DT_VERDEFNUM, names.size());
  }

  struct NeededVersion {
    uint32_t hash, name;
    uint16_t flags, index;
  };
  struct NeededFile {
    uint32_t name;
    std::vector<NeededVersion> versions;
  };

  std::vector<NeededFile> TemplateNeeds() {
    std::vector<NeededFile> files;
    if (!Has(DT_VERNEED)) return files;
    for (size_t at = OffsetOf(Value(DT_VERNEED));;) {
      const auto need = Get<ElfW(Verneed)>(bytes_, at);
      NeededFile& file = files.emplace_back(NeededFile{need.vn_file, {}});
      for (size_t aux_at = at + need.vn_aux;;) {
        const auto aux = Get<ElfW(Vernaux)>(bytes_, aux_at);
        file.versions.push_back({aux.vna_hash, aux.vna_name, aux.vna_flags, aux.vna_other});
        next_version_ = std::max<size_t>(next_version_, aux.vna_other + size_t{1});
        if (aux.vna_next == 0) break;
        aux_at += aux.vna_next;
      }
      if (need.vn_next == 0) return files;
      at += need.vn_next;
    }
  }

  // Those of the template first, because its symbols keep their indices; then the new ones.
  void PutVersionNeeds(const Stamp& stamp) {
    std::vector<NeededFile> files = TemplateNeeds();
    for (const auto& need : stamp.version_needs) {
      NeededFile& file = files.emplace_back(NeededFile{static_cast<uint32_t>(PutString(need.file)), {}});
      for (const auto& version : need.versions)
        file.versions.push_back({ElfHash(version), static_cast<uint32_t>(PutString(version)),
                                 static_cast<uint16_t>(need.weak ? VER_FLG_WEAK : 0),
                                 static_cast<uint16_t>(next_version_++)});
    }
    if (files.empty()) return;
    size_t size = 0;
    for (const NeededFile& file : files)
      size += sizeof(ElfW(Verneed)) + file.versions.size() * sizeof(ElfW(Vernaux));
    const size_t table = Take(size, 8);
    size_t at = table;
    for (const NeededFile& file : files) {
      ElfW(Verneed) need{};
      need.vn_version = VER_NEED_CURRENT;
      need.vn_cnt = static_cast<ElfW(Half)>(file.versions.size());
      need.vn_file = file.name;
      need.vn_aux = sizeof need;
      need.vn_next =
          &file == &files.back()
              ? 0
              : static_cast<ElfW(Word)>(sizeof need + file.versions.size() * sizeof(ElfW(Vernaux)));
      Set(bytes_, at, need);
      at += sizeof need;
      for (const NeededVersion& version : file.versions) {
        ElfW(Vernaux) aux{};
        aux.vna_hash = version.hash;
        aux.vna_flags = version.flags;
        aux.vna_other = version.index;
        aux.vna_name = version.name;
        aux.vna_next = &version == &file.versions.back() ? 0 : sizeof aux;
        Set(bytes_, at, aux);
        at += sizeof aux;
      }
    }
    Add(DT_VERNEED, AddressOf(table));
    Add(DT_VERNEEDNUM, files.size());
  }

  size_t SymbolCount() const { return Get<uint32_t>(bytes_, OffsetOf(Value(DT_HASH)) + 4); }  // nchain

  void PutVersionSymbols() {
    const size_t count = SymbolCount();
    const size_t at = Take(count * 2, 8);
    for (size_t i = 0; i < count; ++i) Set(bytes_, at + 2 * i, static_cast<uint16_t>(i == 0 ? 0 : 1));
    Add(DT_VERSYM, AddressOf(at));
  }

  uint64_t SymbolValue(const std::string& wanted) const {
    const size_t table = OffsetOf(Value(DT_SYMTAB));
    for (size_t i = 0; i < SymbolCount(); ++i) {
      const auto symbol = Get<ElfW(Sym)>(bytes_, table + i * sizeof(ElfW(Sym)));
      if (wanted == bytes_.data() + strings_ + symbol.st_name) return symbol.st_value;
    }
    return 0;
  }

  std::string bytes_;
  std::vector<ElfW(Phdr)> loads_;
  ElfW(Phdr) dynamic_ {};
  std::vector<Dyn> old_, new_;
  size_t strings_ = 0, spare_ = 0, spare_end_ = 0;
  size_t next_version_ = 2;
};

}  // namespace

std::string Stamped(const std::string& elf_template, const Stamp& stamp) {
  return Stamper(elf_template).Run(stamp);
}

}  // namespace culprit::gold
