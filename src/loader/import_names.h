// The names in a row of data/imports.toml, with the values of an environment filled in and matched against
// its files.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "snapshot/snapshot.h"

namespace culprit::loader {

class ImportNames {
 public:
  ImportNames(const snapshot::Snapshot& snapshot, const snapshot::PythonEnvironment& environment,
              const snapshot::Framework& framework, snapshot::FileView& view);

  // `name` with its placeholders replaced; nullopt if a value is unknown. {folder} and {file} come from
  // `item`.
  std::optional<std::string> Fill(std::string_view name, std::string_view item) const;
  // The first existing file among the names with '/'; `everywhere`: below every directory of sys.path.
  std::optional<std::string> FirstFile(const std::vector<std::string>& names, bool everywhere);
  // Every file that Python's glob returns for a name below site-packages, in directory order.
  std::vector<std::string> EveryFile(const std::string& name);
  // The path of a directory below site-packages, or of an absolute one; nullopt if there is none.
  std::optional<std::string> Directory(const std::string& name);

  const std::string& cuda() const { return cuda_; }  // CUDA major that the framework was built for

 private:
  std::string Value(std::string_view key, std::string_view item) const;
  std::string Variable(std::string_view name) const;
  std::string CudaHome() const;
  std::optional<std::string> FindFile(const std::string& path);
  std::vector<std::string> Matching(const std::string& path, bool all);

  const snapshot::Snapshot& snapshot_;
  const snapshot::PythonEnvironment& environment_;
  const snapshot::Framework& framework_;
  snapshot::FileView& view_;
  bool windows_;
  std::string site_;
  std::string cuda_;
  std::string torch_cuda_;
};

}  // namespace culprit::loader
