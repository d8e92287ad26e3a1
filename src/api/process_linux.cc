// Uses /proc and the dynamic loader.
#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string_view>
#include <utility>

#include "api/process.h"
#include "base/text.h"
#include "probe/cuda/library.h"

extern char** environ;

namespace culprit::api {
namespace {

constexpr std::string_view kFamilies[] = {"libcuda.so", "libcudart.so", "libcudnn.so", "libcublas.so",
                                          "libnvrtc.so"};

std::string ReadText(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();  // does not throw if the process is gone meanwhile
  return std::move(text).str();
}

bool IsOfTheLoader(std::string_view entry) { return entry.starts_with("LD_"); }

void Take(std::string_view entry, std::map<std::string, std::string>& variables) {
  const size_t equals = entry.find('=');
  if (equals == std::string_view::npos || equals == 0) return;
  variables.emplace(entry.substr(0, equals), entry.substr(equals + 1));
}

}  // namespace

void* LoadedFunction(const char* name) {
  if (void* found = dlsym(RTLD_DEFAULT, name)) return found;
  // That does not see libraries opened with RTLD_LOCAL, as plugins and culprit itself do.
  for (const std::string& path : cuda::MappedLibraries()) {
    const std::string_view file = base::BaseName(path);
    const auto is_of = [&](std::string_view family) { return file.starts_with(family); };
    if (std::ranges::none_of(kFamilies, is_of)) continue;
    if (void* found = cuda::Library::Mapped(path).Find(name)) return found;
  }
  return nullptr;
}

std::string OwnProgram() {
  char path[4096];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof(path));
  return length <= 0 || length == sizeof(path) ? "" : std::string(path, static_cast<size_t>(length));
}

uint64_t OwnPid() { return static_cast<uint64_t>(getpid()); }

std::string ProgramName(uint64_t pid) {
  return base::Printable(base::Trim(ReadText("/proc/" + std::to_string(pid) + "/comm")));
}

std::map<std::string, std::string> OwnEnvironment() {
  std::map<std::string, std::string> variables;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    if (!IsOfTheLoader(*entry)) Take(*entry, variables);
  }
  for (const std::string& entry : base::Split(ReadText("/proc/self/environ"), '\0')) {
    if (IsOfTheLoader(entry)) Take(entry, variables);
  }
  return variables;
}

}  // namespace culprit::api
