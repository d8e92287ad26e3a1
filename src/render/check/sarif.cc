// The diagnosis as SARIF 2.1.0, for code scanning (docs/ci.md). GitHub is stricter than the standard: it
// refuses a whole file if one result has no file or no line. So a finding without a file names its subject
// instead
// ("environment", "machine"), explained under `artifacts`, and every region is line 1, unless it is in a
// recipe, which has lines. "Could not tell" is a result of its own and a failed invocation, so that it never
// looks like a pass.
#include "render/check/sarif.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <span>

#include "base/bytes/sha256.h"
#include "base/json.h"
#include "base/product_version.h"
#include "base/text.h"
#include "base/windows/path.h"
#include "render/check/check.h"
#include "render/document.h"
#include "render/finding.h"
#include "render/site/site.h"

namespace culprit::render {
namespace {

using base::Json;
using report::Finding;

constexpr const char* kCouldNotTell = "could-not-tell";
constexpr const char* kNotChecked = "not-checked";
constexpr const char* kRoot = "ROOTPATH";
constexpr const char* kHome = "HOME";

// A path as the path of a URI (RFC 3986): every byte that is not allowed there becomes %NN.
std::string AsUri(std::string_view path) {
  static constexpr char kDigits[] = "0123456789ABCDEF";
  std::string uri;
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte < 0x80 && std::isalnum(byte) != 0) ||
        std::string_view("-._~/!$&'()*+,;=@").find(c) != std::string_view::npos) {
      uri += c;
    } else {
      uri += {'%', kDigits[byte >> 4], kDigits[byte & 15]};
    }
  }
  return uri;
}

bool IsPath(std::string_view text) {
  return (text.starts_with('/') && text.size() > 1) || text.starts_with("~/");
}

// Run paths contain "a/..". Readers of URIs remove that, so we write the path without it.
std::string WithoutDots(std::string_view path) {
  std::vector<std::string> kept;
  for (std::string& component : base::SplitWords(path, "/")) {
    if (component == "..") {
      if (!kept.empty()) kept.pop_back();
    } else if (component != ".") {
      kept.push_back(std::move(component));
    }
  }
  std::string plain;
  for (const std::string& component : kept) plain += (plain.empty() ? "" : "/") + component;
  return plain.empty() ? "." : plain;
}

// A path relative to its base, so that a file has the same name wherever the report is read.
Json ArtifactLocation(std::string_view path) {
  if (path.starts_with("~/")) return {{"uri", AsUri(WithoutDots(path.substr(2)))}, {"uriBaseId", kHome}};
  if (base::IsWindowsPath(path)) {  // "C:" would be a scheme
    return {{"uri", "file:///" + std::string(path.substr(1, 2)) + "/" + AsUri(WithoutDots(path.substr(3)))}};
  }
  if (path.starts_with('/')) return {{"uri", AsUri(WithoutDots(path))}, {"uriBaseId", kRoot}};
  return {{"uri", AsUri(path)}};
}

Json PhysicalLocation(std::string_view path, size_t line = 1) {
  return {{"artifactLocation", ArtifactLocation(path)}, {"region", {{"startLine", line}}}};
}

bool IsVariable(std::string_view text) {
  if (text.empty() || std::isdigit(static_cast<unsigned char>(text.front())) != 0) return false;
  return text.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == std::string_view::npos;
}

Json LocationOf(const Finding& finding) {
  if (finding.place)
    return {{"physicalLocation",
             PhysicalLocation(finding.place->file, std::max<size_t>(finding.place->line, 1))}};
  if (IsPath(finding.subject)) return {{"physicalLocation", PhysicalLocation(finding.subject)}};
  Json location;
  if (IsVariable(finding.subject)) {
    location["physicalLocation"] = PhysicalLocation("environment");
    location["logicalLocations"] = Json::array({{{"name", finding.subject}, {"kind", "variable"}}});
    return location;
  }
  std::string_view file = "machine";
  for (const report::Evidence& item : finding.evidence) {
    if (const std::string_view named = report::FileOf(item.source); !named.empty()) {
      file = named;
      break;
    }
  }
  location["physicalLocation"] = PhysicalLocation(file);
  if (!finding.subject.empty()) {
    location["logicalLocations"] = Json::array({{{"name", finding.subject}, {"kind", "resource"}}});
  }
  return location;
}

// Equal for one finding on every run, and on every machine that has its files in the same place.
std::string Fingerprint(const std::string& code, const std::string& subject, size_t ordinal) {
  const std::string text = code + '\n' + subject + '\n' + std::to_string(ordinal);
  base::Sha256 hash;
  hash.Add(std::as_bytes(std::span(text)));
  return hash.UrlSafeBase64().substr(0, 22);
}

Json Fingerprints(const std::string& code, const std::string& subject, size_t ordinal) {
  const std::string fingerprint = Fingerprint(code, subject, ordinal);
  // GitHub recognizes an alert by the second one.
  return {{"culpritFinding/v1", fingerprint}, {"primaryLocationLineHash", fingerprint + ":1"}};
}

std::string MessageText(const Finding& finding) {
  std::string text = finding.summary;
  if (finding.layer) text += "\nLayer " + LayerWords(*finding.layer);
  if (!finding.fix.text.empty()) text += "\nFix: " + finding.fix.text;
  for (const std::string& command : report::Texts(finding.fix.commands)) text += "\n  " + command;
  if (const std::string caution = Caution(finding.fix); !caution.empty()) text += "\nCaution: " + caution;
  return text;
}

class Rules {
 public:
  Rules(const std::vector<report::RulePage>& pages, std::string_view url) {
    for (const report::RulePage& page : pages) {
      Json rule = {{"id", page.code}, {"name", page.name}, {"shortDescription", {{"text", page.title}}}};
      if (!page.page.empty())  // a site's rule has none
        rule["help"] = {{"text", page.title + " (culprit explain " + page.code + ")"},
                        {"markdown", page.page}};
      rule["defaultConfiguration"] = {{"level", page.severity}};
      rule["properties"] = {{"tags", Json::array({page.cause})}, {"since", page.since}};
      if (const std::string help = CodeUrl(url, page.code); !help.empty()) rule["helpUri"] = help;
      Add(std::move(rule));
    }
    Add({{"id", kCouldNotTell},
         {"name", "could_not_tell"},
         {"shortDescription", {{"text", "The stack could not be checked"}}},
         {"defaultConfiguration", {{"level", "error"}}}});
  }
  // A code that is not in the catalog is only named.
  void Refer(Json& result, const std::string& code) const {
    result["ruleId"] = code;
    if (const auto found = places_.find(code); found != places_.end()) result["ruleIndex"] = found->second;
  }
  Json Take() { return std::move(rules_); }

 private:
  void Add(Json rule) {
    places_.emplace(rule.at("id").get<std::string>(), rules_.size());
    rules_.push_back(std::move(rule));
  }
  Json rules_ = Json::array();
  std::map<std::string, size_t> places_;
};

Json ResultOf(const Finding& finding, const Rules& rules, size_t ordinal) {
  Json result;
  rules.Refer(result, finding.code);
  result["level"] = Name(finding.severity);
  result["message"] = {{"text", MessageText(finding)}, {"markdown", FindingMarkdown(finding)}};
  result["locations"] = Json::array({LocationOf(finding)});
  Json related = Json::array();
  for (const report::Evidence& item : finding.evidence) {
    const std::string_view file = report::FileOf(item.source);
    if (file.empty() || file == finding.subject) continue;
    related.push_back({{"id", related.size() + 1},
                       {"physicalLocation", {{"artifactLocation", ArtifactLocation(file)}}},
                       {"message", {{"text", item.fact}}}});
  }
  if (!related.empty()) result["relatedLocations"] = std::move(related);
  result["partialFingerprints"] = Fingerprints(finding.code, finding.subject, ordinal);
  Json properties = FindingJson(finding);
  for (const char* said : {"code", "severity", "summary"}) properties.erase(said);
  result["properties"] = std::move(properties);
  return result;
}

Json CouldNotTell(const report::CheckReport& report, const Rules& rules) {
  Json result;
  rules.Refer(result, kCouldNotTell);
  std::string text = report.headline;
  for (const report::NotChecked& item : report.not_checked)
    text += "\nnot checked: " + item.what + ": " + item.why;
  result["level"] = "error";
  result["message"] = {{"text", std::move(text)}};
  result["locations"] = Json::array({{{"physicalLocation", PhysicalLocation("machine")}}});
  result["partialFingerprints"] = Fingerprints(kCouldNotTell, "", 0);
  return result;
}

Json Invocation(const report::CheckReport& report) {
  Json notifications = Json::array();
  const auto notify = [&](const char* id, const char* level, const std::string& text) {
    notifications.push_back({{"descriptor", {{"id", id}}}, {"level", level}, {"message", {{"text", text}}}});
  };
  const bool unknown = report.verdict == report::Verdict::kUnknown;
  if (unknown) notify(kCouldNotTell, "error", report.headline);
  for (const report::NotChecked& item : report.not_checked)
    notify(kNotChecked, "warning", "not checked: " + item.what + ": " + item.why);
  return {{"executionSuccessful", !unknown}, {"toolExecutionNotifications", std::move(notifications)}};
}

Json Notifications() {
  return Json::array(
      {{{"id", kCouldNotTell},
        {"shortDescription", {{"text", "The stack could not be checked"}}},
        {"defaultConfiguration", {{"level", "error"}}}},
       {{"id", kNotChecked},
        {"shortDescription", {{"text", "Something could not be checked, so its state is unknown"}}},
        {"defaultConfiguration", {{"level", "warning"}}}}});
}

Json Artifacts() {
  return Json::array(
      {{{"location", {{"uri", "environment"}}},
        {"description", {{"text", "not a file: the environment variables that were checked"}}}},
       {{"location", {{"uri", "machine"}}}, {"description", {{"text", "not a file: the machine itself"}}}}});
}

}  // namespace

std::string ToSarif(const report::CheckReport& report, const std::vector<report::RulePage>& pages,
                    bool redacted, std::string_view rules_url) {
  return JsonDocument(SarifJson(report, pages, redacted, rules_url));
}

base::Json SarifJson(const report::CheckReport& report, const std::vector<report::RulePage>& pages,
                     bool redacted, std::string_view rules_url) {
  Rules rules(pages, rules_url);
  Json results = Json::array();
  std::map<std::pair<std::string, std::string>, size_t> seen;
  for (const Finding& finding : report.findings)
    results.push_back(ResultOf(finding, rules, seen[{finding.code, finding.subject}]++));
  for (const report::Ignored& ignored : report.ignored) {
    for (const Finding& finding : ignored.findings) {
      Json result = ResultOf(finding, rules, seen[{finding.code, finding.subject}]++);
      result["suppressions"] =
          Json::array({{{"kind", "external"}, {"status", "accepted"}, {"justification", ignored.reason}}});
      results.push_back(std::move(result));
    }
  }
  if (report.verdict == report::Verdict::kUnknown) results.push_back(CouldNotTell(report, rules));
  const std::string version(base::ProductVersion());
  Json run;
  run["tool"] = {{"driver",
                  {{"name", "culprit"},
                   {"version", version},
                   {"semanticVersion", version},
                   {"rules", rules.Take()},
                   {"notifications", Notifications()}}}};
  run["invocations"] = Json::array({Invocation(report)});
  run["originalUriBaseIds"] = {
      {kRoot,
       {{"uri", "file:///"},
        {"description", {{"text", "the root directory of the machine that was checked"}}}}},
      {kHome, {{"description", {{"text", "the home directory of the user"}}}}}};
  run["artifacts"] = Artifacts();
  run["results"] = std::move(results);
  if (redacted) run["redactionTokens"] = {"~", "USER"};
  run["properties"] = {{"verdict", Name(report.verdict)},
                       {"headline", report.headline},
                       {"rulesRun", report.rules_run},
                       {"rulesTotal", report.rules_total}};
  return {{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
          {"version", "2.1.0"},
          {"runs", Json::array({std::move(run)})}};
}

}  // namespace culprit::render
