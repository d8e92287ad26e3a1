// JUnit: one suite a host.
#include "render/check/junit.h"

#include "render/hosts/hosts.h"

namespace culprit::render {

std::string ToJunit(const report::HostsReport& report, const std::vector<report::RulePage>& rules,
                    bool strict) {
  std::vector<JunitSuite> suites;
  for (const report::HostRow& row : report.hosts)
    suites.push_back(SuiteOf(row.found.check, rules, strict, "culprit check: " + row.found.host.Label()));
  return JunitFile(suites);
}

}  // namespace culprit::render
