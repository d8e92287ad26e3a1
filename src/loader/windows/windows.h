// The Windows loader as a pure model over a snapshot: LoadLibraryEx with all its search flags, the search
// settings of a process (SetDllDirectory, AddDllDirectory, SetDefaultDllDirectories, PATH), known DLLs, API
// sets, names that are already loaded, imports checked against exports. docs/windows-loader.md has the source
// of each rule and says where Wine differs.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "loader/load.h"
#include "loader/process.h"

namespace culprit::loader {

// Flags of LoadLibraryEx.
inline constexpr uint32_t kAlteredSearchPath = 0x8;
inline constexpr uint32_t kSearchDllLoadDir = 0x100;
inline constexpr uint32_t kSearchApplicationDir = 0x200;
inline constexpr uint32_t kSearchUserDirs = 0x400;
inline constexpr uint32_t kSearchSystem32 = 0x800;
inline constexpr uint32_t kSearchDefaultDirs = 0x1000;

// Results of GetLastError().
inline constexpr uint32_t kErrorModuleNotFound = 126;
inline constexpr uint32_t kErrorProcedureNotFound = 127;
inline constexpr uint32_t kErrorInvalidOrdinal = 182;
inline constexpr uint32_t kErrorBadExeFormat = 193;
inline constexpr uint32_t kErrorInvalidParameter = 87;

class WindowsProcess final : public Process {
 public:
  WindowsProcess(const snapshot::Snapshot& snapshot, snapshot::FileView& view, const Question& question);
  ~WindowsProcess() override;

  // The static imports of the program.
  void Start();
  // LoadLibraryEx(name, flags). `name` in either path spelling.
  bool Dlopen(const std::string& name, size_t caller, uint32_t flags) override;
  void AddDllDirectory(const std::string& directory) override;
  void RemoveDllDirectory(const std::string& directory);
  void SetDllDirectory(const std::string& directory);  // "": only removes the current directory
  void SetDefaultDllDirectories(uint32_t flags);
  void PrependToPath(const std::string& directory) override;
  void SetPath(const std::string& path);  // C:\a;C:\b
  void SetCurrentDirectory(const std::string& directory);
  // LoadLibrary for every delay import of the loaded modules that has not been tried yet. The process would
  // do that at the first call of one of their functions, so a failure is not fatal until then.
  void FollowDelayImports() override;
  LoadGraph& graph() override;

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace culprit::loader
