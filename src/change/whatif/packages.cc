// Packages of a Python environment.
#include "change/whatif/install.h"
#include "change/whatif/make.h"

namespace culprit::whatif {
namespace {

// The caller keeps the machine.
base::Result<Installer> For(const system::System& machine, const std::string& prefix) {
  auto environment = FindEnvironment(machine, prefix);
  if (!environment) return std::unexpected(environment.error());
  return Installer({std::shared_ptr<const void>(), &machine}, std::move(*environment));
}

}  // namespace

Changes Make(const system::System& machine, const report::InstallPackage& change) {
  auto installer = For(machine, change.environment);
  if (!installer) return std::unexpected(installer.error());
  if (const auto done = installer->Install(change.package, change.version); !done)
    return std::unexpected(done.error());
  return installer->changes();
}

Changes Make(const system::System& machine, const report::RemovePackage& change) {
  auto installer = For(machine, change.environment);
  if (!installer) return std::unexpected(installer.error());
  if (const auto done = installer->Remove(change.package); !done) return std::unexpected(done.error());
  return installer->changes();
}

}  // namespace culprit::whatif
