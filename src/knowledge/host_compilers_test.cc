// Real questions to the table of host compilers; also compared with the installed toolkit.
#include "knowledge/host_compilers.h"

#include <gtest/gtest.h>

#include <fstream>
#include <regex>
#include <sstream>

#include "knowledge/packages/release.h"

namespace culprit::knowledge {
namespace {

Verdict Gcc(std::string_view cuda, std::string_view gcc) { return GccFits(Known(cuda), Known(gcc)).verdict; }
Verdict Clang(std::string_view cuda, std::string_view clang) {
  return ClangFits(Known(cuda), Known(clang)).verdict;
}

TEST(HostCompilers, GccAboveTheLimitIsRefused) {
  EXPECT_EQ(Gcc("12.3", "12"), Verdict::kYes);
  EXPECT_EQ(Gcc("12.3", "12.4"), Verdict::kYes);
  EXPECT_EQ(Gcc("12.3", "13"), Verdict::kNo);
  EXPECT_EQ(Gcc("12.4", "13.2"), Verdict::kYes);
  EXPECT_EQ(Gcc("12.4", "13.3"), Verdict::kYes) << "the header looks at the major alone";
  EXPECT_EQ(Gcc("12.4", "14"), Verdict::kNo);
  EXPECT_EQ(Gcc("13.4", "16.2"), Verdict::kYes);
  EXPECT_EQ(Gcc("13.4", "17"), Verdict::kNo);
  EXPECT_EQ(Gcc("11.4.0", "11"), Verdict::kNo);
  EXPECT_EQ(Gcc("11.4.2", "11"), Verdict::kYes);
}

TEST(HostCompilers, GccBelowTheLimitIsRefused) {
  EXPECT_EQ(Gcc("12.4", "5"), Verdict::kNo);
  EXPECT_EQ(Gcc("13.0", "5"), Verdict::kNo);
}

TEST(HostCompilers, ClangAndMsvc) {
  EXPECT_EQ(Clang("12.6", "18"), Verdict::kYes);
  EXPECT_EQ(Clang("12.6", "19"), Verdict::kNo);
  EXPECT_EQ(Clang("12.2.0", "16"), Verdict::kNo);
  EXPECT_EQ(Clang("12.2.1", "16"), Verdict::kYes);
  EXPECT_EQ(MsvcFits(Known("13.4"), 1959).verdict, Verdict::kYes);
  EXPECT_EQ(MsvcFits(Known("12.3"), 1939).verdict, Verdict::kYes);
  EXPECT_EQ(MsvcFits(Known("12.3"), 1940).verdict, Verdict::kNo);
}

TEST(HostCompilers, WhatIsNotInTheTableIsUnknown) {
  EXPECT_EQ(Gcc("14.0", "15"), Verdict::kUnknown);
  EXPECT_EQ(Gcc("12", "12"), Verdict::kUnknown);
  EXPECT_EQ(MsvcFits(Known("14.0"), 1940).verdict, Verdict::kUnknown);
}

TEST(HostCompilerTables, RowsRise) {
  const NvccRow* before = nullptr;
  for (const NvccRow& row : NvccRows()) {
    if (before != nullptr) {
      EXPECT_LT(Known(before->cuda), Known(row.cuda));
    }
    if (!row.gcc_min.empty()) {
      EXPECT_LE(Known(row.gcc_min), Known(row.gcc_max)) << row.cuda;
    }
    if (before != nullptr && !row.gcc_max.empty()) {
      EXPECT_LE(Known(before->gcc_max), Known(row.gcc_max)) << row.cuda;
    }
    EXPECT_EQ(row.msvc_min == 0, row.msvc_below == 0) << row.cuda;
    if (!row.gcc_max.empty()) before = &row;
  }
}

// Every wheel of the compiler says what its release accepts.
TEST(HostCompilerTables, AgreeWithTheHeadersInWheels) {
  ASSERT_FALSE(NvccHeaders().empty());
  for (const NvccHeader& header : NvccHeaders()) {
    SCOPED_TRACE("crt/host_config.h in " + Text(header.package) + " " + Text(header.version));
    const NvccRow* row = FindNvcc(Known(header.cuda));
    ASSERT_NE(row, nullptr) << "add an [[nvcc]] row for CUDA " << header.cuda;
    EXPECT_EQ(row->gcc_max, std::to_string(header.gcc_max));
    EXPECT_EQ(row->clang_max, std::to_string(header.clang_max));
    EXPECT_EQ(row->msvc_min, header.msvc_min);
    EXPECT_EQ(row->msvc_below, header.msvc_below);
  }
}

// The limits that the header of the installed toolkit enforces.
TEST(ToolkitHeaders, EnforceTheLimitsOfHostCompilers) {
  std::ifstream header("/usr/local/cuda/include/crt/host_config.h");
  std::ifstream version("/usr/local/cuda/include/cuda.h");
  if (!header || !version) GTEST_SKIP() << "there is no CUDA toolkit in /usr/local/cuda";
  std::ostringstream text, cuda_text;
  text << header.rdbuf();
  cuda_text << version.rdbuf();
  const std::string config = text.str(), cuda_h = cuda_text.str();
  std::smatch found;
  ASSERT_TRUE(std::regex_search(cuda_h, found, std::regex("#define CUDA_VERSION ([0-9]+)")));
  const int number = std::stoi(found[1]);
  const NvccRow* row = FindNvcc(
      base::Version{{static_cast<uint32_t>(number / 1000), static_cast<uint32_t>(number % 1000 / 10)}});
  ASSERT_NE(row, nullptr) << number;
  ASSERT_TRUE(
      std::regex_search(config, found, std::regex("gcc versions later than ([0-9]+) are not supported")));
  EXPECT_EQ(std::to_string(Known(row->gcc_max).part(0)), found[1]);
  ASSERT_TRUE(std::regex_search(config, found, std::regex("clang version must be less than ([0-9]+)")));
  EXPECT_EQ(std::to_string(Known(row->clang_max).part(0) + 1), found[1]);
  ASSERT_TRUE(
      std::regex_search(config, found, std::regex("_MSC_VER < ([0-9]+) \\|\\| _MSC_VER >= ([0-9]+)")));
  EXPECT_EQ(std::to_string(row->msvc_min), found[1]);
  EXPECT_EQ(std::to_string(row->msvc_below), found[2]);
}

}  // namespace
}  // namespace culprit::knowledge
