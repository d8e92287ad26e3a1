// The Windows machine itself, seen with the permissions and the environment of this process. Wine looks the
// same from here.
#include <memory>

#include "base/text.h"
#include "base/windows/path.h"
#include "system/host_cpu.h"
#include "system/host_system.h"
#include "system/windows/native.h"
#include "system/windows/registry.h"

namespace culprit::system {
namespace {

std::string UpperCase(std::string name) {
  for (char& c : name) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - ('a' - 'A')) : c;
  return name;
}

class Real final : public HostSystem {
 public:
  // Also gives each name the case that the disk has.
  Outcome<std::string> RealPath(const std::string& path) const override {
    if (path == "/") return path;
    if (const auto status = Stat(path); !status) return std::unexpected(status.error());
    const auto native = NativePath(path);
    if (!native) return std::unexpected(native.error());
    const Handle file(CreateFileW(native->c_str(), 0, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE,
                                  nullptr, OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS, nullptr));
    if (!file) return std::unexpected(PathErrorOf(GetLastError()));
    std::wstring real(GetFinalPathNameByHandleW(file.get(), nullptr, 0, VOLUME_NAME_DOS), L'\0');
    real.resize(
        GetFinalPathNameByHandleW(file.get(), real.data(), static_cast<DWORD>(real.size()), VOLUME_NAME_DOS));
    // A volume without a letter has no such name; what was asked for is the best there is.
    if (real.empty()) return base::FromWindowsPath(path);
    return base::FromWindowsPath(Utf8(real));
  }

  // Entries like "=C:=C:\Users" are the shell's own. Names of Windows have no case: all in upper case here.
  std::map<std::string, std::string> Environment() const override {
    std::map<std::string, std::string> variables;
    const std::unique_ptr<wchar_t, decltype([](wchar_t* block) { FreeEnvironmentStringsW(block); })> block(
        GetEnvironmentStringsW());
    if (!block) return variables;
    for (const wchar_t* entry = block.get(); *entry != L'\0';) {
      const std::wstring_view wide = entry;
      entry += wide.size() + 1;
      const std::string text = Utf8(wide);
      const size_t equals = text.find('=');
      if (equals == text.npos || equals == 0) continue;
      variables.emplace(UpperCase(text.substr(0, equals)), text.substr(equals + 1));
    }
    return variables;
  }

  std::string WorkingDirectory() const override { return CurrentDirectory(); }
  base::Cpu HostCpu() const override { return ReadHostCpu(); }
  base::Platform platform() const override { return base::Platform::kWindows; }
  Outcome<RegistryKey> ReadRegistry(const std::string& key) const override { return ReadRegistryKey(key); }
};

}  // namespace

std::unique_ptr<System> RealSystem() { return std::make_unique<Real>(); }

}  // namespace culprit::system
