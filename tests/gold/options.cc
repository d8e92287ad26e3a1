// See options.h.
#include "options.h"

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <optional>
#include <sstream>
#include <stdexcept>

namespace culprit::gold {
namespace {

[[noreturn]] void Usage(const char* program) {
  std::fprintf(stderr,
               "usage: %s [--count N] [--seed S] [--known FILE] [--jobs N] [--limit SECONDS] [--keep DIR] "
               "[--features] "
               "[--show]\n",
               program);
  std::exit(64);
}

std::optional<uint64_t> Number(std::string_view text) {
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// The file has lines "PROGRAM SEED what differed"; '#' starts a comment.
std::vector<uint64_t> KnownSeeds(const std::string& file, std::string_view program) {
  std::ifstream stream(file);
  if (!stream) throw std::runtime_error(file + ": cannot be read");
  std::vector<uint64_t> seeds;
  for (std::string line; std::getline(stream, line);) {
    std::istringstream words(line);
    std::string name, text;
    if (!(words >> name) || name.starts_with('#')) continue;
    words >> text;
    const auto seed = Number(text);
    if (!seed) throw std::runtime_error(file + ": no seed in: " + line);
    if (name == program) seeds.push_back(*seed);
  }
  return seeds;
}

}  // namespace

Options ParseOptions(int argc, char** argv, const Defaults& defaults) {
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
    if (name == "--known") {
      options.seeds = KnownSeeds(std::string(value), defaults.program);
      continue;
    }
    auto& number = name == "--seed" ? seed : name == "--count" ? count : name == "--limit" ? limit : jobs;
    if (name != "--seed" && name != "--count" && name != "--limit" && name != "--jobs") Usage(argv[0]);
    number = Number(value);
    if (!number) Usage(argv[0]);
  }
  options.count = count ? *count : seed ? 1 : defaults.count;
  if (defaults.seed != 0) {
    for (uint64_t i = 0; i < options.count; ++i) options.seeds.push_back(seed.value_or(defaults.seed) + i);
  }
  options.limit = limit.value_or(0);
  if (jobs && *jobs > 0) options.jobs = static_cast<unsigned>(*jobs);
  return options;
}

int RunMain(const char* program, int (*run)(int, char**), int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", program, error.what());
    return 2;
  }
}

}  // namespace culprit::gold
