// Foreign words in commands: how they are written, and which are not.
#include "report/command.h"

#include <gtest/gtest.h>

#include <type_traits>

namespace culprit::report {
namespace {

using std::nullopt;

// Forgetting to say what a text is does not compile.
static_assert(std::is_convertible_v<const char (&)[5], Command>);
static_assert(!std::is_constructible_v<Command, std::string>);
static_assert(!std::is_constructible_v<Command, std::string_view>);
static_assert(!std::is_constructible_v<Command, const char*>);
static_assert(!std::is_constructible_v<Command, char (&)[5]>);

TEST(Command, AbsolutePathsAreQuotedForPosixShells) {
  EXPECT_EQ(Word("/opt/venv/bin/python3.11").Text(), "/opt/venv/bin/python3.11");
  EXPECT_EQ(Word("/opt/a b").Text(), "'/opt/a b'");
  EXPECT_EQ(Word("/opt/$(x)/it's").Text(), R"('/opt/$(x)/it'\''s')");
  EXPECT_EQ(Word("/a;b&c|d").Text(), "'/a;b&c|d'");
  EXPECT_EQ(Word(R"(/a\)").Text(), R"('/a'\\'')");  // fish reads \' inside of single quotes
  EXPECT_EQ(Word(R"(/a\d)").Text(), R"('/a\d')");
  EXPECT_EQ(("rm " + Word("/a b") + "/c").Text(), "rm '/a b'/c");
}

TEST(Command, WordsForAnyShellAreInDoubleQuotesOrNotOffered) {
  EXPECT_EQ(Word("libcudnn.so.9").Text(), "libcudnn.so.9");
  EXPECT_EQ(Word("/C:/Program Files/x&y/a.dll").Text(), R"("C:\Program Files\x&y\a.dll")");
  EXPECT_EQ(Word("/C:/x/a.dll").Text(), R"(C:\x\a.dll)");
  EXPECT_EQ(Word("a b.dll").Text(), R"("a b.dll")");
  for (const char* name :
       {"%PATH%", "$(x).dll", "`x`", "a\"b", "a!b", "/C:/a\u201D; calc", "/C:/a b/%x%", "a b\\"})
    EXPECT_EQ(Word(name).Text(), nullopt) << name;
  EXPECT_EQ(("set \"PATH=" + InQuotes("/C:/a b") + ";%PATH%\"").Text(), R"(set "PATH=C:\a b;%PATH%")");
  EXPECT_EQ(("set \"PATH=" + InQuotes("C:\\a\" & calc") + "\"").Text(), nullopt);
}

TEST(Command, WhatIsNotSeenCannotBeCopied) {
  for (const char* name : {"/a\nb", "/a\x1b[31m", "/a\u202Eb", "/a\u2028b", "/a\xff", "/a\u200Fb"}) {
    EXPECT_EQ(Word(name).Text(), nullopt) << name;
    EXPECT_EQ(Quoted(name).Text(), nullopt) << name;
  }
}

TEST(Command, NoWordBecomesAnOption) {
  EXPECT_EQ(("culprit why " + Word("--help")).Text(), nullopt);
  EXPECT_EQ(Word("-rf").Text(), nullopt);
  EXPECT_EQ(("x --name=" + Word("-1")).Text(), "x --name=-1");
}

TEST(Command, NamesAndVersionsAreCheckedNotQuoted) {
  EXPECT_EQ(("pip install " + Plain("nvidia-cudnn-cu12") + "==" + Plain("9.1.0.70")).Text(),
            "pip install nvidia-cudnn-cu12==9.1.0.70");
  EXPECT_EQ(Plain("2.5.1+cu118").Text(), "2.5.1+cu118");
  for (const char* name : {"9.1.0.70;touch Y", "-r x", "", "a b", "a'b", "1!2", "~x"})
    EXPECT_EQ(Plain(name).Text(), nullopt) << name;
  EXPECT_EQ(("\"numpy" + Specifier(">=1.20,!=1.24.*,<2") + "\"").Text(), R"("numpy>=1.20,!=1.24.*,<2")");
  EXPECT_EQ(Specifier("==1;touch X").Text(), nullopt);
  EXPECT_EQ(Specifier(" @ https://x/y.whl").Text(), nullopt);
}

TEST(Command, HalfOfAFixIsNotOffered) {
  EXPECT_EQ(Texts({"sudo ldconfig", "ls " + Word("/a b")}),
            (std::vector<std::string>{"sudo ldconfig", "ls '/a b'"}));
  EXPECT_EQ(Texts({"pip uninstall -y x", "pip install " + Plain("y==1;z")}), std::vector<std::string>());
}

TEST(Command, HidingComesBeforeQuoting) {
  Command command = "rm " + Word("/home/o'hara/a b") + " " + Word("/home/o'hara/x");
  command.Rewrite([](std::string text) {
    const size_t at = text.find("/home/o'hara");
    return at == std::string::npos ? text : text.replace(at, 12, "~");
  });
  EXPECT_EQ(command.Text(), "rm ~/'a b' ~/x");
  Command quoted = "export A=" + Quoted("~/lib") + " B=\"" + InQuotes("~/lib") + "\"";
  EXPECT_EQ(quoted.Text(), "export A=~/'lib' B=\"$HOME/lib\"");
}

}  // namespace
}  // namespace culprit::report
