// Where culprit-probe is taken from, and that a copy in memory can really be started.
#include "probe/host/program.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "system/child.h"
#include "system/own_program.h"

namespace culprit::probe {
namespace {

std::vector<unsigned char> BytesOf(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// What the program prints when it is started with this argument.
std::string Say(const std::string& program, const std::string& argument) {
  std::string output;
  system::ChildWatch watch;
  watch.on_output = [&](system::ChildStream, std::string_view bytes) {
    output += bytes;
    return true;
  };
  const auto end = system::RunChild({.program = program, .arguments = {argument}}, watch);
  return end ? output : end.error().message;
}

TEST(Program, TheOneThatIsNamedIsTakenOrNone) {
  EXPECT_EQ((*FindProgram("/bin/sh", {}))->path(), "/bin/sh");
  const auto missing = FindProgram("/nowhere", BytesOf("/bin/echo"));
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().message, "CULPRIT_PROBE names /nowhere, which is not an executable file");
  EXPECT_FALSE(FindProgram("/usr", {})) << "a directory";
}

TEST(Program, TheCopyInsideIsStartedFromMemory) {
  const std::vector<unsigned char> echo = BytesOf("/bin/echo");
  const auto inside = system::WriteTemporaryProgram("culprit-probe", echo);
  ASSERT_TRUE(inside) << inside.error().message;
  EXPECT_EQ(Say((*inside)->path(), "hello"), "hello\n");
  EXPECT_EQ(Say((*inside)->path(), "again"), "again\n");
}

TEST(Program, TheCopyInsideNeedsGlibc) {
  const auto none = FindProgram("", BytesOf("/bin/echo"), "/nowhere/ld-linux.so");
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().message,
            "culprit-probe needs glibc 2.17 or later, as NVIDIA's libraries do; this system has no "
            "/nowhere/ld-linux.so");
}

TEST(Program, OrFromAFileThatIsGoneAfterwards) {
  std::string path;
  {
    const auto file = system::WriteProgramFile("culprit-probe", BytesOf("/bin/echo"));
    ASSERT_TRUE(file) << file.error().message;
    path = (*file)->path();
    EXPECT_EQ(Say(path, "hello"), "hello\n");
    EXPECT_EQ(std::filesystem::status(path).permissions(), std::filesystem::perms::owner_all);
  }
  EXPECT_FALSE(std::filesystem::exists(std::filesystem::path(path).parent_path()));
}

TEST(Program, TheOneBesideThisProgramIsFound) {
  const std::filesystem::path self = system::OwnProgram();
  ASSERT_TRUE(system::IsProgram(self)) << self;
  const std::filesystem::path beside = self.parent_path() / "culprit-probe";
  if (std::filesystem::is_symlink(beside)) std::filesystem::remove(beside);  // of a run that was ended
  std::filesystem::create_symlink("/bin/echo", beside);
  const auto found = FindProgram("", {});
  std::filesystem::remove(beside);
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ((*found)->path(), beside);
}

}  // namespace
}  // namespace culprit::probe
