// The loader's cache and its configuration: ldconfig, and a directory that is taken out of what it reads.
#include <algorithm>

#include "base/text.h"
#include "change/whatif/make.h"
#include "container/ldconfig.h"
#include "system/loader_conf.h"

namespace culprit::whatif {

using system::System;

Changes Make(const System& machine, const report::RefreshCache& change) {
  static_cast<void>(change);
  if (machine.platform() == base::Platform::kWindows)
    return base::Fail(base::ErrorCode::kUnsupported, "Windows has no ld.so.cache");
  return container::RunLdconfig(machine);
}

Changes Make(const System& machine, const report::DropFromLoaderConf& change) {
  const std::string unwanted = base::CleanPath(change.directory);
  system::SystemChanges made;
  for (const std::string& file : system::ReadLoaderConf(machine).files) {
    const auto text = system::ReadWholeFile(machine, file, system::kLoaderConfLimit);
    if (!text) continue;
    std::string kept;
    for (std::string_view rest = *text; !rest.empty();) {
      const std::string_view line = rest.substr(0, std::min(rest.find('\n'), rest.size() - 1) + 1);
      rest.remove_prefix(line.size());
      if (system::DirectoryOfLine(line) != unwanted) kept += line;
    }
    if (kept != *text) made.put[machine.RealPath(file).value_or(file)] = {.bytes = kept, .target = {}};
  }
  if (made.put.empty()) {
    return base::Fail(base::ErrorCode::kNotFound,
                      "no loader configuration file names " + base::Printable(change.directory));
  }
  return made;
}

}  // namespace culprit::whatif
