// The numbers in sonames are not those of CUDA; and the names agree with libraries.toml.
#include "knowledge/packages/sonames.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "knowledge/libraries.h"

namespace culprit::knowledge {
namespace {

std::vector<std::string> CudaOfSoname(std::string_view name) {
  const SonameRow* row = FindSoname(name);
  return row == nullptr ? std::vector<std::string>()
                        : std::vector<std::string>(row->cuda.begin(), row->cuda.end());
}

using Releases = std::vector<std::string>;

TEST(Sonames, TellTheCudaOfALibrary) {
  EXPECT_EQ(CudaOfSoname("libcufft.so.11"), Releases({"12"}));
  EXPECT_EQ(CudaOfSoname("libcusolver.so.12"), Releases({"13"}));
  EXPECT_EQ(CudaOfSoname("libcurand.so.10"), Releases({"10.1", "10.2", "11", "12", "13"}));
  EXPECT_EQ(CudaOfSoname("libcusparse.so.12"), Releases({"12", "13"}));
  EXPECT_EQ(CudaOfSoname("cufft64_11.dll"), Releases({"12"}));
  EXPECT_EQ(CudaOfSoname("libcudart.so.10.2"), Releases({"10.2"}));
  EXPECT_EQ(FindSoname("libcudnn.so.9"), nullptr);
}

TEST(Sonames, TellTheCudaMajorIfThereIsOne) {
  EXPECT_EQ(CudaMajorOf(*FindSoname("libcufft.so.11")), "12");
  EXPECT_EQ(CudaMajorOf(*FindSoname("libcublas.so.10")), "10") << "of 10.1 and 10.2";
  EXPECT_EQ(CudaMajorOf(*FindSoname("libcusparse.so.12")), "") << "of 12 and 13";
}

TEST(SonameTables, LinuxNamesAreThoseOfTheLibraryTable) {
  for (const SonameRow& row : SonameRows()) {
    if (row.name.ends_with(".dll")) continue;
    const Library* library = FindLibrary(row.name);
    ASSERT_NE(library, nullptr) << row.name;
    EXPECT_EQ(std::ranges::count(library->sonames, row.name), 1) << row.name;
    EXPECT_EQ(library->name, row.library) << row.name;
  }
}

}  // namespace
}  // namespace culprit::knowledge
