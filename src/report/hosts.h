// The result of `culprit check` for several hosts: one row a host, and every finding once with the hosts that
// it concerns.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/words.h"
#include "report/check.h"

namespace culprit::report {

// A driver and its GPUs to check for.
struct Host {
  std::string words;   // as --host takes them: "driver=535.183.01,gpu=L4"
  std::string name{};  // free text; "" if it has none

  const std::string& Label() const { return name.empty() ? words : name; }
};

// Whether the target runs on a host, best first.
enum class Runs {
  kYes,
  kByMinorVersion,          // the driver is of an older CUDA with the same major
  kByForwardCompatibility,  // through a cuda-compat libcuda that is newer than the driver
  kUnknown,
  kNo
};
constexpr std::array<std::string_view, 5> WordsOf(Runs) {
  return {"yes", "minor-version", "forward-compatibility", "unknown", "no"};
}

// What was found for one host.
struct HostCheck {
  Host host;
  Runs runs = Runs::kUnknown;
  CheckReport check;  // its verdict agrees with `runs`
};

struct HostRow {
  HostCheck found;
  std::vector<size_t> findings{};  // indexes into HostsReport::findings, worst first
};

struct FindingOnHosts {
  Finding finding;
  std::vector<size_t> hosts{};  // indexes into HostsReport::hosts
};

struct NotCheckedOnHosts {
  NotChecked what;
  std::vector<size_t> hosts{};
};

struct HostsReport {
  Verdict verdict = Verdict::kUnknown;  // of the worst host
  std::string headline;
  std::vector<HostRow> hosts;            // in the order in which they were named
  std::vector<FindingOnHosts> findings;  // worst first
  std::vector<NotCheckedOnHosts> not_checked;

  size_t Count(Runs runs) const;
  const CheckReport& Of(size_t host) const { return hosts[host].found.check; }
};

// What says the same of several hosts is told once.
HostsReport AcrossHosts(std::vector<HostCheck> checks);

}  // namespace culprit::report
