// `culprit check --pid`: a real Python loads made-up libraries with the real loader, and culprit checks it
// from outside.
#include <elf.h>
#include <signal.h>

#include "base/json.h"
#include "made_up_root.h"

namespace culprit {
namespace {

#ifdef __aarch64__
constexpr uint16_t kMachine = EM_AARCH64;
#else
constexpr uint16_t kMachine = EM_X86_64;
#endif

// Runs python3 -c CODE until the end of the test; CODE completes before the test continues.
class Python {
 public:
  Python(const std::string& code, const std::string& library_path) {
    int ends[2];
    if (pipe(ends) != 0) return;
    pid_ = fork();
    if (pid_ == 0) {
      dup2(ends[1], STDOUT_FILENO);
      setenv("LD_LIBRARY_PATH", library_path.c_str(), 1);
      setenv("SECRET_OF_MINE", "hunter2", 1);
      alarm(60);
      const std::string whole = code + "\nprint('ready', flush=True)\nimport time; time.sleep(60)";
      execlp("python3", "python3", "-c", whole.c_str(), nullptr);
      _exit(127);
    }
    close(ends[1]);
    char byte = 0;
    while (read(ends[0], &byte, 1) == 1 && byte != '\n') said_ += byte;
    close(ends[0]);
  }
  ~Python() {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  Python(const Python&) = delete;
  Python& operator=(const Python&) = delete;
  bool ready() const { return said_ == "ready"; }
  std::string pid() const { return std::to_string(pid_); }

 private:
  pid_t pid_ = 0;
  std::string said_;
};

class Pid : public Cli {
 protected:
  void SetUp() override {
    Cli::SetUp();
    for (const auto& [directory, minor] : {std::pair{"own", 19u}, std::pair{"old", 14u}}) {
      Put(directory, {.machine = kMachine, .soname = "libcudnn.so.9", .runpath = "$ORIGIN"});
      Put(directory, {.machine = kMachine,
                      .soname = "libcudnn_graph.so.9",
                      .words = {{"cudnn_graph_version", 9u << 16 | minor << 8}}});
    }
  }
  void Put(const std::string& directory, const ElfSpec& spec) {
    WriteFile(top_ / directory / *spec.soname, BuildElf(spec));
  }
  // Both libraries, the sub-libraries by name as cuDNN itself does.
  std::string LoadCudnn() const {
    return "import ctypes\nctypes.CDLL('" + (top_ / "own/libcudnn.so.9").string() +
           "')\nctypes.CDLL('libcudnn_graph.so.9')";
  }
};

TEST_F(Pid, NamesTheFileThatMixesTheVersionsAndWhatBroughtIt) {
  const Python python(LoadCudnn(), top_ / "old");
  ASSERT_TRUE(python.ready());
  const Output json = Run({"check", "--pid", python.pid(), "--format", "json"});
  EXPECT_EQ(json.status, 1) << json.err;
  const auto report = base::Json::parse(json.out);
  EXPECT_NE(report["headline"].get<std::string>().find("(pid " + python.pid() + "): "), std::string::npos);
  const std::string graph = top_ / "old/libcudnn_graph.so.9";
  const auto& findings = report["findings"];
  const auto mixed = std::ranges::find_if(findings, [](const auto& one) { return one["code"] == "CUL3004"; });
  ASSERT_NE(mixed, findings.end()) << json.out;
  EXPECT_EQ((*mixed)["subject"], graph);
  EXPECT_EQ((*mixed)["evidence"][1]["fact"], graph + " is 9.14.0, found through LD_LIBRARY_PATH, opened by " +
                                                 (top_ / "own/libcudnn.so.9").string());
  EXPECT_EQ((*mixed)["fix"]["commands"][0], "unset LD_LIBRARY_PATH");
  EXPECT_EQ(report["snapshot"]["process"]["id"], std::stoi(python.pid()));
  EXPECT_EQ(report["snapshot"]["environment"]["LD_LIBRARY_PATH"], (top_ / "old").string());
  EXPECT_EQ(json.out.find("hunter2"), std::string::npos);
  const Output text = Run({"check", "--pid", python.pid()});
  EXPECT_NE(text.out.find("\n  process "), std::string::npos) << text.out;
}

TEST_F(Pid, AProcessWithOneVersionIsFine) {
  const Python python(LoadCudnn(), top_ / "own");
  ASSERT_TRUE(python.ready());
  const auto report = base::Json::parse(Run({"check", "--pid", python.pid(), "--format", "json"}).out);
  for (const auto& finding : report["findings"]) {
    for (const char* code : {"CUL3004", "CUL3011", "CUL5029", "CUL5030"}) EXPECT_NE(finding["code"], code);
  }
}

TEST_F(Pid, SaysThatAFileWasReplacedUnderTheProcess) {
  const Python python(LoadCudnn(), top_ / "own");
  ASSERT_TRUE(python.ready());
  Put("new", {.machine = kMachine,
              .soname = "libcudnn_graph.so.9",
              .words = {{"cudnn_graph_version", 9u << 16 | 20u << 8}}});
  fs::rename(top_ / "new/libcudnn_graph.so.9", top_ / "own/libcudnn_graph.so.9");
  const Output output = Run({"check", "--pid", python.pid()});
  EXPECT_NE(output.out.find("CUL5029"), std::string::npos) << output.out << output.err;
  EXPECT_NE(output.out.find("was replaced on disk by version 9.20.0"), std::string::npos) << output.out;
}

// As in a container: files are looked up below the root of the process.
TEST_F(Pid, LooksBelowTheRootOfTheProcess) {
  if (geteuid() != 0) GTEST_SKIP() << "chroot needs root";
  const Python python("import ctypes, os\nos.chroot('" + top_.string() +
                          "')\nctypes.CDLL('/own/libcudnn.so.9')\nctypes.CDLL('/old/libcudnn_graph.so.9')",
                      "/nowhere");
  ASSERT_TRUE(python.ready());
  const auto report = base::Json::parse(Run({"check", "--pid", python.pid(), "--format", "json"}).out);
  const auto& findings = report["findings"];
  const auto mixed = std::ranges::find_if(findings, [](const auto& one) { return one["code"] == "CUL3004"; });
  ASSERT_NE(mixed, findings.end()) << report.dump(1);
  EXPECT_EQ((*mixed)["subject"], "/old/libcudnn_graph.so.9");
}

TEST_F(Pid, SaysWhyItCannotLook) {
  pid_t gone = fork();
  if (gone == 0) _exit(0);
  waitpid(gone, nullptr, 0);
  const Output ended = Run({"check", "--pid", std::to_string(gone)});
  EXPECT_EQ(ended.status, 2);
  EXPECT_NE(ended.err.find("no such process"), std::string::npos) << ended.err;
  for (const std::vector<std::string>& wrong : {std::vector<std::string>{"check", "--pid", "0"},
                                                {"check", "--pid", "12x"},
                                                {"check", "--pid", "1", "/usr/bin/env"},
                                                {"check", "--pid", "1", "--live"}}) {
    EXPECT_EQ(Run(wrong).status, 64) << wrong.back();
  }
  // Another user's process: init for a normal user; root checks as a normal user would.
  const fs::path err = top_ / "denied";
  const std::string as_user = geteuid() == 0 ? "setpriv --reuid 65534 --regid 65534 --clear-groups " : "";
  const std::string pid = geteuid() == 0 ? std::to_string(getpid()) : "1";
  fs::permissions(top_, fs::perms::others_exec | fs::perms::others_read, fs::perm_options::add);
  const int status = std::system(
      (as_user + "'" CULPRIT_PROGRAM "' check --pid " + pid + " > /dev/null 2> '" + err.string() + "'")
          .c_str());
  EXPECT_EQ(WEXITSTATUS(status), 2);
  EXPECT_NE(ReadFile(err).find("run culprit as one of them"), std::string::npos) << ReadFile(err);
}

}  // namespace
}  // namespace culprit
