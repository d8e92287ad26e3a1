// What a probe saw, from a TOML description. Keys:
//
//   [[step]]    job ("driver" unless said otherwise), name, subject, outcome ("failed" unless a case says
//               otherwise), status, call, detail, library, output, figures {name = "value"},
//               libraries [{name, path, version}]
//   [[device]]  cuda, nvml (indices; "" = not shown by that one), name, capability, total_mib, free_mib,
//               mode, mig, ecc_errors, holders [{pid, name, mib}]
#pragma once

#include <toml++/toml.h>

#include <optional>

#include "snapshot/probe.h"

namespace culprit::model {

// Nothing when the description has neither. Throws std::runtime_error when it has a mistake.
std::optional<snapshot::ProbeFacts> MadeUpProbe(const toml::table& description);

}  // namespace culprit::model
