// `culprit check` for several hosts: reads the target once and answers with a table.
#pragma once

#include <memory>
#include <vector>

#include "cli/options.h"
#include "engine/diagnosis.h"
#include "image/image.h"
#include "report/hosts.h"

namespace culprit::cli {

struct HostsOptions {
  const Options& common;
  const std::vector<report::Host>& hosts;
  bool strict = false;
  const image::Image* image = nullptr;  // whose layers the findings name
};

// Writes the answer; returns the exit status: 1 if it does not run on one of them, or else 2 if that could
// not be told for one of them. An error means that nothing could be checked. `kept`: what was looked at;
// `looked_at` has the first host.
base::Result<int> CheckOnHosts(const HostsOptions& options, engine::Subject looked_at,
                               std::unique_ptr<engine::Diagnosis>& kept);

}  // namespace culprit::cli
