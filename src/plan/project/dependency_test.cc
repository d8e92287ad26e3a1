// ParseDependency: requirements as files have them, well and badly.
#include "plan/project/dependency.h"

#include <gtest/gtest.h>

namespace culprit::plan {
namespace {

using report::RequirementKind;

TEST(Dependency, IsTakenApart) {
  const auto one = ParseDependency("Foo.Bar [b, a] >= 2.1 , <3 ; python_version < \"3.13\"");
  ASSERT_TRUE(one) << one.error().message;
  EXPECT_EQ(one->name, "foo-bar");
  EXPECT_EQ(one->extras, "b,a");
  EXPECT_EQ(one->specifiers, ">=2.1,<3");
  EXPECT_EQ(one->marker, "python_version < '3.13'");
  EXPECT_EQ(one->text, "Foo.Bar [b, a] >= 2.1 , <3; python_version < '3.13'");
}

TEST(Dependency, MayStandInParentheses) {
  EXPECT_EQ(ParseDependency("requests (>=2,<3)")->specifiers, ">=2,<3");
}

TEST(Dependency, AddressesAndPathsKeepTheirText) {
  const auto git = ParseDependency("git+https://host/x.git@main#egg=Some_Name");
  ASSERT_TRUE(git);
  EXPECT_EQ(git->kind, RequirementKind::kAddress);
  EXPECT_EQ(git->name, "some-name");
  const auto named = ParseDependency("pkg[a] @ https://host/x-1.0-py3-none-any.whl;param ; os_name == 'nt'");
  ASSERT_TRUE(named);
  EXPECT_EQ(named->kind, RequirementKind::kAddress);
  EXPECT_EQ(named->name, "pkg");
  EXPECT_EQ(named->marker, "os_name == 'nt'");
  EXPECT_EQ(named->text, "pkg[a] @ https://host/x-1.0-py3-none-any.whl;param ; os_name == 'nt'");
  for (const char* path : {".", "./a", "../a[b]", "/opt/x.whl", "wheels/x.whl", "x-1.0.tar.gz"}) {
    const auto one = ParseDependency(path);
    ASSERT_TRUE(one) << path;
    EXPECT_EQ(one->kind, RequirementKind::kPath) << path;
    EXPECT_EQ(one->text, path);
  }
}

TEST(Dependency, SaysWhatIsWrong) {
  for (const char* bad :
       {"", "==2", "torch=2.1", "torch 2.1", "torch>=2.1,", "jax[cuda12", "a b", "torch>", "-x"})
    EXPECT_FALSE(ParseDependency(bad)) << bad;
  EXPECT_NE(ParseDependency("torch=2.1").error().message.find("'=='"), std::string::npos);
  const auto steering = ParseDependency("torch\x1b[31m");
  ASSERT_FALSE(steering);
  EXPECT_EQ(steering.error().message.find('\x1b'), std::string::npos);
  EXPECT_FALSE(ParseDependency(std::string(10'000, 'a')));
}

TEST(Dependency, ReadableAreVersionsOfTheTables) {
  EXPECT_TRUE(IsReadable(""));
  EXPECT_TRUE(IsReadable(">=2.1,<3"));
  EXPECT_TRUE(IsReadable("==2.1.0+cu118"));
  EXPECT_FALSE(IsReadable(">=9,==2.1.dev3"));
}

}  // namespace
}  // namespace culprit::plan
