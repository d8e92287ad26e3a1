// Arm: FEAT_SHA256, "SHA256 hash update" in the Arm Architecture Reference Manual. x86: Intel SHA Extensions
// (Gulley et al., July 2013). Both keep the state in two vectors and do four rounds with the sum of message
// and constants; tests compare with the portable loop.
#include "base/sha256_blocks.h"

#if defined(__aarch64__) && defined(__linux__) && !defined(__clang_analyzer__)
#include <arm_neon.h>
#include <asm/hwcap.h>
#include <sys/auxv.h>
#elif defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#include <cpuid.h>
#include <immintrin.h>
#endif

namespace culprit::base {

#if defined(__aarch64__) && defined(__linux__) && !defined(__clang_analyzer__)

#ifdef __clang__
#define CULPRIT_SHA __attribute__((target("sha2")))
#else
#define CULPRIT_SHA __attribute__((target("+crypto")))
#endif

namespace {

CULPRIT_SHA void AddByArm(std::array<uint32_t, 8>& state, const uint8_t* block, size_t count) {
  uint32x4_t first = vld1q_u32(state.data()), second = vld1q_u32(state.data() + 4);
  for (; count > 0; --count, block += 64) {
    const uint32x4_t first_before = first, second_before = second;
    uint32x4_t words[4];
    for (size_t i = 0; i < 4; ++i) words[i] = vreinterpretq_u32_u8(vrev32q_u8(vld1q_u8(block + 16 * i)));
    for (size_t i = 0; i < 16; ++i) {
      const uint32x4_t sum = vaddq_u32(words[i % 4], vld1q_u32(kSha256Rounds.data() + 4 * i));
      if (i < 12) {
        words[i % 4] = vsha256su1q_u32(vsha256su0q_u32(words[i % 4], words[(i + 1) % 4]), words[(i + 2) % 4],
                                       words[(i + 3) % 4]);
      }
      const uint32x4_t old = first;
      first = vsha256hq_u32(first, second, sum);
      second = vsha256h2q_u32(second, old, sum);
    }
    first = vaddq_u32(first, first_before);
    second = vaddq_u32(second, second_before);
  }
  vst1q_u32(state.data(), first);
  vst1q_u32(state.data() + 4, second);
}

}  // namespace

bool Sha256ByCpu(std::array<uint32_t, 8>& state, const uint8_t* blocks, size_t count) {
  static const bool can = (getauxval(AT_HWCAP) & HWCAP_SHA2) != 0;
  if (can) AddByArm(state, blocks, count);
  return can;
}

#elif defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))

namespace {

__attribute__((target("sha,sse4.1,ssse3"))) void AddByIntel(std::array<uint32_t, 8>& state,
                                                            const uint8_t* block, size_t count) {
  const auto load = [](const void* from) { return _mm_loadu_si128(static_cast<const __m128i*>(from)); };
  const __m128i swap = _mm_set_epi64x(0x0c0d0e0f08090a0bLL, 0x0405060700010203LL);
  const __m128i cdab = _mm_shuffle_epi32(load(state.data()), 0xb1);
  const __m128i efgh = _mm_shuffle_epi32(load(state.data() + 4), 0x1b);
  __m128i abef = _mm_alignr_epi8(cdab, efgh, 8), cdgh = _mm_blend_epi16(efgh, cdab, 0xf0);
  for (; count > 0; --count, block += 64) {
    const __m128i abef_before = abef, cdgh_before = cdgh;
    __m128i words[4];
    for (size_t i = 0; i < 4; ++i) words[i] = _mm_shuffle_epi8(load(block + 16 * i), swap);
    for (size_t i = 0; i < 16; ++i) {
      const __m128i sum = _mm_add_epi32(words[i % 4], load(kSha256Rounds.data() + 4 * i));
      if (i < 12) {
        const __m128i next = _mm_add_epi32(_mm_sha256msg1_epu32(words[i % 4], words[(i + 1) % 4]),
                                           _mm_alignr_epi8(words[(i + 3) % 4], words[(i + 2) % 4], 4));
        words[i % 4] = _mm_sha256msg2_epu32(next, words[(i + 3) % 4]);
      }
      cdgh = _mm_sha256rnds2_epu32(cdgh, abef, sum);
      abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(sum, 0x0e));
    }
    abef = _mm_add_epi32(abef, abef_before);
    cdgh = _mm_add_epi32(cdgh, cdgh_before);
  }
  const __m128i feba = _mm_shuffle_epi32(abef, 0x1b), dchg = _mm_shuffle_epi32(cdgh, 0xb1);
  _mm_storeu_si128(reinterpret_cast<__m128i*>(state.data()), _mm_blend_epi16(feba, dchg, 0xf0));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(state.data() + 4), _mm_alignr_epi8(dchg, feba, 8));
}

bool HasInstructions() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (__get_cpuid(1, &a, &b, &c, &d) == 0 || (c & (1u << 19)) == 0 || (c & (1u << 9)) == 0) return false;
  return __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (b & (1u << 29)) != 0;
}

}  // namespace

bool Sha256ByCpu(std::array<uint32_t, 8>& state, const uint8_t* blocks, size_t count) {
  static const bool can = HasInstructions();
  if (can) AddByIntel(state, blocks, count);
  return can;
}

#else

bool Sha256ByCpu(std::array<uint32_t, 8>&, const uint8_t*, size_t) { return false; }

#endif

}  // namespace culprit::base
