// See start.h.
#include "start.h"

#include <sys/mman.h>
#include <unistd.h>

#include <stdexcept>
#include <utility>

namespace culprit::gold {

ExecWords::ExecWords(std::vector<std::string> words) : words_(std::move(words)) {
  for (std::string& word : words_) pointers_.push_back(word.data());
  pointers_.push_back(nullptr);
}

ExecWords ArgumentsOf(const std::string& name, const std::vector<std::string>& arguments) {
  std::vector<std::string> words = {name};
  words.insert(words.end(), arguments.begin(), arguments.end());
  return ExecWords(std::move(words));
}

ExecWords VariablesOf(const std::map<std::string, std::string>& environment) {
  std::vector<std::string> words;
  for (const auto& [key, value] : environment) words.push_back(key + "=" + value);
  return ExecWords(std::move(words));
}

MemoryFile::MemoryFile() : fd_(memfd_create("output", MFD_CLOEXEC)) {
  if (fd_ < 0) throw std::runtime_error("memfd_create failed");
}

MemoryFile::~MemoryFile() { close(fd_); }

size_t MemoryFile::size() const { return static_cast<size_t>(lseek(fd_, 0, SEEK_END)); }

std::string MemoryFile::Contents() const {
  std::string text(size(), '\0');
  const ssize_t got = pread(fd_, text.data(), text.size(), 0);
  text.resize(got < 0 ? 0 : static_cast<size_t>(got));
  return text;
}

void Output::CopyTo(Ran& ran) const {
  ran.out = out.Contents();
  ran.err = err.Contents();
  ran.events = events.Contents();
}

}  // namespace culprit::gold
