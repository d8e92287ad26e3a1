// Every command that reads files ends, with status 2 and one line that names what did not answer, on a file
// system that never answers (never_answers.cc).
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace culprit {
namespace {

namespace fs = std::filesystem;

class NeverAnswers : public testing::Test {
 protected:
  NeverAnswers() {
    std::string pattern = (fs::temp_directory_path() / "culprit-dead-XXXXXX").string();
    top_ = fs::canonical(mkdtemp(pattern.data()));
    fs::create_directories(top_ / "dead/etc");
    fs::create_directories(top_ / "dead/usr");
    fs::copy_file("/proc/self/exe", top_ / "dead/program");
    std::ofstream(top_ / "dead/machine.json") << "{}";
  }
  ~NeverAnswers() override { fs::remove_all(top_); }

  // Runs culprit where `dead` below the test's directory gives no answer.
  void ExpectAnEnd(const std::string& arguments) {
    SCOPED_TRACE(arguments);
    const std::string command = std::string(CULPRIT_NEVER_ANSWERS " ") + (top_ / "dead").string() +
                                " " CULPRIT_PROGRAM " " + arguments + " >/dev/null 2>" +
                                (top_ / "err").string();
    const int status = std::system(("cd " + top_.string() + " && " + command).c_str());
    ASSERT_TRUE(WIFEXITED(status));
    if (WEXITSTATUS(status) == 77) GTEST_SKIP() << "the kernel does not let a program stand in for a mount";
    std::ifstream in(top_ / "err");
    std::stringstream text;
    text << in.rdbuf();
    EXPECT_EQ(WEXITSTATUS(status), 2) << text.str();
    EXPECT_NE(text.str().find("no answer within"), std::string::npos) << text.str();
  }

  fs::path top_;
};

TEST_F(NeverAnswers, CheckOfAProgram) {
  ExpectAnEnd("check " + (top_ / "dead/program").string() + " --timeout 1");
}

TEST_F(NeverAnswers, CheckOfASnapshot) {
  ExpectAnEnd("check " + (top_ / "dead/machine.json").string() + " --timeout 1");
}

TEST_F(NeverAnswers, CheckOfARoot) {
  ExpectAnEnd("check --root " + (top_ / "dead").string() + " --timeout 1");
}

TEST_F(NeverAnswers, Why) { ExpectAnEnd("why --for " + (top_ / "dead/program").string()); }

TEST_F(NeverAnswers, Inspect) { ExpectAnEnd("inspect " + (top_ / "dead/program").string()); }

TEST_F(NeverAnswers, Snapshot) {
  ExpectAnEnd("snapshot --root " + (top_ / "dead").string() + " -o " + (top_ / "saved.json").string());
}

TEST_F(NeverAnswers, Explain) { ExpectAnEnd("explain " + (top_ / "dead/machine.json").string()); }

TEST_F(NeverAnswers, Diff) {
  const std::string file = (top_ / "dead/machine.json").string();
  ExpectAnEnd("diff " + file + " " + file);
}

}  // namespace
}  // namespace culprit
