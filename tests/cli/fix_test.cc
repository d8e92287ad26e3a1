// `culprit fix` without --apply on the made-up image: its exact output, and that it touches nothing.
// tests/apply tests applying and undoing.
#include <gtest/gtest.h>

#include "made_up_root.h"

namespace culprit {
namespace {

constexpr const char* kHost = "driver=580.95.05,gpu=sm_90";

class Fix : public Cli {
 protected:
  void SetUp() override {
    Cli::SetUp();
    // A dangling symlink next to the library that it should point to; and a directory that does not exist.
    Add("/app/lib/libtiny.so.2.1", {.soname = "libtiny.so.2"});
    fs::create_symlink("libtiny.so.2.0", root_ / "app/lib/libtiny.so.2");
    Add("/app/serve", {.needed = {"libtiny.so.2", "libc.so.6"}, .rpath = "/app/lib", .interpreter = kLoader});
    WriteFile(top_ / "gone.env", "LD_LIBRARY_PATH=/gone/lib\n");
    setenv("CULPRIT_STATE", (top_ / "state").c_str(), 1);
  }
  void TearDown() override {
    unsetenv("CULPRIT_STATE");
    Cli::TearDown();
  }
  static std::vector<std::string> Ask(std::vector<std::string> more) {
    more.insert(more.begin(), {"fix", "/app/serve", "--root", "root", "--env", "gone.env", "--host", kHost});
    return more;
  }
};

TEST_F(Fix, ShowsAndProvesAndTouchesNothing) {
  ExpectGolden("fix.txt", Ask({"--verbose"}), 1);
  ExpectGolden("fix.md", Ask({"--format", "markdown"}), 1);
  ExpectGolden("fix.json", Ask({"--format", "json"}), 1);
  EXPECT_EQ(fs::read_symlink(root_ / "app/lib/libtiny.so.2"), "libtiny.so.2.0");
  EXPECT_FALSE(fs::exists(top_ / "state"));
}

TEST_F(Fix, OnlyTheCodesThatWereNamed) {
  const Output output = Run(Ask({"cul5013"}));
  EXPECT_EQ(output.status, 1);
  EXPECT_NE(output.out.find("CUL5013"), std::string::npos) << output.out;
  EXPECT_EQ(output.out.find("CUL5001"), std::string::npos) << output.out;
  EXPECT_EQ(Run(Ask({"CUL3004"})).status, 0);
}

TEST_F(Fix, HelpAndWrongUsage) {
  ExpectGolden("fix_help.txt", {"fix", "--help"}, 0);
  ExpectGolden("fix_unknown_code.txt", {"fix", "CUL0007"}, 64);
  EXPECT_EQ(Run(Ask({"--apply"})).status, 64) << "nobody to ask, and no --yes";
}

}  // namespace
}  // namespace culprit
