#include "system/fresh_directory.h"

#include <filesystem>
#include <set>
#include <system_error>

#include "base/windows/path.h"
#include "system/own_program.h"
#include "system/private_directory.h"

namespace culprit::system {
namespace {

namespace fs = std::filesystem;

// Paths as the rest of culprit spells them.
std::string Inside(const fs::path& path) {
#ifdef _WIN32
  return base::FromWindowsPath(path.string());
#else
  return path.string();
#endif
}

class Directory final : public FreshDirectory {
 public:
  explicit Directory(PrivateDirectory made) : path_(std::move(made.path)), in_use_(std::move(made.in_use)) {}
  Directory(const Directory&) = delete;
  Directory& operator=(const Directory&) = delete;
  ~Directory() override {
    std::error_code ignored;
    if (left_.empty()) fs::remove_all(path_, ignored);  // links are removed, not followed
    if (left_.empty()) return;
    std::error_code error;  // no range-for: that throws if the next entry cannot be read
    for (fs::directory_iterator entry(path_, error), end; !error && entry != end; entry.increment(error)) {
      if (!left_.contains(entry->path().filename().string())) fs::remove_all(entry->path(), ignored);
    }
  }
  void Leave(const std::string& name) override { left_.insert(name); }
  void LetPass() override {
    std::error_code ignored;
    fs::permissions(path_, fs::perms::owner_all | fs::perms::group_exec | fs::perms::others_exec, ignored);
  }
  std::string path() const override { return Inside(path_); }
  base::Result<std::string> Write(const std::string& name, std::string_view text) override {
    const fs::path file = path_ / name;
    if (!WriteNewFile(file, text))
      return base::Fail(base::ErrorCode::kNotReadable, Inside(file) + ": cannot be written");
    return Inside(file);
  }

 private:
  fs::path path_;
  std::shared_ptr<const void> in_use_;
  std::set<std::string> left_;
};

base::Result<std::unique_ptr<FreshDirectory>> MakeBelow(const fs::path& above) {
  SweepLeftovers(above);
  auto made = MakePrivateDirectory(above);
  if (!made) return std::unexpected(made.error());
  return std::make_unique<Directory>(*std::move(made));
}

bool ProgramsRunIn(FreshDirectory& directory) {
  const auto file = directory.Write("may-run", "");
  if (!file) return false;
  std::error_code error;
#ifdef _WIN32
  const fs::path native = base::ToWindowsPath(*file);
#else
  const fs::path native = *file;
#endif
  fs::permissions(native, fs::perms::owner_all, error);
  const bool runs = !error && IsProgram(*file);
  fs::remove(native, error);
  return runs;
}

}  // namespace

base::Result<std::unique_ptr<FreshDirectory>> MakeFreshDirectory() {
  std::error_code error;
  const fs::path above = fs::temp_directory_path(error);
  if (error)
    return base::Fail(base::ErrorCode::kNotReadable, "no directory for temporary files: " + error.message());
  return MakeBelow(above);
}

base::Result<std::unique_ptr<FreshDirectory>> MakeFreshDirectoryInMemory(uint64_t spare) {
  const fs::path memory = "/dev/shm";
  std::error_code error;
  const fs::space_info space = fs::space(memory, error);
  if (error || space.available < spare)
    return base::Fail(base::ErrorCode::kTooLarge, memory.string() + ": missing, or not enough space");
  return MakeBelow(memory);
}

base::Result<std::unique_ptr<FreshDirectory>> MakeFreshDirectoryForPrograms() {
  std::error_code error;
  base::Error problem = {base::ErrorCode::kNotReadable, "no directory for temporary files"};
  for (const fs::path& above :
       {fs::temp_directory_path(error), fs::path("/tmp"), fs::path("/var/tmp"), fs::path("/dev/shm")}) {
    if (!above.is_absolute() || above.string().find(':') != (above.has_root_name() ? 1 : std::string::npos))
      continue;
    if (!IsSafePlace(above)) {
      problem = {base::ErrorCode::kNotReadable, Inside(above) + ": other users could replace files there"};
      continue;
    }
    auto made = MakeBelow(above);
    if (made && ProgramsRunIn(**made)) return made;
    problem =
        made ? base::Error{base::ErrorCode::kNotReadable, Inside(above) + ": programs cannot be run there"}
             : made.error();
  }
  return std::unexpected(problem);
}

}  // namespace culprit::system
