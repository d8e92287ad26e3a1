// What a file wants from its process, and whether a file defines a name.
#include "binfmt/elf/wanted.h"

#include <gtest/gtest.h>

#include "binfmt/elf/defined.h"
#include "binfmt/elf/symbol_count.h"
#include "binfmt/elf/write.h"

namespace culprit::binfmt {
namespace {

struct HashFormat {
  const char* name;
  int bits;
  bool big_endian;
  ElfSpec::Hash hash;
};

class WantedOfEveryFormat : public ::testing::TestWithParam<HashFormat> {
 protected:
  ElfSpec Spec() const {
    return {.bits = GetParam().bits,
            .big_endian = GetParam().big_endian,
            .version_needs = {{"libx.so.1", {{"libx.so.1", false}}}},
            .imports = {{"of_libx", "libx.so.1"}},
            .undefined = {"ncclCommInitRank", "ncclCommWindowRegister"},
            .words = {{"own", 1}, {"other", 2}},
            .hash = GetParam().hash};
  }
};
INSTANTIATE_TEST_SUITE_P(Formats, WantedOfEveryFormat,
                         ::testing::Values(HashFormat{"Little64", 64, false, ElfSpec::Hash::kGnu},
                                           HashFormat{"Sysv64", 64, false, ElfSpec::Hash::kSysv},
                                           HashFormat{"Big64", 64, true, ElfSpec::Hash::kGnu},
                                           HashFormat{"Little32", 32, false, ElfSpec::Hash::kGnu},
                                           HashFormat{"Sysv32", 32, true, ElfSpec::Hash::kSysv}),
                         [](const auto& format) { return std::string(format.param.name); });

std::vector<ElfUnbound> Unbound(const std::string& bytes) {
  const auto source = AsSource(bytes);
  const ElfFile elf = ReadElf(source);
  const auto wanted = ReadElfWanted(source, elf);
  return wanted ? ReadElfUnbound(source, elf, *wanted) : std::vector<ElfUnbound>{};
}

TEST_P(WantedOfEveryFormat, AreTheSymbolsWithoutAVersion) {
  ElfSpec spec = Spec();
  const auto unbound = Unbound(BuildElf(spec));
  ASSERT_EQ(unbound.size(), 2u);
  EXPECT_EQ(unbound[0].name, "ncclCommInitRank");
  EXPECT_EQ(unbound[1].name, "ncclCommWindowRegister");
  EXPECT_TRUE(unbound[0].at_load);
  spec.undefined_calls = true;
  ASSERT_EQ(Unbound(BuildElf(spec)).size(), 2u);
  EXPECT_FALSE(Unbound(BuildElf(spec))[0].at_load);
}

TEST_P(WantedOfEveryFormat, AreFoundInAFileThatDefinesNothing) {
  ElfSpec spec = Spec();
  spec.words.clear();
  EXPECT_EQ(Unbound(BuildElf(spec)).size(), 2u);
}

TEST_P(WantedOfEveryFormat, DefinedNamesAreFoundByTheirHash) {
  const std::string bytes = BuildElf(Spec());
  const auto source = AsSource(bytes);
  const auto defined = ElfDefined::Read(source, ReadElf(source));
  ASSERT_TRUE(defined);
  EXPECT_TRUE(defined->Has("own"));
  EXPECT_TRUE(defined->Has("other"));
  EXPECT_FALSE(defined->Has("ncclCommInitRank"));
  EXPECT_FALSE(defined->Has("of_libx"));
}

TEST(Wanted, TheHashOfANameIsThatOfTheLoader) {
  std::string name;
  for (uint32_t hash = 5381; name.size() < 40; name += static_cast<char>(name.size() * 37 + 200)) {
    EXPECT_EQ(GnuHash(name), hash) << name.size();
    hash = hash * 33 + static_cast<unsigned char>(name.size() * 37 + 200);  // elf/dl-new-hash.h
  }
}

TEST(Wanted, WhatAFileDefinesThatSaysNothingIsNotKnown) {
  const std::string bytes = BuildElf({.soname = "liba.so.1"});
  EXPECT_FALSE(ElfDefined::Read(AsSource(bytes), ReadElf(AsSource(bytes))));
}

TEST(Wanted, TheNearestNameAgreesInTheFirstWord) {
  const std::string bytes = BuildElf({.words = {{"ncclCommInitRank", 1},
                                                {"ncclSend", 1},
                                                {"ncx", 1},
                                                {"_ZN3c106detail14torchCheckFailEPKcRKSs", 1},
                                                {"_ZN3c104warnE", 1}}});
  const auto source = AsSource(bytes);
  const std::vector<std::string> names = {"ncclCommWindowRegister",
                                          "_ZN3c106detail14torchCheckFailEPKcRKNSt7__cxx1112basic_stringE",
                                          "_ZN4caff3fooE", "ncb", "_Z999"};
  const std::vector<std::string> nearest = {"ncclCommInitRank", "_ZN3c106detail14torchCheckFailEPKcRKSs", "",
                                            "", ""};
  EXPECT_EQ(FindNearestNames(source, ReadElf(source), names), nearest);
}

TEST(Wanted, TablesOutsideTheFileGiveNoAnswer) {
  const ElfSpec spec{.undefined = {"a_symbol", "another"}, .words = {{"own", 1}}};
  const std::string whole = BuildElf(spec);
  const ElfFile elf = ReadElf(AsSource(whole));
  for (size_t size = 0; size < whole.size(); ++size) {
    const std::string cut = whole.substr(0, size);
    const auto wanted = ReadElfWanted(AsSource(cut), elf);
    if (wanted) ReadElfUnbound(AsSource(cut), elf, *wanted);
    ElfDefined::Read(AsSource(cut), elf);
    const std::vector<std::string> names = {"a_symbo1"};
    FindNearestNames(AsSource(cut), elf, names);
  }
}

}  // namespace
}  // namespace culprit::binfmt
