// Hosts to check for, as files name them: `hosts` and [[host]] of .culprit.toml and of --hosts FILE.
#pragma once

#include <string>
#include <vector>

#include "base/error.h"
#include "report/hosts.h"
#include "tree/tree.h"

namespace culprit::cli {

// "FILE:LINE: what is wrong".
std::unexpected<base::Error> MistakeAt(const std::string& place, const std::string& what);
std::string LineOf(const std::string& file, const tree::Node& node);

// The file at `path`, which messages call `shown`, as a tree; at most 1 MiB of it.
base::Result<tree::Node> ReadTomlFile(const std::string& path, const std::string& shown);

bool IsHostsKey(const std::string& key);
// The value of one of these keys: strings in the form of --host, or tables {name, driver, gpu}.
base::Result<void> AddHosts(const std::string& file, const tree::Node& list,
                            std::vector<report::Host>& hosts);

// --hosts FILE: contains only these keys, and at least one host.
base::Result<std::vector<report::Host>> ReadHostsFile(const std::string& file);

}  // namespace culprit::cli
