// One machine, many hosts: the files are looked at once, and every host is judged with what was seen.
#pragma once

#include <vector>

#include "engine/diagnosis.h"
#include "report/hosts.h"

namespace culprit::engine {

// `diagnosis` looks at the machine below the first host.
base::Result<std::vector<report::HostCheck>> CheckHosts(Diagnosis& diagnosis,
                                                        const std::vector<report::Host>& hosts);

}  // namespace culprit::engine
