// O_TMPFILE where the file system has it; elsewhere the name is removed as soon as the file is open.
#include "system/scratch_file.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <string>

#include "base/text.h"
#include "system/linux/descriptor.h"

namespace culprit::system {
namespace {

class UnnamedFile final : public ScratchFile {
 public:
  UnnamedFile(Descriptor file, std::string place) : file_(std::move(file)), place_(std::move(place)) {}

  base::Result<void> WriteAt(uint64_t offset, std::span<const char> bytes) override {
    while (!bytes.empty()) {
      const ssize_t done = pwrite(file_.get(), bytes.data(), bytes.size(), static_cast<off_t>(offset));
      if (done < 0 && errno == EINTR) continue;
      if (done < 0) return base::Fail(base::ErrorCode::kNotReadable, place_ + ": " + Words(errno));
      offset += static_cast<uint64_t>(done);
      bytes = bytes.subspan(static_cast<size_t>(done));
    }
    return {};
  }

  base::Result<size_t> ReadAt(uint64_t offset, std::span<std::byte> out) const override {
    size_t done = 0;
    while (done < out.size()) {
      const ssize_t got =
          pread(file_.get(), out.data() + done, out.size() - done, static_cast<off_t>(offset + done));
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) return base::Fail(base::ErrorCode::kNotReadable, place_ + ": " + Words(errno));
      if (got == 0) break;
      done += static_cast<size_t>(got);
    }
    return done;
  }

 private:
  Descriptor file_;
  std::string place_;
};

Descriptor OpenUnnamed(const std::string& directory) {
  if (Descriptor file = Lift(open(directory.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600))) return file;
  std::string name = directory + "/culprit-XXXXXX";
  Descriptor file = Lift(mkostemp(name.data(), O_CLOEXEC));
  if (file) unlink(name.c_str());
  return file;
}

}  // namespace

base::Result<std::unique_ptr<ScratchFile>> MakeScratchFile() {
  std::error_code error;
  std::string directory = std::filesystem::temp_directory_path(error).string();
  if (const char* chosen = std::getenv("TMPDIR"); error && chosen != nullptr)
    directory = base::Printable(chosen);
  if (error) {
    return base::Fail(base::ErrorCode::kNotReadable, directory.empty() ? "no directory for temporary files"
                                                                       : directory + " is not a directory");
  }
  Descriptor file = OpenUnnamed(directory);
  if (!file) return base::Fail(base::ErrorCode::kNotReadable, directory + ": " + Words(errno));
  return std::make_unique<UnnamedFile>(std::move(file), directory);
}

}  // namespace culprit::system
