#include "why/python_search.h"

#include <algorithm>

#include "base/text.h"
#include "base/version.h"
#include "base/windows/path.h"
#include "knowledge/libraries.h"
#include "knowledge/windows.h"
#include "loader/windows/windows.h"

namespace culprit::why {
namespace {

using loader::LoadGraph;
using loader::OpenedBy;
using loader::Request;
using snapshot::FileView;
using snapshot::Snapshot;

// A Python without a known version counts as new.
bool IsNewPython(FileView& view, const std::string& program) {
  const std::string name = base::FoldCase(base::BaseName(program));
  const auto& pe = view.Open(program).pe;
  std::string version;
  if (pe != nullptr) {
    for (const binfmt::PeImport& import : pe->imports) {
      if (version.empty()) version = knowledge::PythonOfDll(import.dll);
    }
  }
  if (version.empty() && (!name.starts_with("python") || !name.ends_with(".exe"))) return false;
  const auto beside = view.List(std::string(base::DirName(program)));
  for (const auto& item : beside.value_or(std::vector<snapshot::DirectoryItem>{})) {
    if (version.empty()) version = knowledge::PythonOfDll(item.name);
  }
  const auto number = base::Version::Parse(version);
  return !number || *base::Version::Parse("3.8") <= *number;
}

// cuDNN itself opens its sub-libraries.
bool IsOpenedByDlls(const std::string& library) {
  const auto* row = knowledge::FindLibrary(base::BaseName(library));
  return row != nullptr && row->family == "cudnn" && row->name != "cudnn";
}

bool Opens(const Snapshot& snapshot, FileView& view, loader::Question question, const std::string& library,
           uint32_t flags) {
  question.calls = {{.name = library, .flags = flags}};
  const LoadGraph graph = loader::Load(snapshot, view, question);
  return !graph.requests.empty() && std::ranges::any_of(graph.requests, [&](const Request& request) {
    return request.opened_by == OpenedBy::kDlopen && request.name == library && request.error.empty();
  });
}

}  // namespace

uint32_t PythonFlags(const Snapshot& snapshot, FileView& view, const loader::Question& question,
                     const std::string& library, std::vector<std::string>& notes) {
  const std::string& program = question.interpreter.empty() ? question.target : question.interpreter;
  if (program.empty() || !IsNewPython(view, program)) return 0;
  const bool by_dlls = IsOpenedByDlls(library);
  const uint32_t flags = by_dlls ? 0 : loader::kSearchDefaultDirs;
  const bool plain = Opens(snapshot, view, question, library, 0);
  const bool python = Opens(snapshot, view, question, library, loader::kSearchDefaultDirs);
  if (plain && !python) {
    notes.push_back(
        by_dlls ? "found through PATH, which is how cuDNN loads its sub-libraries; Python's own loads "
                  "(import, ctypes) ignore PATH"
                : "searched the way Python loads DLLs for its modules: PATH is ignored since 3.8. A DLL that "
                  "loads it by itself finds it through PATH; in Python, call os.add_dll_directory");
  }
  return flags;
}

}  // namespace culprit::why
