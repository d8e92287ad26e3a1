// For the tests here: a child process with a given environment, and an empty journal for it.
#pragma once

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "binfmt/testing/host.h"
#include "run/witness/journal.h"

namespace culprit {

using Strings = std::vector<std::string>;

struct Ended {
  int status = 0;  // of waitpid
  std::string output;
  pid_t process = 0;
  bool operator==(const Ended& other) const { return status == other.status && output == other.output; }
};

// Runs a program with this environment and nothing else; its output goes to `file`. `ignored` is a signal
// that it starts out ignoring.
inline Ended RunChild(const Strings& command, const Strings& environment, const std::string& file,
                      int ignored = 0) {
  const auto pointers = [](const Strings& strings) {
    std::vector<char*> result;
    for (const std::string& text : strings) result.push_back(const_cast<char*>(text.c_str()));
    result.push_back(nullptr);
    return result;
  };
  const auto arguments = pointers(command), variables = pointers(environment);
  const pid_t child = fork();
  if (child == 0) {
    const int output = open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
    dup2(output, 1);
    dup2(output, 2);
    close(output);
    const rlimit no_core{0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    if (ignored != 0) signal(ignored, SIG_IGN);
    execve(arguments[0], arguments.data(), variables.data());
    _exit(126);
  }
  Ended ended{.process = child};
  waitpid(child, &ended.status, 0);
  ended.output = binfmt::testing::ReadAll(file);
  return ended;
}

inline void MakeJournal(const std::string& path, uint64_t size) {
  CulpritJournal header{};
  header.magic = CULPRIT_JOURNAL_MAGIC;
  header.size = size;
  header.used = sizeof header;
  std::ofstream(path, std::ios::binary).write(reinterpret_cast<const char*>(&header), sizeof header);
  std::filesystem::resize_file(path, size);
}

}  // namespace culprit
