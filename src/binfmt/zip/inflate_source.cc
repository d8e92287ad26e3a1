// zlib inflates. With Z_BLOCK it stops at the end of each block. The bit position, the input position and the
// last 32 KiB of output at that place are enough to resume later (inflatePrime and inflateSetDictionary), so
// a point holds these.
#include "binfmt/zip/inflate_source.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstring>

namespace culprit::binfmt {
namespace {

constexpr size_t kWindow = 32768;
constexpr size_t kInput = 65536;

}  // namespace

base::Result<size_t> SliceSource::ReadAt(uint64_t offset, std::span<std::byte> out) const {
  if (offset >= size_) return size_t{0};
  return source_.ReadAt(begin_ + offset,
                        out.subspan(0, static_cast<size_t>(std::min<uint64_t>(out.size(), size_ - offset))));
}

struct InflateSource::State {
  // Where inflating can resume.
  struct Point {
    uint64_t out = 0;  // bytes of output before it
    uint64_t in = 0;   // first whole byte of input after it
    int bits = 0;      // how many bits of the byte before `in` belong to the next block
    std::array<Bytef, kWindow> window{};
  };

  State(const SliceSource& compressed, uint64_t size)
      : source(compressed), spacing(std::max<uint64_t>(4 << 20, size / 128)) {}
  ~State() {
    if (active) inflateEnd(&stream);
  }

  // Restarts at the last point at or before `offset`.
  bool Resume(uint64_t offset) {
    if (active) inflateEnd(&stream);
    stream = {};
    active = inflateInit2(&stream, -15) == Z_OK;
    if (!active) return false;
    out = in = 0;
    ended = false;
    const auto after =
        std::ranges::upper_bound(points, offset, {}, [](const auto& point) { return point->out; });
    if (after == points.begin()) return true;
    const Point& point = **std::prev(after);
    out = point.out;
    in = point.in;
    if (point.bits != 0) {
      std::array<std::byte, 1> byte{};
      const auto count = source.ReadAt(in - 1, byte);
      if (!count || *count != 1) return false;
      inflatePrime(&stream, point.bits, std::to_integer<int>(byte[0]) >> (8 - point.bits));
    }
    history = point.window;
    return inflateSetDictionary(&stream, history.data(), kWindow) == Z_OK;
  }

  // Inflates into the ring of the last 32 KiB until there are `count` more bytes of output, and passes each
  // piece to `take(data, size, position)`.
  template <typename Take>
  bool Advance(uint64_t count, Take take) {
    const uint64_t end = out + count;
    while (out < end) {
      if (ended) return false;
      if (stream.avail_in == 0) {
        const auto got = source.ReadAt(in, input);
        if (!got || *got == 0) return false;
        stream.next_in = reinterpret_cast<Bytef*>(input.data());
        stream.avail_in = static_cast<uInt>(*got);
        in += *got;
      }
      const size_t ring = static_cast<size_t>(out % kWindow);
      const size_t room = static_cast<size_t>(std::min<uint64_t>(kWindow - ring, end - out));
      stream.next_out = history.data() + ring;
      stream.avail_out = static_cast<uInt>(room);
      const uInt input_before = stream.avail_in;
      const int status = inflate(&stream, Z_BLOCK);
      const size_t made = room - stream.avail_out;
      if (made > 0) take(history.data() + ring, made, out);
      out += made;
      if (status == Z_STREAM_END) {
        ended = true;
      } else if (status != Z_OK && status != Z_BUF_ERROR) {
        return false;
      } else if (made == 0 && stream.avail_in == input_before) {
        return false;  // no progress possible
      }
      const bool at_block = (stream.data_type & 128) != 0 && (stream.data_type & 64) == 0;
      if (at_block && out >= next_point && !ended) AddPoint();
    }
    return true;
  }

  void AddPoint() {
    auto point = std::make_unique<Point>();
    point->out = out;
    point->in = in - stream.avail_in;
    point->bits = stream.data_type & 7;
    const size_t ring = static_cast<size_t>(out % kWindow);
    std::memcpy(point->window.data(), history.data() + ring, kWindow - ring);
    std::memcpy(point->window.data() + kWindow - ring, history.data(), ring);
    points.push_back(std::move(point));
    next_point = out + spacing;
  }

  const SliceSource& source;
  uint64_t spacing;
  uint64_t next_point = kWindow;               // a full window is needed
  std::vector<std::unique_ptr<Point>> points;  // by position
  z_stream stream{};
  bool active = false;
  bool ended = false;
  uint64_t out = 0;  // position of the stream
  uint64_t in = 0;   // input passed so far
  std::array<std::byte, kInput> input{};
  std::array<Bytef, kWindow> history{};
};

InflateSource::InflateSource(const base::ByteSource& source, uint64_t begin, uint64_t compressed_size,
                             uint64_t size)
    : compressed_(source, begin, compressed_size),
      size_(size),
      state_(std::make_unique<State>(compressed_, size)) {}
InflateSource::~InflateSource() = default;

base::Result<size_t> InflateSource::ReadAt(uint64_t offset, std::span<std::byte> out) const {
  if (offset >= size_ || out.empty()) return size_t{0};
  State& state = *state_;
  const uint64_t wanted = std::min<uint64_t>(out.size(), size_ - offset);
  const auto point = std::ranges::upper_bound(state.points, offset, {}, [](const auto& p) { return p->out; });
  const uint64_t nearest = point == state.points.begin() ? 0 : (*std::prev(point))->out;
  const auto failed = [] {
    return base::Fail(base::ErrorCode::kBadFormat, "the compressed data are damaged");
  };
  if (!state.active || state.out > offset || nearest > state.out) {
    if (!state.Resume(offset)) return failed();
  }
  if (!state.Advance(offset - state.out, [](const Bytef*, size_t, uint64_t) {})) return failed();
  const auto copy = [&](const Bytef* data, size_t count, uint64_t position) {
    std::memcpy(out.data() + (position - offset), data, count);
  };
  if (!state.Advance(wanted, copy)) return failed();
  return static_cast<size_t>(wanted);
}

}  // namespace culprit::binfmt
