// See options.h.
#include "options.h"

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string_view>

#include "pool.h"

namespace culprit::gold {
namespace {

[[noreturn]] void Usage(const char* program) {
  std::fprintf(
      stderr,
      "usage: %s [--count N] [--seed S] [--jobs N] [--limit SECONDS] [--keep DIR] [--features] [--show]\n",
      program);
  std::exit(64);
}

std::optional<uint64_t> Number(std::string_view text) {
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

Options ParseOptions(int argc, char** argv, uint64_t default_count) {
  Options options;
  std::optional<uint64_t> seed, count, jobs, limit;
  for (int i = 1; i < argc; ++i) {
    const std::string_view name = argv[i];
    if (name == "--features") {
      options.features = true;
      continue;
    }
    if (name == "--show") {
      options.show = true;
      continue;
    }
    if (i + 1 >= argc) Usage(argv[0]);
    const std::string_view value = argv[++i];
    if (name == "--keep") {
      options.keep = value;
      continue;
    }
    auto& number = name == "--seed" ? seed : name == "--count" ? count : name == "--limit" ? limit : jobs;
    if (name != "--seed" && name != "--count" && name != "--limit" && name != "--jobs") Usage(argv[0]);
    number = Number(value);
    if (!number) Usage(argv[0]);
  }
  options.seed = seed ? *seed : FreshSeed();
  options.count = count ? *count : seed ? 1 : default_count;
  options.limit = limit.value_or(0);
  if (jobs && *jobs > 0) options.jobs = static_cast<unsigned>(*jobs);
  return options;
}

}  // namespace culprit::gold
