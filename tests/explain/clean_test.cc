// No false alarm: logs of runs that went well, install logs, listings, documentation that mentions errors.
// Every file of tests/explain/clean, and this project's own documents.
#include <filesystem>
#include <fstream>
#include <iterator>

#include "explained.h"

namespace culprit {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> FilesIn(const fs::path& directory) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(directory)) {
    if (entry.is_regular_file()) files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

class Clean : public testing::TestWithParam<fs::path> {};

TEST_P(Clean, NoCause) {
  std::ifstream in(GetParam(), std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  ASSERT_TRUE(in.good() || in.eof());
  for (const report::LikelyCause& cause : Explained(text).causes) {
    ADD_FAILURE() << cause.cause << " for line " << cause.evidence.front().line << ": "
                  << cause.evidence.front().text;
  }
}

std::string NameOf(const testing::TestParamInfo<fs::path>& info) {
  std::string name = info.param.filename();
  for (char& c : name) c = std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  return name;
}

const fs::path kTop = CULPRIT_SOURCE_DIR;

INSTANTIATE_TEST_SUITE_P(Texts, Clean, testing::ValuesIn(FilesIn(kTop / "tests/explain/clean")), NameOf);
INSTANTIATE_TEST_SUITE_P(OwnDocuments, Clean, testing::ValuesIn(FilesIn(kTop / "docs")), NameOf);
INSTANTIATE_TEST_SUITE_P(OwnPages, Clean, testing::Values(kTop / "README.md", kTop / "CHANGELOG.md"), NameOf);

TEST(CleanTexts, AreMany) { EXPECT_GE(FilesIn(kTop / "tests/explain/clean").size(), 40u); }

}  // namespace
}  // namespace culprit
