#include "collect/gpu_programs.h"

#include <algorithm>
#include <array>
#include <deque>
#include <set>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "collect/live_file_view.h"
#include "knowledge/libraries.h"

namespace culprit::collect {
namespace {

using system::FileType;

constexpr int kDeepestProgram = 6;
constexpr size_t kMostEntriesSeen = 50'000;
constexpr size_t kMostFilesOpened = 2'000;
constexpr size_t kMostGpuPrograms = 24;

// Of the distribution, or of the kernel.
bool IsOfSystem(std::string_view name) {
  static constexpr std::array<std::string_view, 18> kNames = {
      "bin",   "boot", "dev",  "etc", "lib",  "lib32", "lib64", "libx32", "lost+found",
      "media", "mnt",  "proc", "run", "sbin", "sys",   "tmp",   "usr",    "var"};
  return std::ranges::find(kNames, name) != kNames.end();
}

// Toolkits, what NVIDIA installs beside them, headers, documents, and packages of Python or Node.
bool HoldsOtherThings(std::string_view name) {
  static constexpr std::array<std::string_view, 11> kNames = {
      "site-packages", "dist-packages", "node_modules", "include",  "share", "conda-meta",
      "pkgs",          "nvidia",        "hpcx",         "mellanox", "cuda"};
  return name.starts_with('.') || name.starts_with("cuda-") ||
         std::ranges::find(kNames, name) != kNames.end();
}

bool IsLinkedToCuda(const binfmt::ElfFile& elf) {
  return std::ranges::any_of(elf.requests, [](const binfmt::ElfRequest& request) {
    return knowledge::FindLibrary(request.name) != nullptr;
  });
}

class ProgramSearch {
 public:
  explicit ProgramSearch(const system::System& system) : system_(system), view_(system) {}

  std::vector<std::string> Run() {
    LookAtTop();
    Add("/usr/local/bin", 0);
    if (const std::string at = system_.WorkingDirectory(); at != "/") Add(at, 0);
    while (!waiting_.empty() && seen_ < kMostEntriesSeen) {
      const auto [directory, depth] = std::move(waiting_.front());
      waiting_.pop_front();
      Look(directory, depth);
    }
    return std::move(programs_);
  }

 private:
  void Add(const std::string& directory, int depth) {
    if (depth <= kDeepestProgram && known_.insert(directory).second) waiting_.emplace_back(directory, depth);
  }

  void LookAtTop() {
    const auto entries = system_.List("/");
    if (!entries) return;
    for (const auto& entry : *entries) {
      if (entry.type == FileType::kRegular) LookAtFile("/" + entry.name);
      if (entry.type == FileType::kDirectory && !IsOfSystem(entry.name) && !HoldsOtherThings(entry.name))
        Add("/" + entry.name, 0);
    }
  }

  void Look(const std::string& directory, int depth) {
    const auto entries = system_.List(directory);
    if (!entries) return;
    for (const auto& entry : *entries) {
      if (++seen_ > kMostEntriesSeen) return;
      const std::string path = base::JoinPath(directory, entry.name);
      if (entry.type == FileType::kRegular) LookAtFile(path);
      if (entry.type == FileType::kDirectory && !HoldsOtherThings(entry.name)) Add(path, depth + 1);
    }
  }

  void LookAtFile(const std::string& path) {
    constexpr uint32_t kAnyExecute = 0111;
    if (programs_.size() >= kMostGpuPrograms || base::Contains(base::BaseName(path), ".so")) return;
    const auto status = system_.LinkStat(path);
    if (!status || (status->mode & kAnyExecute) == 0 || !IsElf(path)) return;
    const auto elf = view_.Open(path).elf;
    if (elf == nullptr || (!elf->interpreter && !elf->loads.empty() && elf->has_dynamic)) return;
    const auto code = view_.GpuCode(path);
    if (IsLinkedToCuda(*elf) || (code && !code->containers.empty())) programs_.push_back(path);
  }

  // Most executables are scripts: their first bytes are enough, and of those in compressed layers all that is
  // there.
  bool IsElf(const std::string& path) {
    if (++opened_ > kMostFilesOpened) return false;
    const auto file = system_.Open(path);
    std::array<std::byte, 4> head{};
    if (!file || !file->bytes || file->bytes->ReadAt(0, head).value_or(0) != head.size()) return false;
    return std::string_view(reinterpret_cast<const char*>(head.data()), head.size()) ==
           "\x7f"
           "ELF";
  }

  const system::System& system_;
  LiveFileView view_;
  std::deque<std::pair<std::string, int>> waiting_;
  std::set<std::string> known_;
  std::vector<std::string> programs_;
  size_t seen_ = 0, opened_ = 0;
};

}  // namespace

std::vector<std::string> GpuPrograms(const system::System& system) { return ProgramSearch(system).Run(); }

}  // namespace culprit::collect
