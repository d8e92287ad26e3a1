// Compares the tables with the real CUDA toolkit of this machine, if there is one: what they say about a
// library must be in its file. Files over 300 MB are left out because reading them takes too long.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "knowledge/libraries.h"

namespace culprit::knowledge {
namespace {

namespace fs = std::filesystem;

const fs::path kLibraries = "/usr/local/cuda/lib64";
const fs::path kRecords = "/usr/local/cuda/dist-info";  // of the wheels that the toolkit was unpacked from

// The texts that do not occur in the file, which is read in overlapping blocks until all are found.
std::set<std::string> MissingIn(const fs::path& file, std::set<std::string> texts) {
  constexpr size_t kBlock = 8 << 20;
  size_t overlap = 0;
  for (const std::string& text : texts) overlap = std::max(overlap, text.size());
  std::vector<char> block(overlap + kBlock);
  std::ifstream stream(file, std::ios::binary);
  size_t kept = 0;
  while (!texts.empty() && stream) {
    stream.read(block.data() + kept, kBlock);
    const size_t size = kept + static_cast<size_t>(stream.gcount());
    const std::string_view seen(block.data(), size);
    std::erase_if(texts, [&](const std::string& text) { return seen.find(text) != std::string_view::npos; });
    kept = std::min(overlap, size);
    std::memmove(block.data(), block.data() + size - kept, kept);
  }
  return texts;
}

// "$ORIGIN/libx.so.{major}" -> "libx.so": version numbers are added at run time.
std::string StemOf(std::string_view name) {
  if (const size_t slash = name.rfind('/'); slash != std::string_view::npos) name.remove_prefix(slash + 1);
  return std::string(name.substr(0, name.find(".so") + 3));
}

struct Build {
  std::string version;
  std::string cuda;
};

// From the name of the record: nvidia_cudnn_cu13-9.19.0.56.dist-info; wheels without a suffix are for CUDA
// 13.
Build BuildOf(const Library& library) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(kRecords, error)) {
    const std::string name = entry.path().stem();
    const std::string package = name.substr(0, name.find('-'));
    if (std::ranges::find(library.packages, package) == library.packages.end()) continue;
    const size_t suffix = package.rfind("_cu1");
    return {name.substr(package.size() + 1), suffix == std::string::npos ? "13" : package.substr(suffix + 3)};
  }
  return {};
}

class Toolkit : public testing::Test {
 protected:
  void SetUp() override {
    if (!fs::is_directory(kLibraries)) GTEST_SKIP() << "no CUDA toolkit in " << kLibraries;
  }
};

TEST_F(Toolkit, EveryNameThatALibraryOpensLiesInItsFile) {
  size_t looked_at = 0;
  for (const Library& library : Libraries()) {
    const Build build = BuildOf(library);
    std::set<std::string> names(library.version_symbols.begin(), library.version_symbols.end());
    for (const DlopenEdge& edge : library.opens) {
      if (!Applies(edge, build.version, build.cuda)) continue;
      for (const std::string_view name : edge.names) names.insert(StemOf(name));
    }
    for (const std::string_view soname : library.sonames) {
      const fs::path file = kLibraries / soname;
      std::error_code error;
      if (names.empty() || !fs::is_regular_file(file, error)) continue;
      EXPECT_EQ(MissingIn(file, names), std::set<std::string>()) << file;
      ++looked_at;
    }
  }
  EXPECT_GT(looked_at, 0u);
}

TEST_F(Toolkit, EveryLibraryOfTheToolkitIsKnownByItsSoname) {
  // Libraries of tools, and a second NVRTC that only the toolkit for x86-64 has and that nothing loads by
  // itself.
  const std::set<std::string> not_listed = {"libcheckpoint.so", "libnvperf_target.so", "libpcsamplingutil.so",
                                            "libnvrtc.alt.so.13", "libnvrtc-builtins.alt.so.13.0"};
  for (const auto& entry : fs::directory_iterator(kLibraries)) {
    const std::string name = entry.path().filename();
    if (name.find(".so") == std::string::npos || entry.is_symlink() || not_listed.contains(name)) continue;
    const Library* library = FindLibrary(name);
    ASSERT_NE(library, nullptr) << name;
    EXPECT_NE(std::ranges::find(library->sonames, name), library->sonames.end()) << name;
  }
}

}  // namespace
}  // namespace culprit::knowledge
