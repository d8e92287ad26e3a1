#include "whatif/carry_out.h"

#include <variant>

#include "whatif/make.h"

namespace culprit::whatif {

Changes Make(const system::System& machine, const report::NotInFiles& change) {
  static_cast<void>(machine);
  return base::Fail(base::ErrorCode::kUnsupported, change.why.empty() ? change.what + ": no file shows it"
                                                                      : change.what + ": " + change.why);
}

base::Result<std::shared_ptr<const system::System>> CarryOut(std::shared_ptr<const system::System> before,
                                                             std::span<const report::Change> changes) {
  for (const report::Change& change : changes) {
    Changes made = std::visit([&](const auto& one) { return Make(*before, one); }, change);
    if (!made) return std::unexpected(made.error());
    before = system::ChangedSystem(std::move(before), std::move(*made));
  }
  return before;
}

}  // namespace culprit::whatif
