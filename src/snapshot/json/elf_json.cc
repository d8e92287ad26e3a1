// The keys are the names of the fields. Short forms where there are many: a segment is a list of its six
// numbers, a request is {"needed": NAME}, the identification is hexadecimal.
#include "snapshot/json/elf_json.h"

#include "snapshot/json/fields.h"

namespace culprit::snapshot {
namespace {

using binfmt::ElfFile;
using binfmt::ElfRequest;
using binfmt::ElfSegment;
using binfmt::ElfVersionNeed;

constexpr std::pair<ElfRequest::Kind, const char*> kRequestKinds[] = {
    {ElfRequest::Kind::kNeeded, "needed"},
    {ElfRequest::Kind::kAuxiliary, "auxiliary"},
    {ElfRequest::Kind::kFilter, "filter"},
};

base::Json RequestsToJson(const std::vector<ElfRequest>& requests) {
  base::Json list = base::Json::array();
  for (const ElfRequest& request : requests) {
    JsonWriter item;
    for (const auto& [kind, name] : kRequestKinds) {
      if (kind == request.kind) item.Value(name, EncodeBytes(request.name));
    }
    list.push_back(item.Take());
  }
  return list;
}

void ReadRequests(const JsonReader& json, std::vector<ElfRequest>& requests) {
  json.Each([&](const JsonReader& item) {
    ElfRequest& request = requests.emplace_back();
    for (const auto& [kind, name] : kRequestKinds) {
      if (!item.Has(name)) continue;
      request.kind = kind;
      return item.Field(name, request.name);
    }
    item.Fail("not a request");
  });
}

base::Json IdentToJson(const std::array<uint8_t, 16>& ident) {
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string hex;
  for (const uint8_t byte : ident) (hex += kHex[byte >> 4]) += kHex[byte & 15];
  return hex;
}

void ReadIdent(const JsonReader& json, std::array<uint8_t, 16>& ident) {
  std::string hex;
  json.Get(hex);
  if (hex.size() != 2 * ident.size()) return json.Fail("not 32 hexadecimal digits");
  for (size_t i = 0; i < ident.size(); ++i) {
    const int high = HexDigit(hex[2 * i]), low = HexDigit(hex[2 * i + 1]);
    if (high < 0 || low < 0) return json.Fail("not 32 hexadecimal digits");
    ident[i] = static_cast<uint8_t>(high * 16 + low);
  }
}

}  // namespace

// Each list binds all fields of its structure, so that it does not compile until a new field is added to it.

template <>
struct RowOf<ElfSegment> {
  static constexpr const char* kProblem = "not a segment";
  static auto Values(auto& segment) {
    auto& [offset, vaddr, filesz, memsz, align, flags] = segment;
    return std::tie(offset, vaddr, filesz, memsz, align, flags);
  }
};

template <>
struct FieldsOf<ElfVersionNeed::Item> {
  static void List(auto& item, auto& visit) {
    auto& [name, weak] = item;
    visit("name", name);
    visit("weak", weak);
  }
};

template <>
struct FieldsOf<ElfVersionNeed> {
  static void List(auto& need, auto& visit) {
    auto& [file, versions] = need;
    visit("file", file);
    visit("versions", versions);
  }
};

template <>
struct FieldsOf<ElfFile> {
  static void List(auto& elf, auto& visit) {
    [[maybe_unused]] auto& [f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18,
                            f19, f20, f21, f22, f23, f24, f25, f26, tags] = elf;  // tags: not recorded
    visit("problem", elf.problem);
    visit.As("ident", elf.ident, IdentToJson, ReadIdent);
    visit("type", elf.type);
    visit("machine", elf.machine);
    visit("version", elf.version);
    visit("phentsize", elf.phentsize);
    visit("phnum", elf.phnum);
    visit("loads", elf.loads);
    visit("has_dynamic", elf.has_dynamic);
    visit("dynamic_empty", elf.dynamic_empty);
    visit("stack_flags", elf.stack_flags);
    visit("interpreter", elf.interpreter);
    visit("file_size", elf.file_size);
    visit("needed_size", elf.needed_size);
    visit("soname", elf.soname);
    visit.As("requests", elf.requests, RequestsToJson, ReadRequests);
    visit("rpath", elf.rpath);
    visit("runpath", elf.runpath);
    visit("flags", elf.flags);
    visit("flags_1", elf.flags_1);
    visit("has_relr", elf.has_relr);
    visit("version_needs", elf.version_needs);
    visit("version_defs", elf.version_defs);
    visit("version_base", elf.version_base);
    visit("has_version_defs", elf.has_version_defs);
    visit("build_id", elf.build_id);
  }
};

base::Json ElfToJson(const ElfFile& elf) { return FieldsToJson(elf); }
void ReadElfJson(const JsonReader& json, ElfFile& elf) { ReadFields(json, elf); }

}  // namespace culprit::snapshot
