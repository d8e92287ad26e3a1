#include "base/bytes/sha256.h"

#include <gtest/gtest.h>

#include <string>

namespace culprit::base {
namespace {

std::string Hash(const std::string& text, size_t piece, bool use_cpu = true) {
  Sha256 hash(use_cpu);
  for (size_t at = 0; at < text.size(); at += piece) {
    hash.Add(std::as_bytes(std::span(text).subspan(at, std::min(piece, text.size() - at))));
  }
  return hash.UrlSafeBase64();
}

// Expected: `printf TEXT | sha256sum | xxd -r -p | base64`, with - and _ and without padding.
TEST(Sha256, AgreesWithSha256sum) {
  EXPECT_EQ(Hash("", 1), "47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU");
  EXPECT_EQ(Hash("abc", 1), "ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0");
  const std::string long_text(1000, 'a');
  EXPECT_EQ(Hash(long_text, 1000), "Qe3s5C1j6Nm_UVqbppMuHCDLyfWl0TRkWttdsblzfqM");
  EXPECT_EQ(Hash(long_text, 7), Hash(long_text, 1000));
}

TEST(Sha256, InstructionsOfTheCpuAgreeWithTheLoop) {
  std::string text;
  for (uint32_t i = 0; i < 700; ++i) {
    text += static_cast<char>(i * 2654435761u >> 24);
    EXPECT_EQ(Hash(text, 1000), Hash(text, 1000, /*use_cpu=*/false)) << i;
  }
}

}  // namespace
}  // namespace culprit::base
