// The capability behind a product name, as people write it: "rtx4090", "NVIDIA GeForce RTX 3080 Ti Laptop
// GPU", "Tesla V100-SXM2-16GB". The table has each product once, in NVIDIA's spelling (`examples`).
//
// Words that do not change the capability are left out on both sides: the maker, form factor, memory size, Ti
// and SUPER. Words that tell two products of one number apart ("Quadro RTX 6000", "RTX 6000 Ada") may be
// missing from the question; then every product that is left must have the same capability, or there is no
// answer.
#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "knowledge/arch.h"

namespace culprit::knowledge {
namespace {

constexpr auto kNoise = std::to_array<std::string_view>(
    {"nvidia",   "geforce", "tesla",   "gpu",    "graphics",    "card", "device", "laptop",     "mobile",
     "notebook", "design",  "edition", "server", "workstation", "max",  "q",      "generation", "pcie",
     "pci",      "e",       "sxm",     "sxm2",   "sxm3",        "sxm4", "sxm5",   "sxm6",       "hbm2",
     "hbm2e",    "hbm3",    "hbm3e",   "nvl",    "dgxs",        "dgx",  "hgx",    "sff",        "lp",
     "oem",      "rev",     "gddr5",   "gddr6",  "gddr5x",      "ddr3", "gb",     "module",     "developer",
     "kit",      "series",  "devkit",  "super",  "ti",          "d",    "dd",     "d2",         "embedded"});
// They tell products of one number apart.
constexpr auto kQualifiers = std::to_array<std::string_view>(
    {"quadro", "ada", "blackwell", "pascal", "maxwell", "turing", "ampere", "hopper", "volta", "kepler"});

bool Among(std::span<const std::string_view> list, std::string_view word) {
  return std::ranges::find(list, word) != list.end();
}

// "80gb", "5gb"; "12g" is none: T4G is another product.
bool IsMemorySize(std::string_view word) {
  return word.size() > 2 && word.ends_with("gb") && base::IsNumber(word.substr(0, word.size() - 2));
}

struct Product {
  std::vector<std::string> words;       // "rtx", "4060"
  std::vector<std::string> qualifiers;  // "ada"
};

// "rtx4090ti" -> "rtx", "4090", "ti": a series before its number, a suffix after it.
void AddWord(std::string word, std::vector<std::string>& words) {
  for (const std::string_view series : {"rtx", "gtx", "gts", "gt"}) {
    const std::string_view rest = std::string_view(word).substr(std::min(series.size(), word.size()));
    if (!word.starts_with(series) || rest.find_first_of("0123456789") > 1) continue;
    words.emplace_back(series);
    word.erase(0, series.size());
    break;
  }
  for (const std::string_view suffix : {"ti", "super"}) {
    if (word.ends_with(suffix) &&
        base::IsNumber(std::string_view(word).substr(0, word.size() - suffix.size()))) {
      word.resize(word.size() - suffix.size());
    }
  }
  words.push_back(std::move(word));
}

Product Read(std::string_view name) {
  std::vector<std::string> words;
  std::string word;
  for (const char character : std::string(name) + ' ') {
    const bool splits = character == ' ' || character == '-' || character == '_' || character == '/' ||
                        character == '(' || character == ')' || character == '[' || character == ']';
    if (!splits) {
      const bool upper = character >= 'A' && character <= 'Z';
      word += upper ? static_cast<char>(character - 'A' + 'a') : character;
      continue;
    }
    if (!word.empty()) AddWord(word, words);
    word.clear();
  }
  Product product;
  for (size_t i = 0; i < words.size(); ++i) {
    std::string& each = words[i];
    if (each == "mig") break;  // an instance of the GPU before it
    const bool memory =
        IsMemorySize(each) || (base::IsNumber(each) && i + 1 < words.size() && words[i + 1] == "gb");
    if (memory || Among(kNoise, each)) continue;
    if (Among(kQualifiers, each)) {
      product.qualifiers.push_back(std::move(each));
      continue;
    }
    product.words.push_back(std::move(each));
  }
  return product;
}

// "A6000", "4090": the series is left out.
bool SameWithoutSeries(std::span<const std::string> example, std::span<const std::string> asked) {
  const bool series = !example.empty() && (example.front() == "rtx" || example.front() == "gtx");
  return series && std::ranges::equal(example.subspan(1), asked);
}

bool Names(const Product& example, const Product& asked, bool without_series) {
  // A number alone may be of any series.
  const bool number = asked.words.size() == 1 && base::IsNumber(asked.words.front());
  const bool same = (without_series || number) && SameWithoutSeries(example.words, asked.words);
  return (same || (!without_series && example.words == asked.words)) &&
         std::ranges::all_of(asked.qualifiers, [&](const std::string& word) {
           return std::ranges::find(example.qualifiers, word) != example.qualifiers.end();
         });
}

// "3080" of "RTX 3080 Ti": an example without it is not worth reading.
std::string_view LongestNumber(std::string_view name) {
  std::string_view longest;
  for (size_t at = 0; at < name.size();) {
    const size_t end = std::min(name.size(), name.find_first_not_of("0123456789", at));
    if (end - at > longest.size()) longest = name.substr(at, end - at);
    at = end + 1;
  }
  return longest;
}

}  // namespace

std::optional<bool> IsDataCentreGpu(const base::Version& cc, std::string_view name) {
  // Capabilities that no other GPU has.
  const base::Version only[] = {{{8, 0}}, {{9, 0}}, {{10, 0}}, {{10, 3}}};
  if (std::ranges::find(only, cc) != std::end(only)) return true;
  const Product product = Read(name);
  if (product.words.empty()) return std::nullopt;
  const std::string& first = product.words.front();
  if (first == "gtx" || first == "gt" || first == "gts" || first == "titan") return false;
  if (first == "rtx") {  // RTX 2060 to 5090; RTX A6000 and RTX 6000 are for workstations and servers
    const std::string& last = product.words.back();
    const bool geforce = last.size() == 4 && base::IsNumber(last) && !last.ends_with("00");
    return geforce ? std::optional(false) : std::nullopt;
  }
  // T4, P40, A10G, L40S; V100, P100
  const std::string_view number = LongestNumber(first);
  const bool letters = !first.empty() && !base::IsNumber(first.substr(0, 1));
  const bool alone = letters && product.words.size() == 1 && product.qualifiers.empty();
  return alone && (number.size() < 3 || number == "100") ? std::optional(true) : std::nullopt;
}

const Capability* FindCapabilityByName(std::string_view name) {
  const Product asked = Read(name);
  if (asked.words.empty()) return nullptr;
  std::string_view number;  // of the words: a memory size is none
  for (const std::string& word : asked.words) {
    if (const std::string_view its = LongestNumber(word); its.size() > number.size()) number = its;
  }
  const Capability* found = nullptr;
  for (const bool without_series : {false, true}) {
    for (const Capability& row : Capabilities()) {
      const bool here = std::ranges::any_of(row.examples, [&](std::string_view example) {
        return example.find(number) != std::string_view::npos && Names(Read(example), asked, without_series);
      });
      if (!here) continue;
      if (found != nullptr) return nullptr;
      found = &row;
    }
    if (found != nullptr) return found;
  }
  return nullptr;
}

}  // namespace culprit::knowledge
