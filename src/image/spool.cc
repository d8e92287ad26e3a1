#include "image/spool.h"

#include <cstring>
#include <mutex>
#include <utility>

namespace culprit::image {
namespace {

constexpr size_t kWrittenAtOnce = 1 << 20;

}  // namespace

uint64_t Spool::size() const {
  const std::shared_lock lock(mutex_);
  return memory_.size() + in_file_ + tail_.size();
}

std::optional<base::Error> Spool::failure() const {
  const std::shared_lock lock(mutex_);
  return failure_;
}

void Spool::NoteFailure(base::Error why) {
  const std::unique_lock lock(mutex_);
  if (!failure_) failure_ = std::move(why);
}

std::optional<uint64_t> Spool::Add(std::span<const char> bytes) {
  const std::unique_lock lock(mutex_);
  const uint64_t at = memory_.size() + in_file_ + tail_.size();
  if (failure_ || bytes.size() > limit_ || at > limit_ - bytes.size()) return std::nullopt;
  if (file_ == nullptr && at + bytes.size() <= in_memory_) {
    memory_.append(bytes.data(), bytes.size());
    return at;
  }
  if (file_ == nullptr) {
    auto made = system::MakeScratchFile();
    if (!made) {
      failure_ = made.error();
      return std::nullopt;
    }
    file_ = *std::move(made);
  }
  tail_.append(bytes.data(), bytes.size());
  if (tail_.size() < kWrittenAtOnce) return at;
  if (const auto written = file_->WriteAt(in_file_, tail_); !written) {
    failure_ = written.error();
    tail_.resize(tail_.size() - bytes.size());
    return std::nullopt;
  }
  in_file_ += tail_.size();
  tail_.clear();
  return at;
}

base::Result<void> Spool::Read(uint64_t at, std::span<std::byte> out) const {
  const std::shared_lock lock(mutex_);
  const auto copy = [&](const std::string& from, uint64_t begin) {
    if (at < begin || at - begin >= from.size() || out.empty()) return;
    const size_t n = std::min<size_t>(out.size(), from.size() - static_cast<size_t>(at - begin));
    std::memcpy(out.data(), from.data() + (at - begin), n);
    out = out.subspan(n);
    at += n;
  };
  copy(memory_, 0);
  const uint64_t end_of_file = memory_.size() + in_file_;
  if (!out.empty() && at < end_of_file) {
    const auto here = out.first(static_cast<size_t>(std::min<uint64_t>(out.size(), end_of_file - at)));
    const auto got = file_->ReadAt(at - memory_.size(), here);
    if (!got) return std::unexpected(got.error());
    if (*got != here.size())
      return base::Fail(base::ErrorCode::kNotReadable, "the temporary file is truncated");
    out = out.subspan(*got);
    at += *got;
  }
  copy(tail_, end_of_file);
  if (!out.empty()) return base::Fail(base::ErrorCode::kNotReadable, "the temporary file is truncated");
  return {};
}

}  // namespace culprit::image
