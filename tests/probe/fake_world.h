// Runs a program in a world where CUDA's libraries are the fakes of this folder.
#pragma once

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <thread>
#include <vector>

namespace culprit {

namespace fs = std::filesystem;
using Environment = std::map<std::string, std::string>;

struct Ran {
  int status = 0;  // of exit, or minus the signal
  std::string out, err;
  double seconds = 0;
};

inline const std::string kFakes = CULPRIT_FAKES;
inline std::string FakeCudnn(int version) { return kFakes + "/cudnn-" + std::to_string(version); }

class FakeWorld {
 public:
  FakeWorld() {
    std::string pattern = (fs::temp_directory_path() / "culprit-fakes-XXXXXX").string();
    directory_ = mkdtemp(pattern.data());
    Set("LD_LIBRARY_PATH", kFakes + "/driver:" + kFakes + "/cuda");
    Set("PATH", "/usr/bin:/bin");
    Set("HOME", directory_.string());
    if (const char* options = std::getenv("ASAN_OPTIONS")) Set("ASAN_OPTIONS", options);
  }
  ~FakeWorld() {
    std::error_code ignored;
    fs::remove_all(directory_, ignored);
  }
  FakeWorld(const FakeWorld&) = delete;
  FakeWorld& operator=(const FakeWorld&) = delete;

  FakeWorld& Set(const std::string& name, const std::string& value) {
    environment_[name] = value;
    return *this;
  }
  std::string Get(const std::string& name) const {
    const auto found = environment_.find(name);
    return found == environment_.end() ? "" : found->second;
  }
  // "cuInit=100": see fakes/misbehave.h.
  FakeWorld& Misbehave(const std::string& how) { return Set("FAKE_CUDA", how); }
  // Before everything that is already there.
  FakeWorld& Prepend(const std::string& directory) {
    return Set("LD_LIBRARY_PATH", directory + ":" + environment_["LD_LIBRARY_PATH"]);
  }
  const fs::path& directory() const { return directory_; }

  // A search finds no file with these names, whatever this machine has: an empty file ends the loader's
  // search.
  FakeWorld& Block(const std::vector<std::string>& names) {
    fs::create_directory(directory_ / "blocked");
    for (const std::string& name : names) std::ofstream(directory_ / "blocked" / name) << "";
    return Prepend((directory_ / "blocked").string());
  }
  // A directory with all files of a fake cuDNN, for a test to break.
  fs::path CopyOfCudnn(int version, const std::string& name) const {
    fs::copy(FakeCudnn(version), directory_ / name);
    return directory_ / name;
  }

  // `term_after`: it gets SIGTERM when its output contains this text.
  Ran Run(const std::vector<std::string>& command, const std::string& term_after = "") const {
    const fs::path out = directory_ / "stdout", err = directory_ / "stderr";
    fs::remove(out);
    std::vector<std::string> words = command, settings;
    for (const auto& [name, value] : environment_) settings.push_back(name + "=" + value);
    std::vector<char*> argv, envp;
    for (std::string& word : words) argv.push_back(word.data());
    for (std::string& setting : settings) envp.push_back(setting.data());
    argv.push_back(nullptr);
    envp.push_back(nullptr);
    const auto start = std::chrono::steady_clock::now();
    const pid_t child = fork();
    if (child == 0) {
      dup2(open("/dev/null", O_RDONLY), STDIN_FILENO);
      dup2(open(out.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0600), STDOUT_FILENO);
      dup2(open(err.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0600), STDERR_FILENO);
      alarm(60);  // so that a test that hangs ends
      execve(argv[0], argv.data(), envp.data());
      _exit(127);
    }
    if (!term_after.empty()) {
      for (int i = 0; i < 1000 && Read(out).find(term_after) == std::string::npos; ++i) Wait(10);
      Wait(50);
      kill(child, SIGTERM);
    }
    int status = 0;
    waitpid(child, &status, 0);
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status), Read(out), Read(err),
            seconds.count()};
  }

  static std::string Read(const fs::path& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }

 private:
  static void Wait(int milliseconds) { std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds)); }

  fs::path directory_;
  Environment environment_;
};

}  // namespace culprit
