#include "base/bytes/sha256.h"

#include <algorithm>
#include <bit>
#include <string_view>

#include "base/bytes/sha256_blocks.h"

namespace culprit::base {

const std::array<uint32_t, 64> kSha256Rounds = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

void Sha256::Block(const uint8_t* block) {
  std::array<uint32_t, 64> w{};
  for (size_t i = 0; i < 16; ++i) {
    w[i] = uint32_t{block[4 * i]} << 24 | uint32_t{block[4 * i + 1]} << 16 | uint32_t{block[4 * i + 2]} << 8 |
           uint32_t{block[4 * i + 3]};
  }
  for (size_t i = 16; i < 64; ++i) {
    const uint32_t s0 = std::rotr(w[i - 15], 7) ^ std::rotr(w[i - 15], 18) ^ (w[i - 15] >> 3);
    const uint32_t s1 = std::rotr(w[i - 2], 17) ^ std::rotr(w[i - 2], 19) ^ (w[i - 2] >> 10);
    w[i] = w[i - 16] + s0 + w[i - 7] + s1;
  }
  auto [a, b, c, d, e, f, g, h] = state_;
  for (size_t i = 0; i < 64; ++i) {
    const uint32_t s1 = std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25);
    const uint32_t t1 = h + s1 + ((e & f) ^ (~e & g)) + kSha256Rounds[i] + w[i];
    const uint32_t s0 = std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22);
    const uint32_t t2 = s0 + ((a & b) ^ (a & c) ^ (b & c));
    h = g, g = f, f = e, e = d + t1, d = c, c = b, b = a, a = t1 + t2;
  }
  const std::array<uint32_t, 8> sum = {a, b, c, d, e, f, g, h};
  for (size_t i = 0; i < 8; ++i) state_[i] += sum[i];
}

void Sha256::Blocks(const uint8_t* blocks, size_t count) {
  if (use_cpu_ && Sha256ByCpu(state_, blocks, count)) return;
  for (; count > 0; --count, blocks += 64) Block(blocks);
}

void Sha256::Add(std::span<const std::byte> bytes) {
  total_ += bytes.size();
  while (!bytes.empty()) {
    if (pending_size_ == 0 && bytes.size() >= pending_.size()) {
      const size_t count = bytes.size() / pending_.size();
      Blocks(reinterpret_cast<const uint8_t*>(bytes.data()), count);
      bytes = bytes.subspan(count * pending_.size());
      continue;
    }
    const size_t n = std::min(bytes.size(), pending_.size() - pending_size_);
    std::ranges::transform(bytes.first(n), pending_.begin() + static_cast<ptrdiff_t>(pending_size_),
                           [](std::byte b) { return static_cast<uint8_t>(b); });
    pending_size_ += n;
    bytes = bytes.subspan(n);
    if (pending_size_ == pending_.size()) {
      Blocks(pending_.data(), 1);
      pending_size_ = 0;
    }
  }
}

void Sha256::Finish() {
  const uint64_t bits = total_ * 8;
  const std::array<std::byte, 1> end = {std::byte{0x80}};
  const std::array<std::byte, 1> zero = {std::byte{0}};
  Add(end);
  while (pending_size_ != 56) Add(zero);
  for (int shift = 56; shift >= 0; shift -= 8) {
    const std::array<std::byte, 1> part = {static_cast<std::byte>(bits >> shift & 0xff)};
    Add(part);
  }
}

std::string Sha256::Hex() {
  Finish();
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const uint32_t word : state_) {
    for (int shift = 28; shift >= 0; shift -= 4) text += kDigits[word >> shift & 0xf];
  }
  return text;
}

std::string Sha256::UrlSafeBase64() {
  Finish();
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  std::string text;
  uint32_t held = 0;
  int held_bits = 0;
  for (const uint32_t word : state_) {
    for (int shift = 24; shift >= 0; shift -= 8) {
      held = held << 8 | (word >> shift & 0xff);
      held_bits += 8;
      while (held_bits >= 6) {
        held_bits -= 6;
        text += kDigits[held >> held_bits & 0x3f];
      }
    }
  }
  if (held_bits > 0) text += kDigits[held << (6 - held_bits) & 0x3f];
  return text;
}

}  // namespace culprit::base
