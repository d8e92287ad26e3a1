// The diagnosis as a JUnit report (docs/ci.md): every rule is a test case. It fails if the rule fired, and is
// skipped with the reason if facts were missing. A verdict of "could not tell" is an extra case that ends in
// an error, because skipped cases alone would look like a pass.
#include "render/check/junit.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/product_version.h"
#include "base/text.h"
#include "render/check/check.h"
#include "render/finding.h"

namespace culprit::render {
namespace {

using report::Finding;
using report::Severity;

std::string Escaped(std::string_view line) {
  std::string xml;
  for (size_t i = 0; i < line.size(); ++i) {
    const std::string_view rest = line.substr(i);
    if (rest.starts_with("\xEF\xBF\xBE") || rest.starts_with("\xEF\xBF\xBF")) {
      xml += rest[2] == '\xBE' ? "U+FFFE" : "U+FFFF";
      i += 2;
      continue;
    }
    switch (rest.front()) {
      case '&':
        xml += "&amp;";
        break;
      case '<':
        xml += "&lt;";
        break;
      case '>':
        xml += "&gt;";
        break;
      case '"':
        xml += "&quot;";
        break;
      default:
        xml += rest.front();
    }
  }
  return xml;
}

// The value of an attribute; with another `newline`, the text of an element. Writes out what XML forbids even
// when escaped: control characters, invalid UTF-8, two code points.
std::string Xml(std::string_view text, std::string_view newline = "&#10;") {
  std::string xml;
  bool first = true;
  for (const std::string& line : base::Split(text, '\n')) {
    if (!first) xml += newline;
    first = false;
    xml += Escaped(base::Printable(line));
  }
  return xml;
}
std::string XmlText(std::string_view text) { return Xml(text, "\n"); }

struct Case {
  std::string name, group;
  std::string body;
};

struct Suite {
  std::vector<Case> cases;
  size_t failures = 0, errors = 0, skipped = 0;
};

std::string Reasons(const std::vector<report::NotChecked>& lacking) {
  std::string text;
  for (const report::NotChecked& item : lacking)
    text += (text.empty() ? "" : "; ") + item.what + ": " + item.why;
  return text;
}

void AddRule(Suite& suite, const report::RulePage& page, const std::vector<report::NotChecked>& lacking,
             const std::vector<const Finding*>& findings, bool strict) {
  Case test{.name = page.code + " " + page.title, .group = "culprit." + page.cause};
  std::string text;
  const Finding* worst = nullptr;
  for (const Finding* finding : findings) {
    text += (text.empty() ? "" : "\n") + FindingText(*finding, {});
    if (worst == nullptr || finding->severity < worst->severity) worst = finding;
  }
  const bool fails = worst != nullptr && (worst->severity == Severity::kError ||
                                          (strict && worst->severity == Severity::kWarning));
  if (fails) {
    const std::string more = findings.size() > 1 ? fmt::format(" (and {} more)", findings.size() - 1) : "";
    test.body = fmt::format("      <failure message=\"{}\" type=\"{}\">{}</failure>\n",
                            Xml(worst->summary + more), Name(worst->severity), XmlText(text));
    ++suite.failures;
  } else if (!lacking.empty()) {
    test.body = fmt::format("      <skipped message=\"{}\"/>\n", Xml(Reasons(lacking)));
    ++suite.skipped;
  }
  if (worst != nullptr && !fails)
    test.body += fmt::format("      <system-out>{}</system-out>\n", XmlText(text));
  suite.cases.push_back(std::move(test));
}

void AddVerdict(Suite& suite, const report::CheckReport& report) {
  Case test{.name = "the stack could be checked", .group = "culprit.verdict"};
  if (report.verdict == report::Verdict::kUnknown) {
    test.body = fmt::format("      <error message=\"{}\" type=\"could-not-tell\">{}</error>\n",
                            Xml(report.headline), XmlText(Reasons(report.not_checked)));
    ++suite.errors;
  }
  suite.cases.push_back(std::move(test));
}

std::string Counts(size_t tests, size_t failures, size_t errors) {
  return fmt::format("tests=\"{}\" failures=\"{}\" errors=\"{}\"", tests, failures, errors);
}

}  // namespace

JunitSuite SuiteOf(const report::CheckReport& report, const std::vector<report::RulePage>& rules, bool strict,
                   const std::string& name) {
  std::map<std::string_view, std::vector<const Finding*>> fired;
  for (const Finding& finding : report.findings) fired[finding.code].push_back(&finding);
  std::map<std::string_view, const report::RuleOutcome*> outcomes;
  for (const report::RuleOutcome& outcome : report.outcomes) outcomes.emplace(outcome.code, &outcome);
  Suite suite;
  AddVerdict(suite, report);
  for (const report::RulePage& page : rules) {
    const auto outcome = outcomes.find(page.code);
    const auto findings = fired.find(page.code);
    if (outcome == outcomes.end() && findings == fired.end()) continue;
    AddRule(suite, page,
            outcome == outcomes.end() ? std::vector<report::NotChecked>() : outcome->second->lacking,
            findings == fired.end() ? std::vector<const Finding*>() : findings->second, strict);
  }
  std::string xml = fmt::format(
      "  <testsuite name=\"{}\" {} skipped=\"{}\">\n"
      "    <properties>\n      <property name=\"culprit.version\" value=\"{}\"/>\n"
      "      <property name=\"culprit.verdict\" value=\"{}\"/>\n"
      "      <property name=\"culprit.headline\" value=\"{}\"/>\n    </properties>\n",
      Xml(name), Counts(suite.cases.size(), suite.failures, suite.errors), suite.skipped,
      Xml(base::ProductVersion()), Name(report.verdict), Xml(report.headline));
  for (const Case& test : suite.cases) {
    xml += fmt::format("    <testcase classname=\"{}\" name=\"{}\"", Xml(test.group), Xml(test.name));
    xml += test.body.empty() ? "/>\n" : ">\n" + test.body + "    </testcase>\n";
  }
  std::string said;
  for (const report::NotChecked& item : IgnoredLines(report))
    said += "ignored: " + item.what + ": " + item.why + "\n";
  for (const report::NotChecked& item : report.not_checked)
    said += "not checked: " + item.what + ": " + item.why + "\n";
  if (!said.empty()) xml += fmt::format("    <system-out>{}</system-out>\n", XmlText(said));
  return {xml + "  </testsuite>\n", suite.cases.size(), suite.failures, suite.errors};
}

std::string JunitFile(const std::vector<JunitSuite>& suites) {
  JunitSuite all;
  for (const JunitSuite& suite : suites) {
    all.xml += suite.xml;
    all.tests += suite.tests;
    all.failures += suite.failures;
    all.errors += suite.errors;
  }
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"culprit check\" {}>\n{}</testsuites>\n",
      Counts(all.tests, all.failures, all.errors), all.xml);
}

std::string ToJunit(const report::CheckReport& report, const std::vector<report::RulePage>& rules,
                    bool strict) {
  return JunitFile({SuiteOf(report, rules, strict, "culprit check")});
}

}  // namespace culprit::render
