// What a build has made: programs and shared libraries, recognised by their first bytes. The walk has limits,
// and what they left out is counted.
#include <algorithm>
#include <array>

#include "base/text.h"
#include "collect/build/parts.h"

namespace culprit::collect {
namespace {

using snapshot::BuildFolder;
using system::FileType;
using system::System;

constexpr int kDepth = 8;
constexpr size_t kMostLooked = 20'000;  // entries of directories
constexpr size_t kMostPrograms = 24;

enum class Made { kNothing, kProgram, kLibrary };

// e_type stands behind the 16 bytes of identification; relocatable objects (.o) are no result of a build.
Made KindOfFile(const System& system, const std::string& path) {
  const auto file = system.Open(path);
  if (!file || !file->bytes) return Made::kNothing;
  std::array<std::byte, 18> head{};
  const auto size = file->bytes->ReadAt(0, head);
  if (!size || *size < head.size()) return Made::kNothing;
  const std::string_view text(reinterpret_cast<const char*>(head.data()), head.size());
  constexpr char kExecutable = 2, kShared = 3, kBigEndian = 2;
  if (!text.starts_with("\x7f"
                        "ELF"))
    return Made::kNothing;
  const char type = text[text[5] == kBigEndian ? 17 : 16];
  if (type != kExecutable && type != kShared) return Made::kNothing;
  return base::Contains(base::BaseName(path), ".so") ? Made::kLibrary : Made::kProgram;
}

bool IsSkipped(std::string_view name) {
  return name == "CMakeFiles" || name == "meson-info" || name == "meson-private" || name == "meson-logs" ||
         name == "__pycache__" || name == "node_modules" || name == "site-packages" ||
         name.starts_with('.') || name.ends_with(".p") || name.ends_with(".egg-info");
}

bool MayBeMade(std::string_view name, uint32_t mode) {
  constexpr uint32_t kAnyExecute = 0111;
  return base::Contains(name, ".so") || (mode & kAnyExecute) != 0;
}

bool IsExtension(std::string_view name) {
  return base::Contains(name, ".cpython-") || base::Contains(name, ".abi3.so");
}

class Walk {
 public:
  Walk(const System& system, BuildFolder& folder) : system_(system), folder_(folder) {}

  void Look(const std::string& directory, int depth) {
    const auto entries = system_.List(directory);
    if (!entries || depth > kDepth) return;
    for (const auto& entry : *entries) {
      if (++looked_ > kMostLooked) return;
      const std::string path = base::JoinPath(directory, entry.name);
      if (entry.type == FileType::kDirectory) {
        if (entry.name == "CMakeFiles") ReadMakefiles(path);
        if (!IsSkipped(entry.name)) Look(path, depth + 1);
      } else if (entry.type == FileType::kRegular) {
        if (entry.name == "build.ninja") ReadBuildRules(system_, path, folder_);
        AddMade(path, entry.name);
      }
    }
  }

  void Finish() {
    std::vector<std::string>& programs = folder_.programs;
    programs = std::move(programs_);
    programs.insert(programs.end(), libraries_.begin(), libraries_.end());
    if (programs.size() > kMostPrograms) {
      folder_.programs_left_out = programs.size() - kMostPrograms;
      programs.resize(kMostPrograms);
    }
    if (looked_ > kMostLooked)
      folder_.unread.push_back("files after the first " + std::to_string(kMostLooked) + " in " +
                               folder_.path);
  }

 private:
  // Makefiles of CMake keep the flags of each target in a directory of its own.
  void ReadMakefiles(const std::string& files) {
    const auto targets = system_.List(files);
    if (!targets) return;
    for (const auto& target : *targets) {
      if (!target.name.ends_with(".dir") || ++looked_ > kMostLooked) continue;
      for (const char* name : {"flags.make", "includes_CUDA.rsp", "link.txt", "linkLibs.rsp"}) {
        const std::string path = base::JoinPath(base::JoinPath(files, target.name), name);
        if (system_.Stat(path)) ReadBuildRules(system_, path, folder_);
      }
    }
  }

  void AddMade(const std::string& path, const std::string& name) {
    const auto status = system_.Stat(path);
    if (!status || !MayBeMade(name, status->mode)) return;
    const Made made = KindOfFile(system_, path);
    if (made == Made::kLibrary && IsExtension(name)) {
      folder_.extensions.push_back(path);
    } else if (made != Made::kNothing) {
      (made == Made::kProgram ? programs_ : libraries_).push_back(path);
    }
  }

  const System& system_;
  BuildFolder& folder_;
  std::vector<std::string> programs_, libraries_;
  size_t looked_ = 0;
};

}  // namespace

void WalkBuildFolder(const System& system, BuildFolder& folder) {
  Walk walk(system, folder);
  walk.Look(folder.path, 0);
  walk.Finish();
}

}  // namespace culprit::collect
