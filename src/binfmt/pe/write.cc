// Sections in order: .text with one function, .data with the words, .idata with imports and delay imports,
// .edata with exports, .rsrc, then the requested ones. Strings precede the tables that point to them, so
// every address is known when it is written.
#include "binfmt/pe/write.h"

#include <algorithm>
#include <map>

#include "binfmt/byte_writer.h"
#include "binfmt/pe/write_resources.h"

namespace culprit::binfmt {
namespace {

constexpr size_t kFileAlignment = 512;

// Contents of one section that knows its address.
class Chunk {
 public:
  explicit Chunk(uint32_t rva) : rva_(rva) {}
  uint32_t Here() {
    out_.AlignTo(8);
    return rva_ + static_cast<uint32_t>(out_.size());
  }
  ByteWriter& out() { return out_; }
  // Returns where the text was put.
  uint32_t Text(std::string_view text) {
    const uint32_t at = rva_ + static_cast<uint32_t>(out_.size());
    out_.Text(text);
    out_.U8(0);
    return at;
  }

 private:
  uint32_t rva_;
  ByteWriter out_{false};
};

struct Range {
  uint32_t rva = 0, size = 0;
};

class PeBuilder {
 public:
  explicit PeBuilder(const PeSpec& spec)
      : spec_(spec), is64_(spec.bits == 64), alignment_(spec.flat ? kFileAlignment : 4096) {
    base_ = spec.image_base != 0 ? spec.image_base : is64_ ? 0x180000000 : 0x10000000;
    next_rva_ = static_cast<uint32_t>(RoundUp(kHeaders, alignment_));
    next_offset_ = kHeaders;
  }

  std::string Build() {
    function_ = next_rva_;
    Add(".text", std::string("\xB8\x01\0\0\0\xC3", 6), 0x60000020);  // mov eax, 1; ret
    AddWords();
    AddImports();
    AddExports();
    if (const std::string resources = BuildResources(next_rva_, spec_.version, spec_.manifest);
        !resources.empty()) {
      directories_[2] = {next_rva_, static_cast<uint32_t>(resources.size())};
      Add(".rsrc", resources, 0x40000040);
    }
    for (const auto& [name, contents] : spec_.sections) Add(name, contents, 0x40000040);
    if (spec_.managed) directories_[14] = {function_, 72};
    const uint32_t certificate_at = next_offset_ + static_cast<uint32_t>(spec_.overlay.size());
    if (spec_.certificate_size != 0) directories_[4] = {certificate_at, spec_.certificate_size};
    std::string bytes = Headers();
    for (const Section& section : sections_) {
      bytes.resize(section.offset);
      bytes += section.contents;
    }
    bytes.resize(next_offset_);
    bytes += spec_.overlay + std::string(spec_.certificate_size, 'c');
    bytes.resize(bytes.size() - std::min(spec_.cut, bytes.size()));
    return bytes;
  }

 private:
  static constexpr uint32_t kHeaders = 1024;
  struct Section {
    std::string name, contents;
    uint32_t rva = 0, offset = 0, flags = 0;
  };

  void Add(const std::string& name, const std::string& contents, uint32_t flags) {
    sections_.push_back({name, contents, next_rva_, next_offset_, flags});
    next_rva_ += static_cast<uint32_t>(RoundUp(std::max<size_t>(contents.size(), 1), alignment_));
    next_offset_ += static_cast<uint32_t>(RoundUp(contents.size(), kFileAlignment));
  }

  void AddWords() {
    if (spec_.words.empty()) return;
    Chunk chunk(next_rva_);
    for (const auto& [name, word] : spec_.words) {
      words_[name] = chunk.Here();
      chunk.out().U32(word);
    }
    Add(".data", chunk.out().bytes(), 0xC0000040);
  }

  // The list of functions of one DLL; `address` is added to each RVA.
  void Thunks(const PeImport& import, Chunk& chunk, uint64_t address, std::vector<uint64_t>& words) {
    words.clear();
    for (const std::string& name : import.names) {
      chunk.Here();
      chunk.out().U16(0);
      words.push_back(chunk.Text(name) - 2 + address);
    }
    for (const uint16_t ordinal : import.ordinals) {
      words.push_back((is64_ ? uint64_t{1} << 63 : uint64_t{1} << 31) | ordinal);
    }
    words.push_back(0);
  }

  uint32_t Write(const std::vector<uint64_t>& words, Chunk& chunk) {
    const uint32_t at = chunk.Here();
    for (const uint64_t word : words) chunk.out().Number(word, is64_ ? 8 : 4);
    return at;
  }

  void AddImports() {
    if (spec_.imports.empty() && spec_.delay_imports.empty()) return;
    Chunk chunk(next_rva_);
    std::vector<uint64_t> words;
    ByteWriter table(false), delay_table(false);
    for (const PeImport& import : spec_.imports) {
      Thunks(import, chunk, 0, words);
      const uint32_t name = chunk.Text(import.dll);
      const uint32_t original = spec_.imports_in_one_list ? 0 : Write(words, chunk);
      const uint32_t first = Write(words, chunk);
      for (const uint32_t field : {original, import.bound ? ~0u : 0u, 0u, name, first}) table.U32(field);
    }
    const uint64_t address = spec_.delay_by_address ? base_ : 0;
    for (const PeImport& import : spec_.delay_imports) {
      Thunks(import, chunk, address, words);
      const uint64_t name = chunk.Text(import.dll) + address;
      const uint64_t names = Write(words, chunk) + address;
      const uint64_t addresses = Write(words, chunk) + address;
      const uint64_t handle = chunk.Here() + address;
      chunk.out().U64(0);
      delay_table.U32(spec_.delay_by_address ? 0 : 1);
      for (const uint64_t field : {name, handle, addresses, names}) delay_table.U32(field);
      for (const uint32_t field : {0u, 0u, import.bound ? 1u : 0u}) delay_table.U32(field);
    }
    directories_[1] = Place(table, 20, chunk);
    directories_[13] = Place(delay_table, 32, chunk);
    Add(".idata", chunk.out().bytes(), 0xC0000040);
  }

  // A table of records of `size` bytes with an empty one at its end.
  static Range Place(ByteWriter& table, size_t size, Chunk& chunk) {
    if (table.size() == 0) return {};
    const uint32_t at = chunk.Here();
    chunk.out().Text(table.bytes() + std::string(size, '\0'));
    return {at, static_cast<uint32_t>(table.size() + size)};
  }

  void AddExports() {
    struct Item {
      std::string name, forward;
      uint32_t rva;
    };
    std::vector<Item> items;
    for (const std::string& name : spec_.exports) items.push_back({name, "", function_});
    for (const auto& [name, forward] : spec_.forwarders) items.push_back({name, forward, 0});
    for (const auto& [name, word] : spec_.words) items.push_back({name, "", words_[name]});
    for (uint16_t i = 0; i < spec_.nameless; ++i) items.push_back({"", "", function_});
    for (const std::string& forward : spec_.nameless_forwarders) items.push_back({"", forward, 0});
    if (items.empty() && spec_.name.empty()) return;

    constexpr uint32_t kHead = 40;
    std::map<std::string, size_t> by_name;
    for (size_t i = 0; i < items.size(); ++i) {
      if (!items[i].name.empty()) by_name[items[i].name] = i;
    }
    const auto count = static_cast<uint32_t>(items.size());
    const auto names = static_cast<uint32_t>(by_name.size() + (spec_.more_exports ? 1 : 0));
    const uint32_t functions_at = next_rva_ + kHead, names_at = functions_at + 4 * count;
    const uint32_t numbers_at = names_at + 4 * names;
    Chunk texts(numbers_at + 2 * names);
    const uint32_t own_name = texts.Text(spec_.name);
    ByteWriter out(false);
    for (const uint32_t field : {0u, spec_.time_stamp, 0u, own_name, uint32_t{spec_.ordinal_base}, count,
                                 names, functions_at, names_at, numbers_at}) {
      out.U32(field);
    }
    for (const Item& item : items) out.U32(item.forward.empty() ? item.rva : texts.Text(item.forward));
    for (const auto& [name, i] : by_name) out.U32(texts.Text(name));
    constexpr uint32_t kNowhere = 0xFFFFFF00;
    if (spec_.more_exports) out.U32(kNowhere);
    for (const auto& [name, i] : by_name) out.U16(i);
    if (spec_.more_exports) out.U16(0);
    out.Text(texts.out().bytes());
    directories_[0] = {next_rva_, static_cast<uint32_t>(out.size())};
    Add(".edata", out.bytes(), 0x40000040);
  }

  std::string Headers() {
    ByteWriter out(false);
    out.Text("MZ");
    out.Text(std::string(58, '\0'));
    out.U32(64);
    out.Text(std::string("PE\0\0", 4));
    out.U16(spec_.machine != 0 ? spec_.machine : is64_ ? kPeMachineX64 : kPeMachine386);
    out.U16(sections_.size());
    out.U32(spec_.time_stamp);
    out.U64(0);
    out.U16((is64_ ? 112 : 96) + 16 * 8);
    out.U16((spec_.dll ? 0x2000 : 0) | (is64_ ? 0x22 : 0x102));
    OptionalHeader(out);
    const size_t bound_at = out.size() + sections_.size() * 40;
    WriteDirectories(static_cast<uint32_t>(bound_at), out);
    for (const Section& section : sections_) WriteSection(section, out);
    WriteBound(out);
    std::string bytes = out.bytes();
    bytes.resize(kHeaders);
    return bytes;
  }

  void OptionalHeader(ByteWriter& out) {
    out.U16(is64_ ? 0x20B : 0x10B);
    out.U16(14);
    for (int i = 0; i < 3; ++i) out.U32(0);  // sizes of code and data
    out.U32(spec_.dll ? 0 : function_);      // entry point
    out.U32(function_);                      // code
    if (!is64_) out.U32(0);                  // data
    out.Number(base_, is64_ ? 8 : 4);
    out.U32(alignment_);
    out.U32(kFileAlignment);
    out.U32(6);  // minimum Windows version
    out.U32(0);
    out.U32(6);  // of the subsystem
    out.U32(0);
    out.U32(next_rva_);  // size of the image
    out.U32(kHeaders);
    out.U32(0);
    out.U16(spec_.subsystem);
    out.U16(0x100);                                                  // data may not be executed
    for (int i = 0; i < 4; ++i) out.Number(0x10000, is64_ ? 8 : 4);  // stack and heap
    out.U32(0);
    out.U32(16);
  }

  void WriteDirectories(uint32_t behind_sections, ByteWriter& out) {
    if (!spec_.bound_imports.empty()) directories_[11] = {behind_sections + 16 * 8, 8};
    for (uint32_t i = 0; i < 16; ++i) {
      out.U32(directories_[i].rva);
      out.U32(directories_[i].size);
    }
  }

  static void WriteSection(const Section& section, ByteWriter& out) {
    std::string name = section.name;
    name.resize(8);
    out.Text(name);
    out.U32(section.contents.size());
    out.U32(section.rva);
    out.U32(RoundUp(section.contents.size(), kFileAlignment));
    out.U32(section.offset);
    for (int i = 0; i < 3; ++i) out.U32(0);
    out.U32(section.flags);
  }

  void WriteBound(ByteWriter& out) {
    size_t name_at = 8 * (spec_.bound_imports.size() + 1);
    for (const std::string& dll : spec_.bound_imports) {
      out.U32(1);
      out.U16(name_at);
      out.U16(0);
      name_at += dll.size() + 1;
    }
    out.U64(0);
    for (const std::string& dll : spec_.bound_imports) {
      out.Text(dll);
      out.U8(0);
    }
  }

  const PeSpec& spec_;
  bool is64_;
  size_t alignment_;
  uint64_t base_ = 0;
  uint32_t next_rva_ = 0, next_offset_ = 0, function_ = 0;
  std::vector<Section> sections_;
  std::map<std::string, uint32_t> words_;
  std::map<uint32_t, Range> directories_;
};

}  // namespace

std::string BuildPe(const PeSpec& spec) { return PeBuilder(spec).Build(); }

}  // namespace culprit::binfmt
