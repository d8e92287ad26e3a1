#include "binfmt/library_names.h"

#include <gtest/gtest.h>

#include <string>

#include "binfmt/elf/write.h"
#include "binfmt/elf/write_sections.h"

namespace culprit::binfmt {
namespace {

using LibraryNames = std::vector<std::string>;
using namespace std::string_literals;

LibraryNames LibraryNamesIn(const std::string& constants, const std::string& symbols = "\0dlopen\0"s) {
  const std::string bytes = AddSections(BuildElf({}), {{".dynstr", symbols}, {".rodata", constants}});
  const base::MemorySource source = AsSource(bytes);
  return ReadLibraryNames(source, ReadElf(source));
}

TEST(LibraryNames, WholeTextsOnly) {
  EXPECT_EQ(LibraryNamesIn("\0libcudnn.so.9\0libcublas.so\0libcudart.so.11.0\0"s),
            (LibraryNames{"libcublas.so", "libcudart.so.11.0", "libcudnn.so.9"}));
  EXPECT_EQ(LibraryNamesIn("cannot open libcudnn.so.9\0/opt/libcublas.so.12\0libnvrtc.so.\0cudnn.so.9\0"s),
            LibraryNames{});
  EXPECT_EQ(LibraryNamesIn("\0libcudnn.so.%d\0libcudnn.sox\0libcudnn.so.9a\0"s), LibraryNames{});
}

TEST(LibraryNames, AtTheBordersOfTheSection) {
  EXPECT_EQ(LibraryNamesIn("libcudnn.so.9"s), LibraryNames{"libcudnn.so.9"});
  EXPECT_EQ(LibraryNamesIn("libcudnn.so.9\0"s), LibraryNames{"libcudnn.so.9"});
}

TEST(LibraryNames, OnlyOfFilesThatOpenLibraries) {
  EXPECT_EQ(LibraryNamesIn("\0libcudnn.so.9\0"s, "\0malloc\0"s), LibraryNames{});
  EXPECT_EQ(LibraryNamesIn("\0libcudnn.so.9\0"s, "\0my_dlopen\0dlopen_it\0"s), LibraryNames{});
  EXPECT_EQ(LibraryNamesIn("\0libcudnn.so.9\0"s, "\0dlmopen\0"s), LibraryNames{"libcudnn.so.9"});
}

TEST(LibraryNames, AcrossTheBorderOfWhatIsReadAtOnce) {
  for (const size_t before : {(1u << 20) - 8, (1u << 20) - 1, 1u << 20, (1u << 20) + 250}) {
    EXPECT_EQ(LibraryNamesIn(std::string(before, 'x') + "\0libcudnn.so.9\0"s), LibraryNames{"libcudnn.so.9"})
        << before;
  }
}

}  // namespace
}  // namespace culprit::binfmt
