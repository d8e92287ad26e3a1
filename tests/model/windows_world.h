// A made-up Windows machine for tests of the loader model: DLLs are described by their imports and exports;
// no bytes are written.
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "base/windows/path.h"
#include "loader/load.h"
#include "loader/windows/windows.h"

namespace culprit::model {

struct Dll {
  std::vector<binfmt::PeImport> imports;
  std::vector<std::string> exports;
  std::vector<std::pair<std::string, std::string>> forwarders;  // {"f", "other.g"}
  std::vector<uint16_t> ordinals;
  std::vector<binfmt::PeImport> delay_imports;
  bool program = false;
  uint16_t machine = binfmt::kPeMachineX64;
  binfmt::PeProblem problem = binfmt::PeProblem::kNone;
  bool exports_known = true;
  std::vector<std::string> manifest_dependencies;
};

// Every DLL has this function.
inline constexpr const char* kUsual = "usual";

inline std::vector<binfmt::PeImport> Needs(std::vector<std::string> dlls) {
  std::vector<binfmt::PeImport> imports;
  for (std::string& dll : dlls) imports.push_back({.dll = std::move(dll), .names = {kUsual}, .ordinals = {}});
  return imports;
}

class WindowsFiles final : public snapshot::FileView {
 public:
  void Add(const std::string& path, const Dll& dll) {
    auto pe = std::make_shared<binfmt::PeFile>();
    pe->machine = dll.machine;
    pe->bits = dll.machine == binfmt::kPeMachine386 ? 32 : 64;
    pe->dll = !dll.program;
    pe->problem = dll.problem;
    pe->imports = dll.imports;
    pe->delay_imports = dll.delay_imports;
    pe->manifest_dependencies = dll.manifest_dependencies;
    snapshot::FileFacts facts;
    facts.kind = snapshot::FileKind::kRegular;
    facts.size = 1000;
    facts.id = {.device = 1, .inode = ++last_inode_};
    facts.pe = std::move(pe);
    Put(path, std::move(facts));
    if (!dll.exports_known) return;
    binfmt::PeExports exports;
    exports.names = dll.exports;
    exports.names.push_back(kUsual);
    for (const auto& [name, target] : dll.forwarders) {
      exports.names.push_back(name);
      exports.forwarders.push_back({name, target});
    }
    std::ranges::sort(exports.names);
    exports.ordinals = dll.ordinals;
    exports_[base::FoldCase(path)] = std::move(exports);
  }
  void AddDirectory(const std::string& path) {
    for (std::string_view at = path; at.size() > 1; at = base::DirName(at)) {
      directories_.insert(base::FoldCase(at));
    }
  }
  void AddElf(const std::string& path) {
    snapshot::FileFacts facts;
    facts.kind = snapshot::FileKind::kRegular;
    facts.size = 1000;
    facts.elf = std::make_shared<binfmt::ElfFile>();
    Put(path, std::move(facts));
  }
  void AddNotOpened(const std::string& path, base::PathError error) {
    snapshot::FileFacts facts;
    facts.error = error;
    Put(path, std::move(facts));
  }

  const snapshot::FileFacts& Open(const std::string& path) override {
    if (!path.starts_with("/C:")) return not_recorded_;
    const auto found = files_.find(base::FoldCase(path));
    if (found != files_.end()) return found->second;
    return directories_.contains(base::FoldCase(path)) ? directory_ : missing_;
  }
  base::PathError Directory(const std::string& path) override {
    if (!path.starts_with("/C:")) return base::PathError::kNotRecorded;
    return directories_.contains(base::FoldCase(path)) ? base::PathError::kNone : base::PathError::kNoEntry;
  }
  std::string RealPath(const std::string& path) override { return path; }
  std::optional<std::vector<snapshot::DirectoryItem>> List(const std::string& path) override {
    if (Directory(path) != base::PathError::kNone) return std::nullopt;
    std::vector<snapshot::DirectoryItem> items;
    for (const auto& [folded, spelled] : spelled_) {
      if (base::DirName(folded) != base::FoldCase(path)) continue;
      items.push_back({std::string(base::BaseName(spelled)), snapshot::FileKind::kRegular});
    }
    return items;
  }
  snapshot::Fact<snapshot::LibraryVersion> Version(const std::string&) override { return {}; }
  snapshot::Fact<binfmt::GpuCode> GpuCode(const std::string&) override { return {}; }
  const binfmt::PeExports* Exports(const std::string& path) override {
    const auto found = exports_.find(base::FoldCase(path));
    return found == exports_.end() ? nullptr : &found->second;
  }

 private:
  void Put(const std::string& path, snapshot::FileFacts facts) {
    files_[base::FoldCase(path)] = std::move(facts);
    spelled_[base::FoldCase(path)] = path;
    AddDirectory(std::string(base::DirName(path)));
  }
  static snapshot::FileFacts WithError(base::PathError error) {
    snapshot::FileFacts facts;
    facts.error = error;
    return facts;
  }
  static snapshot::FileFacts ADirectory() {
    snapshot::FileFacts facts;
    facts.kind = snapshot::FileKind::kDirectory;
    return facts;
  }

  uint64_t last_inode_ = 0;
  std::map<std::string, snapshot::FileFacts> files_;
  std::map<std::string, std::string> spelled_;  // folded -> as added
  std::map<std::string, binfmt::PeExports> exports_;
  std::set<std::string> directories_;
  snapshot::FileFacts missing_ = WithError(base::PathError::kNoEntry);
  snapshot::FileFacts not_recorded_ = WithError(base::PathError::kNotRecorded);
  snapshot::FileFacts directory_ = ADirectory();
};

// /C:/app/app.exe is the program, /C:/here the current directory, and PATH is C:\path1;C:\path2.
class WindowsWorld {
 public:
  WindowsWorld() {
    windows.present = true;
    snapshot.working_directory = "/C:/here";
    snapshot.environment["Path"] = R"(C:\path1;C:\path2)";
    for (const char* directory :
         {"/C:/Windows/System32", "/C:/Windows/SysWOW64", "/C:/here", "/C:/path1", "/C:/path2", "/C:/app"}) {
      files.AddDirectory(directory);
    }
    Program({});
  }
  void Program(Dll program) {
    program.program = true;
    files.Add("/C:/app/app.exe", program);
  }
  // Puts the facts about Windows into the snapshot.
  void Settle() { snapshot.stack.windows = snapshot::Fact<snapshot::WindowsFacts>::Of(windows, "made up"); }
  // The process after start-up.
  loader::WindowsProcess& Process(const std::string& target = "/C:/app/app.exe") {
    Settle();
    process = std::make_unique<loader::WindowsProcess>(snapshot, files, loader::Question{.target = target});
    process->Start();
    return *process;
  }
  // Path of what LoadLibraryEx loads in a new process, or "error 126".
  std::string Load(const std::string& name, uint32_t flags = 0) { return LoadIn(Process(), name, flags); }
  static std::string LoadIn(loader::WindowsProcess& process, const std::string& name, uint32_t flags = 0) {
    loader::LoadGraph& graph = process.graph();
    const size_t begin = graph.requests.size();
    if (!process.Dlopen(name, 0, flags)) return "error " + std::to_string(graph.requests[begin].code);
    const loader::Request& request = graph.requests[begin];
    return request.object == loader::kNone ? "no file" : graph.objects[request.object].path;
  }

  WindowsFiles files;
  snapshot::WindowsFacts windows;
  snapshot::Snapshot snapshot;
  std::unique_ptr<loader::WindowsProcess> process;
};

}  // namespace culprit::model
