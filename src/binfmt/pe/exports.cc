// The exports of a PE file. Three tables: addresses by ordinal, names sorted by byte value, and the ordinal
// of each name. An address inside the export directory itself is not a function but a text, "OTHER.Function":
// a forwarder.
#include <algorithm>
#include <tuple>

#include "binfmt/pe/tables.h"

namespace culprit::binfmt {
namespace {

struct Head {
  uint32_t name = 0, base = 0, functions = 0, names = 0;
  uint32_t function_table = 0, name_table = 0, number_table = 0;
};

std::optional<Head> ReadHead(PeImage& image, const PeLayout& layout) {
  const PeRange directory = layout[PeDirectory::kExports];
  if (directory.rva == 0) return std::nullopt;
  const std::vector<uint32_t> words = image.Words(directory.rva, 10);
  if (words.size() < 10) return std::nullopt;
  return Head{.name = words[3],
              .base = words[4],
              .functions = words[5],
              .names = words[6],
              .function_table = words[7],
              .name_table = words[8],
              .number_table = words[9]};
}

// How many of `claimed` entries are read.
uint32_t MostOf(const PeImage& image, uint32_t claimed) {
  return std::min(claimed, static_cast<uint32_t>(image.MostEntries(kMaxPeExports)));
}

class ExportReader {
 public:
  ExportReader(PeImage& image, PeRange directory, const Head& head)
      : image_(image), directory_(directory), budget_(image.MostText(kMaxPeExportTexts)) {
    functions_ = image.Words(head.function_table, MostOf(image, head.functions));
    exports_.cut = functions_.size() < head.functions;
    base_ = head.base;
  }

  void Names(const Head& head) {
    const uint32_t count = MostOf(image_, head.names);
    const std::vector<uint32_t> names = image_.Words(head.name_table, count);
    const std::vector<uint16_t> numbers = image_.HalfWords(head.number_table, count);
    const size_t there = std::min(names.size(), numbers.size());
    if (there < head.names) exports_.cut = true;
    named_.assign(functions_.size(), false);
    for (size_t i = 0; i < there; ++i) {
      // A name without a function counts as missing.
      if (numbers[i] >= functions_.size() || functions_[numbers[i]] == 0) continue;
      auto name = image_.Text(names[i], budget_);
      if (!name) {
        exports_.cut = true;
        if (budget_ == 0) return;
        continue;
      }
      named_[numbers[i]] = true;
      Forward(*name, numbers[i]);
      exports_.names.push_back(*std::move(name));
    }
  }

  void Ordinals() {
    for (size_t i = 0; i < functions_.size(); ++i) {
      const uint64_t ordinal = base_ + uint64_t{i};
      if (functions_[i] == 0 || ordinal > 0xFFFF) continue;
      exports_.ordinals.push_back(static_cast<uint16_t>(ordinal));
      if (!named_[i]) Forward("#" + std::to_string(ordinal), i);
    }
  }

  PeExports Take() {
    exports_.Sort();
    return std::move(exports_);
  }

 private:
  void Forward(const std::string& name, size_t number) {
    const uint32_t address = functions_[number];
    if (address < directory_.rva || address - directory_.rva >= directory_.size) return;
    auto target = image_.Text(address, budget_);
    if (!target) {
      exports_.cut = true;
      return;
    }
    const uint64_t ordinal = base_ + uint64_t{number};
    exports_.forwarders.push_back(
        {name, *std::move(target), static_cast<uint16_t>(ordinal > 0xFFFF ? 0 : ordinal)});
  }

  PeImage& image_;
  PeRange directory_;
  uint32_t base_ = 0;
  std::vector<uint32_t> functions_;
  std::vector<bool> named_;
  uint64_t budget_;
  PeExports exports_;
};

}  // namespace

void ReadPeExportHead(PeImage& image, const PeLayout& layout, PeFile& pe) {
  const auto head = ReadHead(image, layout);
  if (!head) return;
  uint64_t budget = kMaxPeText;
  pe.export_name = image.Text(head->name, budget).value_or("");
  pe.export_count = head->functions;
}

PeExports ReadPeExports(const base::ByteSource& source, const PeFile& pe) {
  PeExports none;
  if (!pe.export_name) return none;
  PeImage image(source);
  PeFile headers;
  PeLayout layout;
  none.cut = true;
  if (ReadPeHeaders(image, headers, layout) != PeProblem::kNone) return none;
  const auto head = ReadHead(image, layout);
  if (!head) return none;
  ExportReader reader(image, layout[PeDirectory::kExports], *head);
  reader.Names(*head);
  reader.Ordinals();
  PeExports exports = reader.Take();
  exports.cut |= image.failed();
  return exports;
}

std::optional<uint32_t> ReadPeWord(const base::ByteSource& source, const PeFile& pe, std::string_view name) {
  if (!pe.export_name) return std::nullopt;
  PeImage image(source);
  PeFile headers;
  PeLayout layout;
  if (ReadPeHeaders(image, headers, layout) != PeProblem::kNone) return std::nullopt;
  const auto head = ReadHead(image, layout);
  if (!head) return std::nullopt;
  const PeRange directory = layout[PeDirectory::kExports];
  const std::vector<uint32_t> names = image.Words(head->name_table, MostOf(image, head->names));
  uint64_t budget = image.MostText(kMaxPeExportTexts);
  for (size_t i = 0; i < names.size(); ++i) {
    if (image.Text(names[i], budget) != name) continue;
    const auto number = image.U16(head->number_table + uint64_t{i} * 2);
    if (!number || *number >= head->functions) return std::nullopt;
    const auto address = image.U32(head->function_table + uint64_t{*number} * 4);
    if (!address || *address == 0 || *address - directory.rva < directory.size) return std::nullopt;
    return image.U32(*address);
  }
  return std::nullopt;
}

void PeExports::Sort() {
  std::ranges::sort(names);
  std::ranges::sort(ordinals);
  std::ranges::sort(forwarders, {},
                    [](const Forwarder& forwarder) { return std::tie(forwarder.name, forwarder.ordinal); });
}

bool PeExports::Has(std::string_view name) const { return std::ranges::binary_search(names, name); }

bool PeExports::Has(uint16_t ordinal) const { return std::ranges::binary_search(ordinals, ordinal); }

const PeExports::Forwarder* PeExports::FindForwarder(std::string_view name) const {
  const auto found = std::ranges::lower_bound(forwarders, name, {}, &Forwarder::name);
  return found != forwarders.end() && found->name == name ? &*found : nullptr;
}

const PeExports::Forwarder* PeExports::FindForwarder(uint16_t ordinal) const {
  const auto found = std::ranges::find(forwarders, ordinal, &Forwarder::ordinal);
  return found != forwarders.end() ? &*found : nullptr;
}

}  // namespace culprit::binfmt
