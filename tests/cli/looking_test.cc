// A check executes nothing, connects to nothing and writes nothing: a whole `culprit check` under strace.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace culprit {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> Lines(const fs::path& file) {
  std::vector<std::string> lines;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

bool Has(const std::string& line, const std::string& text) { return line.find(text) != std::string::npos; }

class Looking : public testing::TestWithParam<const char*> {};

TEST_P(Looking, ExecutesTalksAndWritesNothing) {
  std::string pattern = fs::temp_directory_path() / "culprit-strace-XXXXXX";
  ASSERT_NE(mkdtemp(pattern.data()), nullptr);
  const fs::path log = fs::path(pattern) / "log";
  const std::string command =
      "ASAN_OPTIONS=detect_leaks=0 strace -f -y -qq -s 300 -e trace=%process,%network,%file,mmap -o '" +
      log.string() + "' '" CULPRIT_PROGRAM "' " + GetParam() + " > '" + pattern + "/out' 2> '" + pattern +
      "/err'";
  const int status = std::system(command.c_str());
  const std::vector<std::string> lines = Lines(log);
  if (lines.empty()) {
    fs::remove_all(pattern);
    GTEST_SKIP() << "strace cannot trace here";
  }
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_LE(WEXITSTATUS(status), 2);
  size_t opened = 0;
  int executed = 0;
  for (const std::string& line : lines) {
    executed += Has(line, "execve(") ? 1 : 0;
    for (const char* call : {"socket(", "connect(", "bind(", "sendto(", "fork(", "unlink", "rename", "mkdir",
                             "symlink", "chmod", "chown", "truncate", "mknod"}) {
      EXPECT_FALSE(Has(line, std::string(" ") + call)) << line;
    }
    // A thread shares the program's memory; a separate process would not.
    if (Has(line, "clone(") || Has(line, "clone3(")) {
      EXPECT_TRUE(Has(line, "CLONE_THREAD")) << line;
    }
    if (Has(line, "open")) {
      ++opened;
      for (const char* flag : {"O_WRONLY", "O_RDWR", "O_CREAT", "O_TRUNC", "O_APPEND"})
        EXPECT_FALSE(Has(line, flag)) << line;
    }
    if (Has(line, "mmap(")) {
      for (const char* name : {"libcu", "libnv", "libtorch", "/nvidia/"})
        EXPECT_FALSE(Has(line, name)) << line;
    }
  }
  EXPECT_EQ(executed, 1);
  EXPECT_GT(opened, 0u);
  fs::remove_all(pattern);
}

INSTANTIATE_TEST_SUITE_P(Commands, Looking,
                         testing::Values("", "check --format json /usr/bin/env", "inspect /usr/bin/env",
                                         "why libcuda.so.1",
                                         "check --root / --host driver=535.104.05,gpu=sm_90"));

}  // namespace
}  // namespace culprit
