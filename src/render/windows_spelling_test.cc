// Paths inside finished answers.
#include "render/windows_spelling.h"

#include <gtest/gtest.h>

namespace culprit::render {
namespace {

std::string Text(std::string_view text) { return InWindowsSpelling(text, Writing::kText); }

TEST(WindowsSpelling, PathsOfATextGetBackslashes) {
  EXPECT_EQ(Text("/C:/Program Files/NVIDIA/x.dll is 9.1.0"), R"(C:\Program Files\NVIDIA\x.dll is 9.1.0)");
  EXPECT_EQ(Text("a in /D:/b, c in /C:/Program Files (x86)/d; e"),
            R"(a in D:\b, c in C:\Program Files (x86)\d; e)");
  EXPECT_EQ(Text("\"/C:/a/b\" and/or \"c/d\""), R"("C:\a\b" and/or "c/d")");
  EXPECT_EQ(Text("/C:/a/b\nand/or"), "C:\\a\\b\nand/or");
  EXPECT_EQ(Text("/C:/a/b  [data/x.toml]"), R"(C:\a\b  [data/x.toml])");
  EXPECT_EQ(Text("PATH is /C:"), R"(PATH is C:\)");
  EXPECT_EQ(Text("on /UNC/server/share/x"), R"(on \\server\share\x)");
}

TEST(WindowsSpelling, OtherSlashesStay) {
  EXPECT_EQ(Text("see https://example.org/C:/x"), "see https://example.org/C:/x");
  EXPECT_EQ(Text("/usr/lib and 1/2"), "/usr/lib and 1/2");
  EXPECT_EQ(Text("culprit.why/1"), "culprit.why/1");
}

TEST(WindowsSpelling, JsonStaysJson) {
  EXPECT_EQ(InWindowsSpelling(R"({"path": "/C:/a/b", "via": "a/b"})", Writing::kJson),
            R"({"path": "C:\\a\\b", "via": "a/b"})");
  EXPECT_EQ(InWindowsSpelling(R"({"text": "\"/C:/a/b\" a/b\n"})", Writing::kJson),
            R"({"text": "\"C:\\a\\b\" a/b\n"})");
}

TEST(WindowsSpelling, ColoursAndEscapesAreNoText) {
  EXPECT_EQ(Text("\x1b[1m/C:/a/b\x1b[0m a/b"), "\x1b[1mC:\\a\\b\x1b[0m a/b");
  EXPECT_EQ(InWindowsSpelling(R"("\n/C:/a/b")", Writing::kJson), R"("\nC:\\a\\b")");
}

}  // namespace
}  // namespace culprit::render
