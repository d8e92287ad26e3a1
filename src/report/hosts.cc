#include "report/hosts.h"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

namespace culprit::report {
namespace {

// Where `item` is in `list`; it is added if it is new.
template <typename Entry, typename Item>
size_t PlaceOf(std::vector<Entry>& list, const Item& item, Item Entry::* member) {
  const auto found = std::ranges::find(list, item, member);
  if (found != list.end()) return static_cast<size_t>(found - list.begin());
  Entry& entry = list.emplace_back();
  entry.*member = item;
  return list.size() - 1;
}

// By severity, then by code; `places` gets the old index of each.
void SortFindings(std::vector<FindingOnHosts>& findings, std::vector<size_t>& places) {
  places.resize(findings.size());
  std::iota(places.begin(), places.end(), size_t{0});
  std::ranges::sort(places, {}, [&](size_t i) {
    const Finding& one = findings[i].finding;
    return std::tuple(one.severity, one.root, std::string_view(one.code), i);
  });
  std::vector<FindingOnHosts> sorted;
  for (const size_t i : places) sorted.push_back(std::move(findings[i]));
  findings = std::move(sorted);
}

std::string Headline(const HostsReport& report) {
  const size_t all = report.hosts.size(), no = report.Count(Runs::kNo),
               unknown = report.Count(Runs::kUnknown);
  if (no + unknown == 0) return "runs on all " + std::to_string(all) + " hosts";
  std::string words =
      "runs on " + std::to_string(all - no - unknown) + " of " + std::to_string(all) + " hosts";
  if (no > 0) words += "; does not run on " + std::to_string(no);
  if (unknown > 0) words += "; could not tell for " + std::to_string(unknown);
  return words;
}

Verdict WorstOf(const HostsReport& report) {
  const auto any = [&](Verdict verdict) {
    return std::ranges::any_of(report.hosts,
                               [&](const HostRow& row) { return row.found.check.verdict == verdict; });
  };
  for (const Verdict verdict : {Verdict::kErrors, Verdict::kUnknown, Verdict::kWarnings}) {
    if (any(verdict)) return verdict;
  }
  return Verdict::kOk;
}

}  // namespace

size_t HostsReport::Count(Runs runs) const {
  return static_cast<size_t>(
      std::ranges::count_if(hosts, [&](const HostRow& row) { return row.found.runs == runs; }));
}

HostsReport AcrossHosts(std::vector<HostCheck> checks) {
  HostsReport report;
  for (HostCheck& check : checks) report.hosts.push_back({.found = std::move(check)});
  for (size_t host = 0; host < report.hosts.size(); ++host) {
    for (const Finding& finding : report.Of(host).findings)
      report.findings[PlaceOf(report.findings, finding, &FindingOnHosts::finding)].hosts.push_back(host);
    for (const NotChecked& line : report.Of(host).not_checked)
      report.not_checked[PlaceOf(report.not_checked, line, &NotCheckedOnHosts::what)].hosts.push_back(host);
  }
  std::vector<size_t> places;
  SortFindings(report.findings, places);
  for (size_t i = 0; i < report.findings.size(); ++i) {
    for (const size_t host : report.findings[i].hosts) report.hosts[host].findings.push_back(i);
  }
  report.verdict = WorstOf(report);
  report.headline = Headline(report);
  return report;
}

}  // namespace culprit::report
