// The results of a probe, from a TOML description. Keys:
//
//   [[step]]    job (default "driver"), name, subject, outcome (default "failed"), status, call, detail,
//               library, output, figures {name = "value"}, libraries [{name, path, version}]
//   [[device]]  cuda, nvml (indices; "" = not shown there), name, capability, total_mib, free_mib,
//               mode, mig, ecc_errors, holders [{pid, name, mib}]
#pragma once

#include <toml++/toml.h>

#include <optional>

#include "snapshot/probe.h"

namespace culprit::model {

// Empty if the description has neither. Throws std::runtime_error if it has a mistake.
std::optional<snapshot::ProbeFacts> MadeUpProbe(const toml::table& description);

}  // namespace culprit::model
