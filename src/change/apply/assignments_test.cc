#include "change/apply/assignments.h"

#include <gtest/gtest.h>

namespace culprit::apply {
namespace {

using report::AddToList;
using report::DropFromList;
using report::SetVariable;
using report::UnsetVariable;

constexpr const char* kName = "LD_LIBRARY_PATH";

std::string Dropped(const std::string& text, const std::string& element = "/old/lib",
                    Dialect dialect = Dialect::kShell) {
  const Edited edited = Edit(text, dialect, DropFromList{kName, element}, "/home/me");
  if (!edited.refusal.empty()) return "refused: " + edited.refusal;
  if (edited.sets) return edited.text;
  return edited.maybe.empty() ? "not set" : "perhaps: " + edited.maybe;
}

TEST(Assignments, AnElementGoesAndTheRestStaysToTheLetter) {
  EXPECT_EQ(Dropped("a=1\n  export LD_LIBRARY_PATH=/a:/old/lib:/b # mine\nb=2\n"),
            "a=1\n  export LD_LIBRARY_PATH=/a:/b # mine\nb=2\n");
  EXPECT_EQ(Dropped("LD_LIBRARY_PATH=\"/old/lib/:/a b:$LD_LIBRARY_PATH\"; export LD_LIBRARY_PATH\n"),
            "LD_LIBRARY_PATH=\"/a b:$LD_LIBRARY_PATH\"; export LD_LIBRARY_PATH\n");
  EXPECT_EQ(Dropped("export LD_LIBRARY_PATH=~/lib:/x\n", "/home/me/lib"), "export LD_LIBRARY_PATH=/x\n");
  EXPECT_EQ(Dropped("export LD_LIBRARY_PATH='/x:/old//lib'\n"), "export LD_LIBRARY_PATH='/x'\n");
  EXPECT_EQ(Dropped("export LD_LIBRARY_PATH=/a::/b\n", ""), "export LD_LIBRARY_PATH=/a:/b\n");
}

TEST(Assignments, WhatWasGluedToTheElementStays) {
  EXPECT_EQ(Dropped("export LD_LIBRARY_PATH=/a:/old/lib${LD_LIBRARY_PATH:+:${LD_LIBRARY_PATH}}\n"),
            "export LD_LIBRARY_PATH=/a${LD_LIBRARY_PATH:+:${LD_LIBRARY_PATH}}\n");
  EXPECT_EQ(Dropped("export LD_LIBRARY_PATH=${LD_LIBRARY_PATH:+$LD_LIBRARY_PATH:}/old/lib:/b\n"),
            "export LD_LIBRARY_PATH=${LD_LIBRARY_PATH:+$LD_LIBRARY_PATH:}/b\n");
}

TEST(Assignments, ALineThatHadNothingElseBecomesAComment) {
  for (const char* line :
       {"export LD_LIBRARY_PATH=/old/lib", "export LD_LIBRARY_PATH=$LD_LIBRARY_PATH:/old/lib",
        "export LD_LIBRARY_PATH=/old/lib${LD_LIBRARY_PATH:+:${LD_LIBRARY_PATH}}"}) {
    EXPECT_EQ(Dropped("if true; then\n  " + std::string(line) + "\nfi\n"),
              "if true; then\n  : # removed by culprit: " + std::string(line) + "\nfi\n");
  }
  EXPECT_EQ(Dropped("LD_LIBRARY_PATH=/old/lib\nA=1\n", "/old/lib", Dialect::kPlain),
            "# LD_LIBRARY_PATH=/old/lib\nA=1\n");
  EXPECT_EQ(Dropped(std::string("LD_LIBRARY_PATH=/old/lib\0A=1\0", 29), "/old/lib", Dialect::kPlain),
            std::string("A=1\0", 4));
}

TEST(Assignments, EveryLineOfTheFileThatHasItIsEdited) {
  EXPECT_EQ(
      Dropped("export LD_LIBRARY_PATH=/old/lib:/a\nexport LD_LIBRARY_PATH=/b:/old/lib:$LD_LIBRARY_PATH\n"),
      "export LD_LIBRARY_PATH=/a\nexport LD_LIBRARY_PATH=/b:$LD_LIBRARY_PATH\n");
}

TEST(Assignments, WhatOnlyAShellCouldTellIsRefused) {
  EXPECT_EQ(Dropped("\nif [ -d /old/lib ]; then export LD_LIBRARY_PATH=/old/lib; fi\n"),
            "refused: line 2 sets it on a line with other commands");
  EXPECT_EQ(Dropped("export LD_LIBRARY_PATH=$(find_cuda)/lib\n"),
            "perhaps: line 1 sets it to a value that only the shell can evaluate");
  EXPECT_EQ(Dropped("export LD_LIBRARY_PATH=$CUDA_HOME/lib:/x\n"),
            "perhaps: line 1 builds it from another variable");
  EXPECT_EQ(Dropped("export LD_LIBRARY_PATH=/old/lib:\\\n/b\n"),
            "refused: line 1 sets it on a line with other commands");
  EXPECT_EQ(Dropped("cat <<end\nLD_LIBRARY_PATH=/old/lib\nend\n"),
            "refused: line 2 may be inside a here-document");
  EXPECT_EQ(Dropped("LD_LIBRARY_PATH=/old/lib python x.py\n"),
            "refused: line 1 sets it to a value that only the shell can evaluate");
  EXPECT_EQ(Dropped("LD_LIBRARY_PATH+=:/old/lib\n"), "refused: line 1 adds to it with +=");
}

TEST(Assignments, WhatIsAboutSomethingElseIsLeft) {
  EXPECT_EQ(Dropped("# LD_LIBRARY_PATH=/old/lib\nMY_LD_LIBRARY_PATH=/old/lib\necho $LD_LIBRARY_PATH\n"),
            "not set");
  EXPECT_EQ(Dropped("export LD_LIBRARY_PATH=/a:/b\n"), "not set");
  EXPECT_EQ(Dropped("export LD_LIBRARY_PATH\n"), "not set");
}

TEST(Assignments, UnsettingTakesEveryLineOut) {
  const Edited edited = Edit("export X=1\ny=2\n X='a b'\n", Dialect::kShell, UnsetVariable{"X"}, "");
  EXPECT_EQ(edited.text, ": # removed by culprit: export X=1\ny=2\n : # removed by culprit: X='a b'\n");
  EXPECT_EQ(edited.line, 1u);
}

TEST(Assignments, SettingChangesTheLastValueOrAddsALine) {
  EXPECT_EQ(Edit("X=1\nX=\"2\"\n", Dialect::kShell, SetVariable{"X", "3"}, "").text, "X=1\nX=\"3\"\n");
  EXPECT_FALSE(Edit("Y=1\n", Dialect::kShell, SetVariable{"X", "3"}, "").sets);
  EXPECT_EQ(Append("Y=1", Dialect::kShell, SetVariable{"X", "3"}).text,
            "Y=1\nexport X=3  # added by culprit\n");
  EXPECT_EQ(Append("", Dialect::kPlain, AddToList{"PATH", "/a"}).text, "PATH=/a\n");
  EXPECT_EQ(Append("", Dialect::kShell, AddToList{"PATH", "/a"}).text,
            "export PATH=/a${PATH:+:$PATH}  # added by culprit\n");
  EXPECT_NE(Append("", Dialect::kShell, SetVariable{"X", "$(rm)"}).refusal, "");
  EXPECT_EQ(Edit("PATH=/b:$PATH\n", Dialect::kShell, AddToList{"PATH", "/a"}, "").text, "PATH=/a:/b:$PATH\n");
}

}  // namespace
}  // namespace culprit::apply
