// Runs a shell command and keeps its output.
#pragma once

#include <stdio.h>
#include <sys/wait.h>

#include <string>

struct ProgramEnd {
  std::string output;  // both streams
  int status = -1;     // of the shell
};

inline ProgramEnd RunProgram(const std::string& command) {
  ProgramEnd end;
  FILE* pipe = popen(("( " + command + " ) 2>&1").c_str(), "r");
  if (pipe == nullptr) return end;
  char buffer[4096];
  while (const size_t got = fread(buffer, 1, sizeof(buffer), pipe)) end.output.append(buffer, got);
  const int status = pclose(pipe);
  end.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128;
  return end;
}
