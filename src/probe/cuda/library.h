// A shared library opened at run time. It stays open until the process ends: CUDA libraries have threads and
// exit handlers, and unloading one under them would crash.
#pragma once

#include <string>
#include <vector>

namespace culprit::cuda {

class Library {
 public:
  // `name` as the loader takes it: a name without a slash is searched. `global`: its symbols serve libraries
  // opened later.
  static Library Open(const std::string& name, bool global = false);
  // Only if it is already loaded.
  static Library Mapped(const std::string& path);

  bool opened() const { return handle_ != nullptr; }
  const std::string& name() const { return name_; }    // as it was asked for
  const std::string& path() const { return path_; }    // the file that was really loaded
  const std::string& error() const { return error_; }  // the loader's own words
  // A function or an exported object; nullptr if there is none of that name.
  void* Find(const char* symbol) const;

 private:
  void* handle_ = nullptr;
  std::string name_, path_, error_;
};

// The files of all shared libraries of this process, in the order in which they came; absolute paths.
std::vector<std::string> MappedLibraries();
// The directory of a library, with symlinks resolved, so that two can be compared.
std::string RealDirectory(const std::string& path);

// The function of the loader that Library::Open calls.
extern const char* const kLoaderCall;

}  // namespace culprit::cuda
