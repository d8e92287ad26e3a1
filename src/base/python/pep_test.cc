// Expected answers are those of the Python package "packaging" (24.0).
#include <gtest/gtest.h>

#include "base/python/pep440.h"
#include "base/python/pep508.h"

namespace culprit::base {
namespace {

TEST(Pep440, OrdersVersions) {
  const char* const ascending[] = {"1.0.dev1",  "1.0a1.dev1", "1.0a1", "1.0b2",    "1.0rc1", "1.0",
                                   "1.0.post1", "1.0.1",      "1.10",  "2.0.0rc2", "2",      "1!0.1"};
  for (size_t i = 0; i + 1 < std::size(ascending); ++i) {
    EXPECT_TRUE(PythonVersion::Parse(ascending[i])->ComparePublic(*PythonVersion::Parse(ascending[i + 1])) <
                0)
        << ascending[i];
  }
  EXPECT_TRUE(PythonVersion::Parse("2.0")->ComparePublic(*PythonVersion::Parse("v2")) == 0);
}

TEST(Pep440, RejectsWhatIsNoVersion) {
  for (const char* text : {"", "x", "1..2", "1.0-", "1.0 beta!", "99999999999999999999"}) {
    EXPECT_FALSE(PythonVersion::Parse(text)) << text;
  }
}

TEST(Pep440, Specifiers) {
  struct {
    const char* version;
    const char* specifier;
    bool meets;
  } const cases[] = {{"9.1.0.70", "==9.1.0.70", true},
                     {"9.5.1.17", "==9.1.0.70", false},
                     {"2.5.1+cu124", "==2.5.1", true},
                     {"2.5.1", "==2.5.1+cu124", false},
                     {"2.5.1+cu124", "==2.5.1+cu124", true},
                     {"13.4.1.3", "==13.4.1.3.*", true},
                     {"13.4.2", "==13.4.1.*", false},
                     {"13.5.0", "<14,>=13.0.3", true},
                     {"14.0", "<14,>=13.0.3", false},
                     {"3.9.4", "~=3.9.0", true},
                     {"3.10", "~=3.9.0", false},
                     {"3.10", "~=3.9", true},
                     {"2.6.0rc1", "<2.6", false},
                     {"2.5.1.post1", ">2.5.1", false},
                     {"2.5.1+cu124", ">2.5.1", false},
                     {"8.3.1", "!=8.3.*,>=5.3.0", false},
                     {"1.0", "", true},
                     {"2.0.0", ">=2", true},
                     {"2.6.0a0+git1", ">=2.6", false}};
  for (const auto& one : cases) {
    EXPECT_EQ(Meets(one.version, one.specifier), one.meets) << one.version << " " << one.specifier;
  }
  EXPECT_EQ(Meets("1.0", "about 1"), std::nullopt);
  EXPECT_EQ(Meets("no", ">=1"), std::nullopt);
}

TEST(Pep508, Markers) {
  const MarkerFacts facts{.python = "3.11", .cpu = "x86_64", .extras = {"cublas"}};
  const auto holds = [&](const char* marker) { return Holds(marker, facts); };
  EXPECT_EQ(holds(""), true);
  EXPECT_EQ(holds("platform_system == \"Linux\" and python_version < \"3.15\""), true);
  EXPECT_EQ(holds("python_version < '3.9'"), false);
  EXPECT_EQ(holds("python_version >= '3.9' and python_version < '3.11'"), false);
  EXPECT_EQ(holds("(sys_platform == 'linux' and platform_machine == 'aarch64' or sys_platform == 'linux' and "
                  "platform_machine == 'x86_64') and extra == 'cublas'"),
            true);
  EXPECT_EQ(holds("extra == 'all'"), false);
  EXPECT_EQ(holds("'linux' in sys_platform"), true);
  EXPECT_EQ(holds("platform_machine not in 'arm64 aarch64'"), true);
}

TEST(Pep508, WhatIsNotKnownIsUndecided) {
  const MarkerFacts facts{.python = "", .cpu = "x86_64"};
  EXPECT_EQ(Holds("python_version < '3.9'", facts), std::nullopt);
  EXPECT_EQ(Holds("platform_release == '6.1'", facts), std::nullopt);
  EXPECT_EQ(Holds("platform_release == '6.1' and sys_platform == 'win32'", facts), false);
  EXPECT_EQ(Holds("platform_release == '6.1' or sys_platform == 'linux'", facts), true);
  EXPECT_EQ(Holds("sys_platform = 'linux'", facts), std::nullopt);
  EXPECT_EQ(Holds("platform_system == 'Linux'", {.python = "", .cpu = "x86_64", .windows = true}), false);
  EXPECT_EQ(Holds("os_name == 'nt' and platform_machine == 'AMD64'",
                  {.python = "", .cpu = "x86_64", .windows = true}),
            true);
  EXPECT_EQ(Holds("platform_machine == 'x86_64'", {.python = "", .cpu = "x86_64", .windows = true}), false);
  EXPECT_EQ(Holds("platform_machine == 'AMD64'", {.python = "", .cpu = "", .windows = true}), std::nullopt);
  EXPECT_EQ(Holds("((((", facts), std::nullopt);
  EXPECT_EQ(Holds("sys_platform == 'linux' and", facts), std::nullopt);
}

}  // namespace
}  // namespace culprit::base
