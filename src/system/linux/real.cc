// The machine itself, seen with the permissions and the environment of this process.
#include <stdlib.h>
#include <unistd.h>

#include <cerrno>
#include <memory>
#include <string_view>

#include "system/host_cpu.h"
#include "system/host_system.h"
#include "system/system.h"

namespace culprit::system {
namespace {

struct Free {
  void operator()(char* text) const { free(text); }
};
using CText = std::unique_ptr<char, Free>;

class Real final : public HostSystem {
 public:
  Outcome<std::string> RealPath(const std::string& path) const override {
    if (const PathError error = CheckPath(path); error != PathError::kNone) return std::unexpected(error);
    const CText real(realpath(path.c_str(), nullptr));
    if (!real) return std::unexpected(base::PathErrorFromErrno(errno));
    return std::string(real.get());
  }

  // Of a name that stands there twice the first counts, as for getenv().
  std::map<std::string, std::string> Environment() const override {
    std::map<std::string, std::string> variables;
    for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
      const std::string_view text = *entry;
      const size_t equals = text.find('=');
      if (equals == text.npos || equals == 0) continue;
      variables.emplace(text.substr(0, equals), text.substr(equals + 1));
    }
    return variables;
  }

  std::string WorkingDirectory() const override {
    const CText directory(getcwd(nullptr, 0));
    return directory ? directory.get() : "";
  }

  base::Cpu HostCpu() const override { return ReadHostCpu(); }
};

}  // namespace

std::unique_ptr<System> RealSystem() { return std::make_unique<Real>(); }

}  // namespace culprit::system
