#include "change/whatif/carry_out.h"

#include <variant>

#include "change/whatif/make.h"

namespace culprit::whatif {

Changes Make(const system::System& machine, const report::NotInFiles& change) {
  static_cast<void>(machine);
  return base::Fail(base::ErrorCode::kUnsupported, change.why.empty()
                                                       ? change.what + ": not visible in any file"
                                                       : change.what + ": " + change.why);
}

base::Result<std::shared_ptr<const system::System>> CarryOut(std::shared_ptr<const system::System> before,
                                                             std::span<const report::Change> changes) {
  for (const report::Change& change : changes) {
    Changes made = std::visit([&](const auto& one) { return Make(*before, one); }, change.value());
    if (!made) return std::unexpected(made.error());
    before = system::ChangedSystem(std::move(before), std::move(*made));
  }
  return before;
}

std::string SaidHostAfter(std::string host, std::vector<report::Change>& changes) {
  if (host.find("driver=") == std::string::npos) return host;
  std::erase_if(changes, [&](const report::Change& change) {
    const auto* driver = change.As<report::InstallDriver>();
    if (driver != nullptr) host += ",driver=" + driver->version;  // the last one counts
    return driver != nullptr;
  });
  return host;
}

}  // namespace culprit::whatif
