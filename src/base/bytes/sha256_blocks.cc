// Arm: FEAT_SHA256, "SHA256 hash update" in the Arm Architecture Reference Manual. x86: Intel SHA Extensions
// (Gulley et al., July 2013). Both keep the state in two vectors and do four rounds with the sum of message
// and constants; tests compare with the portable loop. The sixteen steps are written as four times four, so
// that every compiler keeps the message in registers.
#include "base/bytes/sha256_blocks.h"

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

struct ArmState {
  uint32x4_t first, second;
};

CULPRIT_SHA inline void FourRounds(ArmState& state, uint32x4_t words, const uint32_t* constants) {
  const uint32x4_t sum = vaddq_u32(words, vld1q_u32(constants));
  uint32x4_t old = state.first;
  asm("" : "+w"(old));  // the copy is what waits, not the chain of the rounds
  state.first = vsha256hq_u32(state.first, state.second, sum);
  state.second = vsha256h2q_u32(state.second, old, sum);
}

// The four words that follow these sixteen.
CULPRIT_SHA inline uint32x4_t NextWords(uint32x4_t a, uint32x4_t b, uint32x4_t c, uint32x4_t d) {
  return vsha256su1q_u32(vsha256su0q_u32(a, b), c, d);
}

CULPRIT_SHA void AddByArm(std::array<uint32_t, 8>& state, const uint8_t* block, size_t count) {
  ArmState now{vld1q_u32(state.data()), vld1q_u32(state.data() + 4)};
  const auto load = [](const uint8_t* from) { return vreinterpretq_u32_u8(vrev32q_u8(vld1q_u8(from))); };
  for (; count > 0; --count, block += 64) {
    const ArmState before = now;
    uint32x4_t a = load(block), b = load(block + 16), c = load(block + 32), d = load(block + 48);
    const uint32_t* k = kSha256Rounds.data();
    for (int i = 0; i < 3; ++i, k += 16) {
      FourRounds(now, a, k);
      a = NextWords(a, b, c, d);
      FourRounds(now, b, k + 4);
      b = NextWords(b, c, d, a);
      FourRounds(now, c, k + 8);
      c = NextWords(c, d, a, b);
      FourRounds(now, d, k + 12);
      d = NextWords(d, a, b, c);
    }
    FourRounds(now, a, k);
    FourRounds(now, b, k + 4);
    FourRounds(now, c, k + 8);
    FourRounds(now, d, k + 12);
    now.first = vaddq_u32(now.first, before.first);
    now.second = vaddq_u32(now.second, before.second);
  }
  vst1q_u32(state.data(), now.first);
  vst1q_u32(state.data() + 4, now.second);
}

}  // namespace

bool Sha256ByCpu(std::array<uint32_t, 8>& state, const uint8_t* blocks, size_t count) {
  static const bool can = (getauxval(AT_HWCAP) & HWCAP_SHA2) != 0;
  if (can) AddByArm(state, blocks, count);
  return can;
}

#elif defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))

namespace {

#define CULPRIT_SHA __attribute__((target("sha,sse4.1,ssse3")))

struct IntelState {
  __m128i abef, cdgh;
};

CULPRIT_SHA inline __m128i Load(const void* from) {
  return _mm_loadu_si128(static_cast<const __m128i*>(from));
}

CULPRIT_SHA inline void FourRounds(IntelState& state, __m128i words, const uint32_t* constants) {
  const __m128i sum = _mm_add_epi32(words, Load(constants));
  state.cdgh = _mm_sha256rnds2_epu32(state.cdgh, state.abef, sum);
  state.abef = _mm_sha256rnds2_epu32(state.abef, state.cdgh, _mm_shuffle_epi32(sum, 0x0e));
}

// The four words that follow these sixteen.
CULPRIT_SHA inline __m128i NextWords(__m128i a, __m128i b, __m128i c, __m128i d) {
  return _mm_sha256msg2_epu32(_mm_add_epi32(_mm_sha256msg1_epu32(a, b), _mm_alignr_epi8(d, c, 4)), d);
}

CULPRIT_SHA void AddByIntel(std::array<uint32_t, 8>& state, const uint8_t* block, size_t count) {
  const __m128i swap = _mm_set_epi64x(0x0c0d0e0f08090a0bLL, 0x0405060700010203LL);
  const __m128i cdab = _mm_shuffle_epi32(Load(state.data()), 0xb1);
  const __m128i efgh = _mm_shuffle_epi32(Load(state.data() + 4), 0x1b);
  IntelState now{_mm_alignr_epi8(cdab, efgh, 8), _mm_blend_epi16(efgh, cdab, 0xf0)};
  for (; count > 0; --count, block += 64) {
    const IntelState before = now;
    __m128i a = _mm_shuffle_epi8(Load(block), swap), b = _mm_shuffle_epi8(Load(block + 16), swap);
    __m128i c = _mm_shuffle_epi8(Load(block + 32), swap), d = _mm_shuffle_epi8(Load(block + 48), swap);
    const uint32_t* k = kSha256Rounds.data();
    for (int i = 0; i < 3; ++i, k += 16) {
      FourRounds(now, a, k);
      a = NextWords(a, b, c, d);
      FourRounds(now, b, k + 4);
      b = NextWords(b, c, d, a);
      FourRounds(now, c, k + 8);
      c = NextWords(c, d, a, b);
      FourRounds(now, d, k + 12);
      d = NextWords(d, a, b, c);
    }
    FourRounds(now, a, k);
    FourRounds(now, b, k + 4);
    FourRounds(now, c, k + 8);
    FourRounds(now, d, k + 12);
    now.abef = _mm_add_epi32(now.abef, before.abef);
    now.cdgh = _mm_add_epi32(now.cdgh, before.cdgh);
  }
  const __m128i feba = _mm_shuffle_epi32(now.abef, 0x1b), dchg = _mm_shuffle_epi32(now.cdgh, 0xb1);
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
