#include "binfmt/gpu/runtime_names.h"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <functional>
#include <set>
#include <span>
#include <string_view>

#include "binfmt/elf/reader.h"
#include "binfmt/elf/sections.h"

namespace culprit::binfmt {
namespace {

using namespace std::string_view_literals;

constexpr uint64_t kChunk = 1 << 20;
constexpr uint64_t kLongestName = 96;
constexpr uint64_t kMostSearched = 256 << 20;  // of one file
constexpr size_t kMostNames = 4096;            // the runtime has some 650
constexpr std::string_view kStart = "cuda"sv;

bool IsNameCharacter(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

class NameSearch {
 public:
  explicit NameSearch(const base::ByteSource& source) : source_(source) {}

  void Search(const FileRange& range) {
    buffer_.resize(kChunk + kLongestName);
    for (uint64_t at = range.offset; at < range.end && searched_ < kMostSearched; at += kChunk) {
      const uint64_t length = std::min(range.end - at, kChunk + kLongestName);
      const auto room = std::span(buffer_).first(static_cast<size_t>(length));
      const auto got = source_.ReadAt(at, std::as_writable_bytes(room));
      if (!got || *got == 0) return;
      SearchText({buffer_.data(), *got});
      searched_ += std::min<uint64_t>(*got, kChunk);
    }
  }

  std::vector<std::string> Take() { return {names_.begin(), names_.end()}; }

 private:
  void SearchText(std::string_view text) {
    for (auto at = text.begin(); (at = std::search(at, text.end(), searcher_)) != text.end(); ++at) {
      const auto offset = static_cast<size_t>(at - text.begin());
      if (offset == 0 || text[offset - 1] != '\0') continue;
      const std::string_view rest = text.substr(offset, kLongestName);
      const auto length = static_cast<size_t>(std::ranges::find_if_not(rest, IsNameCharacter) - rest.begin());
      const bool whole = length < rest.size() && rest[length] == '\0';
      const bool capital = length > 5 && rest[4] >= 'A' && rest[4] <= 'Z';
      if (whole && capital && names_.size() < kMostNames) names_.emplace(rest.substr(0, length));
    }
  }

  const base::ByteSource& source_;
  // Four bytes at a time: most of the data is something else.
  const std::boyer_moore_horspool_searcher<std::string_view::const_iterator> searcher_{kStart.begin(),
                                                                                       kStart.end()};
  std::vector<char> buffer_;
  std::set<std::string> names_;
  uint64_t searched_ = 0;
};

}  // namespace

std::vector<std::string> RuntimeNames(const base::ByteSource& source, const ElfFile& elf) {
  NameSearch search(source);
  ElfReader reader(source);
  reader.SetFormat(elf.bits(), elf.big_endian());
  const auto header = reader.Header();
  if (!header) return {};
  const auto sections = ReadElfSections(reader, *header);
  if (!sections || sections->empty()) {
    search.Search({0, source.size()});
    return search.Take();
  }
  for (const ElfSection& section : *sections) {
    if (section.name.starts_with(".rodata"))
      search.Search({section.offset, SaturatingAdd(section.offset, section.size)});
  }
  return search.Take();
}

std::vector<std::string> RuntimeNames(const base::ByteSource& source, const PeFile& pe) {
  NameSearch search(source);
  for (const PeSection& section : pe.sections) {
    if (section.name == ".rdata")
      search.Search({section.offset, SaturatingAdd(section.offset, section.raw_size)});
  }
  return search.Take();
}

}  // namespace culprit::binfmt
