// gzip with zlib, xz with liblzma, zstd with libzstd: each reads from a buffer of compressed bytes and writes
// to the caller's. A file may have several parts, one after the other, and zeros after each (tapes, blocks of
// a disk). As with gzip, anything else after a part does not belong to it.
#include "packed/unpacked.h"

#include <lzma.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include <string>
#include <vector>

#include "packed/peeked_stream.h"

namespace culprit::packed {
namespace {

using base::ErrorCode;

// The compressor chooses how far back it refers, and unpacking takes that much memory: xz -9 64 MiB, zstd
// --ultra and --long 128 MiB. zstd itself does not unpack more than that unless told to.
constexpr int kWindowLog = 27;
constexpr uint64_t kXzMemory = (uint64_t{1} << kWindowLog) + (1 << 20);  // and the decoder itself

enum class Step { kMore, kEnd, kBroken, kTooLarge };

// The common part of the three. A decoder reads from `in`, writes to `out`, and advances both.
class UnpackingStream : public base::ByteStream {
 public:
  UnpackingStream(std::unique_ptr<base::ByteStream> packed, Unpacking unpacking)
      : packed_(std::move(packed)), unpacking_(unpacking), buffer_(1 << 16) {}

  base::Result<size_t> Read(std::span<char> out) override {
    std::span<char> rest = out;
    while (!ended_ && rest.size() == out.size()) {
      if (in_.empty()) {
        const auto got = packed_->Read(buffer_);
        if (!got) return std::unexpected(got.error());
        in_ = std::span<const char>(buffer_).first(*got);
      }
      const bool dry = in_.empty();
      const Step step = Decode(in_, rest);
      if (step == Step::kBroken) {
        return base::Fail(ErrorCode::kBadFormat, "the compressed " + what() + " is damaged");
      }
      if (step == Step::kTooLarge) {
        return base::Fail(ErrorCode::kTooLarge,
                          "unpacking the " + what() + " takes more than 128 MiB of memory; unpack it first");
      }
      const bool cut = step != Step::kEnd && dry && rest.size() == out.size();
      if (cut && unpacking_.cut == Unpacking::Cut::kError)
        return base::Fail(ErrorCode::kBadFormat, "the compressed " + what() + " is truncated");
      ended_ = step == Step::kEnd ? !Another() : cut;
    }
    return out.size() - rest.size();
  }

 protected:
  virtual Step Decode(std::span<const char>& in, std::span<char>& out) = 0;
  // Whether a part can begin with this byte, and getting ready for one.
  virtual bool Begins(unsigned char first) const = 0;
  virtual bool Restart() = 0;

 private:
  // After the end of a part: whether another one follows.
  bool Another() {
    while (true) {
      while (!in_.empty() && in_.front() == 0) in_ = in_.subspan(1);
      if (!in_.empty()) return Begins(static_cast<unsigned char>(in_.front())) && Restart();
      const auto got = packed_->Read(buffer_);
      in_ = std::span<const char>(buffer_).first(got.value_or(0));
      if (in_.empty()) return false;
    }
  }

  std::string what() const { return std::string(unpacking_.what); }

  std::unique_ptr<base::ByteStream> packed_;
  Unpacking unpacking_;
  std::vector<char> buffer_;
  std::span<const char> in_;
  bool ended_ = false;
};

class Gzip final : public UnpackingStream {
 public:
  Gzip(std::unique_ptr<base::ByteStream> packed, Unpacking unpacking)
      : UnpackingStream(std::move(packed), unpacking) {
    ok_ = inflateInit2(&state_, 16 + MAX_WBITS) == Z_OK;
  }
  ~Gzip() override { inflateEnd(&state_); }

 protected:
  Step Decode(std::span<const char>& in, std::span<char>& out) override {
    if (!ok_) return Step::kBroken;
    state_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(in.data()));
    state_.avail_in = static_cast<uInt>(in.size());
    state_.next_out = reinterpret_cast<Bytef*>(out.data());
    state_.avail_out = static_cast<uInt>(std::min<size_t>(out.size(), 1u << 30));
    const size_t room = state_.avail_out;
    const int status = inflate(&state_, Z_NO_FLUSH);
    out = out.subspan(room - state_.avail_out);
    in = in.last(state_.avail_in);
    if (status == Z_STREAM_END) return Step::kEnd;
    return status == Z_OK || status == Z_BUF_ERROR ? Step::kMore : Step::kBroken;
  }
  bool Begins(unsigned char first) const override { return first == 0x1f; }
  bool Restart() override { return inflateReset(&state_) == Z_OK; }

 private:
  z_stream state_{};
  bool ok_ = false;
};

class Xz final : public UnpackingStream {
 public:
  Xz(std::unique_ptr<base::ByteStream> packed, Unpacking unpacking)
      : UnpackingStream(std::move(packed), unpacking) {
    ok_ = Restart();
  }
  ~Xz() override { lzma_end(&state_); }

 protected:
  Step Decode(std::span<const char>& in, std::span<char>& out) override {
    if (!ok_) return Step::kBroken;
    state_.next_in = reinterpret_cast<const uint8_t*>(in.data());
    state_.avail_in = in.size();
    state_.next_out = reinterpret_cast<uint8_t*>(out.data());
    state_.avail_out = out.size();
    const lzma_ret status = lzma_code(&state_, in.empty() ? LZMA_FINISH : LZMA_RUN);
    out = out.last(state_.avail_out);
    in = in.last(state_.avail_in);
    if (status == LZMA_STREAM_END) return Step::kEnd;
    if (status == LZMA_MEMLIMIT_ERROR) return Step::kTooLarge;
    return status == LZMA_OK || status == LZMA_BUF_ERROR ? Step::kMore : Step::kBroken;
  }
  bool Begins(unsigned char first) const override { return first == 0xfd; }
  bool Restart() override { return lzma_stream_decoder(&state_, kXzMemory, 0) == LZMA_OK; }

 private:
  lzma_stream state_ = LZMA_STREAM_INIT;
  bool ok_ = false;
};

class Zstd final : public UnpackingStream {
 public:
  Zstd(std::unique_ptr<base::ByteStream> packed, Unpacking unpacking)
      : UnpackingStream(std::move(packed), unpacking) {
    if (state_ != nullptr) ZSTD_DCtx_setParameter(state_, ZSTD_d_windowLogMax, kWindowLog);
  }
  ~Zstd() override { ZSTD_freeDCtx(state_); }

 protected:
  Step Decode(std::span<const char>& in, std::span<char>& out) override {
    if (state_ == nullptr) return Step::kBroken;
    ZSTD_inBuffer from{in.data(), in.size(), 0};
    ZSTD_outBuffer to{out.data(), out.size(), 0};
    const size_t status = ZSTD_decompressStream(state_, &to, &from);
    in = in.subspan(from.pos);
    out = out.subspan(to.pos);
    if (ZSTD_getErrorCode(status) == ZSTD_error_frameParameter_windowTooLarge) return Step::kTooLarge;
    if (ZSTD_isError(status) != 0) return Step::kBroken;
    return status == 0 ? Step::kEnd : Step::kMore;
  }
  // A frame, or one to be skipped (pzstd writes them).
  bool Begins(unsigned char first) const override { return first == 0x28 || (first & 0xf0) == 0x50; }
  bool Restart() override { return true; }

 private:
  ZSTD_DCtx* state_ = ZSTD_createDCtx();
};

bool IsGzip(std::string_view start) { return start.starts_with("\x1f\x8b"); }
bool IsXz(std::string_view start) {
  return start.starts_with(
      std::string_view("\xfd"
                       "7zXZ\0",
                       6));
}
bool IsZstd(std::string_view start) { return start.starts_with("\x28\xb5\x2f\xfd"); }

}  // namespace

bool IsPacked(std::string_view start) { return IsGzip(start) || IsXz(start) || IsZstd(start); }

std::unique_ptr<base::ByteStream> Unpacked(std::unique_ptr<base::ByteStream> stream, Unpacking unpacking) {
  auto peeked = std::make_unique<PeekedStream>(std::move(stream));
  const std::string_view start = peeked->Peek(6);
  if (IsGzip(start)) return std::make_unique<Gzip>(std::move(peeked), unpacking);
  if (IsXz(start)) return std::make_unique<Xz>(std::move(peeked), unpacking);
  if (IsZstd(start)) return std::make_unique<Zstd>(std::move(peeked), unpacking);
  return peeked;
}

}  // namespace culprit::packed
