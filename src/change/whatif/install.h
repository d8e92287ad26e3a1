// A simulated pip: removes and installs packages of one environment, with their requirements.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/error.h"
#include "change/whatif/environment.h"
#include "change/whatif/wheels/wheel.h"
#include "system/changed.h"

namespace culprit::whatif {

class Installer {
 public:
  Installer(std::shared_ptr<const system::System> machine, Environment environment)
      : now_(std::move(machine)), environment_(std::move(environment)) {}

  // `package` may ask for extras: "tensorflow[and-cuda]". One that is there goes first. What the tables say
  // it needs is installed as well, unless something that meets the need is there.
  base::Result<void> Install(const std::string& package, const std::string& wanted);
  base::Result<void> Remove(const std::string& package);

  const system::SystemChanges& changes() const { return all_; }
  const std::shared_ptr<const system::System>& machine() const { return now_; }

 private:
  base::Result<void> InstallOne(const Need& package, const std::string& wanted, int depth);
  base::Result<void> Ensure(const Need& need, int depth);
  base::Result<void> InstallNeeds(const Wheel& wheel, const Need& package, int depth);
  void RemoveOne(const InstalledPackage& package);
  void PutWheel(const Wheel& wheel);
  void PutOpened(const Wheel& wheel);
  void Do(system::SystemChanges changes);
  const std::vector<InstalledPackage>& Installed();

  std::shared_ptr<const system::System> now_;
  Environment environment_;
  std::optional<std::vector<InstalledPackage>> installed_;  // now, once somebody asked
  system::SystemChanges all_;
};

}  // namespace culprit::whatif
