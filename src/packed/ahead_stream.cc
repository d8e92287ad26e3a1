#include "packed/ahead_stream.h"

#include <algorithm>
#include <system_error>
#include <utility>

namespace culprit::packed {
namespace {

constexpr size_t kChunk = 1 << 20;
constexpr size_t kMostChunks = 4;

}  // namespace

AheadStream::AheadStream(base::ByteStream& stream) : stream_(stream) {
  try {
    thread_ = std::thread([this] { Run(); });
  } catch (const std::system_error&) {  // read without one
  }
}

AheadStream::~AheadStream() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void AheadStream::Run() {
  while (true) {
    Chunk chunk;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return stop_ || ready_.size() < kMostChunks; });
      if (stop_) return;
      if (!used_.empty()) {
        chunk = std::move(used_.back());
        used_.pop_back();
      }
    }
    chunk.resize(kChunk);
    size_t filled = 0;
    std::optional<base::Error> error;
    while (filled < kChunk) {
      const auto got = stream_.Read(std::span(chunk).subspan(filled));
      if (!got) error = got.error();
      if (!got || *got == 0) break;
      filled += *got;
    }
    chunk.resize(filled);
    const bool end = filled < kChunk;
    {
      const std::lock_guard lock(mutex_);
      if (filled > 0) ready_.push_back(std::move(chunk));
      if (end) ready_.emplace_back();
      error_ = std::move(error);
    }
    changed_.notify_all();
    if (end) return;
  }
}

base::Result<size_t> AheadStream::Read(std::span<char> out) {
  if (!thread_.joinable()) return stream_.Read(out);
  if (given_ == current_.size() && !ended_) {
    std::unique_lock lock(mutex_);
    if (!current_.empty()) used_.push_back(std::move(current_));
    changed_.wait(lock, [this] { return !ready_.empty(); });
    current_ = std::move(ready_.front());
    ready_.pop_front();
    given_ = 0;
    ended_ = current_.empty();
    lock.unlock();
    changed_.notify_all();
  }
  if (ended_) {
    if (error_) return std::unexpected(*error_);
    return size_t{0};
  }
  const size_t n = std::min(out.size(), current_.size() - given_);
  std::copy_n(current_.data() + given_, n, out.data());
  given_ += n;
  return n;
}

}  // namespace culprit::packed
