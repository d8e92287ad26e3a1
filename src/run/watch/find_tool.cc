// Where compute-sanitizer and cuda-gdb are. NVIDIA's toolkit has the first in its own folder, with a symlink
// or a script in bin; since CUDA 12 there is also a wheel (nvidia-cuda-sanitizer-api), which spreads it over
// two folders. cuda-gdb comes only in system and conda packages.
#include <algorithm>
#include <set>

#include "base/text.h"
#include "base/windows/path.h"
#include "run/watch/tool_run.h"

namespace culprit::watch {
namespace {

using base::JoinPath;

class ToolSearch {
 public:
  ToolSearch(const system::System& machine, std::string name) : machine_(machine), name_(std::move(name)) {}

  void Look(const std::string& directory) {
    if (directory.empty() || !found_.empty() || !seen_.insert(directory).second) return;
    const std::string path = JoinPath(directory, name_);
    const auto status = machine_.Stat(path);
    const bool windows = machine_.platform() == base::Platform::kWindows;
    if (status && status->type == system::FileType::kRegular && (windows || (status->mode & 0111) != 0))
      found_ = path;
  }
  // A toolkit, or a prefix of conda.
  void LookInToolkit(const std::string& root) {
    if (root.empty()) return;
    Look(JoinPath(root, "bin"));
    Look(JoinPath(root, "compute-sanitizer"));
    Look(JoinPath(root, "Library/compute-sanitizer"));
  }
  // "/usr/local/cuda-13.0" before "/usr/local/cuda-9.2".
  void LookInToolkits(const std::string& directory, std::string_view beginning) {
    std::vector<std::string> names;
    if (const auto entries = machine_.List(directory)) {
      for (const auto& entry : *entries)
        if (entry.name.starts_with(beginning)) names.push_back(entry.name);
    }
    std::ranges::sort(names, [](const std::string& a, const std::string& b) {
      return a.size() != b.size() ? a.size() > b.size() : a > b;
    });
    for (const std::string& name : names) LookInToolkit(JoinPath(directory, name));
  }
  // The packages of a Python environment.
  void LookInEnvironment(const std::string& prefix) {
    if (prefix.empty() || prefix == "/") return;
    LookInToolkit(prefix);
    const std::string library = JoinPath(prefix, "lib");
    const auto pythons = machine_.List(library);
    if (!pythons) return;
    for (const auto& python : *pythons) {
      if (!python.name.starts_with("python3")) continue;
      const std::string packages = library + "/" + python.name + "/site-packages/nvidia";
      const auto parts = machine_.List(packages);
      if (!parts) continue;
      for (const auto& part : *parts) Look(packages + "/" + part.name + "/bin");
    }
  }

  const std::string& found() const { return found_; }

 private:
  const system::System& machine_;
  const std::string name_;
  std::set<std::string> seen_;
  std::string found_;
};

std::string Value(const std::map<std::string, std::string>& environment, const std::string& name) {
  const auto found = environment.find(name);
  return found == environment.end() ? std::string() : found->second;
}

// The prefix of the environment that a command belongs to: "/env/bin/python" -> "/env".
std::string PrefixOf(const system::System& machine, const std::vector<std::string>& path,
                     const std::string& word) {
  if (word.find('/') != std::string::npos)
    return std::string(base::DirName(base::DirName(JoinPath(machine.WorkingDirectory(), word))));
  for (const std::string& directory : path)
    if (machine.Stat(JoinPath(directory, word))) return std::string(base::DirName(directory));
  return "";
}

std::string NotFound(std::string_view program) {
  const std::string where =
      " not found: searched PATH, CUDA_HOME, CUDA_PATH, /usr/local/cuda*, /opt/cuda, "
      "/usr/lib/nvidia-cuda-toolkit, CONDA_PREFIX and the Python environment of the command; ";
  if (program == "cuda-gdb")
    return std::string(program) + where +
           "it comes with the CUDA toolkit (apt: cuda-gdb-13-0 for CUDA 13.0 from NVIDIA's repository, "
           "conda: cuda-gdb)";
  return std::string(program) + where +
         "it comes with the CUDA toolkit (apt: cuda-sanitizer-13-0 for CUDA 13.0, cuda-sanitizer-12-8 for "
         "12.8 "
         "from NVIDIA's repository; conda: cuda-sanitizer-api)";
}

}  // namespace

base::Result<std::string> FindTool(const system::System& machine, Tool tool,
                                   const std::vector<std::string>& command) {
  const std::string program(ProgramOf(tool));
  const bool windows = machine.platform() == base::Platform::kWindows;
  if (windows && tool == Tool::kDebugger)
    return base::Fail(base::ErrorCode::kUnsupported, "cuda-gdb does not exist for Windows");
  const auto environment = machine.Environment();
  const auto folder = [&](const std::string& name) {
    const std::string value = Value(environment, name);
    return windows && !value.empty() ? base::FromWindowsPath(value) : value;
  };
  const std::vector<std::string> path = windows ? base::SplitWindowsPath(Value(environment, "PATH"))
                                                : base::SplitWords(Value(environment, "PATH"), ":");
  ToolSearch search(machine, windows ? program + ".exe" : program);
  for (const std::string& directory : path) search.Look(directory);
  for (const char* name : {"CUDA_HOME", "CUDA_PATH", "CUDA_ROOT"}) search.LookInToolkit(folder(name));
  if (!windows) {
    search.LookInToolkit("/usr/local/cuda");
    search.LookInToolkits("/usr/local", "cuda-");
    search.LookInToolkits("/opt", "cuda");
    search.LookInToolkit("/usr/lib/nvidia-cuda-toolkit");
  }
  search.LookInEnvironment(folder("CONDA_PREFIX"));
  search.LookInEnvironment(folder("VIRTUAL_ENV"));
  if (!command.empty()) search.LookInEnvironment(PrefixOf(machine, path, command.front()));
  if (search.found().empty()) return base::Fail(base::ErrorCode::kNotFound, NotFound(program));
  return search.found();
}

}  // namespace culprit::watch
