// zlib, liblzma and libzstd, which every build has. LZ4 is small enough to be read here:
// https://github.com/lz4/lz4/blob/dev/doc/lz4_Block_format.md
#include "packed/block.h"

#include <lzma.h>
#include <zlib.h>
#include <zstd.h>

#include <cstdint>
#include <cstring>
#include <optional>

namespace culprit::packed {
namespace {

using base::ErrorCode;
using Input = std::span<const std::byte>;
using Output = std::span<std::byte>;

constexpr uint64_t kXzBlockMemory = 64 << 20;  // a dictionary is as large as a block, which has 1 MiB at most

std::optional<size_t> UnpackZlib(Input in, Output out) {
  z_stream state{};
  if (inflateInit(&state) != Z_OK) return std::nullopt;
  state.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(in.data()));
  state.avail_in = static_cast<uInt>(in.size());
  state.next_out = reinterpret_cast<Bytef*>(out.data());
  state.avail_out = static_cast<uInt>(out.size());
  const int status = inflate(&state, Z_FINISH);
  inflateEnd(&state);
  if (status != Z_STREAM_END) return std::nullopt;
  return out.size() - state.avail_out;
}

base::Result<size_t> UnpackXz(Input in, Output out) {
  lzma_stream state = LZMA_STREAM_INIT;
  if (lzma_stream_decoder(&state, kXzBlockMemory, 0) != LZMA_OK)
    return base::Fail(ErrorCode::kTooLarge, "no memory to unpack a block");
  state.next_in = reinterpret_cast<const uint8_t*>(in.data());
  state.avail_in = in.size();
  state.next_out = reinterpret_cast<uint8_t*>(out.data());
  state.avail_out = out.size();
  const lzma_ret status = lzma_code(&state, LZMA_FINISH);
  const size_t written = out.size() - state.avail_out;
  lzma_end(&state);
  if (status == LZMA_STREAM_END) return written;
  if (status == LZMA_OPTIONS_ERROR)
    return base::Fail(ErrorCode::kUnsupported, "a block uses an xz filter that this build does not have");
  return base::Fail(ErrorCode::kBadFormat, "a compressed block is damaged");
}

std::optional<size_t> UnpackZstd(Input in, Output out) {
  const size_t written = ZSTD_decompress(out.data(), out.size(), in.data(), in.size());
  if (ZSTD_isError(written) != 0) return std::nullopt;
  return written;
}

// A length of 15 goes on in the bytes that follow, as long as they are 255.
bool ReadLongLength(Input in, size_t& at, size_t& length) {
  if (length != 15) return true;
  while (at < in.size()) {
    const auto more = std::to_integer<size_t>(in[at++]);
    length += more;
    if (more != 255) return true;
  }
  return false;
}

std::optional<size_t> UnpackLz4(Input in, Output out) {
  size_t at = 0, to = 0;
  while (at < in.size()) {
    const auto token = std::to_integer<size_t>(in[at++]);
    size_t literals = token >> 4;
    if (!ReadLongLength(in, at, literals) || literals > in.size() - at || literals > out.size() - to)
      return std::nullopt;
    if (literals > 0) std::memcpy(out.data() + to, in.data() + at, literals);
    at += literals;
    to += literals;
    if (at == in.size()) return to;  // the last sequence has literals only
    if (in.size() - at < 2) return std::nullopt;
    const size_t back = std::to_integer<size_t>(in[at]) | std::to_integer<size_t>(in[at + 1]) << 8;
    at += 2;
    size_t copied = token & 15;
    if (!ReadLongLength(in, at, copied)) return std::nullopt;
    copied += 4;
    if (back == 0 || back > to || copied > out.size() - to) return std::nullopt;
    for (; copied > 0; --copied, ++to) out[to] = out[to - back];  // it may overlap what it writes
  }
  return std::nullopt;
}

}  // namespace

base::Result<size_t> UnpackBlock(BlockFormat format, Input in, Output out) {
  std::optional<size_t> written;
  switch (format) {
    case BlockFormat::kZlib:
      written = UnpackZlib(in, out);
      break;
    case BlockFormat::kXz:
      return UnpackXz(in, out);
    case BlockFormat::kLz4:
      written = UnpackLz4(in, out);
      break;
    case BlockFormat::kZstd:
      written = UnpackZstd(in, out);
      break;
  }
  if (!written) return base::Fail(ErrorCode::kBadFormat, "a compressed block is damaged");
  return *written;
}

}  // namespace culprit::packed
