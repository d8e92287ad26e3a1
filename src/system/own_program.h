// culprit's own file, and a program that is embedded in it.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/error.h"

namespace culprit::system {

#ifdef _WIN32
inline constexpr std::string_view kProgramSuffix = ".exe";
#else
inline constexpr std::string_view kProgramSuffix = "";
#endif

// The loader that culprit-probe asks for: that of glibc. "" on Windows.
#if defined(_WIN32)
inline constexpr std::string_view kGlibcLoader = "";
#elif defined(__x86_64__)
inline constexpr std::string_view kGlibcLoader = "/lib64/ld-linux-x86-64.so.2";
#else
inline constexpr std::string_view kGlibcLoader = "/lib/ld-linux-aarch64.so.1";
#endif

std::string OwnProgram();                 // absolute, inside spelling; "" when it cannot be told
bool IsProgram(const std::string& path);  // an executable file

// Removed with the object.
class TemporaryProgram {
 public:
  virtual ~TemporaryProgram() = default;
  virtual std::string path() const = 0;  // for RunChild
};
base::Result<std::unique_ptr<TemporaryProgram>> WriteTemporaryProgram(const std::string& name,
                                                                      std::span<const unsigned char> bytes);
// Its second choice on Linux and its only one on Windows: a private file in a directory of its own.
base::Result<std::unique_ptr<TemporaryProgram>> WriteProgramFile(const std::string& name,
                                                                 std::span<const unsigned char> bytes);

}  // namespace culprit::system
