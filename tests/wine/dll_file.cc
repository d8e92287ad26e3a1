#include "dll_file.h"

#include <algorithm>

namespace culprit::wine {
namespace {

constexpr uint32_t kSectionAddress = 0x1000;
constexpr size_t kHeaderSize = 0x200;
constexpr size_t kSmallestSection = 0x1000;

void Put(std::string& bytes, uint64_t value, size_t size) {
  for (size_t i = 0; i < size; ++i) bytes += static_cast<char>(value >> (8 * i) & 0xff);
}
void Set(std::string& bytes, size_t at, uint64_t value, size_t size) {
  for (size_t i = 0; i < size; ++i) bytes[at + i] = static_cast<char>(value >> (8 * i) & 0xff);
}
size_t Up(size_t value, size_t unit) { return (value + unit - 1) / unit * unit; }

struct Table {
  uint32_t address = 0, size = 0;
};

// The contents of the one section; every Add returns the address in the image.
class Section {
 public:
  explicit Section(bool wide) : wide_(wide) {
    bytes = std::string("\x31\xc0\xc3", 3);  // xor eax, eax; ret
    bytes.resize(16);
  }
  uint32_t Add(const std::string& more) {
    bytes.resize(Up(bytes.size(), 8));
    bytes += more;
    return kSectionAddress + static_cast<uint32_t>(bytes.size() - more.size());
  }
  uint32_t AddText(const std::string& text) { return Add(text + '\0'); }

  // The array of imported functions, once.
  uint32_t AddThunks(const Import& import) {
    const size_t size = wide_ ? 8 : 4;
    std::string thunks;
    for (const std::string& name : import.names) {
      Put(thunks, AddText(std::string(2, '\0') + name), size);
    }
    for (const uint16_t ordinal : import.ordinals) {
      Put(thunks, (uint64_t{1} << (8 * size - 1)) | ordinal, size);
    }
    Put(thunks, 0, size);
    return Add(thunks);
  }
  Table AddImports(const std::vector<Import>& imports) {
    if (imports.empty()) return {};
    std::string rows;
    for (const Import& import : imports) {
      Put(rows, AddThunks(import), 4);
      Put(rows, 0, 8);
      Put(rows, AddText(import.dll), 4);
      Put(rows, AddThunks(import), 4);
    }
    rows.append(20, '\0');
    return {Add(rows), static_cast<uint32_t>(rows.size())};
  }
  Table AddDelayImports(const std::vector<Import>& imports) {
    if (imports.empty()) return {};
    std::string rows;
    for (const Import& import : imports) {
      Put(rows, 1, 4);  // addresses are relative to the image
      Put(rows, AddText(import.dll), 4);
      Put(rows, AddText(std::string(8, '\0')), 4);
      Put(rows, AddThunks(import), 4);
      Put(rows, AddThunks(import), 4);
      Put(rows, 0, 12);
    }
    rows.append(32, '\0');
    return {Add(rows), static_cast<uint32_t>(rows.size())};
  }
  // A forwarder is an address inside the table itself, so its strings are there.
  Table AddExports(const DllFile& file) {
    std::vector<std::pair<std::string, std::string>> all = file.forwarders;
    for (const std::string& name : file.exports) all.emplace_back(name, "");
    if (all.empty()) return {};
    std::ranges::sort(all);
    const uint32_t count = static_cast<uint32_t>(all.size());
    const uint32_t start = Add(std::string(40, '\0'));
    const uint32_t name = AddText(file.name);
    const uint32_t addresses = Add(std::string(4 * count, '\0'));
    const uint32_t names = Add(std::string(4 * count, '\0'));
    const uint32_t ordinals = Add(std::string(2 * count, '\0'));
    for (uint32_t i = 0; i < count; ++i) {
      const uint32_t address = all[i].second.empty() ? kSectionAddress : AddText(all[i].second);
      const uint32_t text = AddText(all[i].first);
      Set(bytes, addresses - kSectionAddress + 4 * i, address, 4);
      Set(bytes, names - kSectionAddress + 4 * i, text, 4);
      Set(bytes, ordinals - kSectionAddress + 2 * i, i, 2);
    }
    size_t at = start - kSectionAddress + 12;
    for (const uint32_t value : {name, 1u, count, count, addresses, names, ordinals}) {
      Set(bytes, at, value, 4);
      at += 4;
    }
    return {start, static_cast<uint32_t>(bytes.size()) + kSectionAddress - start};
  }

  std::string bytes;

 private:
  bool wide_;
};

uint16_t Number(Machine machine) {
  return machine == Machine::kX64 ? 0x8664 : machine == Machine::k386 ? 0x14c : 0xaa64;
}

}  // namespace

std::string Bytes(const DllFile& file) {
  const bool wide = file.machine != Machine::k386;
  Section section(wide);
  const Table imports = section.AddImports(file.imports);
  const Table exports = section.AddExports(file);
  const Table delayed = section.AddDelayImports(file.delay_imports);
  section.bytes.resize(Up(std::max(section.bytes.size(), kSmallestSection), 0x200));
  const uint64_t raw = section.bytes.size();

  std::string head = "MZ";
  head.resize(0x3c);
  Put(head, 0x40, 4);
  head += std::string("PE\0\0", 4);
  Put(head, Number(file.machine), 2);
  Put(head, 1, 2);  // sections
  Put(head, 0, 12);
  Put(head, wide ? 240 : 224, 2);
  Put(head, 0x22u | (file.program ? 0u : 0x2000u) | (wide ? 0u : 0x100u), 2);
  Put(head, wide ? 0x20b : 0x10b, 2);
  Put(head, 0, 2);
  Put(head, raw, 4);
  Put(head, 0, 8);
  Put(head, file.program ? kSectionAddress : 0, 4);
  Put(head, kSectionAddress, 4);
  if (wide) {
    Put(head, 0x180000000, 8);
  } else {
    Put(head, kSectionAddress, 4);
    Put(head, 0x10000000, 4);
  }
  Put(head, 0x1000, 4);
  Put(head, 0x200, 4);
  for (const uint16_t version : std::initializer_list<uint16_t>{6, 0, 0, 0, 6, 0, 0, 0})
    Put(head, version, 2);
  Put(head, Up(kSectionAddress + raw, 0x1000), 4);
  Put(head, kHeaderSize, 4);
  Put(head, 0, 4);
  Put(head, 3, 2);      // console
  Put(head, 0x140, 2);  // may be relocated, no code in data
  for (const uint32_t size : {0x100000u, 0x1000u, 0x100000u, 0x1000u}) Put(head, size, wide ? 8 : 4);
  Put(head, 0, 4);
  Put(head, 16, 4);
  for (int i = 0; i < 16; ++i) {
    const Table table = i == 0 ? exports : i == 1 ? imports : i == 13 ? delayed : Table{};
    Put(head, table.address, 4);
    Put(head, table.size, 4);
  }
  head += std::string(".all\0\0\0\0", 8);
  Put(head, raw, 4);
  Put(head, kSectionAddress, 4);
  Put(head, raw, 4);
  Put(head, kHeaderSize, 4);
  Put(head, 0, 12);
  Put(head, 0xE0000060, 4);
  head.resize(kHeaderSize);
  return head + section.bytes;
}

}  // namespace culprit::wine
