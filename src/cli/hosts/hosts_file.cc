#include "cli/hosts/hosts_file.h"

#include <utility>

#include "base/text.h"
#include "cli/options.h"
#include "cli/subject.h"
#include "system/system.h"

namespace culprit::cli {
namespace {

using tree::Node;

constexpr uint64_t kMostBytes = 1 << 20;
constexpr size_t kMostHosts = 1000;
constexpr const char* kExample = "{name = \"a100 pool\", driver = \"535.183.01\", gpu = [\"A100\", \"L4\"]}";

// One value of a table, written as --host takes it: "driver=535.183.01".
base::Result<void> AddWord(const std::string& file, const std::string& key, const Node& node,
                           std::string& words) {
  if (!node.IsText() || node.text.empty() || node.text.find_first_of(",=") != std::string::npos)
    return MistakeAt(LineOf(file, node), key + " must be a string: " + kExample);
  words += (words.empty() ? "" : ",") + key + "=" + node.text;
  return {};
}

base::Result<report::Host> HostOfTable(const std::string& file, const Node& table) {
  report::Host host{.words = ""};
  for (const auto& [key, node] : table.members) {
    if (key == "name") {
      if (!node.IsText()) return MistakeAt(LineOf(file, node), "name must be a string");
      host.name = node.text;
      continue;
    }
    if (key != "driver" && key != "gpu")
      return MistakeAt(LineOf(file, node), "'" + key + "' is not a key of a host; use name, driver and gpu");
    const bool several = key == "gpu" && node.IsList();
    for (const Node& one : several ? node.items : std::vector<Node>{node}) {
      if (auto added = AddWord(file, key, one, host.words); !added) return std::unexpected(added.error());
    }
  }
  if (host.words.empty())
    return MistakeAt(LineOf(file, table), std::string("a host needs a driver or a gpu: ") + kExample);
  return host;
}

base::Result<report::Host> HostOf(const std::string& file, const Node& node) {
  if (!node.IsText() && !node.IsTable())
    return MistakeAt(
        LineOf(file, node),
        std::string("a host must be a string or a table: \"driver=535.183.01,gpu=L4\" or ") + kExample);
  auto host = node.IsText() ? report::Host{.words = node.text} : HostOfTable(file, node);
  if (!host) return host;
  if (host->words.empty()) return MistakeAt(LineOf(file, node), "a host must not be empty");
  if (const std::string why = MistakeInHost(host->words); !why.empty())
    return MistakeAt(LineOf(file, node), why);
  return host;
}

}  // namespace

std::unexpected<base::Error> MistakeAt(const std::string& place, const std::string& what) {
  return base::Fail(base::ErrorCode::kBadFormat, place + ": " + base::Printable(what));
}

std::string LineOf(const std::string& file, const Node& node) {
  return file + ":" + std::to_string(node.line);
}

base::Result<Node> ReadTomlFile(const std::string& path, const std::string& shown) {
  const auto bytes = system::ReadWholeFile(*system::RealSystem(), path, kMostBytes);
  if (!bytes)
    return base::Fail(base::ErrorCode::kNotReadable,
                      shown + ": " + std::string(base::Strerror(bytes.error())));
  return tree::ParseToml(*bytes, shown);
}

bool IsHostsKey(const std::string& key) { return key == "hosts" || key == "host"; }

base::Result<void> AddHosts(const std::string& file, const Node& list, std::vector<report::Host>& hosts) {
  if (!list.IsList())
    return MistakeAt(LineOf(file, list), "hosts must be a list: [\"driver=535.183.01,gpu=L4\"]");
  for (const Node& item : list.items) {
    if (hosts.size() >= kMostHosts)
      return MistakeAt(LineOf(file, item), "more than " + std::to_string(kMostHosts) + " hosts");
    auto host = HostOf(file, item);
    if (!host) return std::unexpected(host.error());
    hosts.push_back(*std::move(host));
  }
  return {};
}

base::Result<std::vector<report::Host>> ReadHostsFile(const std::string& file) {
  const std::string shown = base::Printable(file);
  const auto root = ReadTomlFile(PathOnMachine(*system::RealSystem(), file), shown);
  if (!root) return std::unexpected(root.error());
  std::vector<report::Host> hosts;
  for (const auto& [key, node] : root->members) {
    if (!IsHostsKey(key))
      return MistakeAt(LineOf(shown, node),
                       "'" + key + "' is not a key of this file; use hosts and [[host]]");
    if (auto added = AddHosts(shown, node, hosts); !added) return std::unexpected(added.error());
  }
  if (hosts.empty())
    return base::Fail(base::ErrorCode::kBadFormat, shown + ": contains no host; add [[host]] " + kExample);
  return hosts;
}

}  // namespace culprit::cli
