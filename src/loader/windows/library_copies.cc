// Where copies of CUDA libraries are on a Windows machine.
#include "loader/windows/library_copies.h"

#include "base/text.h"
#include "base/windows/path.h"
#include "knowledge/libraries.h"
#include "snapshot/directory_set.h"

namespace culprit::loader {
namespace {

using snapshot::DirectorySet;
using snapshot::Snapshot;

void AddPath(std::string_view variable, DirectorySet& directories) {
  for (const std::string& directory : base::SplitWindowsPath(variable)) directories.Add(directory);
}

void AddToolkit(const std::string& root, DirectorySet& directories) {
  for (const char* below : {"bin", "bin/x64"}) directories.Add(base::JoinPath(root, below));
}

void AddEnvironment(const snapshot::PythonEnvironment& environment, snapshot::FileView& view,
                    DirectorySet& directories) {
  directories.Add(environment.prefix);
  directories.Add(base::JoinPath(environment.prefix, "Library/bin"));
  for (const std::string& site : environment.site_packages) {
    if (view.Directory(site) != base::PathError::kNone) continue;
    for (const std::string_view below : knowledge::UsualWindowsPythonDirectories()) {
      directories.AddPattern(base::JoinPath(site, below));
    }
  }
}

}  // namespace

std::vector<std::string> WindowsLibraryDirectories(const Snapshot& snapshot, snapshot::FileView& view) {
  const snapshot::WindowsFacts& windows = *snapshot.windows();
  DirectorySet directories(view);
  AddPath(base::ValueOf(snapshot.environment, "PATH"), directories);
  if (windows.machine_path) AddPath(*windows.machine_path, directories);
  if (windows.user_path) AddPath(*windows.user_path, directories);
  directories.Add(base::JoinPath(windows.directory, "System32"));
  for (const auto& [name, value] : snapshot.environment) {
    if (name.starts_with("CUDA_PATH")) AddToolkit(base::FromWindowsPath(value), directories);
  }
  for (const std::string_view pattern : knowledge::UsualWindowsDirectories()) {
    directories.AddPattern(std::string(pattern));
  }
  if (snapshot.stack.cudnn) {
    for (const auto& copy : *snapshot.stack.cudnn) directories.Add(copy.directory);
  }
  if (snapshot.stack.toolkits) {
    for (const auto& toolkit : snapshot.stack.toolkits->copies) AddToolkit(toolkit.root, directories);
  }
  if (snapshot.stack.environments) {
    for (const auto& environment : *snapshot.stack.environments)
      AddEnvironment(environment, view, directories);
  }
  return directories.Take();
}

}  // namespace culprit::loader
