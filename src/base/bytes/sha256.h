// SHA-256 (FIPS 180-4), for comparing installed files with the hashes in their package's record, and tables
// with their digest. Not used for security.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace culprit::base {

class Sha256 {
 public:
  // `use_cpu`: by the CPU's instructions for it, where it has any; false is for tests.
  explicit Sha256(bool use_cpu = true) : use_cpu_(use_cpu) {}
  void Add(std::span<const std::byte> bytes);
  // The hash of everything that was added, as in RECORD: base64 with '-' and '_', no padding. Call it once.
  std::string UrlSafeBase64();
  // The same as sha256sum prints it. Call only one of the two.
  std::string Hex();

 private:
  void Finish();
  void Block(const uint8_t* block);
  void Blocks(const uint8_t* blocks, size_t count);

  bool use_cpu_;
  std::array<uint32_t, 8> state_ = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                    0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<uint8_t, 64> pending_{};
  size_t pending_size_ = 0;
  uint64_t total_ = 0;
};

}  // namespace culprit::base
