#include "report/hosts.h"

#include <gtest/gtest.h>

namespace culprit::report {
namespace {

Finding Wrong(const std::string& code, Severity severity, const std::string& summary) {
  Finding finding;
  finding.code = code;
  finding.severity = severity;
  finding.summary = summary;
  return finding;
}

HostCheck On(const std::string& words, Runs runs, Verdict verdict, std::vector<Finding> findings = {}) {
  HostCheck check{.host = {.words = words}, .runs = runs};
  check.check.verdict = verdict;
  check.check.findings = std::move(findings);
  return check;
}

TEST(AcrossHosts, TellsEachFindingOnceAndTheWorstFirst) {
  const Finding note = Wrong("CUL1", Severity::kNote, "by the way");
  const Finding old = Wrong("CUL2", Severity::kError, "too old");
  const HostsReport report = AcrossHosts(
      {On("a", Runs::kYes, Verdict::kOk, {note}), On("b", Runs::kNo, Verdict::kErrors, {old, note})});
  ASSERT_EQ(report.findings.size(), 2u);
  EXPECT_EQ(report.findings[0].finding.code, "CUL2");
  EXPECT_EQ(report.findings[0].hosts, std::vector<size_t>{1});
  EXPECT_EQ(report.findings[1].hosts, (std::vector<size_t>{0, 1}));
  EXPECT_EQ(report.hosts[0].findings, std::vector<size_t>{1});
  EXPECT_EQ(report.hosts[1].findings, (std::vector<size_t>{0, 1}));
  EXPECT_EQ(report.verdict, Verdict::kErrors);
  EXPECT_EQ(report.headline, "runs on 1 of 2 hosts; does not run on 1");
}

TEST(AcrossHosts, KeepsWhatDiffersInItsWordsApart) {
  const HostsReport report = AcrossHosts(
      {On("a", Runs::kNo, Verdict::kErrors, {Wrong("CUL2", Severity::kError, "470 is too old")}),
       On("b", Runs::kNo, Verdict::kErrors, {Wrong("CUL2", Severity::kError, "450 is too old")})});
  ASSERT_EQ(report.findings.size(), 2u);
  EXPECT_EQ(report.findings[0].finding.summary, "470 is too old");
}

TEST(AcrossHosts, ADoubtIsWorseThanAWarning) {
  const HostsReport report = AcrossHosts(
      {On("a", Runs::kByMinorVersion, Verdict::kWarnings), On("b", Runs::kUnknown, Verdict::kUnknown)});
  EXPECT_EQ(report.verdict, Verdict::kUnknown);
  EXPECT_EQ(report.headline, "runs on 1 of 2 hosts; could not tell for 1");
  EXPECT_EQ(AcrossHosts({On("a", Runs::kYes, Verdict::kOk), On("b", Runs::kYes, Verdict::kOk)}).headline,
            "runs on all 2 hosts");
}

}  // namespace
}  // namespace culprit::report
