// For starting a child, with or without ptrace: its arguments in the form that exec takes, and files for its
// output. Those are in memory, so that no one blocks on a pipe.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "child.h"

namespace culprit::gold {

// Strings with the array of pointers that exec takes.
class ExecWords {
 public:
  explicit ExecWords(std::vector<std::string> words);
  ExecWords(const ExecWords&) = delete;
  ExecWords& operator=(const ExecWords&) = delete;
  char** data() { return pointers_.data(); }

 private:
  std::vector<std::string> words_;
  std::vector<char*> pointers_;
};
ExecWords ArgumentsOf(const std::string& name, const std::vector<std::string>& arguments);
ExecWords VariablesOf(const std::map<std::string, std::string>& environment);

class MemoryFile {
 public:
  MemoryFile();
  ~MemoryFile();
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  int fd() const { return fd_; }
  size_t size() const;
  std::string Contents() const;

 private:
  int fd_;
};

struct Output {
  MemoryFile out, err;
  MemoryFile events;  // descriptor 9 of the child
  void CopyTo(Ran& ran) const;
};

}  // namespace culprit::gold
