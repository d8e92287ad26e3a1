// UTF-16 -> UTF-8, in pieces.
#include <cstdint>

#include "explain/logs/plain_text.h"
#include "packed/peeked_stream.h"

namespace culprit::logs {
namespace {

void AppendUtf8(uint32_t code, std::string& out) {
  const auto add = [&](uint32_t byte) { out += static_cast<char>(byte); };
  if (code < 0x80) {
    add(code);
  } else if (code < 0x800) {
    add(0xC0 | code >> 6);
    add(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    add(0xE0 | code >> 12);
    add(0x80 | (code >> 6 & 0x3F));
    add(0x80 | (code & 0x3F));
  } else {
    add(0xF0 | code >> 18);
    add(0x80 | (code >> 12 & 0x3F));
    add(0x80 | (code >> 6 & 0x3F));
    add(0x80 | (code & 0x3F));
  }
}

class FromUtf16 final : public base::ByteStream {
 public:
  FromUtf16(std::unique_ptr<base::ByteStream> stream, bool big_endian)
      : stream_(std::move(stream)), big_endian_(big_endian) {}

  base::Result<size_t> Read(std::span<char> out) override {
    while (given_ == text_.size()) {
      text_.clear();
      given_ = 0;
      const auto got = stream_->Read(std::span(bytes_).subspan(kept_));
      if (!got) return std::unexpected(got.error());
      if (*got == 0) return size_t{0};
      Convert(kept_ + *got);
    }
    const size_t count = std::min(out.size(), text_.size() - given_);
    std::copy_n(text_.data() + given_, count, out.data());
    given_ += count;
    return count;
  }

 private:
  uint32_t Unit(size_t at) const {
    const auto first = static_cast<uint8_t>(bytes_[at]), second = static_cast<uint8_t>(bytes_[at + 1]);
    return big_endian_ ? uint32_t{first} << 8 | second : uint32_t{second} << 8 | first;
  }

  // Converts everything that is complete; the rest waits for the next read.
  void Convert(size_t size) {
    size_t at = 0;
    while (at + 2 <= size) {
      uint32_t code = Unit(at);
      size_t length = 2;
      if (code >= 0xD800 && code < 0xDC00) {
        if (at + 4 > size) break;
        const uint32_t low = Unit(at + 2);
        if (low >= 0xDC00 && low < 0xE000) {
          code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
          length = 4;
        }
      }
      at += length;
      if (code == 0xFEFF) continue;
      AppendUtf8(code >= 0xD800 && code < 0xE000 ? 0xFFFD : code, text_);
    }
    kept_ = size - at;
    std::copy_n(bytes_.data() + at, kept_, bytes_.data());
  }

  std::unique_ptr<base::ByteStream> stream_;
  bool big_endian_;
  std::string bytes_ = std::string(1 << 16, '\0');
  size_t kept_ = 0;  // bytes at the front that are not converted yet
  std::string text_;
  size_t given_ = 0;
};

// Number of zero bytes at odd and at even positions at the start.
struct Zeros {
  size_t even = 0, odd = 0;
};
Zeros CountZeros(std::string_view start) {
  Zeros zeros;
  for (size_t at = 0; at < start.size(); ++at) {
    if (start[at] == '\0') ++(at % 2 == 0 ? zeros.even : zeros.odd);
  }
  return zeros;
}

}  // namespace

std::unique_ptr<base::ByteStream> AsUtf8(std::unique_ptr<base::ByteStream> stream) {
  auto peeked = std::make_unique<packed::PeekedStream>(std::move(stream));
  const std::string_view mark = peeked->Peek(2);
  const bool little = mark == "\xff\xfe", big = mark == "\xfe\xff";
  if (little || big) return std::make_unique<FromUtf16>(std::move(peeked), big);
  if (mark.find('\0') == std::string_view::npos)
    return peeked;  // an ASCII character starts, or ends, with a zero
  const std::string_view start = peeked->Peek(256);
  const Zeros zeros = CountZeros(start);
  const size_t most = start.size() * 2 / 5, few = start.size() / 50;
  if (zeros.odd >= most && zeros.even <= few) return std::make_unique<FromUtf16>(std::move(peeked), false);
  if (zeros.even >= most && zeros.odd <= few) return std::make_unique<FromUtf16>(std::move(peeked), true);
  return peeked;
}

}  // namespace culprit::logs
