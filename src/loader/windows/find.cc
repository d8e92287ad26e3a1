// From the name of a DLL to a file: API sets, modules that are already loaded, known DLLs, then the
// directories.
#include <algorithm>
#include <array>

#include "base/text.h"
#include "base/windows/path.h"
#include "knowledge/windows.h"
#include "loader/windows/state.h"

namespace culprit::loader {
namespace {

using Next = WindowsCandidate::Next;

constexpr std::string_view kCommonControls = "Microsoft.Windows.Common-Controls";

// Assemblies come from the side-by-side store, which is not modeled. Common-Controls only provides
// comctl32.dll.
bool UsesAssemblies(const Object& object) {
  return object.pe != nullptr && std::ranges::any_of(object.pe->manifest_dependencies, [](const auto& name) {
           return !base::SameName(name, kCommonControls);
         });
}

}  // namespace

bool WindowsProcess::State::IsKnown(const std::string& base) const {
  static constexpr std::array<std::string_view, 3> kInEveryProcess = {"ntdll.dll", "kernel32.dll",
                                                                      "kernelbase.dll"};
  const auto is = [&](std::string_view name) { return base::SameName(name, base); };
  return std::ranges::any_of(kInEveryProcess, is) || std::ranges::any_of(facts_.known_dlls, is) ||
         knowledge::IsKnownDll(base);
}

bool WindowsProcess::State::IsOwn(const std::string& path) const {
  return base::SameName(base::DirName(path), search.system_directory) &&
         (knowledge::IsWindowsDll(base::BaseName(path)) || IsKnown(std::string(base::BaseName(path))));
}

std::string WindowsProcess::State::Redirected(const std::string& path) const {
  if (!redirects_) return path;
  const std::string native = base::JoinPath(search.windows_directory, "System32/");
  if (path.size() < native.size() || !base::SameName(path.substr(0, native.size()), native)) return path;
  return base::JoinPath(search.system_directory, path.substr(native.size()));
}

size_t WindowsProcess::State::ObjectAt(const std::string& path, const snapshot::FileFacts* facts) const {
  const std::string folded = base::FoldCase(path);
  for (size_t i = 0; i < modules_.size(); ++i) {
    const bool same_file = facts != nullptr && facts->id != snapshot::FileId{} &&
                           graph.objects[i].id == facts->id && graph.objects[i].pe != nullptr;
    if (modules_[i].path == folded || same_file) return i;
  }
  return kNone;
}

bool WindowsProcess::State::FindLoaded(const DllName& name, Request& request) {
  const std::string base = base::FoldCase(name.base);
  for (size_t i = 0; i < modules_.size(); ++i) {
    const bool same = name.kind == DllName::Kind::kBare
                          ? modules_[i].base == base
                          : modules_[i].path == base::FoldCase(Redirected(name.text));
    if (!same) continue;
    request.object = i;
    request.via = Via::kLoadedBefore;
    return true;
  }
  return false;
}

bool WindowsProcess::State::FindKnown(const DllName& name, Request& request) {
  if (name.kind != DllName::Kind::kBare || !IsKnown(name.base)) return false;
  const std::string path = base::JoinPath(search.system_directory, name.base);
  WindowsCandidate candidate;
  if (!TryPlace(path, Via::kKnownDll, request, candidate)) return false;
  Take(path, Via::kKnownDll, candidate.facts, request);
  return true;
}

// Records one candidate. If there is no Windows directory, a DLL of Windows itself is assumed to exist.
bool WindowsProcess::State::TryPlace(const std::string& path, Via via, Request& request,
                                     WindowsCandidate& candidate) {
  candidate = TryCandidate(view_, path, machine_);
  if (candidate.next == Next::kGoOn && !facts_.present && IsOwn(path) &&
      candidate.outcome != Outcome::kWrongMachine) {
    candidate = {.next = Next::kTake, .outcome = Outcome::kFound, .detail = "assumed", .facts = nullptr};
    Assume("the Windows directory was not available; its DLLs are assumed to be present and complete");
  }
  Attempt attempt{.path = path, .via = via, .outcome = candidate.outcome, .detail = candidate.detail};
  if (candidate.outcome == Outcome::kMissing) {
    attempt.in_missing_directory =
        view_.Directory(std::string(base::DirName(path))) == base::PathError::kNoEntry;
  }
  if (candidate.outcome == Outcome::kNotRecorded) request.uncertain = graph.uncertain = true;
  request.attempts.push_back(std::move(attempt));
  return candidate.next == Next::kTake;
}

void WindowsProcess::State::Take(const std::string& path, Via via, const snapshot::FileFacts* facts,
                                 Request& request) {
  request.via = via;
  if (const size_t loaded = ObjectAt(path, facts); loaded != kNone) {
    request.object = loaded;
    return;
  }
  Object object{.name = request.name,
                .path = path,
                .real_path = facts == nullptr ? path : view_.RealPath(path),
                .id = facts == nullptr ? snapshot::FileId{} : facts->id,
                .via = via,
                .opened_by = request.opened_by,
                .requester = request.requester,
                .elf = nullptr,
                .pe = facts == nullptr ? nullptr : facts->pe,
                .assumed = facts == nullptr};
  request.object = graph.objects.size();
  request.loaded_now = true;
  modules_.push_back({.base = base::FoldCase(base::BaseName(path)),
                      .path = base::FoldCase(path),
                      .own = facts == nullptr || IsOwn(path),
                      .without_imports = object.pe == nullptr || !object.pe->dll,
                      .suppliers = {}});
  graph.objects.push_back(std::move(object));
}

void WindowsProcess::State::TellUserDirectories(const DllName& name, const std::vector<SearchPlace>& places,
                                                size_t place) {
  for (size_t i = place + 1; i < places.size() && places[i].via == Via::kAddDllDirectory; ++i) {
    const std::string path = base::JoinPath(places[i].directory, name.text);
    if (TryCandidate(view_, path, machine_).next != Next::kTake) continue;
    Assume(name.base + " is in several AddDllDirectory directories; their order is not " +
           "documented, so the one added last is assumed to win");
  }
}

bool WindowsProcess::State::Find(const DllName& name, const std::vector<SearchPlace>& places,
                                 Request& request, WindowsFailure& failure) {
  failure = {.code = kErrorModuleNotFound, .file = name.text, .importer = "", .function = ""};
  if (name.base.empty()) {
    failure.code = kErrorInvalidParameter;
    return false;
  }
  if (name.kind == DllName::Kind::kBare && knowledge::IsApiSet(name.base)) {
    request.via = Via::kApiSet;
    return true;
  }
  if (FindLoaded(name, request) || FindKnown(name, request)) return true;
  const auto stop = [&](const std::string& path, const WindowsCandidate& candidate) {
    failure.code = candidate.next == Next::kStop ? candidate.code : kErrorBadExeFormat;
    failure.file = path;
    return false;
  };
  WindowsCandidate candidate;
  if (name.kind == DllName::Kind::kFull) {
    const std::string path = Redirected(name.text);
    if (TryPlace(path, Via::kPath, request, candidate)) {
      Take(path, Via::kPath, candidate.facts, request);
      return true;
    }
    const bool there = candidate.next == Next::kStop || candidate.outcome == Outcome::kWrongMachine;
    return there ? stop(path, candidate) : false;
  }
  std::string passed_over;
  for (size_t i = 0; i < places.size(); ++i) {
    const std::string path =
        Redirected(base::FromWindowsPath(base::JoinPath(places[i].directory, name.text)));
    if (TryPlace(path, places[i].via, request, candidate)) {
      Take(path, places[i].via, candidate.facts, request);
      if (places[i].via == Via::kAddDllDirectory) TellUserDirectories(name, places, i);
      return true;
    }
    if (candidate.next == Next::kStop) return stop(path, candidate);
    if (candidate.outcome == Outcome::kWrongMachine && passed_over.empty()) passed_over = path;
  }
  if (!passed_over.empty()) {
    failure.code = kErrorBadExeFormat;
    failure.file = passed_over;
  } else if (request.requester != kNone && UsesAssemblies(graph.objects[request.requester])) {
    request.uncertain = graph.uncertain = true;
    Assume(base::ToWindowsPath(graph.objects[request.requester].path) +
           " has a manifest that names assemblies; the side-by-side store was not searched");
  }
  return false;
}

}  // namespace culprit::loader
