#include "collect/toolkit/nvcc.h"

#include <array>
#include <vector>

#include "base/text.h"
#include "base/version.h"
#include "collect/library/text_search.h"

namespace culprit::collect {
namespace {

constexpr uint64_t kScriptLimit = 64 << 10;
constexpr uint64_t kNvccSearchLimit = 64 << 20;
constexpr std::string_view kMarker = "Cuda compilation tools, release ";

bool IsScript(const base::ByteSource& file) {
  std::array<std::byte, 2> start{};
  const auto got = file.ReadAt(0, start);
  return got && *got == start.size() && start[0] == std::byte{'#'} && start[1] == std::byte{'!'};
}

// The nvcc that a wrapper script starts: the first absolute path in it that ends in "/nvcc".
std::string StartedBy(const std::string& script) {
  for (const std::string& word : base::SplitWords(script, " \t\n\"'=;")) {
    if (word.starts_with('/') && word.ends_with("/nvcc")) return word;
  }
  return "";
}

Nvcc ReadProgram(const system::System& system, const std::string& program, const base::ByteSource& bytes) {
  Nvcc nvcc{.program = system.RealPath(program).value_or(program)};
  const auto text = TextAfter(bytes, kMarker, SearchFrom::kEnd, kNvccSearchLimit);
  if (!text) return nvcc;
  const auto words = base::SplitWords(*text, ", ");  // "13.0", "V13.0.88"
  if (!words.empty() && base::Version::Parse(words[0])) nvcc.release = words[0];
  if (words.size() > 1 && words[1].starts_with('V') && base::Version::Parse(words[1].substr(1)))
    nvcc.version = words[1].substr(1);
  return nvcc;
}

}  // namespace

Nvcc ReadNvcc(const system::System& system, const std::string& path) {
  std::string program = path;
  constexpr int kWrappers = 2;
  for (int wrapper = 0; wrapper <= kWrappers; ++wrapper) {
    const auto file = system.Open(program);
    if (!file || !file->bytes) return {};
    if (!IsScript(*file->bytes)) return ReadProgram(system, program, *file->bytes);
    const auto script = system::ReadWholeFile(system, program, kScriptLimit);
    const std::string next = script ? StartedBy(*script) : "";
    if (next.empty() || next == program) return {.program = program};
    program = next;
  }
  return {.program = program};
}

}  // namespace culprit::collect
