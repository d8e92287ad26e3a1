#include "render/redact.h"

#include <gtest/gtest.h>

namespace culprit::render {
namespace {

TEST(Redact, HomeBecomesTilde) {
  EXPECT_EQ(Redact("/home/ada/.venv/lib and /home/ada", "/home/ada", "ada"), "~/.venv/lib and ~");
}
TEST(Redact, HomeOfAnotherNameIsNoHome) {
  EXPECT_EQ(Redact("/home/ada2/x", "/home/ada", "ada"), "/home/USER/x");
}
TEST(Redact, UserInOtherPaths) {
  EXPECT_EQ(Redact("/scratch/ada/envs, /opt/adabas, ada-lib", "/home/ada", "ada"),
            "/scratch/USER/envs, /opt/adabas, ada-lib");
}
TEST(Redact, OtherPeoplesHomes) {
  EXPECT_EQ(Redact("/home/bob/lib:/Users/eve", "", ""), "/home/USER/lib:/Users/USER");
}
TEST(Redact, InQuotesAShellExpandsOnlyVariables) {
  EXPECT_EQ(Redact("export LD_LIBRARY_PATH='/home/ada/lib'", "/home/ada", "ada"),
            "export LD_LIBRARY_PATH=\"$HOME/lib\"");
  EXPECT_EQ(Redact("rm '/home/ada/my lib' \"/home/ada/x\"; ls '/opt/a:/home/ada'", "/home/ada", "ada"),
            "rm \"$HOME/my lib\" \"$HOME/x\"; ls \"/opt/a:$HOME\"");
  EXPECT_EQ(Redact("it doesn't, ada's '/home/ada/x", "/home/ada", "ada"), "it doesn't, USER's '~/x");
  EXPECT_EQ(Redact("x '/home/ada/$a' 'y'", "/home/ada", "ada"), "x \"$HOME\"'/$a' 'y'");
}
TEST(Redact, AUserWhoseNameIsEverywhereIsNobody) {
  EXPECT_EQ(Redact("/usr/local/cuda /home/local/x", "/home/local", "local"), "/usr/local/cuda ~/x");
}
TEST(Redact, RootIsNobody) {
  EXPECT_EQ(Redact("/root/x owned by root", "/root", "root"), "/root/x owned by root");
}
TEST(Redact, LeavesTheRestAlone) {
  EXPECT_EQ(Redact("/usr/lib/x86_64-linux-gnu", "/home/ada", "ada"), "/usr/lib/x86_64-linux-gnu");
}

}  // namespace
}  // namespace culprit::render
