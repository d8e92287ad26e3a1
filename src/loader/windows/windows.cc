#include "loader/windows/windows.h"

#include <algorithm>

#include "base/text.h"
#include "base/windows/path.h"
#include "loader/windows/state.h"

namespace culprit::loader {
namespace {

// Variable names are case-insensitive: Path, PATH.
std::optional<std::string> FindVariable(const snapshot::Snapshot& snapshot, std::string_view name) {
  for (const auto& [key, value] : snapshot.environment) {
    if (base::SameName(key, name)) return value;
  }
  return std::nullopt;
}

}  // namespace

WindowsProcess::State::State(const snapshot::Snapshot& snapshot, snapshot::FileView& view,
                             const Question& question)
    : facts_(*snapshot.windows()), view_(view), goes_on_(question.goes_on) {
  graph.windows = true;
  graph.target = question.target;
  machine_.on_arm64 = snapshot.cpu.machine == "aarch64";
  search.windows_directory = facts_.directory;
  search.safe_mode = facts_.safe_search;
  if (base::IsWindowsPath(snapshot.working_directory)) {
    search.working_directory = snapshot.working_directory;
  }
  auto program = std::make_shared<binfmt::PeFile>();
  Object object{.name = question.target, .path = question.target, .real_path = question.target};
  object.via = Via::kPath;
  object.pe = std::move(program);
  if (!question.target.empty()) {
    const snapshot::FileFacts& file = view.Open(question.target);
    object.real_path = view.RealPath(question.target);
    object.id = file.id;
    if (file.error == base::PathError::kNone && file.pe != nullptr) {
      machine_.machine = file.pe->machine;
      machine_.bits = file.pe->bits;
    }
    const WindowsCandidate candidate = TryCandidate(view, question.target, machine_);
    if (candidate.next == WindowsCandidate::Next::kTake) {
      object.pe = file.pe;
      if (file.pe->dll) {
        Assume(base::ToWindowsPath(question.target) +
               " is a DLL; culprit assumes a program in another directory loads it");
      } else {
        search.exe_directory = std::string(base::DirName(question.target));
      }
    } else {
      dead_ = true;
      graph.uncertain = candidate.outcome == Outcome::kNotRecorded;
      const uint32_t code =
          candidate.next == WindowsCandidate::Next::kStop ? candidate.code : kErrorModuleNotFound;
      graph.error = LoadLibraryWords({.code = code, .file = question.target, .importer = "", .function = ""});
      object.pe = nullptr;
    }
  }
  const std::string wow64 = base::JoinPath(facts_.directory, "SysWOW64");
  redirects_ = machine_.bits == 32 && (!facts_.present || view.Directory(wow64) == base::PathError::kNone);
  search.system_directory = redirects_ ? wow64 : base::JoinPath(facts_.directory, "System32");
  if (const auto path = FindVariable(snapshot, "PATH")) {
    search.SetPath(*path);
  } else if (facts_.machine_path || facts_.user_path) {
    search.SetPath((facts_.machine_path ? *facts_.machine_path : "") + ";" +
                   (facts_.user_path ? *facts_.user_path : ""));
    Assume(
        "the PATH of the program is not known; culprit uses the PATH that the registry gives to a new shell");
  }
  modules_.push_back({.base = base::FoldCase(base::BaseName(object.path)),
                      .path = base::FoldCase(object.path),
                      .without_imports = object.pe == nullptr,
                      .suppliers = {}});
  graph.objects.push_back(std::move(object));
}

WindowsProcess::WindowsProcess(const snapshot::Snapshot& snapshot, snapshot::FileView& view,
                               const Question& question)
    : state_(std::make_unique<State>(snapshot, view, question)) {}
WindowsProcess::~WindowsProcess() = default;

void WindowsProcess::Start() { state_->Start(); }

bool WindowsProcess::Dlopen(const std::string& name, size_t caller, uint32_t flags) {
  return state_->LoadLibrary(name, caller, flags, OpenedBy::kDlopen);
}

void WindowsProcess::FollowDelayImports() { state_->FollowDelayImports(); }

// Rejects a relative path and a directory that does not exist.
void WindowsProcess::AddDllDirectory(const std::string& directory) {
  WindowsSearch& search = state_->search;
  if (!ParseDllName(directory, search.working_directory).absolute) return;
  const std::string path = base::FromWindowsPath(directory, search.working_directory);
  if (!state_->DirectoryExists(path)) return;
  search.user_directories.insert(search.user_directories.begin(), path);
}

void WindowsProcess::RemoveDllDirectory(const std::string& directory) {
  const std::string path = base::FromWindowsPath(directory, state_->search.working_directory);
  auto& all = state_->search.user_directories;
  const auto place = std::ranges::find_if(all, [&](const auto& one) { return base::SameName(one, path); });
  if (place != all.end()) all.erase(place);
}

void WindowsProcess::SetDllDirectory(const std::string& directory) {
  WindowsSearch& search = state_->search;
  search.dll_directory = directory.empty() ? "" : base::FromWindowsPath(directory, search.working_directory);
}

// Rejects 0, and any flag that is not about the directories of a process.
void WindowsProcess::SetDefaultDllDirectories(uint32_t flags) {
  constexpr uint32_t kAllowed =
      kSearchApplicationDir | kSearchUserDirs | kSearchSystem32 | kSearchDefaultDirs;
  if (flags != 0 && (flags & ~kAllowed) == 0) state_->search.default_flags = flags;
}

void WindowsProcess::PrependToPath(const std::string& directory) {
  WindowsSearch& search = state_->search;
  search.path.insert(search.path.begin(), base::FromWindowsPath(directory, search.working_directory));
}

void WindowsProcess::SetPath(const std::string& path) { state_->search.SetPath(path); }

void WindowsProcess::SetCurrentDirectory(const std::string& directory) {
  WindowsSearch& search = state_->search;
  search.working_directory = base::FromWindowsPath(directory, search.working_directory);
}

LoadGraph& WindowsProcess::graph() { return state_->graph; }

}  // namespace culprit::loader
