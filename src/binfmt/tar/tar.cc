#include "binfmt/tar/tar.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/text.h"
#include "binfmt/tar/fields.h"

namespace culprit::binfmt {
namespace {

constexpr uint64_t kTarBlock = 512;
constexpr uint64_t kMostText = 1 << 20;    // of a pax header or a long name; Go's limit as well
constexpr size_t kMostExtents = 1 << 16;   // of a sparse file
constexpr uint64_t kLargest = 1ull << 60;  // of a member: sums of a few do not overflow

std::unexpected<base::Error> Damaged(std::string what) {
  return base::Fail(base::ErrorCode::kBadFormat, std::move(what));
}

uint64_t Padding(uint64_t size) { return (kTarBlock - size % kTarBlock) % kTarBlock; }

// Types whose header alone counts: Go's archive/tar ignores a size there.
bool HasData(char flag) { return std::string_view("123456").find(flag) == std::string_view::npos; }

}  // namespace

base::Result<size_t> TarReader::ReadAll(std::span<char> out) {
  size_t done = 0;
  while (done < out.size()) {
    const auto got = input_.Read(out.subspan(done));
    if (!got) return std::unexpected(got.error());
    if (*got == 0) break;
    done += *got;
    at_ += *got;
  }
  return done;
}

base::Result<void> TarReader::Pass(uint64_t count) {
  if (count == 0) return {};
  const auto passed = input_.Skip(count);
  if (!passed) return std::unexpected(passed.error());
  at_ += *passed;
  if (*passed != count) return Damaged("truncated");
  return {};
}

base::Result<bool> TarReader::ReadBlock(Block block) {
  const auto got = ReadAll(block);
  if (!got) return std::unexpected(got.error());
  if (*got == 0) return false;
  if (*got != block.size()) return Damaged("truncated");
  return true;
}

base::Result<std::string> TarReader::ReadText(uint64_t size) {
  if (size > kMostText) return Damaged("a header of more than 1 MiB");
  std::string text(static_cast<size_t>(size), '\0');
  const auto got = ReadAll(text);
  if (!got) return std::unexpected(got.error());
  if (*got != text.size()) return Damaged("truncated");
  if (auto passed = Pass(Padding(size)); !passed) return std::unexpected(passed.error());
  return text;
}

// "LENGTH KEY=VALUE\n", where LENGTH counts all of it.
base::Result<void> TarReader::ReadPax(uint64_t size, Said& said) {
  const auto text = ReadText(size);
  if (!text) return std::unexpected(text.error());
  std::string_view rest = *text;
  while (!rest.empty() && rest.front() != '\0') {
    const size_t space = rest.find(' ');
    const auto length = TarDecimal(rest.substr(0, std::min(space, rest.size())));
    if (space == rest.npos || !length || *length <= space + 1 || *length > rest.size())
      return Damaged("a damaged pax header");
    const std::string_view record = rest.substr(space + 1, static_cast<size_t>(*length) - space - 2);
    const size_t equals = record.find('=');
    if (equals == record.npos || rest[static_cast<size_t>(*length) - 1] != '\n')
      return Damaged("a damaged pax header");
    const std::string_view key = record.substr(0, equals), value = record.substr(equals + 1);
    if (key == "GNU.sparse.offset" || key == "GNU.sparse.numbytes") {
      const auto number = TarDecimal(value);
      if (!number || said.map.size() > kMostExtents) return Damaged("a damaged sparse map");
      if (key == "GNU.sparse.offset") said.map.push_back({*number, 0});
      if (key == "GNU.sparse.numbytes" && !said.map.empty()) said.map.back().size = *number;
    } else {
      said.records.insert_or_assign(std::string(key), std::string(value));
    }
    rest.remove_prefix(static_cast<size_t>(*length));
  }
  return {};
}

// The map of old GNU archives: four in the header, more in blocks after it.
base::Result<void> TarReader::ReadOldSparse(Block block, TarEntry& entry) {
  const auto real = TarNumber(TarField(block, 483, 12));
  if (!real) return Damaged("a damaged sparse map");
  entry.size = *real;
  auto& extents = entry.extents.emplace();
  std::array<char, kTarBlock> copy;
  std::ranges::copy(block, copy.begin());
  const auto take = [&](size_t begin, size_t count) {
    for (size_t i = 0; i < count; ++i) {
      const std::string_view at = TarField(copy, begin + 24 * i, 12),
                             size = TarField(copy, begin + 24 * i + 12, 12);
      if (at.front() == '\0') return true;
      const auto from = TarNumber(at), length = TarNumber(size);
      if (!from || !length || extents.size() > kMostExtents) return false;
      extents.push_back({*from, *length});
    }
    return true;
  };
  bool good = take(386, 4);
  for (bool more = copy[482] != 0; good && more; more = copy[504] != 0) {
    const auto read = ReadBlock(copy);
    if (!read) return std::unexpected(read.error());
    if (!*read) return Damaged("truncated");
    good = take(0, 21);
  }
  if (!good) return Damaged("a damaged sparse map");
  return {};
}

// pax 1.0: decimal numbers, one a line, at the start of the data and padded to a block.
base::Result<std::vector<TarExtent>> TarReader::ReadMapInData() {
  std::array<char, kTarBlock> block;
  std::string text;
  std::vector<uint64_t> numbers;
  uint64_t wanted = 1;
  while (numbers.size() < wanted) {
    if (left_ < kTarBlock) return Damaged("a damaged sparse map");
    const auto read = ReadBlock(block);
    if (!read) return std::unexpected(read.error());
    if (!*read) return Damaged("truncated");
    left_ -= kTarBlock;
    text.append(block.data(), block.size());
    size_t line = 0;
    while (numbers.size() < wanted) {
      const size_t end = text.find('\n', line);
      if (end == text.npos) break;
      const auto number = TarDecimal(std::string_view(text).substr(line, end - line));
      if (!number || (numbers.empty() && *number > kMostExtents)) return Damaged("a damaged sparse map");
      numbers.push_back(*number);
      if (numbers.size() == 1) wanted = 1 + 2 * *number;
      line = end + 1;
    }
    text.erase(0, line);
  }
  std::vector<TarExtent> extents;
  for (size_t i = 1; i + 1 < numbers.size(); i += 2) extents.push_back({numbers[i], numbers[i + 1]});
  return extents;
}

base::Result<void> TarReader::ReadSparse(const Said& said, TarEntry& entry) {
  const auto record = [&](const char* key) -> const std::string* {
    const auto found = said.records.find(key);
    return found == said.records.end() ? nullptr : &found->second;
  };
  const std::string* real = record("GNU.sparse.realsize");
  if (real == nullptr) real = record("GNU.sparse.size");
  if (real == nullptr) return {};
  const auto size = TarDecimal(*real);
  if (!size) return Damaged("a damaged sparse map");
  entry.size = *size;
  if (const std::string* name = record("GNU.sparse.name")) entry.path = *name;
  entry.extents = said.map;
  if (const std::string* major = record("GNU.sparse.major"); major != nullptr && *major == "1") {
    auto extents = ReadMapInData();
    if (!extents) return std::unexpected(extents.error());
    entry.extents = *std::move(extents);
  } else if (const std::string* map = record("GNU.sparse.map")) {
    entry.extents->clear();
    const std::vector<std::string> numbers = base::Split(*map, ',');
    for (size_t i = 0; i + 1 < numbers.size(); i += 2) {
      const auto at = TarDecimal(numbers[i]), length = TarDecimal(numbers[i + 1]);
      if (!at || !length || i > 2 * kMostExtents) return Damaged("a damaged sparse map");
      entry.extents->push_back({*at, *length});
    }
  }
  return {};
}

base::Result<std::optional<TarEntry>> TarReader::Finish(Block block, uint64_t size, const Said& said) {
  const char flag = block[156];
  TarEntry entry{.path = said.path.value_or(TarName(block)),
                 .link = said.link.value_or(TarText(TarField(block, 157, 100))),
                 .size = size,
                 .mode = static_cast<uint32_t>(TarNumber(TarField(block, 100, 8)).value_or(0) & 07777),
                 .group = static_cast<uint32_t>(TarNumber(TarField(block, 116, 8)).value_or(0))};
  const auto given = [&](const char* key) -> const std::string* {
    const auto found = said.records.find(key);
    if (found != said.records.end()) return &found->second;
    const auto known = global_.find(key);
    return known == global_.end() ? nullptr : &known->second;
  };
  if (const auto* path = given("path")) entry.path = *path;
  if (const auto* link = given("linkpath")) entry.link = *link;
  if (const auto* group = given("gid")) entry.group = static_cast<uint32_t>(TarDecimal(*group).value_or(0));
  if (const auto* text = given("size")) {
    const auto number = TarDecimal(*text);
    if (!number) return Damaged("a damaged pax header");
    entry.size = *number;
  }
  if (entry.size > kLargest) return Damaged("a member larger than any file");
  if (!HasData(flag)) entry.size = 0;
  left_ = entry.size;
  padding_ = Padding(entry.size);
  if (flag == 'S') {
    if (auto read = ReadOldSparse(block, entry); !read) return std::unexpected(read.error());
  } else if (auto read = ReadSparse(said, entry); !read) {
    return std::unexpected(read.error());
  }
  entry.type = TarTypeOf(flag, entry.path);
  entry.data = at_;
  entry.stored = left_;
  if (entry.size > kLargest || (entry.extents && !AreInOrder(*entry.extents, entry.size, entry.stored)))
    return Damaged("a damaged sparse map");
  return entry;
}

base::Result<std::optional<TarEntry>> TarReader::Next() {
  if (auto passed = Pass(std::exchange(left_, 0) + std::exchange(padding_, 0)); !passed)
    return std::unexpected(passed.error());
  Said said;
  std::array<char, kTarBlock> block;
  for (int headers = 0; headers < 64; ++headers) {
    const auto read = ReadBlock(block);
    if (!read) return std::unexpected(read.error());
    if (!*read) return std::nullopt;
    if (IsZero(block)) {
      const auto second = ReadBlock(block);
      if (!second) return std::unexpected(second.error());
      if (*second && !IsZero(block)) return Damaged("something after a block of zeros");
      return std::nullopt;
    }
    const auto size = TarNumber(TarField(block, 124, 12));
    if (!SumIsRight(block) || !size || *size > kLargest) return Damaged("not a tar header");
    const char flag = block[156];
    if (flag == 'x' || flag == 'X') {
      if (auto done = ReadPax(*size, said); !done) return std::unexpected(done.error());
    } else if (flag == 'g') {
      Said global;
      if (auto done = ReadPax(*size, global); !done) return std::unexpected(done.error());
      if (global_.size() < 1000) global.records.merge(global_);
      global_ = std::move(global.records);
    } else if (flag == 'L' || flag == 'K') {
      auto text = ReadText(*size);
      if (!text) return std::unexpected(text.error());
      (flag == 'L' ? said.path : said.link) = TarText(*text);
    } else {
      return Finish(block, *size, said);
    }
  }
  return Damaged("too many headers for one member");
}

base::Result<size_t> TarReader::Read(std::span<char> out) {
  const auto room = out.first(static_cast<size_t>(std::min<uint64_t>(out.size(), left_)));
  if (room.empty()) return size_t{0};
  const auto got = ReadAll(room);
  if (!got) return std::unexpected(got.error());
  if (*got != room.size()) return Damaged("truncated");
  left_ -= *got;
  return *got;
}

}  // namespace culprit::binfmt
