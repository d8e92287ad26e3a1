// For tests of the program as users run it: a made-up root file system, running the program on it, and
// comparing its output exactly with tests/cli/golden; `tools/update-golden` rewrites those files.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "binfmt/elf/write.h"
#include "binfmt/gpu/write_fatbin.h"

namespace culprit {

namespace fs = std::filesystem;
using binfmt::BuildElf;
using binfmt::BuildFatbin;
using binfmt::BuildSections;
using binfmt::ElfSpec;

constexpr const char* kLoader = "/lib64/ld-linux-x86-64.so.2";

inline std::string ReadFile(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

inline void WriteFile(const fs::path& path, const std::string& bytes) {
  fs::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << bytes;
}

struct Output {
  int status;
  std::string out;
  std::string err;
};

// An image with an application, a bundled cuDNN 9.19 and a system cuDNN 9.14.
class Cli : public ::testing::Test {
 protected:
  void SetUp() override {
    setenv("CULPRIT_KNOWLEDGE", "", 1);  // whatever is installed here
    std::string pattern = (fs::temp_directory_path() / "culprit-cli-XXXXXX").string();
    top_ = fs::canonical(mkdtemp(pattern.data()));
    root_ = top_ / "root";
    std::string loader = BuildElf({.soname = "ld-linux-x86-64.so.2"});
    for (const char* text : {"", "/lib/x86_64-linux-gnu/", "/usr/lib/x86_64-linux-gnu/", "/lib/", "/usr/lib/",
                             "lib/x86_64-linux-gnu", "ld.so (made up) stable release version 2.39.\n"}) {
      loader += std::string(text) + '\0';
    }
    WriteFile(root_ / "lib64/ld-linux-x86-64.so.2", loader);
    Add("/usr/lib/x86_64-linux-gnu/libc.so.6", {.soname = "libc.so.6", .version_defs = {"GLIBC_2.2.5"}});
    Add("/usr/lib/x86_64-linux-gnu/libz.so.1", {.soname = "libz.so.1", .needed = {"libc.so.6"}});
    AddCudnn("/usr/lib/x86_64-linux-gnu", 14);
    AddCudnn("/app/lib", 19);
    Add("/app/train",
        {.needed = {"libengine.so", "libc.so.6"}, .rpath = "$ORIGIN/lib", .interpreter = kLoader});
    Add("/app/lib/libengine.so", {.soname = "libengine.so", .needed = {"libcudnn.so.9", "libz.so.1"}});
    Add("/app/broken",
        {.needed = {"libengine.so", "libnowhere.so.3"}, .rpath = "/app/lib", .interpreter = kLoader});
    WriteFile(root_ / "app/notes.txt", "not a library\n" + std::string(100, 'x'));
    WriteFile(root_ / "app/empty.so", "");
    const std::string whole = BuildElf({.soname = "libcut.so"});
    WriteFile(root_ / "app/cut.so", whole.substr(0, whole.size() - 8));
    WriteGpuCode();
    fs::create_symlink("nowhere", root_ / "app/dangling.so");
    mkfifo((root_ / "app/fifo.so").c_str(), 0600);
    WriteFile(top_ / "shadow.env", "LD_LIBRARY_PATH=/usr/lib/x86_64-linux-gnu\n");
    WriteFile(top_ / "bad.env", "LD_LIBRARY_PATH\n");
  }
  void TearDown() override { fs::remove_all(top_); }

  void Add(const std::string& path, const ElfSpec& spec) { WriteFile(root_.string() + path, BuildElf(spec)); }
  // A library with code in the usual section and in its data, a standalone container, a corrupt one.
  void WriteGpuCode() {
    const std::string linked = BuildFatbin({.entries = {{.arch = 80},
                                                        {.arch = 90, .flags = binfmt::kArchSpecific},
                                                        {.kind = 1, .arch = 90, .major = 8, .minor = 4}}});
    const std::string data = BuildFatbin({.entries = {{.kind = 8, .arch = 75}}});
    WriteFile(root_ / "app/kernels.so",
              BuildSections({.sections = {{".nv_fatbin", linked + linked}, {".data", data}}}));
    WriteFile(root_ / "app/kernels.fatbin", linked);
    WriteFile(root_ / "app/cut.fatbin", linked.substr(0, 120));
  }
  void AddCudnn(const std::string& directory, uint32_t minor) {
    const auto part = [&](const std::string& stem, std::vector<std::string> needed) {
      const std::string name = "lib" + stem + ".so.9";
      ElfSpec spec{.soname = name, .needed = std::move(needed), .runpath = "$ORIGIN"};
      if (stem == "cudnn_graph") spec.words = {{"cudnn_graph_version", 9u << 16 | minor << 8}};
      Add(directory + "/" + name, spec);
    };
    part("cudnn", {});
    part("cudnn_graph", {});
    part("cudnn_ops", {"libcudnn_graph.so.9"});
    part("cudnn_cnn", {"libcudnn_ops.so.9"});
    part("cudnn_adv", {"libcudnn_ops.so.9"});
    part("cudnn_heuristic", {"libcudnn_graph.so.9"});
    part("cudnn_engines_precompiled", {"libcudnn_graph.so.9"});
    part("cudnn_engines_runtime_compiled", {"libcudnn_graph.so.9"});
  }

  // `input` is the standard input.
  Output Run(std::vector<std::string> arguments, const std::string& input = "") const {
    arguments.insert(arguments.begin(), CULPRIT_PROGRAM);
    const fs::path in = top_ / "stdin";
    WriteFile(in, input);
    const fs::path out = top_ / "stdout", err = top_ / "stderr";
    const pid_t child = fork();
    if (child == 0) {
      if (chdir(top_.c_str()) != 0) _exit(126);
      dup2(open(in.c_str(), O_RDONLY), STDIN_FILENO);
      for (const auto& [path, number] : {std::pair{out, STDOUT_FILENO}, std::pair{err, STDERR_FILENO}}) {
        dup2(open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), number);
      }
      std::vector<char*> argv;
      for (std::string& argument : arguments) argv.push_back(argument.data());
      argv.push_back(nullptr);
      alarm(60);
      execv(argv[0], argv.data());
      _exit(127);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status), ReadFile(out), ReadFile(err)};
  }

  // The output, after `clean`, equals the file tests/cli/golden/NAME.
  void ExpectGolden(const std::string& name, const std::vector<std::string>& arguments, int status,
                    std::string (*clean)(std::string) = nullptr) const {
    const Output output = Run(arguments);
    EXPECT_EQ(output.status, status) << output.err;
    std::string text = output.out;
    if (!output.err.empty()) text += "--- stderr\n" + output.err;
    for (size_t at; (at = text.find(top_.string())) != std::string::npos;)
      text.replace(at, top_.string().size(), "TOP");
    text =
        std::regex_replace(text, std::regex("version tables from [-0-9]+[^\n]*"), "version tables from DAY");
    text = std::regex_replace(text, std::regex("commit +[0-9a-z]+"), "commit COMMIT");
    text = std::regex_replace(text, std::regex("\"knowledge\": \\{[^}]*\\}"), "\"knowledge\": {}");
    if (clean != nullptr) text = clean(std::move(text));
    const fs::path golden = fs::path(CULPRIT_GOLDEN) / name;
    if (std::getenv("CULPRIT_UPDATE_GOLDEN") != nullptr) WriteFile(golden, text);
    EXPECT_EQ(text, ReadFile(golden)) << "tools/update-golden writes it anew";
  }

  fs::path top_;
  fs::path root_;
};

}  // namespace culprit
