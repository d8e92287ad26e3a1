#include "collect/process/process.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <set>

#include "base/text.h"
#include "collect/process/python.h"
#include "collect/record.h"
#include "collect/small_file.h"

namespace culprit::collect {
namespace {

using base::PathError;
using system::System;

constexpr uint64_t kMostMaps = uint64_t{128} << 20;  // a million mappings and more
constexpr uint64_t kMostEnvironment = uint64_t{8} << 20;
constexpr size_t kMostLibraries = 8192;
constexpr std::string_view kDeleted = " (deleted)";

struct File {
  uint64_t base = 0, end = 0;
  bool executable = false;
};

// "0123-4567" and such: hexadecimal up to `end`, which is passed over.
std::optional<uint64_t> TakeHex(std::string_view& text, char end) {
  uint64_t value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  if (error != std::errc() || stop == text.data() + text.size() || *stop != end) return std::nullopt;
  text.remove_prefix(static_cast<size_t>(stop - text.data()) + 1);
  return value;
}

std::string_view TakeWord(std::string_view& text) {
  const size_t end = std::min(text.find(' '), text.size());
  const std::string_view word = text.substr(0, end);
  text.remove_prefix(std::min(text.size(), text.find_first_not_of(' ', end)));
  return word;
}

// The kernel writes a newline as \012, and nothing else that way.
std::string WithNewlines(std::string_view text) {
  constexpr std::string_view kNewline = "\\012";
  std::string plain;
  for (size_t at = 0; at < text.size();) {
    const bool newline = text.substr(at).starts_with(kNewline);
    plain += newline ? '\n' : text[at];
    at += newline ? kNewline.size() : 1;
  }
  return plain;
}

// "libcudnn.so.9", "x.cpython-311-x86_64-linux-gnu.so"; data is mapped under other names.
bool HasLibraryName(std::string_view path) {
  const std::string_view name = base::BaseName(path);
  return name.ends_with(".so") || name.find(".so.") != std::string_view::npos;
}

bool IsFileOfMemory(std::string_view path) {
  return path.starts_with("/memfd:") || path.starts_with("/dev/") || path.starts_with("/SYSV") ||
         path.starts_with("/anon_hugepage") || path.starts_with("/proc/") || path.starts_with("/sys/");
}

std::string OfProcess(int64_t pid, std::string_view name) {
  return "/proc/" + std::to_string(pid) + "/" + std::string(name);
}

std::string ValueIn(const std::string& status, std::string_view key) {
  for (const std::string& line : base::Split(status, '\n')) {
    if (!line.starts_with(key)) continue;
    const auto words = base::SplitWords(std::string_view(line).substr(key.size()), " \t");
    return words.empty() ? "" : words.front();
  }
  return "";
}

class Looking {
 public:
  Looking(const System& system, int64_t pid) : system_(system), pid_(pid) { look_.process.id = pid; }

  base::Result<ProcessLook> Look() {
    const auto status = ReadSmallFile(system_, OfProcess(pid_, "status"));
    if (!status) {
      if (status.state != snapshot::FactState::kAbsent) return Denied(status.why);
      return base::Fail(base::ErrorCode::kNotFound, Named() + ": no such process");
    }
    look_.user = ValueIn(*status, "Uid:");
    state_ = ValueIn(*status, "State:");
    const std::string parent = ValueIn(*status, "PPid:");
    std::from_chars(parent.data(), parent.data() + parent.size(), look_.process.parent);
    auto maps = system::ReadWholeFile(system_, OfProcess(pid_, "maps"), kMostMaps);
    if (!maps) return CannotRead(maps.error());
    if (maps->empty()) return WithoutMemory();
    FindRoot();
    const auto exe = system_.ReadLink(OfProcess(pid_, "exe"));
    if (!exe && exe.error() == PathError::kAccess) return Denied(std::string(base::Strerror(exe.error())));
    ReadMaps(*maps);
    maps->clear();
    AddLoads(exe ? *exe : "");
    ReadSurroundings();
    look_.python = PythonPrefixes(system_, look_, command_);
    return std::move(look_);
  }

 private:
  std::string Named() const { return "process " + std::to_string(pid_); }

  std::unexpected<base::Error> Denied(const std::string& why) const {
    return base::Fail(base::ErrorCode::kNotReadable,
                      Named() + " belongs to " +
                          (look_.user.empty() ? "another user" : "user " + look_.user) +
                          ", so only that user or root can read it; run culprit as one of them (" +
                          OfProcess(pid_, "maps") + ": " + why + ")");
  }

  std::unexpected<base::Error> CannotRead(PathError error) const {
    if (error == PathError::kAccess) return Denied(std::string(base::Strerror(error)));
    if (!system_.Stat(OfProcess(pid_, "status")))
      return base::Fail(base::ErrorCode::kNotFound, Named() + " exited while culprit was reading it");
    return base::Fail(base::ErrorCode::kNotReadable,
                      OfProcess(pid_, "maps") + ": " + std::string(base::Strerror(error)));
  }

  std::unexpected<base::Error> WithoutMemory() const {
    if (state_ == "Z" || state_ == "X")
      return base::Fail(base::ErrorCode::kNotFound,
                        Named() + " has exited, but its parent has not waited for it (state " + state_ + ")");
    return base::Fail(base::ErrorCode::kUnsupported,
                      Named() + " is a kernel thread; it has no memory of its own");
  }

  // Paths of the kernel are those of our view; a process in a chroot sees them without what stands before.
  void FindRoot() {
    const auto root = system_.ReadLink(OfProcess(pid_, "root"));
    const auto own_root = system_.ReadLink("/proc/self/root");
    const auto mounts = system_.ReadLink(OfProcess(pid_, "ns/mnt"));
    const auto own_mounts = system_.ReadLink("/proc/self/ns/mnt");
    const bool moved = root && *root != (own_root ? *own_root : "/");
    if (moved || (mounts && own_mounts && *mounts != *own_mounts)) look_.root = OfProcess(pid_, "root");
    if (moved && *root != "/") prefix_ = *root;
  }

  std::string Inside(std::string path) const {
    if (prefix_.empty() || !path.starts_with(prefix_)) return path;
    if (path.size() == prefix_.size()) return "/";
    return path[prefix_.size()] == '/' ? path.substr(prefix_.size()) : path;
  }

  void ReadMaps(const std::string& text) {
    std::string_view rest = text;
    while (!rest.empty()) {
      const size_t end = std::min(rest.find('\n'), rest.size());
      const auto mapping = ParseMapping(rest.substr(0, end));
      rest.remove_prefix(std::min(rest.size(), end + 1));
      if (!mapping) continue;
      if (mapping->path.starts_with("/dev/nvidia")) devices_.insert(mapping->path);
      if (IsFileOfMemory(mapping->path)) continue;
      const auto [file, fresh] = files_.try_emplace(mapping->path, File{mapping->begin, mapping->end});
      file->second.base = std::min(file->second.base, mapping->begin);
      file->second.end = std::max(file->second.end, mapping->end);
      file->second.executable |= mapping->executable;
    }
  }

  // A file may be called "x (deleted)".
  bool IsDeleted(const std::string& path) const {
    return path.ends_with(kDeleted) && !system_.LinkStat(look_.root + Inside(path));
  }

  record::Loaded LoadedOf(const std::string& path, const File& file) const {
    record::Loaded loaded{.base = file.base, .end = file.end};
    loaded.deleted = IsDeleted(path);
    loaded.path = Inside(loaded.deleted ? path.substr(0, path.size() - kDeleted.size()) : path);
    return loaded;
  }

  void AddLoads(const std::string& exe) {
    std::vector<std::pair<std::string, File>> libraries;
    File program;
    for (const auto& [path, file] : files_) {
      const std::string_view name =
          path.ends_with(kDeleted) ? std::string_view(path).substr(0, path.size() - kDeleted.size()) : path;
      if (path == exe) {
        program = file;
      } else if (file.executable || HasLibraryName(name)) {
        libraries.emplace_back(path, file);
      }
    }
    std::ranges::sort(libraries, std::ranges::greater(), [](const auto& entry) { return entry.second.base; });
    auto& loads = look_.process.loads;
    if (!exe.empty()) {
      loads.push_back(LoadedOf(exe, program));
      look_.process.program = loads.front().path;
    }
    for (const auto& [path, file] : libraries) {
      if (loads.size() >= kMostLibraries) {
        look_.not_seen.emplace_back("all libraries of " + Named(),
                                    "it has more than " + std::to_string(kMostLibraries) + " mapped");
        break;
      }
      loads.push_back(LoadedOf(path, file));
    }
    look_.process.devices = {devices_.begin(), devices_.end()};
  }

  void ReadSurroundings() {
    if (const auto cwd = system_.ReadLink(OfProcess(pid_, "cwd"))) look_.working_directory = Inside(*cwd);
    const auto environment = system::ReadWholeFile(system_, OfProcess(pid_, "environ"), kMostEnvironment);
    if (!environment) {
      look_.not_seen.emplace_back("the environment of " + Named(),
                                  OfProcess(pid_, "environ") + ": " +
                                      std::string(base::Strerror(environment.error())) +
                                      "; LD_LIBRARY_PATH is assumed to be unset");
    } else {
      std::map<std::string, std::string> variables;
      for (const std::string& entry : base::Split(*environment, '\0')) {
        const size_t equals = entry.find('=');
        if (equals == std::string::npos || equals == 0) continue;
        variables.emplace(entry.substr(0, equals), entry.substr(equals + 1));
      }
      look_.environment = RelevantEnvironment(variables);
    }
    if (const auto line = ReadSmallFile(system_, OfProcess(pid_, "cmdline")))
      command_ = base::Split(*line, '\0').front();
  }

  const System& system_;
  int64_t pid_;
  ProcessLook look_;
  std::string state_;
  std::string prefix_;  // where a chroot of the process begins
  std::string command_;
  std::map<std::string, File> files_;
  std::set<std::string> devices_;
};

}  // namespace

std::optional<Mapping> ParseMapping(std::string_view line) {
  Mapping mapping;
  const auto begin = TakeHex(line, '-');
  const auto end = begin ? TakeHex(line, ' ') : std::nullopt;
  if (!end || *end <= *begin) return std::nullopt;
  mapping.begin = *begin;
  mapping.end = *end;
  const std::string_view rights = TakeWord(line);
  for (int i = 0; i < 3; ++i) TakeWord(line);  // offset, device, inode
  if (rights.size() != 4 || !line.starts_with('/')) return std::nullopt;
  mapping.executable = rights[2] == 'x';
  mapping.path = WithNewlines(line);
  return mapping;
}

base::Result<ProcessLook> LookAtProcess(const System& system, int64_t pid) {
  return Looking(system, pid).Look();
}

}  // namespace culprit::collect
