// Runs a program and returns its output and how it ended.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace culprit::gold {

struct Ran {
  int status = 0;  // from waitpid
  bool timed_out = false;
  std::string out, err;
  std::string events;  // what it wrote to descriptor 9
};

// `environment` is the program's whole environment. argv[0] is `name`. Throws if the program cannot be
// started.
Ran Spawn(const std::string& file, const std::string& name, const std::vector<std::string>& arguments,
          const std::map<std::string, std::string>& environment, const std::string& working_directory,
          int timeout_ms = 20000);

// Contents of a file of this machine; throws if it cannot be read.
std::string ReadFile(const std::string& path);
std::vector<std::string> Lines(const std::string& text);
void ReplaceAll(std::string& text, const std::string& from, const std::string& to);

}  // namespace culprit::gold
