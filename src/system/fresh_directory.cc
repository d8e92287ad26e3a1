#include "system/fresh_directory.h"

#include <filesystem>
#include <fstream>
#include <random>
#include <system_error>

#include "base/windows_path.h"

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
  explicit Directory(fs::path path) : path_(std::move(path)) {}
  Directory(const Directory&) = delete;
  Directory& operator=(const Directory&) = delete;
  ~Directory() override {
    std::error_code ignored;
    fs::remove_all(path_, ignored);  // links are removed, not followed
  }
  std::string path() const override { return Inside(path_); }
  base::Result<std::string> Write(const std::string& name, std::string_view text) override {
    const fs::path file = path_ / name;
    std::ofstream out(file, std::ios::binary);
    out << text;
    out.close();
    if (!out) return base::Fail(base::ErrorCode::kNotReadable, Inside(file) + ": cannot be written");
    return Inside(file);
  }

 private:
  fs::path path_;
};

}  // namespace

base::Result<std::unique_ptr<FreshDirectory>> MakeFreshDirectory() {
  std::error_code error;
  const fs::path above = fs::temp_directory_path(error);
  std::random_device random;
  for (int attempt = 0; !error && attempt < 16; ++attempt) {
    const fs::path path = above / ("culprit-" + std::to_string(random()) + std::to_string(random()));
    // mkdir() refuses what is there already, a link too; who else sees it matters until its mode is set.
    if (!fs::create_directory(path, error)) continue;
    auto directory = std::make_unique<Directory>(path);
    fs::permissions(path, fs::perms::owner_all, error);
    if (!error) return directory;
  }
  return base::Fail(base::ErrorCode::kNotReadable,
                    "no directory for temporary files: " + (error ? error.message() : Inside(above)));
}

}  // namespace culprit::system
