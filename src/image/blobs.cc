#include "image/blobs.h"

#include <string_view>

#include "base/text.h"
#include "image/tar_input.h"

namespace culprit::image {
namespace {

constexpr size_t kMostMembers = 100'000;
constexpr int kMostLinks = 8;

}  // namespace

std::string MemberName(std::string_view name) {
  std::string clean;
  for (const std::string& part : base::SplitWords(name, "/")) {
    if (part == "..") return "";
    if (part != ".") clean += (clean.empty() ? "" : "/") + part;
  }
  return clean;
}

std::string LinkedName(std::string_view directory, std::string_view target) {
  std::vector<std::string> parts = base::SplitWords(directory, "/");
  for (const std::string& part : base::SplitWords(target, "/")) {
    if (part == ".") continue;
    if (part != "..") {
      parts.push_back(part);
    } else if (!parts.empty()) {
      parts.pop_back();
    }
  }
  std::string name;
  for (const std::string& part : parts) name += (name.empty() ? "" : "/") + part;
  return name;
}

base::Result<std::unique_ptr<ArchiveBlobs>> ArchiveBlobs::Open(SharedBytes archive) {
  std::unique_ptr<ArchiveBlobs> blobs(new ArchiveBlobs(std::move(archive)));
  BytesInput input(*blobs->archive_);
  binfmt::TarReader reader(input);
  while (true) {
    auto entry = reader.Next();
    if (!entry) return std::unexpected(entry.error());
    if (!*entry) return blobs;
    const std::string name = MemberName((*entry)->path);
    if (name.empty() || name.size() > 1000 || (*entry)->extents) continue;
    if (blobs->members_.size() >= kMostMembers) return blobs;  // an exported root: nobody asks for more
    if ((*entry)->type == binfmt::TarType::kFile) blobs->members_[name] = {(*entry)->data, (*entry)->size};
    if ((*entry)->type == binfmt::TarType::kSymlink)
      blobs->members_[name] = {.link = LinkedName(base::DirName(name), (*entry)->link)};
    if ((*entry)->type == binfmt::TarType::kHardLink)
      blobs->members_[name] = {.link = MemberName((*entry)->link)};
  }
}

SharedBytes ArchiveBlobs::Find(const std::string& name) const {
  auto found = members_.find(name);
  for (int links = 0; found != members_.end() && !found->second.link.empty(); ++links) {
    if (links == kMostLinks) return nullptr;
    found = members_.find(found->second.link);
  }
  if (found == members_.end()) return nullptr;
  return std::make_shared<PartOfBytes>(archive_, found->second.begin, found->second.size);
}

SharedBytes FolderBlobs::Find(const std::string& name) const {
  auto file = folder_->Open("/" + name);
  if (!file) return nullptr;
  return std::move(file->bytes);
}

base::Result<std::string> ReadBlob(const base::ByteSource& bytes, uint64_t limit) {
  if (bytes.size() > limit) return base::Fail(base::ErrorCode::kTooLarge, "too large");
  std::string text(static_cast<size_t>(bytes.size()), '\0');
  const auto got = bytes.ReadAt(0, std::as_writable_bytes(std::span(text)));
  if (!got) return std::unexpected(got.error());
  if (*got != text.size()) return base::Fail(base::ErrorCode::kBadFormat, "truncated");
  return text;
}

}  // namespace culprit::image
