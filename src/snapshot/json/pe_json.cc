// The keys are the names of the fields. Short forms where there are many: a section is a list of its name and
// five numbers, a forwarder one of its name, target and ordinal, and ordinals are a text of ranges, "1-400
// 7".
#include "snapshot/json/pe_json.h"

#include <charconv>

#include "base/text.h"
#include "snapshot/json/json_writer.h"

namespace culprit::snapshot {
namespace {

using binfmt::PeExports;
using binfmt::PeFile;
using binfmt::PeImport;
using binfmt::PeSection;
using binfmt::PeVersionInfo;

std::string RangesText(const std::vector<uint16_t>& numbers) {
  std::string text;
  for (size_t i = 0; i < numbers.size();) {
    size_t last = i;
    while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1) ++last;
    if (!text.empty()) text += ' ';
    text += std::to_string(numbers[i]);
    if (last > i) text += "-" + std::to_string(numbers[last]);
    i = last + 1;
  }
  return text;
}

bool ReadNumber(std::string_view text, uint16_t& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

void ReadRanges(const JsonReader& json, std::vector<uint16_t>& numbers) {
  constexpr size_t kMost = 1u << 20;
  std::string text;
  json.Get(text);
  for (const std::string& range : base::SplitWords(text, " ")) {
    const size_t dash = range.find('-');
    uint16_t first = 0, last = 0;
    const bool good = ReadNumber(std::string_view(range).substr(0, dash), first) &&
                      ReadNumber(dash == range.npos ? range : range.substr(dash + 1), last) && first <= last;
    if (!good || numbers.size() + (last - first) >= kMost) return json.Fail("not a list of ordinals");
    for (uint32_t number = first; number <= last; ++number) numbers.push_back(static_cast<uint16_t>(number));
  }
}

base::Json ImportToJson(const PeImport& import) {
  // A new field must be added in both directions; this fails to compile until then.
  [[maybe_unused]] const auto& [f1, f2, f3, f4] = import;
  JsonWriter json;
  json.Text("dll", import.dll);
  json.Texts("names", import.names);
  json.Text("ordinals", RangesText(import.ordinals));
  json.Flag("bound", import.bound);
  return json.Take();
}

void ReadImport(const JsonReader& json, PeImport& import) {
  json.Field("dll", import.dll);
  json.Field("names", import.names);
  json.With("ordinals", [&](const JsonReader& field) { ReadRanges(field, import.ordinals); });
  json.Field("bound", import.bound);
}

base::Json SectionToJson(const PeSection& section) {
  [[maybe_unused]] const auto& [f1, f2, f3, f4, f5, f6] = section;
  return {EncodeBytes(section.name), section.address, section.virtual_size, section.offset,
          section.raw_size,          section.flags};
}

void ReadSection(const JsonReader& json, PeSection& section) {
  size_t index = 0;
  json.Each([&](const JsonReader& item) {
    switch (index++) {
      case 0:
        return item.Get(section.name);
      case 1:
        return item.Get(section.address);
      case 2:
        return item.Get(section.virtual_size);
      case 3:
        return item.Get(section.offset);
      case 4:
        return item.Get(section.raw_size);
      case 5:
        return item.Get(section.flags);
      default:
        item.Fail("not a section");
    }
  });
  if (!json.failed() && index != 6) json.Fail("not a section");
}

base::Json VersionInfoToJson(const PeVersionInfo& info) {
  [[maybe_unused]] const auto& [f1, f2, f3] = info;
  JsonWriter json;
  json.Text("file_version", info.file_version);
  json.Text("product_version", info.product_version);
  json.List("strings", info.strings,
            [](const auto& text) { return base::Json{EncodeBytes(text.first), EncodeBytes(text.second)}; });
  return json.Take();
}

void ReadVersionInfo(const JsonReader& json, PeVersionInfo& info) {
  json.Field("file_version", info.file_version);
  json.Field("product_version", info.product_version);
  ReadList(json, "strings", info.strings, [](const JsonReader& item, auto& text) {
    std::vector<std::string> pair;
    item.Get(pair);
    if (pair.size() != 2) return item.Fail("not a name with its text");
    text = {pair[0], pair[1]};
  });
}

}  // namespace

base::Json PeToJson(const PeFile& pe) {
  // A new field must be added in both directions; this fails to compile until then.
  [[maybe_unused]] const auto& [f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17,
                                f18, f19, f20, f21, f22, f23, f24, f25] = pe;
  JsonWriter json;
  if (pe.problem != binfmt::PeProblem::kNone) json.Value("problem", Name(pe.problem));
  json.Number("machine", pe.machine);
  json.Number("bits", pe.bits);
  json.Flag("dll", pe.dll);
  json.Number("characteristics", pe.characteristics);
  json.Number("dll_characteristics", pe.dll_characteristics);
  json.Number("subsystem", pe.subsystem);
  json.Number("time_stamp", pe.time_stamp);
  json.Number("image_base", pe.image_base);
  json.Number("image_size", pe.image_size);
  json.Number("entry_point", pe.entry_point);
  json.Flag("managed", pe.managed);
  json.List("sections", pe.sections, SectionToJson);
  json.Number("file_size", pe.file_size);
  json.Number("needed_size", pe.needed_size);
  json.Number("overlay_size", pe.overlay_size);
  json.Number("certificate_size", pe.certificate_size);
  json.List("imports", pe.imports, ImportToJson);
  json.List("delay_imports", pe.delay_imports, ImportToJson);
  json.Texts("bound_imports", pe.bound_imports);
  json.Text("export_name", pe.export_name);
  json.Number("export_count", pe.export_count);
  if (pe.version) json.Value("version", VersionInfoToJson(*pe.version));
  json.Text("manifest", pe.manifest);
  json.Texts("manifest_dependencies", pe.manifest_dependencies);
  return json.Take();
}

void ReadPeJson(const JsonReader& json, PeFile& pe) {
  json.Named("problem", pe.problem, binfmt::PeProblemFromName);
  json.Field("machine", pe.machine);
  json.Field("bits", pe.bits);
  json.Field("dll", pe.dll);
  json.Field("characteristics", pe.characteristics);
  json.Field("dll_characteristics", pe.dll_characteristics);
  json.Field("subsystem", pe.subsystem);
  json.Field("time_stamp", pe.time_stamp);
  json.Field("image_base", pe.image_base);
  json.Field("image_size", pe.image_size);
  json.Field("entry_point", pe.entry_point);
  json.Field("managed", pe.managed);
  ReadList(json, "sections", pe.sections, ReadSection);
  json.Field("file_size", pe.file_size);
  json.Field("needed_size", pe.needed_size);
  json.Field("overlay_size", pe.overlay_size);
  json.Field("certificate_size", pe.certificate_size);
  ReadList(json, "imports", pe.imports, ReadImport);
  ReadList(json, "delay_imports", pe.delay_imports, ReadImport);
  json.Field("bound_imports", pe.bound_imports);
  json.Field("export_name", pe.export_name);
  json.Field("export_count", pe.export_count);
  json.With("version", [&](const JsonReader& field) { ReadVersionInfo(field, pe.version.emplace()); });
  json.Field("manifest", pe.manifest);
  json.Field("manifest_dependencies", pe.manifest_dependencies);
}

base::Json PeExportsToJson(const PeExports& exports) {
  [[maybe_unused]] const auto& [f1, f2, f3, f4] = exports;
  JsonWriter json;
  json.Texts("names", exports.names);
  json.Text("ordinals", RangesText(exports.ordinals));
  json.List("forwarders", exports.forwarders, [](const PeExports::Forwarder& forwarder) {
    return base::Json{EncodeBytes(forwarder.name), EncodeBytes(forwarder.target), forwarder.ordinal};
  });
  json.Flag("cut", exports.cut);
  return json.Take();
}

void ReadPeExportsJson(const JsonReader& json, PeExports& exports) {
  json.Field("names", exports.names);
  json.With("ordinals", [&](const JsonReader& field) { ReadRanges(field, exports.ordinals); });
  ReadList(json, "forwarders", exports.forwarders, [](const JsonReader& list, auto& forwarder) {
    size_t index = 0;
    list.Each([&](const JsonReader& item) {
      switch (index++) {
        case 0:
          return item.Get(forwarder.name);
        case 1:
          return item.Get(forwarder.target);
        case 2:
          return item.Get(forwarder.ordinal);
        default:
          item.Fail("not a forwarder");
      }
    });
    if (!list.failed() && index != 3) list.Fail("not a forwarder");
  });
  json.Field("cut", exports.cut);
  exports.Sort();
}

}  // namespace culprit::snapshot
