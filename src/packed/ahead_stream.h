// A stream that is read by a thread of its own, a few megabytes ahead: while one core unpacks, another works
// on what came out. Without a thread (a low `ulimit -u`) it is read when it is asked for.
#pragma once

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "base/bytes/byte_stream.h"

namespace culprit::packed {

class AheadStream final : public base::ByteStream {
 public:
  // `stream` must outlive this, and nobody else may touch it meanwhile.
  explicit AheadStream(base::ByteStream& stream);
  AheadStream(const AheadStream&) = delete;
  AheadStream& operator=(const AheadStream&) = delete;
  // Waits until the thread has finished the read that it is at.
  ~AheadStream() override;
  base::Result<size_t> Read(std::span<char> out) override;

 private:
  using Chunk = std::vector<char>;  // an empty one is the end
  void Run();

  base::ByteStream& stream_;
  std::mutex mutex_;  // for the next five
  std::condition_variable changed_;
  std::deque<Chunk> ready_;
  std::vector<Chunk> used_;  // their memory is taken again
  std::optional<base::Error> error_;
  bool stop_ = false;
  Chunk current_;
  size_t given_ = 0;  // of it
  bool ended_ = false;
  std::thread thread_;
};

}  // namespace culprit::packed
