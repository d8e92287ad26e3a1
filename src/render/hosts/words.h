// What the formats of a table of hosts share.
#pragma once

#include <string>
#include <vector>

#include "report/hosts.h"

namespace culprit::render {

// "yes", "by minor-version compatibility", "no".
std::string_view InWords(report::Runs runs);

// Why a host has its result.
struct HostReason {
  const report::Finding* finding = nullptr;  // the worst error; nullptr if none decides
  size_t place = 0;                          // its index in the report
  std::string words;                         // plain; "" if there is nothing to say
};
HostReason ReasonOf(const report::HostsReport& report, const report::HostRow& row);

// "all hosts", or their labels: "a100 pool, driver=580.95.05,gpu=L4 and 12 more".
std::string HostsInWords(const report::HostsReport& report, const std::vector<size_t>& hosts,
                         size_t at_most = 12);
// What was not checked; what concerns some hosts only names them.
std::vector<report::NotChecked> NotCheckedLines(const report::HostsReport& report);

// As one report: every finding once, in the order of report.findings. "Unknown" as soon as one host is.
report::CheckReport AsOneCheck(const report::HostsReport& report);

}  // namespace culprit::render
