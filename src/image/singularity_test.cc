#include "image/singularity.h"

#include <gtest/gtest.h>

namespace culprit::image {
namespace {

using Variables = std::map<std::string, std::string>;
using Words = std::vector<std::string>;

Variables After(std::string_view script, Variables variables = {}) {
  ReadExports(script, variables);
  return variables;
}

TEST(ShellWords, AreAsInAShell) {
  EXPECT_EQ(ShellWords(R"(a 'b c' "d \"e\" \n" f\ g)", {}), (Words{"a", "b c", "d \"e\" \\n", "f g"}));
  EXPECT_EQ(ShellWords("$A ${B}c ${D:-'x y'} # note", {{"A", "1"}, {"B", "2"}}), (Words{"1", "2c", "x y"}));
  EXPECT_EQ(ShellWords("''", {}), Words{""});
  EXPECT_EQ(ShellWords("a ;", {}), Words{"a"});
}

TEST(ShellWords, WhatNeedsAShellIsNotRead) {
  for (const char* line :
       {"$(id)", "`id`", "a && b", "a; b", "'open", "\"open", "${A%x}", "${A", "*.so", "$1", "a|b", "x\\"})
    EXPECT_FALSE(ShellWords(line, {})) << line;
}

TEST(ReadExports, TakesLinesThatAlwaysRun) {
  EXPECT_EQ(
      After("#!/bin/sh\nexport A=1 B='two words'\nC=3\nif x; then\n export D=4\nfi\n  export E=\"$A\"\n"),
      (Variables{{"A", "1"}, {"B", "two words"}, {"E", "1"}}));
  EXPECT_EQ(After("for x in 1; do export A=2; done\nexport B=3"), (Variables{{"B", "3"}}));
}

TEST(ReadExports, DefaultsAsApptainerWritesThem) {
  EXPECT_EQ(After("export LANG=\"${LANG:-\"C.UTF-8\"}\""), (Variables{{"LANG", "C.UTF-8"}}));
  EXPECT_EQ(After("export LANG=\"${LANG:-\"C.UTF-8\"}\"", {{"LANG", "de"}}), (Variables{{"LANG", "de"}}));
}

TEST(ReadExports, ForgetsWhatItCannotTell) {
  EXPECT_EQ(After("export A=$(id)", {{"A", "1"}, {"B", "2"}}), (Variables{{"B", "2"}}));
}

}  // namespace
}  // namespace culprit::image
