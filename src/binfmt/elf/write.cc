// Every table is a block of bytes. Block sizes do not depend on addresses, so blocks are written once and
// placed one after the other; then those that contain addresses are written again.
#include "binfmt/elf/write.h"

#include <algorithm>
#include <map>

#include "binfmt/byte_writer.h"
#include "binfmt/elf/constants.h"

namespace culprit::binfmt {
namespace {

constexpr uint64_t kLargestPage = 0x10000;  // the largest page size in use
// Numbers of the ABI that only a writer needs.
constexpr size_t kIdentSize = 16;
constexpr uint32_t kGlobal = 1;
constexpr int64_t kStringsSize = 10, kSymbolSize = 11, kRelrSize = 35, kRelrEntry = 37;
constexpr int64_t kSymbolVersions = 0x6ffffff0, kVersionDefs = 0x6ffffffd, kVersionNeeds = 0x6fffffff;

uint32_t SysvHash(std::string_view name) {
  uint32_t hash = 0;
  for (const char c : name) {
    hash = (hash << 4) + static_cast<unsigned char>(c);
    const uint32_t high = hash & 0xf0000000;
    hash = (hash ^ high >> 24) & ~high;
  }
  return hash;
}

uint32_t GnuHash(std::string_view name) {
  uint32_t hash = 5381;
  for (const char c : name) hash = hash * 33 + static_cast<unsigned char>(c);
  return hash;
}

std::string Unhex(std::string_view hex) {
  std::string bytes;
  for (size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes += static_cast<char>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16));
  }
  return bytes;
}

// A range of the file. Everything but the dynamic section and the words is in the first PT_LOAD.
struct ElfBlock {
  std::string bytes;
  uint64_t offset = 0, address = 0;
  bool present() const { return !bytes.empty(); }
};

class ElfBuilder {
 public:
  explicit ElfBuilder(const ElfSpec& spec) : spec_(spec), is64_(spec.bits == 64), word_(is64_ ? 8 : 4) {}
  std::string Build();

 private:
  ByteWriter Writer() const { return ByteWriter(spec_.big_endian); }
  void WriteNote();
  void WriteHashes();
  void WriteSymbols();
  void WriteVersions();
  void WriteRelocations();
  void WriteDynamic();
  size_t FirstWord() const { return spec_.imports.size() + spec_.undefined.size() + 1; }  // its symbol
  std::string Header(size_t segments) const;
  std::string Segment(uint32_t type, uint32_t flags, uint64_t offset, uint64_t address, uint64_t size,
                      uint64_t align) const;
  std::string Segments() const;
  void Place(ElfBlock& block, uint64_t shift, uint64_t& at);

  const ElfSpec& spec_;
  const bool is64_;
  const size_t word_;
  StringTable strings_;
  ElfBlock interpreter_, note_, gnu_hash_, sysv_hash_, symbols_, names_, versym_, verneed_, verdef_;
  ElfBlock relocations_, dynamic_, words_, slots_;
  uint64_t data_offset_ = 0, end_ = 0;
};

void ElfBuilder::WriteNote() {
  if (spec_.build_id.empty()) return;
  const std::string id = Unhex(spec_.build_id);
  ByteWriter out = Writer();
  out.U32(4);
  out.U32(id.size());
  out.U32(NT_GNU_BUILD_ID);
  out.Text(std::string_view("GNU\0", 4));
  out.Text(id);
  out.AlignTo(4);
  note_.bytes = out.bytes();
}

// One bucket each, so that the symbols can be in any order.
void ElfBuilder::WriteHashes() {
  const size_t count = spec_.words.size();
  if (spec_.hash != ElfSpec::Hash::kSysv) {
    ByteWriter out = Writer();
    const auto first = static_cast<uint32_t>(FirstWord());
    for (const uint32_t number : {1u, first, 1u, 0u})
      out.U32(number);  // buckets, first symbol, filter words, shift
    out.Number(~uint64_t{0}, word_);
    out.U32(count > 0 ? first : 0);
    for (size_t i = 0; i < count; ++i) {
      out.U32((GnuHash(spec_.words[i].first) & ~1u) | (i + 1 == count ? 1 : 0));
    }
    gnu_hash_.bytes = out.bytes();
  }
  if (spec_.hash != ElfSpec::Hash::kGnu) {
    ByteWriter out = Writer();
    const size_t first = FirstWord();
    out.U32(1);
    out.U32(first + count);
    out.U32(count > 0 ? first : 0);
    for (size_t i = 0; i < first; ++i) out.U32(0);
    for (size_t i = 1; i <= count; ++i) out.U32(i == count ? 0 : first + i);
    sysv_hash_.bytes = out.bytes();
  }
}

void ElfBuilder::WriteSymbols() {
  ByteWriter out = Writer();
  out.Text(std::string(ElfSymbolSize(is64_), '\0'));
  std::vector<std::string> others;
  for (const auto& [symbol, version] : spec_.imports) others.push_back(symbol);
  others.insert(others.end(), spec_.undefined.begin(), spec_.undefined.end());
  for (const std::string& symbol : others) {
    const size_t begin = out.bytes().size();
    out.U32(strings_.Add(symbol));
    if (!is64_) out.U64(0);
    out.U8(kGlobal << 4);
    while (out.bytes().size() < begin + ElfSymbolSize(is64_)) out.U8(0);
  }
  for (size_t i = 0; i < spec_.words.size(); ++i) {
    const uint64_t address = words_.address + 4 * i;
    out.U32(strings_.Add(spec_.words[i].first));
    if (!is64_) {
      out.U32(address);
      out.U32(4);
    }
    out.U8(kGlobal << 4 | STT_OBJECT);
    out.U8(0);   // visible
    out.U16(1);  // any section: not undefined
    if (is64_) {
      out.U64(address);
      out.U64(4);
    }
  }
  symbols_.bytes = out.bytes();
}

void ElfBuilder::WriteVersions() {
  uint32_t index = 1;
  if (!spec_.version_defs.empty()) {
    std::vector<std::string> names = spec_.version_defs;
    names.insert(names.begin(), spec_.soname.value_or("base"));
    ByteWriter out = Writer();
    for (size_t i = 0; i < names.size(); ++i) {
      out.U16(1);
      out.U16(i == 0 ? VER_FLG_BASE : 0);
      out.U16(index++);
      out.U16(1);
      out.U32(SysvHash(names[i]));
      out.U32(20);
      out.U32(i + 1 == names.size() ? 0 : 28);
      out.U32(strings_.Add(names[i]));
      out.U32(0);
    }
    verdef_.bytes = out.bytes();
  }
  index = std::max(index, 2u);
  std::map<std::string, uint32_t> numbers_of_needs;
  ByteWriter out = Writer();
  for (size_t i = 0; i < spec_.version_needs.size(); ++i) {
    const ElfVersionNeed& need = spec_.version_needs[i];
    out.U16(1);
    out.U16(need.versions.size());
    out.U32(strings_.Add(need.file));
    out.U32(16);
    out.U32(i + 1 == spec_.version_needs.size() ? 0 : 16 + 16 * need.versions.size());
    for (size_t k = 0; k < need.versions.size(); ++k) {
      out.U32(SysvHash(need.versions[k].name));
      out.U16(need.versions[k].weak ? VER_FLG_WEAK : 0);
      numbers_of_needs[need.versions[k].name] = index;
      out.U16(index++);
      out.U32(strings_.Add(need.versions[k].name));
      out.U32(k + 1 == need.versions.size() ? 0 : 16);
    }
  }
  verneed_.bytes = out.bytes();
  if (!verdef_.present() && !verneed_.present()) return;
  ByteWriter numbers = Writer();
  numbers.U16(0);
  for (const auto& [symbol, version] : spec_.imports) numbers.U16(numbers_of_needs[version]);
  for (size_t i = 0; i < spec_.undefined.size(); ++i) numbers.U16(1);
  for (size_t i = 0; i < spec_.words.size(); ++i) numbers.U16(verdef_.present() ? 2 : 1);
  versym_.bytes = numbers.bytes();
}

// Each fills a slot with the address of its symbol.
void ElfBuilder::WriteRelocations() {
  slots_.bytes.assign(spec_.undefined.size() * word_, '\0');
  ByteWriter out = Writer();
  for (size_t i = 0; i < spec_.undefined.size(); ++i) {
    const uint64_t symbol = spec_.imports.size() + 1 + i;
    const uint64_t kind = spec_.machine == EM_AARCH64
                              ? (spec_.undefined_calls ? 1026 : 1025)
                              : (spec_.undefined_calls ? 7 : 6);  // JUMP_SLOT, GLOB_DAT
    out.Number(slots_.address + i * word_, word_);
    out.Number(is64_ ? symbol << 32 | kind : symbol << 8 | (kind & 0xff), word_);
    out.Number(0, word_);
  }
  relocations_.bytes = out.bytes();
}

void ElfBuilder::WriteDynamic() {
  ByteWriter out = Writer();
  const auto entry = [&](int64_t tag, uint64_t value) {
    out.Number(static_cast<uint64_t>(tag), word_);
    out.Number(value, word_);
  };
  const auto text = [&](int64_t tag, const std::optional<std::string>& value) {
    if (value) entry(tag, strings_.Add(*value));
  };
  const auto table = [&](int64_t tag, const ElfBlock& block) {
    if (block.present()) entry(tag, block.address);
  };
  for (const std::string& name : spec_.needed) text(DT_NEEDED, name);
  for (const ElfRequest& request : spec_.requests) {
    text(request.kind == ElfRequest::Kind::kNeeded      ? DT_NEEDED
         : request.kind == ElfRequest::Kind::kAuxiliary ? DT_AUXILIARY
                                                        : DT_FILTER,
         request.name);
  }
  text(DT_SONAME, spec_.soname);
  text(DT_RPATH, spec_.rpath);
  text(DT_RUNPATH, spec_.runpath);
  table(DT_GNU_HASH, gnu_hash_);
  table(DT_HASH, sysv_hash_);
  entry(DT_STRTAB, names_.address);
  entry(kStringsSize, names_.bytes.size());
  entry(DT_SYMTAB, symbols_.address);
  entry(kSymbolSize, ElfSymbolSize(is64_));
  if (spec_.flags != 0) entry(DT_FLAGS, spec_.flags);
  if (spec_.flags_1 != 0) entry(DT_FLAGS_1, spec_.flags_1);
  table(kSymbolVersions, versym_);
  if (verdef_.present()) {
    entry(DT_VERDEF, verdef_.address);
    entry(kVersionDefs, spec_.version_defs.size() + 1);
  }
  if (verneed_.present()) {
    entry(DT_VERNEED, verneed_.address);
    entry(kVersionNeeds, spec_.version_needs.size());
  }
  if (relocations_.present()) {
    entry(spec_.undefined_calls ? DT_JMPREL : DT_RELA, relocations_.address);
    entry(spec_.undefined_calls ? DT_PLTRELSZ : DT_RELASZ, relocations_.bytes.size());
    if (spec_.undefined_calls) entry(DT_PLTREL, DT_RELA);
    entry(DT_RELAENT, 3 * word_);
  }
  if (spec_.relr) {
    entry(DT_RELR, symbols_.address);
    entry(kRelrSize, 0);
    entry(kRelrEntry, word_);
  }
  entry(DT_NULL, 0);
  dynamic_.bytes = out.bytes();
}

std::string ElfBuilder::Header(size_t segments) const {
  ByteWriter out = Writer();
  out.Text(ELFMAG);
  out.U8(is64_ ? ELFCLASS64 : ELFCLASS32);
  out.U8(spec_.big_endian ? ELFDATA2MSB : ELFDATA2LSB);
  out.U8(EV_CURRENT);
  out.AlignTo(kIdentSize);
  out.U16(spec_.type);
  out.U16(spec_.machine);
  out.U32(EV_CURRENT);
  out.Number(0, word_);                     // entry
  out.Number(ElfHeaderSize(is64_), word_);  // program headers
  out.Number(0, word_);                     // section headers
  out.U32(0);                               // flags
  out.U16(ElfHeaderSize(is64_));
  out.U16(ElfProgramHeaderSize(is64_));
  out.U16(segments);
  for (int i = 0; i < 3; ++i) out.U16(0);  // no sections
  return out.bytes();
}

std::string ElfBuilder::Segment(uint32_t type, uint32_t flags, uint64_t offset, uint64_t address,
                                uint64_t size, uint64_t align) const {
  ByteWriter out = Writer();
  out.U32(type);
  if (is64_) out.U32(flags);
  out.Number(offset, word_);
  for (int i = 0; i < 2; ++i) out.Number(address, word_);  // virtual and physical
  for (int i = 0; i < 2; ++i) out.Number(size, word_);     // in the file and in memory
  if (!is64_) out.U32(flags);
  out.Number(align, word_);
  return out.bytes();
}

std::string ElfBuilder::Segments() const {
  std::string all;
  if (interpreter_.present()) {
    all += Segment(PT_INTERP, PF_R, interpreter_.offset, interpreter_.address, interpreter_.bytes.size(), 1);
  }
  all += Segment(PT_LOAD, PF_R, 0, 0, data_offset_, kLargestPage);
  all += Segment(PT_LOAD, PF_R | PF_W, data_offset_, data_offset_ + kLargestPage, end_ - data_offset_,
                 kLargestPage);
  if (spec_.dynamic != ElfSpec::Dynamic::kNo) {
    const uint64_t size = spec_.dynamic == ElfSpec::Dynamic::kYes ? dynamic_.bytes.size() : 0;
    all += Segment(PT_DYNAMIC, PF_R | PF_W, dynamic_.offset, dynamic_.address, size, word_);
  }
  if (note_.present()) all += Segment(PT_NOTE, PF_R, note_.offset, note_.address, note_.bytes.size(), 4);
  if (spec_.stack_flags) all += Segment(PT_GNU_STACK, *spec_.stack_flags, 0, 0, 0, 16);
  return all;
}

void ElfBuilder::Place(ElfBlock& block, uint64_t shift, uint64_t& at) {
  at = (at + 7) / 8 * 8;
  block.offset = at;
  block.address = at + shift;
  at += block.bytes.size();
}

std::string ElfBuilder::Build() {
  const std::vector<ElfBlock*> text = {&interpreter_, &note_,   &gnu_hash_, &sysv_hash_, &symbols_,
                                       &names_,       &versym_, &verneed_,  &verdef_,    &relocations_};
  using Blocks = const std::vector<ElfBlock*>;
  Blocks data = spec_.undefined.empty() ? Blocks{&dynamic_, &words_} : Blocks{&dynamic_, &words_, &slots_};
  if (spec_.interpreter) interpreter_.bytes = *spec_.interpreter + '\0';
  WriteNote();
  WriteHashes();
  WriteVersions();
  ByteWriter values = Writer();
  for (const auto& [name, value] : spec_.words) values.U32(value);
  words_.bytes = values.bytes();
  // Written once to get the sizes, which give the addresses, and again with the addresses.
  WriteSymbols();
  WriteRelocations();
  WriteDynamic();
  names_.bytes = strings_.bytes();
  const size_t segment_size = ElfProgramHeaderSize(is64_);
  const size_t segment_count = Segments().size() / segment_size;
  const std::string header = Header(segment_count);
  uint64_t at = header.size() + segment_count * segment_size;
  for (ElfBlock* block : text) Place(*block, 0, at);
  data_offset_ = at = (at + 15) / 16 * 16;
  for (ElfBlock* block : data) Place(*block, kLargestPage, at);
  end_ = at;
  WriteSymbols();
  WriteRelocations();
  WriteDynamic();
  std::string file = header + Segments();
  for (const auto* blocks : {&text, &data}) {
    for (const ElfBlock* block : *blocks) {
      file.resize(static_cast<size_t>(block->offset), '\0');
      file += block->bytes;
    }
  }
  return file;
}

}  // namespace

std::string BuildElf(const ElfSpec& spec) { return ElfBuilder(spec).Build(); }

}  // namespace culprit::binfmt
