// The parts of an image by name: members of an archive, or files of a folder. Names are those of the formats
// ("manifest.json", "blobs/sha256/..."), relative, with '/'.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "base/bytes/byte_source.h"
#include "base/error.h"
#include "system/system.h"

namespace culprit::image {

using SharedBytes = std::shared_ptr<const base::ByteSource>;

// A part of other bytes, which it keeps open.
class PartOfBytes final : public base::ByteSource {
 public:
  PartOfBytes(SharedBytes bytes, uint64_t begin, uint64_t size)
      : bytes_(std::move(bytes)), begin_(begin), size_(size) {}
  uint64_t size() const override { return size_; }
  base::Result<size_t> ReadAt(uint64_t offset, std::span<std::byte> out) const override {
    if (offset >= size_) return size_t{0};
    return bytes_->ReadAt(begin_ + offset,
                          out.first(static_cast<size_t>(std::min<uint64_t>(out.size(), size_ - offset))));
  }

 private:
  SharedBytes bytes_;
  uint64_t begin_, size_;
};

class Blobs {
 public:
  virtual ~Blobs() = default;
  // nullptr: there is none of this name, or it is no regular file.
  virtual SharedBytes Find(const std::string& name) const = 0;
};

// The members of an archive that is not compressed.
class ArchiveBlobs final : public Blobs {
 public:
  // Reads the headers of all members. Symlinks between members (docker save writes them for shared layers)
  // count as their target.
  static base::Result<std::unique_ptr<ArchiveBlobs>> Open(SharedBytes archive);
  SharedBytes Find(const std::string& name) const override;

 private:
  struct Place {
    uint64_t begin = 0, size = 0;
    std::string link{};  // to another member; "" none
  };
  explicit ArchiveBlobs(SharedBytes archive) : archive_(std::move(archive)) {}

  SharedBytes archive_;
  std::map<std::string, Place> members_;
};

// "./blobs//sha256/x" -> "blobs/sha256/x"; "" for a name that climbs.
std::string MemberName(std::string_view name);
// The name that a symlink in `directory` leads to: docker save links "../ID/layer.tar".
std::string LinkedName(std::string_view directory, std::string_view target);

// The files of a folder. Symlinks do not lead out of it.
class FolderBlobs final : public Blobs {
 public:
  explicit FolderBlobs(std::unique_ptr<system::System> folder) : folder_(std::move(folder)) {}
  SharedBytes Find(const std::string& name) const override;

 private:
  std::unique_ptr<system::System> folder_;
};

// All bytes of a small part; an error if it is larger than `limit`.
base::Result<std::string> ReadBlob(const base::ByteSource& bytes, uint64_t limit);

}  // namespace culprit::image
