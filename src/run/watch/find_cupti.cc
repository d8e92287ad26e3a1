// Which copies of libcupti a command could use. The one in its Python environment comes first, because its
// framework was built for that one. An older CUPTI works with a newer driver, but not the other way around,
// and the driver is not known yet; so the library in the program tries one after the other.
#include <algorithm>
#include <array>
#include <cstddef>
#include <tuple>

#include "base/text.h"
#include "run/watch/cuda_watch.h"

namespace culprit::watch {
namespace {

using base::DirName;
using base::JoinPath;
using system::System;

constexpr size_t kMostCopies = 8;
constexpr size_t kMostDirectories = 256;

class Search {
 public:
  explicit Search(const System& machine)
      : machine_(machine), environment_(machine.Environment()), cpu_(machine.HostCpu().machine) {}

  std::vector<std::string> Take() { return std::move(copies_); }
  std::string Variable(const std::string& name) const {
    const auto found = environment_.find(name);
    return found == environment_.end() ? "" : found->second;
  }

  std::string FindProgram(const std::string& name) const;
  // The program itself if it is a Python, or the Python that its first line names; "" = none.
  std::string PythonOf(const std::string& program) const;
  void AddSitesOf(const std::string& python);
  // Of an environment: its site-packages, and what conda puts in it.
  void AddPrefix(const std::string& prefix);
  void AddSite(const std::string& site);
  void AddToolkit(const std::string& root);
  void AddToolkitsBelow(const std::string& directory);
  void AddDirectory(const std::string& directory);
  void AddTriton();

 private:
  std::vector<std::string> Names(const std::string& directory) const;
  bool IsDirectory(const std::string& path) const {
    const auto status = machine_.Stat(path);
    return status && status->type == system::FileType::kDirectory;
  }
  bool FitsCpu(const std::string& path) const;

  const System& machine_;
  const std::map<std::string, std::string> environment_;
  const std::string cpu_;
  std::vector<std::string> copies_, real_, directories_, sites_;
};

std::vector<std::string> Search::Names(const std::string& directory) const {
  std::vector<std::string> names;
  if (const auto entries = machine_.List(directory)) {
    for (const system::DirectoryEntry& entry : *entries) names.push_back(entry.name);
  }
  return names;
}

bool Search::FitsCpu(const std::string& path) const {
  const auto file = machine_.Open(path);
  if (!file || file->bytes == nullptr) return false;
  std::array<std::byte, 20> header{};
  const auto read = file->bytes->ReadAt(0, header);
  if (!read || *read != header.size()) return false;
  const auto at = [&header](size_t i) { return std::to_integer<unsigned>(header[i]); };
  const bool elf64 = at(0) == 0x7f && at(1) == 'E' && at(2) == 'L' && at(3) == 'F' && at(4) == 2;
  const unsigned machine = at(18) | (at(19) << 8);
  return elf64 && ((machine == 62 && cpu_ == "x86_64") || (machine == 183 && cpu_ == "aarch64"));
}

void Search::AddDirectory(const std::string& directory) {
  if (directory.empty() || directory[0] != '/' || directories_.size() >= kMostDirectories ||
      std::ranges::find(directories_, directory) != directories_.end())
    return;
  directories_.push_back(directory);
  std::vector<std::string> names = Names(directory);
  std::erase_if(names, [](const std::string& name) { return !name.starts_with("libcupti.so"); });
  // The name that programs ask for is the shortest with a number: libcupti.so.12, not libcupti.so.2025.1.1.
  std::ranges::sort(names, {}, [](const std::string& name) {
    return std::tuple(name == "libcupti.so", name.size(), name);
  });
  for (const std::string& name : names) {
    const std::string path = JoinPath(directory, name);
    const auto real = machine_.RealPath(path);
    if (copies_.size() >= kMostCopies || !real || path.find(':') != std::string::npos ||
        std::ranges::find(real_, *real) != real_.end() || !FitsCpu(path))
      continue;
    real_.push_back(*real);
    copies_.push_back(path);
  }
}

std::string Search::FindProgram(const std::string& name) const {
  if (name.empty()) return "";
  if (name.find('/') != std::string::npos) return JoinPath(machine_.WorkingDirectory(), name);
  for (const std::string& directory : base::Split(Variable("PATH"), ':')) {
    const std::string path =
        JoinPath(machine_.WorkingDirectory(), JoinPath(directory.empty() ? "." : directory, name));
    const auto status = machine_.Stat(path);
    if (status && status->type == system::FileType::kRegular && (status->mode & 0111) != 0) return path;
  }
  return "";
}

std::string Search::PythonOf(const std::string& program) const {
  if (program.empty()) return "";
  if (base::BaseName(program).starts_with("python")) return program;
  const auto file = machine_.Open(program);
  if (!file || file->bytes == nullptr) return "";
  std::array<std::byte, 512> bytes{};
  const auto read = file->bytes->ReadAt(0, bytes);
  if (!read) return "";
  std::string line;
  for (size_t i = 0; i < *read && bytes[i] != std::byte{'\n'}; ++i)
    line.push_back(static_cast<char>(std::to_integer<unsigned char>(bytes[i])));
  if (!line.starts_with("#!")) return "";
  const std::vector<std::string> words = base::SplitWords(line.substr(2), " \t");
  for (const std::string& word : words) {
    if (base::BaseName(word).starts_with("python")) return FindProgram(word);
  }
  return "";
}

void Search::AddSite(const std::string& site) {
  if (site.empty() || site[0] != '/' || std::ranges::find(sites_, site) != sites_.end() || !IsDirectory(site))
    return;
  sites_.push_back(site);
  const std::string nvidia = JoinPath(site, "nvidia");
  std::vector<std::string> packages = Names(nvidia);
  std::erase_if(packages, [](const std::string& name) {
    return name != "cuda_cupti" && !(name.starts_with("cu") && name.size() == 4);  // cu13
  });
  std::ranges::reverse(packages);  // cuda_cupti is for CUDA 12 and older
  for (const std::string& package : packages) AddDirectory(JoinPath(JoinPath(nvidia, package), "lib"));
}

void Search::AddPrefix(const std::string& prefix) {
  if (prefix.empty() || prefix[0] != '/') return;
  const std::string library = JoinPath(prefix, "lib");
  for (const std::string& name : Names(library)) {
    if (!name.starts_with("python3")) continue;
    AddSite(JoinPath(JoinPath(library, name), "site-packages"));
    AddSite(JoinPath(JoinPath(library, name), "dist-packages"));
  }
  AddDirectory(library);
}

void Search::AddSitesOf(const std::string& python) {
  if (python.empty()) return;
  const std::string prefix(DirName(DirName(python)));
  AddPrefix(prefix);
  if (machine_.Stat(JoinPath(prefix, "pyvenv.cfg"))) return;
  if (const auto real = machine_.RealPath(python)) AddPrefix(std::string(DirName(DirName(*real))));
  AddPrefix("/usr/local");
  AddPrefix(JoinPath(Variable("HOME"), ".local"));
}

void Search::AddToolkit(const std::string& root) {
  if (root.empty() || root[0] != '/') return;
  AddDirectory(JoinPath(root, "extras/CUPTI/lib64"));
  AddDirectory(JoinPath(root, "lib64"));
  for (const char* target : {"x86_64-linux", "sbsa-linux", "aarch64-linux"})
    AddDirectory(JoinPath(root, "targets/" + std::string(target) + "/lib"));
}

void Search::AddToolkitsBelow(const std::string& directory) {
  std::vector<std::string> names = Names(directory);
  std::erase_if(names, [](const std::string& name) { return !name.starts_with("cuda"); });
  std::ranges::reverse(names);
  for (const std::string& name : names) AddToolkit(JoinPath(directory, name));
}

// Last, because Triton's own copy is often older than the others in the environment.
void Search::AddTriton() {
  for (const std::string& site : sites_) AddDirectory(JoinPath(site, "triton/backends/nvidia/lib/cupti"));
}

}  // namespace

std::vector<std::string> FindCupti(const System& machine, const std::vector<std::string>& command) {
  if (machine.platform() != base::Platform::kLinux) return {};
  Search search(machine);
  if (!command.empty()) search.AddSitesOf(search.PythonOf(search.FindProgram(command[0])));
  for (const std::string& directory : base::Split(search.Variable("PYTHONPATH"), ':'))
    search.AddSite(directory);
  search.AddPrefix(search.Variable("VIRTUAL_ENV"));
  search.AddPrefix(search.Variable("CONDA_PREFIX"));
  for (const std::string& directory : base::Split(search.Variable("LD_LIBRARY_PATH"), ':'))
    search.AddDirectory(directory);
  for (const char* name : {"CUDA_HOME", "CUDA_PATH", "CUDA_ROOT"}) search.AddToolkit(search.Variable(name));
  search.AddToolkit("/usr/local/cuda");
  search.AddToolkitsBelow("/usr/local");
  search.AddToolkitsBelow("/opt");
  for (const char* directory : {"/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64"})
    search.AddDirectory(directory);
  search.AddSitesOf(search.FindProgram("python3"));
  search.AddTriton();
  return search.Take();
}

}  // namespace culprit::watch
