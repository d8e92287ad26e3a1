// Contents of a section by name.
#include "binfmt/elf/section_text.h"

#include <gtest/gtest.h>

#include "binfmt/elf/write.h"
#include "binfmt/elf/write_sections.h"

namespace culprit::binfmt {
namespace {

TEST(ElfSectionText, TheSectionOfThatNameIsRead) {
  const std::string file = AddSections(BuildElf({}), {{".text", "code"}, {".modinfo", "version=580.95.05"}});
  EXPECT_EQ(ReadElfSection(AsSource(file), ".modinfo", 1000), "version=580.95.05");
  EXPECT_EQ(ReadElfSection(AsSource(file), ".mod", 1000), std::nullopt);
}

TEST(ElfSectionText, WhatIsTooLargeOrCutOrNoElfIsNothing) {
  const std::string file = AddSections(BuildElf({}), {{".modinfo", "version=580.95.05"}});
  EXPECT_EQ(ReadElfSection(AsSource(file), ".modinfo", 5), std::nullopt);
  for (size_t size = 0; size < file.size(); ++size) {
    const std::string cut = file.substr(0, size);
    EXPECT_EQ(ReadElfSection(AsSource(cut), ".modinfo", 1000), std::nullopt) << size;
  }
  EXPECT_EQ(ReadElfSection(AsSource("not an ELF file"), ".modinfo", 1000), std::nullopt);
}

}  // namespace
}  // namespace culprit::binfmt
