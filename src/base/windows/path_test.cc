// Both spellings of a path, as Windows users write them.
#include "base/windows/path.h"

#include <gtest/gtest.h>

namespace culprit::base {
namespace {

TEST(WindowsPath, InsideSpelling) {
  EXPECT_EQ(FromWindowsPath(R"(C:\a\b.dll)"), "/C:/a/b.dll");
  EXPECT_EQ(FromWindowsPath("c:/a//b/./c/../d"), "/C:/a/b/d");
  EXPECT_EQ(FromWindowsPath(R"(C:\..\..\a)"), "/C:/a");
  EXPECT_EQ(FromWindowsPath(R"(C:\)"), "/C:");
  EXPECT_EQ(FromWindowsPath(R"(\\?\D:\long path\x)"), "/D:/long path/x");
  EXPECT_EQ(FromWindowsPath(R"(\\server\share\x\..\..\..\y)"), "/UNC/server/share/y");
  EXPECT_EQ(FromWindowsPath(R"(\\?\UNC\server\share)"), "/UNC/server/share");
  EXPECT_EQ(FromWindowsPath("C:\\a. \\b."), "/C:/a/b");
  EXPECT_EQ(FromWindowsPath("/C:/a/b"), "/C:/a/b");
}

TEST(WindowsPath, RelativeToTheWorkingDirectory) {
  EXPECT_EQ(FromWindowsPath(R"(x\y.dll)", "/D:/home"), "/D:/home/x/y.dll");
  EXPECT_EQ(FromWindowsPath(R"(..\y.dll)", "/D:/home/a"), "/D:/home/y.dll");
  EXPECT_EQ(FromWindowsPath(R"(\y.dll)", "/D:/home/a"), "/D:/y.dll");
  EXPECT_EQ(FromWindowsPath("", "/D:/home"), "/D:/home");
  EXPECT_EQ(FromWindowsPath("x", "/not/windows"), "/C:/x");
}

TEST(WindowsPath, UsersSpelling) {
  EXPECT_EQ(ToWindowsPath("/C:/a/b.dll"), R"(C:\a\b.dll)");
  EXPECT_EQ(ToWindowsPath("/C:"), R"(C:\)");
  EXPECT_EQ(ToWindowsPath("/UNC/server/share"), R"(\\server\share)");
  EXPECT_EQ(ToWindowsPath("/usr/lib"), "/usr/lib");
  EXPECT_EQ(ToWindowsPath("cudnn64_9.dll"), "cudnn64_9.dll");
}

TEST(WindowsPath, Variables) {
  const std::vector<std::string> expected = {"/C:/a", "/D:/b;c", "/C:/d"};
  EXPECT_EQ(SplitWindowsPath(R"(C:\a;;"D:\b;c"\;c:/d)"), expected);
  EXPECT_TRUE(SplitWindowsPath("").empty());
}

TEST(WindowsPath, Names) {
  EXPECT_TRUE(SameName("KERNEL32.dll", "kernel32.DLL"));
  EXPECT_FALSE(SameName("a.dll", "a.dl"));
  EXPECT_EQ(FoldCase("CuDNN64_8.DLL"), "cudnn64_8.dll");
}

}  // namespace
}  // namespace culprit::base
