#include "explain/logs/plain_text.h"

#include <gtest/gtest.h>
#include <lzma.h>
#include <zlib.h>
#include <zstd.h>

#include <string>

#include "explain/logs/text_stream.h"

namespace culprit::logs {
namespace {

using namespace std::string_view_literals;

// Everything, read in pieces of `step`; "error: ..." if reading failed.
std::string ReadAll(const std::string& bytes, size_t step = 1000) {
  const auto stream = PlainText(std::make_unique<TextStream>(bytes, step));
  std::string text, buffer(step, '\0');
  while (true) {
    const auto got = stream->Read(buffer);
    if (!got) return "error: " + got.error().message;
    if (*got == 0) return text;
    text.append(buffer, 0, *got);
  }
}

std::string Gzip(const std::string& text) {
  z_stream state{};
  EXPECT_EQ(deflateInit2(&state, 6, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string out(text.size() + 200, '\0');
  state.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  state.avail_in = static_cast<uInt>(text.size());
  state.next_out = reinterpret_cast<Bytef*>(out.data());
  state.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(deflate(&state, Z_FINISH), Z_STREAM_END);
  out.resize(state.total_out);
  deflateEnd(&state);
  return out;
}

std::string Xz(const std::string& text) {
  std::string out(text.size() + 200, '\0');
  size_t size = 0;
  EXPECT_EQ(
      lzma_easy_buffer_encode(6, LZMA_CHECK_CRC64, nullptr, reinterpret_cast<const uint8_t*>(text.data()),
                              text.size(), reinterpret_cast<uint8_t*>(out.data()), &size, out.size()),
      LZMA_OK);
  out.resize(size);
  return out;
}

std::string Zstd(const std::string& text) {
  std::string out(ZSTD_compressBound(text.size()), '\0');
  out.resize(ZSTD_compress(out.data(), out.size(), text.data(), text.size(), 3));
  return out;
}

std::string Utf16(std::string_view ascii, bool big_endian, bool mark) {
  std::string out = !mark ? "" : big_endian ? "\xfe\xff" : "\xff\xfe";
  for (const char c : ascii) out += big_endian ? std::string{'\0', c} : std::string{c, '\0'};
  return out;
}

std::string SomeLog() {
  std::string text;
  for (int i = 0; i < 5000; ++i)
    text += "step " + std::to_string(i) + " loss " + std::to_string(i * 7919 % 1000) + "\n";
  return text;
}

TEST(PlainText, PassesTextThrough) {
  EXPECT_EQ(ReadAll(""), "");
  EXPECT_EQ(ReadAll("a"), "a");
  EXPECT_EQ(ReadAll(SomeLog(), 7), SomeLog());
}

TEST(PlainText, UnpacksGzipXzAndZstd) {
  for (const size_t step : {size_t{1}, size_t{4096}}) {
    EXPECT_EQ(ReadAll(Gzip(SomeLog()), step), SomeLog());
    EXPECT_EQ(ReadAll(Xz(SomeLog()), step), SomeLog());
    EXPECT_EQ(ReadAll(Zstd(SomeLog()), step), SomeLog());
  }
}

TEST(PlainText, UnpacksSeveralPartsOneAfterTheOther) {
  EXPECT_EQ(ReadAll(Gzip("one\n") + Gzip("two\n")), "one\ntwo\n");
  EXPECT_EQ(ReadAll(Xz("one\n") + Xz("two\n")), "one\ntwo\n");
  EXPECT_EQ(ReadAll(Zstd("one\n") + Zstd("two\n")), "one\ntwo\n");
}

// Written by `xz -9e` (a dictionary of 64 MiB), `zstd --ultra -22` and `zstd --long` (a window of 128 MiB).
TEST(PlainText, UnpacksWhatTheStrongestCompressionWrites) {
  const std::string_view xz =
      "\xfd\x37\x7a\x58\x5a\x00\x00\x04\xe6\xd6\xb4\x46\x02\x00\x21\x01\x1c\x00\x00\x00\x10\xcf\x58\xcc\x01"
      "\x00"
      "\x03\x6f\x6e\x65\x0a\x00\xf5\x5c\xbb\x56\x1f\xc6\xfd\x86\x00\x01\x1c\x04\x6f\x2c\x9c\xc1\x1f\xb6\xf3"
      "\x7d"
      "\x01\x00\x00\x00\x00\x04\x59\x5a"sv;
  const std::string_view zstd = "\x28\xb5\x2f\xfd\x04\x88\x21\x00\x00\x6f\x6e\x65\x0a\xdf\x16\x68\x09"sv;
  EXPECT_EQ(ReadAll(std::string(xz)), "one\n");
  EXPECT_EQ(ReadAll(std::string(zstd)), "one\n");
}

// Written by `zstd --long=31` and `xz --lzma2=dict=512MiB`.
TEST(PlainText, AnArchiveThatTakesTooMuchMemoryIsNotCalledDamaged) {
  const std::string_view xz =
      "\xfd\x37\x7a\x58\x5a\x00\x00\x04\xe6\xd6\xb4\x46\x02\x00\x21\x01\x22\x00\x00\x00\x82\x40\xac\xdc\x01"
      "\x00"
      "\x03\x6f\x6e\x65\x0a\x00\xf5\x5c\xbb\x56\x1f\xc6\xfd\x86\x00\x01\x1c\x04\x6f\x2c\x9c\xc1\x1f\xb6\xf3"
      "\x7d"
      "\x01\x00\x00\x00\x00\x04\x59\x5a"sv;
  const std::string_view zstd = "\x28\xb5\x2f\xfd\x04\xa8\x21\x00\x00\x6f\x6e\x65\x0a\xdf\x16\x68\x09"sv;
  const std::string told = "error: unpacking the log takes more than 128 MiB of memory; unpack it first";
  EXPECT_EQ(ReadAll(std::string(xz)), told);
  EXPECT_EQ(ReadAll(std::string(zstd)), told);
}

TEST(PlainText, PaddingAfterAPartIsSkipped) {
  for (const size_t count : {size_t{1}, size_t{512}, size_t{100'000}}) {
    const std::string zeros(count, '\0');
    for (const size_t step : {size_t{1}, size_t{4096}}) {
      EXPECT_EQ(ReadAll(Gzip("one\n") + zeros + Gzip("two\n") + zeros, step), "one\ntwo\n");
      EXPECT_EQ(ReadAll(Xz("one\n") + zeros + Xz("two\n") + zeros, step), "one\ntwo\n");
      EXPECT_EQ(ReadAll(Zstd("one\n") + zeros + Zstd("two\n") + zeros, step), "one\ntwo\n");
    }
  }
}

TEST(PlainText, SomethingElseAfterAnArchiveIsNotPartOfTheLog) {
  EXPECT_EQ(ReadAll(Gzip("one\n") + "signature"), "one\n");
  EXPECT_EQ(ReadAll(Xz("one\n") + "signature"), "one\n");
  EXPECT_EQ(ReadAll(Zstd("one\n") + "signature"), "one\n");
  // A frame that zstd's readers skip.
  EXPECT_EQ(ReadAll(Zstd("one\n") + std::string("\x50\x2a\x4d\x18\3\0\0\0abc", 11) + Zstd("two\n")),
            "one\ntwo\n");
}

TEST(PlainText, ALogThatWasCutOffIsReadUpToThere) {
  const std::string gzip = Gzip(SomeLog());
  const std::string text = ReadAll(gzip.substr(0, gzip.size() / 2));
  EXPECT_GT(text.size(), 100u);
  EXPECT_TRUE(SomeLog().starts_with(text));
}

TEST(PlainText, DamageIsAnError) {
  std::string gzip = Gzip(SomeLog());
  gzip[gzip.size() / 2] = static_cast<char>(gzip[gzip.size() / 2] ^ 0x55);
  gzip[gzip.size() / 2 + 1] = static_cast<char>(gzip[gzip.size() / 2 + 1] ^ 0x55);
  EXPECT_EQ(ReadAll(gzip), "error: the compressed log is damaged");
}

TEST(PlainText, RewritesUtf16) {
  for (const bool big_endian : {false, true}) {
    for (const bool mark : {false, true}) {
      EXPECT_EQ(ReadAll(Utf16("CUDA error 35\r\n", big_endian, mark), 3), "CUDA error 35\r\n");
    }
  }
  EXPECT_EQ(ReadAll("\xff\xfe" + std::string("\x3d\xd8\x00\xde", 4)),
            "\xF0\x9F\x98\x80");  // a surrogate pair
  EXPECT_EQ(ReadAll("\xff\xfe" + std::string("\x00\xd8", 2) + Utf16("a", false, false)),
            "\xEF\xBF\xBD"
            "a");  // half of one
}

TEST(PlainText, BinaryBytesStayAsTheyAre) {
  std::string bytes;
  for (int i = 0; i < 3000; ++i) bytes += static_cast<char>(i * 31 % 251);
  EXPECT_EQ(ReadAll(bytes), bytes);
}

}  // namespace
}  // namespace culprit::logs
