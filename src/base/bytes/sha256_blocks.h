// The inner loop of SHA-256, by the instructions that some CPUs have for it: eight times as fast, which
// counts where a hash goes over gigabytes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace culprit::base {

extern const std::array<uint32_t, 64> kSha256Rounds;

// Adds `count` blocks of 64 bytes to the state. False: this CPU has no such instructions, and nothing was
// done.
bool Sha256ByCpu(std::array<uint32_t, 8>& state, const uint8_t* blocks, size_t count);

}  // namespace culprit::base
