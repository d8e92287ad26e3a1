#include "binfmt/gpu/runtime_names.h"

#include <gtest/gtest.h>

#include <string>

#include "binfmt/elf/write.h"
#include "binfmt/elf/write_sections.h"

namespace culprit::binfmt {
namespace {

using Names = std::vector<std::string>;
using namespace std::string_literals;

Names NamesIn(const std::string& constants, const std::string& section = ".rodata") {
  const std::string bytes = AddSections(BuildElf({}), {{section, constants}});
  const base::MemorySource source = AsSource(bytes);
  return RuntimeNames(source, ReadElf(source));
}

TEST(RuntimeNames, WholeConstantsOnly) {
  EXPECT_EQ(NamesIn("\0cudaMalloc\0x\0cudaErrorNoDevice\0"s), (Names{"cudaErrorNoDevice", "cudaMalloc"}));
  EXPECT_EQ(NamesIn("\0cudaMalloc failed\0xcudaFree\0cudart\0cuda\0cudaX"s), Names{});
}

TEST(RuntimeNames, OnlyInReadOnlyData) { EXPECT_EQ(NamesIn("\0cudaMalloc\0"s, ".data"), Names{}); }

TEST(RuntimeNames, AcrossTheBorderOfWhatIsReadAtOnce) {
  for (const size_t before : {(1u << 20) - 5, (1u << 20) - 1, 1u << 20}) {
    EXPECT_EQ(NamesIn(std::string(before, 'x') + "\0cudaMalloc\0"s), Names{"cudaMalloc"}) << before;
  }
}

}  // namespace
}  // namespace culprit::binfmt
