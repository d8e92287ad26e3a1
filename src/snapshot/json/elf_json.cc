// The keys are the names of the fields. Short forms where there are many: a segment is a list of its six
// numbers, a request is {"needed": NAME}, the identification is hexadecimal.
#include "snapshot/json/elf_json.h"

#include "snapshot/json/json_writer.h"

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

base::Json SegmentToJson(const ElfSegment& segment) {
  // A new field must be added in both directions; this fails to compile until then.
  [[maybe_unused]] const auto& [f1, f2, f3, f4, f5, f6] = segment;
  return {segment.offset, segment.vaddr, segment.filesz, segment.memsz, segment.align, segment.flags};
}

void ReadSegment(const JsonReader& json, ElfSegment& segment) {
  std::vector<uint64_t> numbers;
  json.Get(numbers);
  if (numbers.size() != 6 || !std::in_range<uint32_t>(numbers[5])) return json.Fail("not a segment");
  segment = {.offset = numbers[0],
             .vaddr = numbers[1],
             .filesz = numbers[2],
             .memsz = numbers[3],
             .align = numbers[4],
             .flags = static_cast<uint32_t>(numbers[5])};
}

base::Json RequestToJson(const ElfRequest& request) {
  JsonWriter json;
  for (const auto& [kind, name] : kRequestKinds) {
    if (kind == request.kind) json.Value(name, EncodeBytes(request.name));
  }
  return json.Take();
}

void ReadRequest(const JsonReader& json, ElfRequest& request) {
  for (const auto& [kind, name] : kRequestKinds) {
    if (!json.Has(name)) continue;
    request.kind = kind;
    return json.Field(name, request.name);
  }
  json.Fail("not a request");
}

base::Json NeedToJson(const ElfVersionNeed& need) {
  JsonWriter json;
  json.Text("file", need.file);
  json.List("versions", need.versions, [](const ElfVersionNeed::Item& item) {
    JsonWriter version;
    version.Text("name", item.name);
    version.Flag("weak", item.weak);
    return version.Take();
  });
  return json.Take();
}

void ReadNeed(const JsonReader& json, ElfVersionNeed& need) {
  json.Field("file", need.file);
  json.With("versions", [&](const JsonReader& versions) {
    versions.Each([&](const JsonReader& version) {
      ElfVersionNeed::Item& item = need.versions.emplace_back();
      version.Field("name", item.name);
      version.Field("weak", item.weak);
    });
  });
}

std::string IdentToHex(const std::array<uint8_t, 16>& ident) {
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

base::Json ElfToJson(const ElfFile& elf) {
  // A new field must be added in both directions; this fails to compile until then.
  [[maybe_unused]] const auto& [f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17,
                                f18, f19, f20, f21, f22, f23, f24, f25, f26] = elf;
  JsonWriter json;
  if (elf.problem != binfmt::ElfProblem::kNone) json.Value("problem", Name(elf.problem));
  if (elf.ident != std::array<uint8_t, 16>{}) json.Value("ident", IdentToHex(elf.ident));
  json.Number("type", elf.type);
  json.Number("machine", elf.machine);
  json.Number("version", elf.version);
  json.Number("phentsize", elf.phentsize);
  json.Number("phnum", elf.phnum);
  json.List("loads", elf.loads, SegmentToJson);
  json.Flag("has_dynamic", elf.has_dynamic);
  json.Flag("dynamic_empty", elf.dynamic_empty);
  if (elf.stack_flags) json.Value("stack_flags", *elf.stack_flags);
  json.Text("interpreter", elf.interpreter);
  json.Number("file_size", elf.file_size);
  json.Number("needed_size", elf.needed_size);
  json.Text("soname", elf.soname);
  json.List("requests", elf.requests, RequestToJson);
  json.Text("rpath", elf.rpath);
  json.Text("runpath", elf.runpath);
  json.Number("flags", elf.flags);
  json.Number("flags_1", elf.flags_1);
  json.Flag("has_relr", elf.has_relr);
  json.List("version_needs", elf.version_needs, NeedToJson);
  json.Texts("version_defs", elf.version_defs);
  json.Text("version_base", elf.version_base);
  json.Flag("has_version_defs", elf.has_version_defs);
  json.Text("build_id", elf.build_id);
  return json.Take();
}

void ReadElfJson(const JsonReader& json, ElfFile& elf) {
  json.Named("problem", elf.problem, binfmt::ElfProblemFromName);
  json.With("ident", [&](const JsonReader& ident) { ReadIdent(ident, elf.ident); });
  json.Field("type", elf.type);
  json.Field("machine", elf.machine);
  json.Field("version", elf.version);
  json.Field("phentsize", elf.phentsize);
  json.Field("phnum", elf.phnum);
  ReadList(json, "loads", elf.loads, ReadSegment);
  json.Field("has_dynamic", elf.has_dynamic);
  json.Field("dynamic_empty", elf.dynamic_empty);
  json.Field("stack_flags", elf.stack_flags);
  json.Field("interpreter", elf.interpreter);
  json.Field("file_size", elf.file_size);
  json.Field("needed_size", elf.needed_size);
  json.Field("soname", elf.soname);
  ReadList(json, "requests", elf.requests, ReadRequest);
  json.Field("rpath", elf.rpath);
  json.Field("runpath", elf.runpath);
  json.Field("flags", elf.flags);
  json.Field("flags_1", elf.flags_1);
  json.Field("has_relr", elf.has_relr);
  ReadList(json, "version_needs", elf.version_needs, ReadNeed);
  json.Field("version_defs", elf.version_defs);
  json.Field("version_base", elf.version_base);
  json.Field("has_version_defs", elf.has_version_defs);
  json.Field("build_id", elf.build_id);
}

}  // namespace culprit::snapshot
