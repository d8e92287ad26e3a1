// One suite of a JUnit report, and the file around suites.
#pragma once

#include <string>
#include <vector>

#include "report/check.h"

namespace culprit::render {

struct JunitSuite {
  std::string xml;
  size_t tests = 0, failures = 0, errors = 0;
};
JunitSuite SuiteOf(const report::CheckReport& report, const std::vector<report::RulePage>& rules, bool strict,
                   const std::string& name);
std::string JunitFile(const std::vector<JunitSuite>& suites);

}  // namespace culprit::render
