#include "loader/import_names.h"

#include <algorithm>

#include "base/text.h"
#include "base/windows/path.h"

namespace culprit::loader {
namespace {

std::string WithoutDots(std::string text) {
  std::erase(text, '.');
  return text;
}

// Brackets in a directory name make Python's glob look for another directory: "ai[1]" matches "ai1".
bool IsPatternForGlob(std::string_view directory) {
  for (const std::string_view component : base::Split(directory, '/')) {
    const size_t open = component.find('[');
    // A bracket that closes immediately belongs to the set.
    if (open != std::string_view::npos && component.find(']', open + 2) != std::string_view::npos)
      return true;
  }
  return false;
}

}  // namespace

ImportNames::ImportNames(const snapshot::Snapshot& snapshot, const snapshot::PythonEnvironment& environment,
                         const snapshot::Framework& framework, snapshot::FileView& view)
    : snapshot_(snapshot),
      environment_(environment),
      framework_(framework),
      view_(view),
      windows_(snapshot.windows() != nullptr),
      site_(base::DirName(framework.directory)),
      cuda_(framework.cuda.substr(0, framework.cuda.find('.'))) {
  for (const snapshot::Framework& other : environment.frameworks) {
    if (other.name == "torch") torch_cuda_ = WithoutDots(other.cuda);
  }
}

std::string ImportNames::Variable(std::string_view name) const {
  for (const auto& [key, value] : snapshot_.environment) {
    if (base::SameName(key, name) && !value.empty()) return base::FromWindowsPath(value);
  }
  return "";
}

// The toolkit as torch looks for it: CUDA_PATH_V12_4, or the installer's default for that release.
std::string ImportNames::CudaHome() const {
  if (framework_.cuda.find('.') == std::string::npos) return "";
  std::string variable = "CUDA_PATH_V" + framework_.cuda;
  std::ranges::replace(variable, '.', '_');
  if (std::string value = Variable(variable); !value.empty()) return value;
  return Value("program_files", "") + "/NVIDIA GPU Computing Toolkit/CUDA/v" + framework_.cuda;
}

std::string ImportNames::Value(std::string_view key, std::string_view item) const {
  if (key == "folder") return std::string(base::DirName(item));
  if (key == "file") return std::string(base::BaseName(item));
  if (key == "python") return WithoutDots(environment_.python);
  if (key == "cuda") return cuda_;
  if (key == "cudnn") return framework_.cudnn.substr(0, framework_.cudnn.find('.'));
  if (key == "torch_cuda") return torch_cuda_;
  if (key == "prefix") return environment_.prefix;
  if (key == "base_prefix") {
    return environment_.process.empty() ? "" : std::string(base::DirName(environment_.process));
  }
  if (key == "userbase") {
    const std::string appdata = Variable("APPDATA");
    return appdata.empty() ? "" : appdata + "/Python";
  }
  if (key == "program_files") {
    const std::string value = Variable("ProgramFiles");
    return value.empty() ? "/C:/Program Files" : value;
  }
  if (key == "nvtoolsext") {
    const std::string value = Variable("NVTOOLSEXT_PATH");
    return value.empty() ? Value("program_files", "") + "/NVIDIA Corporation/NvToolsExt" : value;
  }
  if (key == "cuda_path") return Variable("CUDA_PATH");
  if (key == "cuda_home") return CudaHome();
  return "";
}

std::optional<std::string> ImportNames::Fill(std::string_view name, std::string_view item) const {
  std::string text;
  for (size_t i = 0; i < name.size();) {
    const size_t close = name[i] == '{' ? name.find('}', i) : std::string_view::npos;
    if (close == std::string_view::npos) {
      text += name[i++];
      continue;
    }
    const std::string value = Value(name.substr(i + 1, close - i - 1), item);
    if (value.empty()) return std::nullopt;
    // A value of `each` may itself contain a placeholder: "libcudnn.so.{cudnn}". A path never does.
    const bool asks = value.find('{') != std::string::npos && value.find('/') == std::string::npos;
    const auto filled = asks ? Fill(value, "") : std::optional(value);
    if (!filled) return std::nullopt;
    text += *filled;
    i = close + 1;
  }
  return text;
}

std::optional<std::string> ImportNames::FirstFile(const std::vector<std::string>& names, bool everywhere) {
  std::vector<std::string> sites = {site_};
  if (everywhere) sites = environment_.site_packages;
  for (const std::string& site : sites) {
    for (const std::string& name : names) {
      const bool absolute = name.starts_with('/');
      // The toolkit's own files only where no package has them.
      if (name.find('/') == std::string::npos || (absolute && &site != &sites.back())) continue;
      const std::string path = absolute ? name : base::CleanPath(base::JoinPath(site, name));
      if (auto file = FindFile(path)) return file;
    }
  }
  return std::nullopt;
}

std::optional<std::string> ImportNames::FindFile(const std::string& path) {
  // Only the file name is a pattern; brackets in a directory are literal.
  if (base::BaseName(path).find_first_of("*[") != std::string_view::npos) {
    const auto files = Matching(path, /*all=*/false);
    return files.empty() ? std::nullopt : std::optional(files.front());
  }
  const snapshot::FileFacts& facts = view_.Open(path);
  if (facts.error == base::PathError::kNoEntry || facts.error == base::PathError::kNotDirectory) {
    return std::nullopt;
  }
  return path;
}

std::vector<std::string> ImportNames::Matching(const std::string& path, bool all) {
  std::vector<std::string> files;
  const std::string directory(base::DirName(path));
  const auto items = view_.List(directory);
  if (!items) return files;
  const auto folded = [&](std::string_view text) {
    return windows_ ? base::FoldCase(text) : std::string(text);
  };
  const std::string pattern = folded(base::BaseName(path));
  for (const snapshot::DirectoryItem& item : *items) {
    if (!base::MatchesPattern(pattern, folded(item.name))) continue;
    files.push_back(base::JoinPath(directory, item.name));
    if (!all) break;
  }
  return files;
}

std::vector<std::string> ImportNames::EveryFile(const std::string& name) {
  const std::string path = base::CleanPath(base::JoinPath(site_, name));
  if (IsPatternForGlob(base::DirName(path))) return {};
  return Matching(path, /*all=*/true);
}

std::optional<std::string> ImportNames::Directory(const std::string& name) {
  const std::string path = name.starts_with('/') ? name : base::CleanPath(base::JoinPath(site_, name));
  return view_.Directory(path) == base::PathError::kNone ? std::optional(path) : std::nullopt;
}

}  // namespace culprit::loader
