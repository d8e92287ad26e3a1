#include "packed/ahead_stream.h"

#include <gtest/gtest.h>

#include <string>

namespace culprit::packed {
namespace {

// `size` bytes that count up, some at a time; then the end, or an error.
class Counting final : public base::ByteStream {
 public:
  Counting(size_t size, bool fails) : size_(size), fails_(fails) {}
  base::Result<size_t> Read(std::span<char> out) override {
    if (at_ == size_ && fails_) return base::Fail(base::ErrorCode::kBadFormat, "broken");
    const size_t n = std::min({out.size(), size_ - at_, size_t{70'001}});
    for (size_t i = 0; i < n; ++i) out[i] = static_cast<char>((at_ + i) % 251);
    at_ += n;
    return n;
  }

 private:
  size_t size_, at_ = 0;
  bool fails_;
};

TEST(AheadStream, GivesTheSameBytesAndThenTheEndOrTheError) {
  for (const size_t size : {size_t{0}, size_t{1}, size_t{1} << 20, size_t{9} << 20}) {
    for (const bool fails : {false, true}) {
      Counting source(size, fails);
      AheadStream stream(source);
      std::string text, piece(100'000, '\0');
      while (true) {
        const auto got = stream.Read(piece);
        EXPECT_EQ(got.has_value(), !fails || text.size() < size);
        if (!got || *got == 0) break;
        text.append(piece, 0, *got);
      }
      ASSERT_EQ(text.size(), size);
      for (size_t i = 0; i < size; i += 1009) ASSERT_EQ(text[i], static_cast<char>(i % 251)) << i;
      EXPECT_EQ(stream.Read(piece).has_value(), !fails);  // again
    }
  }
}

TEST(AheadStream, MayBeLeftInTheMiddle) {
  Counting source(100 << 20, false);
  AheadStream stream(source);
  std::string piece(10, '\0');
  EXPECT_EQ(stream.Read(piece), 10u);
}

}  // namespace
}  // namespace culprit::packed
