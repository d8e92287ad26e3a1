// Version and manifest. Resources are a tree of three levels: type, name, language. A directory is a list of
// entries; each points to the next level by its distance from the start of all resources. The levels are
// counted, so a tree that points back into itself ends at the third.
//
// A version resource is a tree of blocks {length, length of value, type, key, value, children}, every part
// aligned to four bytes (VS_VERSIONINFO). The length of a value is in characters or in bytes, depending on
// who wrote it, so a text ends at its NUL or at the end of its block.
#include <algorithm>

#include "binfmt/pe/tables.h"
#include "binfmt/pe/utf16.h"

namespace culprit::binfmt {
namespace {

constexpr uint32_t kTypeVersion = 16, kTypeManifest = 24;
constexpr uint32_t kIsDirectory = 1u << 31;

// The value of the directory entry with this number, or of the first one.
std::optional<uint32_t> FindEntry(PeImage& image, uint64_t directory, std::optional<uint32_t> number) {
  const auto named = image.U16(directory + 12);
  const auto numbered = image.U16(directory + 14);
  if (!named || !numbered) return std::nullopt;
  const uint32_t count = std::min<uint32_t>(uint32_t{*named} + *numbered, kMaxPeResourceEntries);
  const std::vector<uint32_t> words = image.Words(directory + 16, count * 2);
  for (size_t i = 0; i + 1 < words.size(); i += 2) {
    if (!number || words[i] == *number) return words[i + 1];
  }
  return std::nullopt;
}

std::vector<std::byte> FindResource(PeImage& image, uint64_t root, uint32_t type) {
  auto entry = FindEntry(image, root, type);
  for (int level = 1; level < 3; ++level) {
    if (!entry || (*entry & kIsDirectory) == 0) return {};
    entry = FindEntry(image, root + (*entry & ~kIsDirectory), std::nullopt);
  }
  if (!entry || (*entry & kIsDirectory) != 0) return {};
  const std::vector<uint32_t> data = image.Words(root + *entry, 2);
  if (data.size() < 2) return {};
  std::vector<std::byte> bytes(std::min(data[1], kMaxPeResource));
  if (!image.Copy(data[0], bytes)) return {};
  return bytes;
}

// One block of a version resource; all of it is inside the given bytes.
struct VersionBlock {
  std::string key;
  std::span<const std::byte> value, children;  // the children start where the value ends
  size_t length = 0;                           // with padding
};

std::span<const std::byte> Skip(std::span<const std::byte> bytes, size_t count) {
  return bytes.subspan(std::min(count, bytes.size()));
}

size_t Aligned(size_t size) { return (size + 3) / 4 * 4; }

std::optional<VersionBlock> ReadBlock(std::span<const std::byte> bytes) {
  constexpr size_t kHead = 6;
  if (bytes.size() < kHead) return std::nullopt;
  const size_t length = LittleEndian(bytes.subspan(0, 2));
  const size_t value_length = LittleEndian(bytes.subspan(2, 2));
  const bool is_text = LittleEndian(bytes.subspan(4, 2)) == 1;
  if (length < kHead || length > bytes.size()) return std::nullopt;
  const auto whole = bytes.first(length);
  size_t end = kHead;
  while (end + 2 <= length && LittleEndian(whole.subspan(end, 2)) != 0) end += 2;
  const size_t value_at = Aligned(end + 2);
  const size_t value_size = std::min(is_text ? value_length * 2 : value_length, length);
  return VersionBlock{
      .key = Utf16ToUtf8(whole.subspan(kHead, end - kHead)),
      .value = Skip(whole, value_at).first(std::min(value_size, Skip(whole, value_at).size())),
      .children = Skip(whole, value_at + Aligned(value_size)),
      .length = Aligned(length)};
}

// Calls read(block) for each block of a list. Blocks are at least four bytes, so it ends.
template <typename Read>
void EachBlock(std::span<const std::byte> list, Read read) {
  while (const auto block = ReadBlock(list)) {
    read(*block);
    list = Skip(list, block->length);
  }
}

std::string Version(std::span<const std::byte> value, size_t at) {
  const uint64_t high = LittleEndian(value.subspan(at, 4)), low = LittleEndian(value.subspan(at + 4, 4));
  return std::to_string(high >> 16) + "." + std::to_string(high & 0xFFFF) + "." + std::to_string(low >> 16) +
         "." + std::to_string(low & 0xFFFF);
}

std::optional<PeVersionInfo> ReadVersionInfo(std::span<const std::byte> bytes) {
  constexpr uint32_t kFixedSignature = 0xFEEF04BD;
  constexpr size_t kFixedSize = 52, kMaxStrings = 256;
  const auto root = ReadBlock(bytes);
  if (!root || root->key != "VS_VERSION_INFO") return std::nullopt;
  PeVersionInfo info;
  if (root->value.size() >= kFixedSize && LittleEndian(root->value.first(4)) == kFixedSignature) {
    info.file_version = Version(root->value, 8);
    info.product_version = Version(root->value, 16);
  }
  EachBlock(root->children, [&](const VersionBlock& child) {
    if (child.key != "StringFileInfo") return;
    EachBlock(child.children, [&](const VersionBlock& table) {
      EachBlock(table.children, [&](const VersionBlock& text) {
        // Uses the first language that has a text.
        if (info.strings.size() >= kMaxStrings || !info.String(text.key).empty()) return;
        std::string value = Utf16ToUtf8(text.value);
        value.resize(std::min(value.find('\0'), value.size()));
        if (!value.empty()) info.strings.emplace_back(text.key, std::move(value));
      });
    });
  });
  return info;
}

std::string ManifestText(std::span<const std::byte> bytes) {
  const auto starts_with = [&](std::initializer_list<uint8_t> mark) {
    return bytes.size() >= mark.size() &&
           std::ranges::equal(mark, bytes.first(mark.size()), {}, {},
                              [](std::byte byte) { return std::to_integer<uint8_t>(byte); });
  };
  if (starts_with({0xFF, 0xFE})) return Utf16ToUtf8(bytes.subspan(2));
  if (starts_with({0xEF, 0xBB, 0xBF})) bytes = bytes.subspan(3);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

void ReadPeResources(PeImage& image, const PeLayout& layout, PeFile& pe) {
  const uint32_t root = layout[PeDirectory::kResources].rva;
  if (root == 0) return;
  const std::vector<std::byte> version = FindResource(image, root, kTypeVersion);
  if (!version.empty()) pe.version = ReadVersionInfo(version);
  const std::vector<std::byte> manifest = FindResource(image, root, kTypeManifest);
  if (manifest.empty()) return;
  pe.manifest = ManifestText(manifest);
  pe.manifest_dependencies = ManifestDependencies(*pe.manifest);
}

}  // namespace culprit::binfmt
