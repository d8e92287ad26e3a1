// Collects toolkits from the places that the collectors of Linux and Windows name. A directory counts when it
// holds nvcc, a version file, cuda.h or the CUDA runtime.
#pragma once

#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "collect/live_file_view.h"
#include "collect/toolkit/nvcc.h"
#include "snapshot/stack.h"
#include "system/system.h"

namespace culprit::collect {

class ToolkitSearch {
 public:
  explicit ToolkitSearch(const system::System& system);

  // A directory that is not a toolkit is left out, with `needs_nvcc` also one without nvcc.
  void Add(const std::string& path, snapshot::ToolkitKind kind, bool needs_nvcc = false);
  void AddPattern(const std::string& pattern, snapshot::ToolkitKind kind);
  // Those of pip packages.
  void AddPip(const snapshot::PythonEnvironment& environment);

  bool IsFile(const std::string& path) const;
  Nvcc Compiler(const std::string& path);
  std::vector<snapshot::Toolkit> Take() { return std::move(copies_); }

 private:
  std::string Key(const std::string& path) const;             // the same for two spellings of one path
  std::vector<std::string> Headers(const std::string& root);  // where its cuda.h may be
  bool HasRuntime(const std::string& root);

  const system::System& system_;
  const bool windows_;
  LiveFileView view_;
  std::set<std::string> rejected_;         // keys
  std::map<std::string, Nvcc> compilers_;  // by the program itself
  std::vector<snapshot::Toolkit> copies_;
};

}  // namespace culprit::collect
