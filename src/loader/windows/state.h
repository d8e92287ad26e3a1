// The state of a modeled Windows process, and how loading changes it. One LoadLibrary (or the program start)
// is a session: first, all needed files at any depth are found and mapped, breadth first; then the imported
// functions are looked up in them, which can load more DLLs through forwarders. The walk continues after a
// failure, so that everything that is missing is reported at once; the error code is that of the first
// failure.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "loader/windows/candidate.h"
#include "loader/windows/search.h"
#include "loader/windows/windows.h"
#include "loader/windows/words.h"

namespace culprit::loader {

class WindowsProcess::State {
 public:
  State(const snapshot::Snapshot& snapshot, snapshot::FileView& view, const Question& question);

  void Start();
  bool LoadLibrary(const std::string& name, size_t caller, uint32_t flags, OpenedBy opened_by);
  void FollowDelayImports();
  bool DirectoryExists(const std::string& path) {
    const auto error = view_.Directory(path);
    return error == base::PathError::kNone || error == base::PathError::kNotRecorded;
  }
  // As a 32-bit program sees it: System32 is SysWOW64.
  std::string Redirected(const std::string& path) const;

  WindowsSearch search;
  LoadGraph graph;

 private:
  // Parallel to graph.objects[i].
  struct Module {
    std::string base;               // folded file name
    std::string path;               // folded path
    bool own = false;               // part of Windows itself: trusted, and not examined
    bool without_imports = false;   // DONT_RESOLVE_DLL_REFERENCES, or an .exe
    std::vector<size_t> suppliers;  // the object for each of its imports; kNone = none
  };
  struct Session {
    std::vector<SearchPlace> places;
    size_t mapped = 0;   // objects before it have had their imports mapped
    size_t checked = 0;  // ... and their functions looked up
    std::optional<WindowsFailure> failure;
  };
  struct Function {
    std::string name;  // "" = by ordinal
    uint16_t ordinal = 0;
  };

  // find.cc: from a name to an object. False: request.code and request.error say why.
  bool Find(const DllName& name, const std::vector<SearchPlace>& places, Request& request,
            WindowsFailure& failure);
  bool FindLoaded(const DllName& name, Request& request);
  bool FindKnown(const DllName& name, Request& request);
  bool TryPlace(const std::string& path, Via via, Request& request, WindowsCandidate& candidate);
  void Take(const std::string& path, Via via, const snapshot::FileFacts* facts, Request& request);
  void TellUserDirectories(const DllName& name, const std::vector<SearchPlace>& places, size_t place);
  bool IsOwn(const std::string& path) const;
  bool IsKnown(const std::string& base) const;
  size_t ObjectAt(const std::string& path, const snapshot::FileFacts* facts) const;

  // closure.cc
  void Complete(Session& session);
  void MapImports(size_t object, Session& session);
  void CheckImports(size_t object, Session& session);
  void CheckFunction(size_t importer, size_t supplier, Function function, Session& session);
  size_t RequestDependency(const std::string& name, size_t requester, Session& session);
  void Fail(Session& session, WindowsFailure failure);
  void Assume(std::string line);
  void Unload(size_t first_object, size_t first_request, size_t caller);

  const snapshot::WindowsFacts& facts_;
  snapshot::FileView& view_;
  const bool goes_on_;
  ProcessMachine machine_;
  bool redirects_ = false;  // a 32-bit program on 64-bit Windows
  bool dead_ = false;       // the program did not start
  size_t delayed_ = 0;      // objects before it have had their delay imports followed
  std::vector<Module> modules_;
  std::set<std::string> assumed_;
};

}  // namespace culprit::loader
