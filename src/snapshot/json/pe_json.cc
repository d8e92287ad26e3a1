// The keys are the names of the fields. Short forms where there are many: a section is a list of its name and
// five numbers, a forwarder one of its name, target and ordinal, and ordinals are a text of ranges: "1-400
// 7".
#include "snapshot/json/pe_json.h"

#include <charconv>

#include "base/text.h"
#include "snapshot/json/fields.h"

namespace culprit::snapshot {
namespace {

using binfmt::PeExports;
using binfmt::PeFile;
using binfmt::PeImport;
using binfmt::PeSection;
using binfmt::PeVersionInfo;

base::Json RangesToJson(const std::vector<uint16_t>& numbers) {
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

}  // namespace

// Each list binds all fields of its structure, so that it does not compile until a new field is added to it.

template <>
struct RowOf<PeSection> {
  static constexpr const char* kProblem = "not a section";
  static auto Values(auto& section) {
    auto& [name, address, virtual_size, offset, raw_size, flags] = section;
    return std::tie(name, address, virtual_size, offset, raw_size, flags);
  }
};

template <>
struct RowOf<PeExports::Forwarder> {
  static constexpr const char* kProblem = "not a forwarder";
  static auto Values(auto& forwarder) {
    auto& [name, target, ordinal] = forwarder;
    return std::tie(name, target, ordinal);
  }
};

template <>
struct RowOf<std::pair<std::string, std::string>> {
  static constexpr const char* kProblem = "not a name with its text";
  static auto Values(auto& pair) { return std::tie(pair.first, pair.second); }
};

template <>
struct FieldsOf<PeImport> {
  static void List(auto& import, auto& visit) {
    auto& [dll, names, ordinals, bound] = import;
    visit("dll", dll);
    visit("names", names);
    visit.As("ordinals", ordinals, RangesToJson, ReadRanges);
    visit("bound", bound);
  }
};

template <>
struct FieldsOf<PeVersionInfo> {
  static void List(auto& info, auto& visit) {
    auto& [file_version, product_version, strings] = info;
    visit("file_version", file_version);
    visit("product_version", product_version);
    visit("strings", strings);
  }
};

template <>
struct FieldsOf<PeFile> {
  static void List(auto& pe, auto& visit) {
    [[maybe_unused]] auto& [f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18,
                            f19, f20, f21, f22, f23, f24, f25] = pe;
    visit("problem", pe.problem);
    visit("machine", pe.machine);
    visit("bits", pe.bits);
    visit("dll", pe.dll);
    visit("characteristics", pe.characteristics);
    visit("dll_characteristics", pe.dll_characteristics);
    visit("subsystem", pe.subsystem);
    visit("time_stamp", pe.time_stamp);
    visit("image_base", pe.image_base);
    visit("image_size", pe.image_size);
    visit("entry_point", pe.entry_point);
    visit("managed", pe.managed);
    visit("sections", pe.sections);
    visit("file_size", pe.file_size);
    visit("needed_size", pe.needed_size);
    visit("overlay_size", pe.overlay_size);
    visit("certificate_size", pe.certificate_size);
    visit("imports", pe.imports);
    visit("delay_imports", pe.delay_imports);
    visit("bound_imports", pe.bound_imports);
    visit("export_name", pe.export_name);
    visit("export_count", pe.export_count);
    visit("version", pe.version);
    visit("manifest", pe.manifest);
    visit("manifest_dependencies", pe.manifest_dependencies);
  }
};

template <>
struct FieldsOf<PeExports> {
  static void List(auto& exports, auto& visit) {
    auto& [names, ordinals, forwarders, cut] = exports;
    visit("names", names);
    visit.As("ordinals", ordinals, RangesToJson, ReadRanges);
    visit("forwarders", forwarders);
    visit("cut", cut);
  }
};

base::Json PeToJson(const PeFile& pe) { return FieldsToJson(pe); }
void ReadPeJson(const JsonReader& json, PeFile& pe) { ReadFields(json, pe); }

base::Json PeExportsToJson(const PeExports& exports) { return FieldsToJson(exports); }
void ReadPeExportsJson(const JsonReader& json, PeExports& exports) {
  ReadFields(json, exports);
  exports.Sort();
}

}  // namespace culprit::snapshot
