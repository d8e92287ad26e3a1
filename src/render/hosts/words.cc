#include "render/hosts/words.h"

#include <algorithm>
#include <limits>

namespace culprit::render {

using report::Runs;
using report::Severity;

std::string_view InWords(Runs runs) {
  switch (runs) {
    case Runs::kYes:
      return "yes";
    case Runs::kByMinorVersion:
      return "by minor-version compatibility";
    case Runs::kByForwardCompatibility:
      return "by forward compatibility";
    case Runs::kUnknown:
      return "could not tell";
    case Runs::kNo:
      return "no";
  }
  return "could not tell";
}

HostReason ReasonOf(const report::HostsReport& report, const report::HostRow& row) {
  const report::CheckReport& check = row.found.check;
  const auto is_error = [&](size_t i) { return report.findings[i].finding.severity == Severity::kError; };
  const auto errors = std::ranges::count_if(row.findings, is_error);
  if (row.found.runs == Runs::kNo && errors > 0) {
    const size_t place = *std::ranges::find_if(row.findings, is_error);
    const report::Finding& finding = report.findings[place].finding;
    return {&finding, place,
            finding.summary + (errors > 1 ? " (and " + std::to_string(errors - 1) + " more)" : "")};
  }
  return {.words = check.verdict == report::Verdict::kOk && check.ignored.empty() ? "" : check.headline};
}

std::string HostsInWords(const report::HostsReport& report, const std::vector<size_t>& hosts,
                         size_t at_most) {
  if (hosts.size() == report.hosts.size()) return "all hosts";
  std::string words;
  const size_t shown = hosts.size() > at_most + 1 ? at_most : hosts.size();
  for (size_t i = 0; i < shown; ++i)
    words += (i == 0 ? "" : "; ") + report.hosts[hosts[i]].found.host.Label();
  if (shown < hosts.size()) words += " and " + std::to_string(hosts.size() - shown) + " more";
  return words;
}

std::vector<report::NotChecked> NotCheckedLines(const report::HostsReport& report) {
  std::vector<report::NotChecked> lines;
  for (const report::NotCheckedOnHosts& line : report.not_checked) {
    lines.push_back(line.what);
    if (line.hosts.size() < report.hosts.size())
      lines.back().why += " [" + HostsInWords(report, line.hosts) + "]";
  }
  return lines;
}

report::CheckReport AsOneCheck(const report::HostsReport& report) {
  report::CheckReport one{.verdict = report.verdict, .headline = report.headline};
  if (report.Count(Runs::kUnknown) > 0) one.verdict = report::Verdict::kUnknown;
  for (const report::FindingOnHosts& item : report.findings) one.findings.push_back(item.finding);
  one.not_checked = NotCheckedLines(report);
  one.rules_run = std::numeric_limits<size_t>::max();
  for (const report::HostRow& row : report.hosts) {
    const report::CheckReport& check = row.found.check;
    one.rules_run = std::min(one.rules_run, check.rules_run);
    one.rules_total = std::max(one.rules_total, check.rules_total);
    if (one.ignored.empty()) one.ignored = check.ignored;  // every host has the same list
    for (size_t i = 0; i < check.ignored.size() && i < one.ignored.size(); ++i) {
      for (const report::Finding& finding : check.ignored[i].findings) {
        auto& known = one.ignored[i].findings;
        if (std::ranges::find(known, finding) == known.end()) known.push_back(finding);
      }
    }
  }
  return one;
}

}  // namespace culprit::render
