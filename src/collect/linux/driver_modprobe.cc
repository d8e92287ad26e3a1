// Modules of the driver that modprobe is told not to load (modprobe.d(5)): `blacklist M`, `alias M off`, and
// `install M COMMAND` with a command that does nothing. The kernel's command line can name them too. Of two
// files of one name, only the one in the first directory counts.
#include <array>
#include <set>

#include "base/text.h"
#include "collect/linux/driver_parts.h"
#include "collect/small_file.h"

namespace culprit::collect {
namespace {

using snapshot::ModuleBar;

constexpr std::array<std::string_view, 5> kDirectories = {"/etc/modprobe.d", "/run/modprobe.d",
                                                          "/usr/local/lib/modprobe.d", "/usr/lib/modprobe.d",
                                                          "/lib/modprobe.d"};
constexpr size_t kMostConfFiles = 256;

std::string ModuleName(std::string name) {
  for (char& c : name) c = c == '-' ? '_' : c;
  return name;
}

bool IsOfDriver(const std::string& module) { return module == "nvidia" || module.starts_with("nvidia_"); }

bool DoesNothing(const std::string& command) {
  const std::string_view name = base::BaseName(command);
  return name == "false" || name == "true" || name == ":" || name == "nologin";
}

bool Bars(const std::vector<std::string>& words) {
  if (words.size() == 2 && words[0] == "blacklist") return true;
  if (words.size() == 3 && words[0] == "alias") return words[2] == "off";
  return words.size() >= 3 && words[0] == "install" && DoesNothing(words[2]);
}

void AddLinesOf(const system::System& system, const std::string& file, std::vector<ModuleBar>& bars) {
  const auto text = ReadSmallFile(system, file);
  if (!text) return;
  uint32_t number = 0;
  for (const std::string& line : base::Split(*text, '\n')) {
    ++number;
    const auto words = base::SplitWords(line, " \t\r");
    if (!Bars(words)) continue;
    std::string module = ModuleName(words[1]);
    if (IsOfDriver(module)) bars.push_back({std::move(module), file, number, std::string(base::Trim(line))});
  }
}

void AddCommandLine(const system::System& system, std::vector<ModuleBar>& bars) {
  const std::string file = "/proc/cmdline";
  for (const std::string& word : base::SplitWords(FirstLine(ReadSmallFile(system, file)), " ")) {
    const size_t equals = word.find('=');
    const std::string key = word.substr(0, equals);
    if (key != "modprobe.blacklist" && key != "module_blacklist") continue;
    for (const std::string& name : base::SplitWords(word.substr(key.size()), "=,")) {
      std::string module = ModuleName(name);
      if (IsOfDriver(module)) bars.push_back({std::move(module), file, 0, word});
    }
  }
}

}  // namespace

std::vector<ModuleBar> CollectBarredModules(const system::System& system) {
  std::vector<ModuleBar> bars;
  std::set<std::string> names;
  for (const std::string_view directory : kDirectories) {
    const auto entries = system.List(std::string(directory));
    if (!entries) continue;
    for (const auto& entry : *entries) {
      if (!entry.name.ends_with(".conf") || names.size() >= kMostConfFiles ||
          !names.insert(entry.name).second)
        continue;
      AddLinesOf(system, base::JoinPath(directory, entry.name), bars);
    }
  }
  AddCommandLine(system, bars);
  return bars;
}

}  // namespace culprit::collect
