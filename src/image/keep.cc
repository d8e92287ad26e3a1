#include "image/keep.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <deque>
#include <mutex>
#include <string_view>

#include "base/text.h"

namespace culprit::image {
namespace {

constexpr uint64_t kSmall = 256 << 10;    // kept whole
constexpr uint64_t kMostText = 16 << 20;  // of a package record or a database of packages
constexpr size_t kChunk = 1 << 20;
constexpr uint64_t kInMemory = 32 << 20;  // a file that passes by; larger ones pass through a scratch file
constexpr uint64_t kPage = 4096;
constexpr uint64_t kMostHoles = 64;  // times the stored bytes

// Package records and databases, which may be large.
bool IsRecord(std::string_view path) {
  static constexpr std::array<std::string_view, 4> kNames = {"RECORD", "METADATA", "status", "ld.so.cache"};
  static constexpr std::array<std::string_view, 5> kEndings = {".json", ".list", ".conf", ".toml", ".pth"};
  const std::string_view name = base::BaseName(path);
  return std::ranges::find(kNames, name) != kNames.end() ||
         std::ranges::any_of(kEndings, [&](std::string_view end) { return name.ends_with(end); });
}

// Small files that nobody reads: compiled Python, pictures, archives.
bool IsNeverRead(std::string_view path) {
  static constexpr std::array<std::string_view, 8> kEndings = {".pyc",  ".png", ".gz", ".svg",
                                                               ".html", ".mo",  ".js", ".ttf"};
  return std::ranges::any_of(kEndings, [&](std::string_view end) { return path.ends_with(end); });
}

// ELF (with cubins), PE, and a bare fatbin.
bool IsBinary(std::string_view start) {
  return start.starts_with(
             "\x7f"
             "ELF") ||
         start.starts_with("MZ") || start.starts_with("\x50\xed\x55\xba");
}

// Adds bytes of a file to the pieces before them.
bool AddPiece(Spool& spool, uint64_t at, std::span<const char> bytes, std::vector<KeptPiece>& pieces) {
  if (bytes.empty()) return true;
  const auto place = spool.Add(bytes);
  if (!place) return false;
  if (!pieces.empty() && pieces.back().at + pieces.back().size == at &&
      pieces.back().spool + pieces.back().size == *place) {
    pieces.back().size += bytes.size();
  } else {
    pieces.push_back({at, bytes.size(), *place});
  }
  return true;
}

}  // namespace

// The bytes of a member in order, holes as zeros.
class Keeper::Bytes {
 public:
  Bytes(binfmt::TarReader& reader, const binfmt::TarEntry& entry)
      : reader_(reader), size_(entry.size), extents_(1, binfmt::TarExtent{0, entry.size}) {
    if (entry.extents) extents_.assign(entry.extents->begin(), entry.extents->end());
  }

  // As many as fit; fewer only at the end.
  base::Result<size_t> Read(std::span<char> out) {
    size_t done = 0;
    while (done < out.size() && at_ < size_) {
      while (!extents_.empty() && extents_.front().at + extents_.front().size <= at_) extents_.pop_front();
      const bool hole = extents_.empty() || at_ < extents_.front().at;
      const uint64_t end = extents_.empty() ? size_
                           : hole           ? extents_.front().at
                                            : extents_.front().at + extents_.front().size;
      const auto here =
          out.subspan(done, static_cast<size_t>(std::min<uint64_t>(out.size() - done, end - at_)));
      if (hole) {
        std::ranges::fill(here, '\0');
      } else if (const auto got = reader_.Read(here); !got) {
        return got;
      }
      done += here.size();
      at_ += here.size();
    }
    return done;
  }

 private:
  binfmt::TarReader& reader_;
  uint64_t size_, at_ = 0;
  std::deque<binfmt::TarExtent> extents_;
};

// A file while it passes by, whole; it notes which of its pages are read.
class Keeper::Passing final : public base::ByteSource {
 public:
  Passing(uint64_t size, std::string& memory, system::ScratchFile* file)
      : size_(size), memory_(memory), file_(file), read_((size + kPage - 1) / kPage) {
    memory_.clear();
  }

  base::Result<void> Append(std::span<const char> bytes) {
    if (file_ == nullptr) {
      memory_.append(bytes.data(), bytes.size());
    } else if (auto written = file_->WriteAt(written_, bytes); !written) {
      return written;
    }
    written_ += bytes.size();
    return {};
  }

  uint64_t size() const override { return size_; }
  base::Result<size_t> ReadAt(uint64_t offset, std::span<std::byte> out) const override {
    if (offset >= size_ || out.empty()) return size_t{0};
    const auto here = out.first(static_cast<size_t>(std::min<uint64_t>(out.size(), size_ - offset)));
    {
      const std::lock_guard lock(mutex_);
      const uint64_t last = (offset + here.size() - 1) / kPage;
      for (uint64_t page = offset / kPage; page <= last; ++page) read_[static_cast<size_t>(page)] = true;
    }
    return Copy(offset, here);
  }

  base::Result<std::vector<KeptPiece>> KeepRead(Spool& spool, std::string& chunk) const {
    std::vector<KeptPiece> pieces;
    for (size_t page = 0; page < read_.size();) {
      if (!read_[page]) {
        ++page;
        continue;
      }
      size_t end = page + 1;
      while (end < read_.size() && read_[end] && (end - page) * kPage < kChunk) ++end;
      const uint64_t at = page * kPage;
      chunk.resize(static_cast<size_t>(std::min(end * kPage, size_) - at));
      const auto got = Copy(at, std::as_writable_bytes(std::span(chunk)));
      if (!got) return std::unexpected(got.error());
      if (!AddPiece(spool, at, std::span(chunk).first(*got), pieces)) break;
      page = end;
    }
    return pieces;
  }

 private:
  base::Result<size_t> Copy(uint64_t offset, std::span<std::byte> out) const {
    if (file_ != nullptr) return file_->ReadAt(offset, out);
    std::memcpy(out.data(), memory_.data() + offset, out.size());
    return out.size();
  }

  uint64_t size_;
  std::string& memory_;
  system::ScratchFile* file_;
  uint64_t written_ = 0;
  mutable std::mutex mutex_;
  mutable std::vector<bool> read_;  // by page
};

base::Result<std::vector<KeptPiece>> Keeper::KeepWhole(binfmt::TarReader& reader,
                                                       const binfmt::TarEntry& entry) {
  std::vector<KeptPiece> pieces;
  std::vector<binfmt::TarExtent> extents =
      entry.extents.value_or(std::vector<binfmt::TarExtent>{{0, entry.size}});
  uint64_t end = 0;
  const auto hole = [&](uint64_t until) {
    if (until > end) pieces.push_back({end, until - end, kHole});
    end = until;
  };
  for (const binfmt::TarExtent& extent : extents) {
    hole(extent.at);
    for (uint64_t done = 0; done < extent.size;) {
      buffer_.resize(static_cast<size_t>(std::min<uint64_t>(kChunk, extent.size - done)));
      const auto got = reader.Read(buffer_);
      if (!got) return std::unexpected(got.error());
      if (*got == 0 || !AddPiece(spool_, extent.at + done, std::span(buffer_).first(*got), pieces))
        return pieces;
      done += *got;
    }
    end = extent.at + extent.size;
  }
  hole(entry.size);
  return pieces;
}

base::Result<std::vector<KeptPiece>> Keeper::KeepWhatIsRead(Bytes& bytes, const binfmt::TarEntry& entry,
                                                            const std::string& start) {
  if (entry.size > kInMemory && scratch_ == nullptr) {
    auto made = system::MakeScratchFile();
    if (!made) {  // nothing is kept then
      spool_.NoteFailure(made.error());
      return std::vector<KeptPiece>();
    }
    scratch_ = *std::move(made);
  }
  std::string memory;
  Passing file(entry.size, memory, entry.size > kInMemory ? scratch_.get() : nullptr);
  auto written = file.Append(start);
  buffer_.resize(kChunk);
  while (written) {
    const auto got = bytes.Read(buffer_);
    if (!got) return std::unexpected(got.error());
    if (*got == 0) break;
    written = file.Append(std::span(buffer_).first(*got));
  }
  if (!written) {
    spool_.NoteFailure(written.error());
    return std::vector<KeptPiece>();
  }
  rules_.look(entry.path, file);
  return file.KeepRead(spool_, buffer_);
}

// Of an executable that is no program of ours to read, that it is none.
std::vector<KeptPiece> Keeper::KeepStart(const binfmt::TarEntry& entry, std::string_view start) {
  constexpr uint32_t kAnyExecute = 0111;
  constexpr size_t kTellsItsKind = 64;
  std::vector<KeptPiece> pieces;
  if ((entry.mode & kAnyExecute) != 0) AddPiece(spool_, 0, start.substr(0, kTellsItsKind), pieces);
  return pieces;
}

base::Result<std::vector<KeptPiece>> Keeper::Keep(binfmt::TarReader& reader, const binfmt::TarEntry& entry) {
  if (entry.type != binfmt::TarType::kFile || entry.size == 0) return std::vector<KeptPiece>();
  const bool small = entry.stored <= kSmall && !IsNeverRead(entry.path);
  const bool record = entry.stored <= kMostText && (entry.extents || IsRecord(entry.path));
  if (rules_.all || small || record) return KeepWhole(reader, entry);
  // A file that is nearly all holes could be of any size.
  if (entry.size <= kSmall || entry.size / kMostHoles > entry.stored) return std::vector<KeptPiece>();
  Bytes bytes(reader, entry);
  std::string start(kPage, '\0');
  const auto got = bytes.Read(start);
  if (!got) return std::unexpected(got.error());
  if (!IsBinary(start)) return KeepStart(entry, start);
  if (rules_.look) return KeepWhatIsRead(bytes, entry, start);
  std::vector<KeptPiece> pieces;
  for (uint64_t at = 0; !start.empty() && AddPiece(spool_, at, start, pieces);) {
    at += start.size();
    start.resize(kChunk);
    const auto more = bytes.Read(start);
    if (!more) return std::unexpected(more.error());
    start.resize(*more);
  }
  return pieces;
}

}  // namespace culprit::image
