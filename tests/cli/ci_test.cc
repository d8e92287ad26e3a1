// `check --format sarif` and `--format junit`: what the standards and GitHub require, and that "could not
// tell" and skipped rules do not look like a pass. The whole output was validated against the published
// schemas by hand (docs/ci.md).
#include <gtest/gtest.h>

#include <set>

#include "base/json.h"
#include "made_up_torch.h"

namespace culprit {
namespace {

using Ci = TorchImage;

size_t CountOf(const std::string& text, const std::string& what) {
  size_t count = 0;
  for (size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += what.size()) ++count;
  return count;
}

// The value of the first attribute with that name.
std::string Attribute(const std::string& xml, const std::string& name) {
  const size_t at = xml.find(" " + name + "=\"");
  if (at == std::string::npos) return "";
  const size_t start = at + name.size() + 3;
  return xml.substr(start, xml.find('"', start) - start);
}

// What GitHub rejects a file for, and what the standard requires of references inside one.
void ExpectSoundSarif(const base::Json& sarif) {
  EXPECT_EQ(sarif.at("version"), "2.1.0");
  const base::Json& run = sarif.at("runs").at(0);
  const base::Json& rules = run.at("tool").at("driver").at("rules");
  std::set<std::string> fingerprints;
  for (const base::Json& result : run.at("results")) {
    EXPECT_EQ(rules.at(result.at("ruleIndex").get<size_t>()).at("id"), result.at("ruleId"));
    const base::Json& place = result.at("locations").at(0).at("physicalLocation");
    EXPECT_EQ(place.at("region").at("startLine"), 1);
    const std::string uri = place.at("artifactLocation").at("uri");
    EXPECT_FALSE(uri.empty());
    EXPECT_FALSE(uri.starts_with('/')) << uri;
    EXPECT_EQ(uri.find_first_not_of(
                  "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/!$&'()*+,;=@:%"),
              std::string::npos)
        << uri;
    EXPECT_EQ(uri.find(".."), std::string::npos) << uri;
    if (place.at("artifactLocation").contains("uriBaseId")) {
      const std::string base_id = place.at("artifactLocation").at("uriBaseId");
      EXPECT_TRUE(run.at("originalUriBaseIds").contains(base_id)) << base_id;
    }
    EXPECT_TRUE(fingerprints.insert(result.at("partialFingerprints").at("primaryLocationLineHash")).second);
  }
}

TEST_F(Ci, SarifNamesTheFileTheRuleAndTheFix) {
  const Output output = Run(Ask({"--env", "shadow.env", "--format", "sarif"}));
  EXPECT_EQ(output.status, 1);
  const base::Json sarif = base::Json::parse(output.out);
  ExpectSoundSarif(sarif);
  const base::Json& run = sarif.at("runs").at(0);
  const base::Json& result = run.at("results").at(0);
  EXPECT_EQ(result.at("ruleId"), "CUL3004");
  EXPECT_EQ(result.at("level"), "error");
  const base::Json& place = result.at("locations").at(0).at("physicalLocation").at("artifactLocation");
  EXPECT_EQ(place.at("uri"), "usr/lib/x86_64-linux-gnu/libcudnn_graph.so.9");
  EXPECT_EQ(place.at("uriBaseId"), "ROOTPATH");
  EXPECT_NE(result.at("message").at("text").get<std::string>().find("\nFix: "), std::string::npos);
  EXPECT_EQ(run.at("invocations").at(0).at("executionSuccessful"), true);
  const base::Json again = base::Json::parse(Run(Ask({"--env", "shadow.env", "--format", "sarif"})).out);
  EXPECT_EQ(again, sarif) << "fingerprints are the same on every run";
}

TEST_F(Ci, SarifEncodesPathsHidesTheHomeAndNamesVariables) {
  // A library with a hostile name in the user's home, found through a variable.
  const std::string home = "/home/ada", below = "a b#c%/\xC3\xBC\xFF";
  AddCudnn(home + "/" + below, 14);
  WriteFile(top_ / "home.env",
            "HOME=" + home + "\nLD_LIBRARY_PATH=" + home + "/" + below + ":/nowhere/lib\n");
  const Output output = Run(Ask({"--env", "home.env", "--format", "sarif"}));
  const base::Json sarif = base::Json::parse(output.out);
  ExpectSoundSarif(sarif);
  EXPECT_EQ(output.out.find("/ada"), std::string::npos) << "the user's name";
  bool file = false, variable = false;
  for (const base::Json& result : sarif.at("runs").at(0).at("results")) {
    const base::Json& place = result.at("locations").at(0);
    const base::Json& artifact = place.at("physicalLocation").at("artifactLocation");
    file |= artifact.value("uriBaseId", "") == "HOME" &&
            artifact.at("uri") == "a%20b%23c%25/%C3%BC%FF/libcudnn_graph.so.9";
    if (place.contains("logicalLocations"))
      variable |= place.at("logicalLocations").at(0).at("name") == "LD_LIBRARY_PATH" &&
                  place.at("logicalLocations").at(0).at("kind") == "variable";
  }
  EXPECT_TRUE(file) << output.out.substr(output.out.find("\"results\""), 2000);
  EXPECT_TRUE(variable);
  const Output plain = Run(Ask({"--env", "home.env", "--format", "sarif", "--no-redact"}));
  EXPECT_NE(plain.out.find("home/ada/a%20b"), std::string::npos);
}

TEST_F(Ci, JunitHasACaseForEachRule) {
  const Output sound = Run(Ask({"--format", "junit"}));
  EXPECT_EQ(sound.status, 0);
  const size_t cases = CountOf(sound.out, "<testcase ");
  EXPECT_GT(cases, 60u);
  EXPECT_EQ(Attribute(sound.out, "tests"), std::to_string(cases));
  EXPECT_EQ(Attribute(sound.out, "failures"), "0");
  EXPECT_EQ(CountOf(sound.out, "<failure"), 0u);
  const Output broken = Run(Ask({"--env", "shadow.env", "--format", "junit"}));
  EXPECT_EQ(broken.status, 1);
  EXPECT_EQ(Attribute(broken.out, "failures"), "1");
  const size_t failed = broken.out.find("<failure");
  ASSERT_NE(failed, std::string::npos);
  const size_t its_case = broken.out.rfind("<testcase", failed);
  EXPECT_NE(broken.out.substr(its_case, failed - its_case).find("name=\"CUL3004 "), std::string::npos);
}

TEST_F(Ci, WarningsFailJunitOnlyWithStrict) {
  WriteFile(top_ / "preload.env", "LD_PRELOAD=/nowhere/lib\"<tc>&malloc.so.4\n");
  const Output lenient = Run(Ask({"--env", "preload.env", "--format", "junit"}));
  EXPECT_EQ(Attribute(lenient.out, "failures"), "0");
  EXPECT_NE(lenient.out.find("lib&quot;&lt;tc&gt;&amp;malloc.so.4"), std::string::npos)
      << "said all the same";
  EXPECT_EQ(lenient.out.find("<tc>"), std::string::npos);
  const Output strict = Run(Ask({"--env", "preload.env", "--format", "junit", "--strict"}));
  EXPECT_EQ(strict.status, 1);
  EXPECT_EQ(Attribute(strict.out, "failures"), "1");
}

TEST_F(Ci, WhatCouldNotBeToldIsNoPass) {
  // A root that is half unreadable: rules that could report an error lack facts.
  ASSERT_EQ(Run({"snapshot", "--root", "root", "-o", "machine.json"}).status, 0);
  base::Json machine = base::Json::parse(ReadFile(top_ / "machine.json"));
  machine["stack"]["environments"] = {{"state", "timed-out"}, {"why", "no answer <in> time"}};
  WriteFile(top_ / "half.json", machine.dump());
  const Output sarif = Run({"check", "half.json", "--host", kHost, "--format", "sarif"});
  EXPECT_EQ(sarif.status, 2);
  const base::Json json = base::Json::parse(sarif.out);
  ExpectSoundSarif(json);
  const base::Json& run = json.at("runs").at(0);
  EXPECT_EQ(run.at("invocations").at(0).at("executionSuccessful"), false);
  EXPECT_EQ(run.at("results").back().at("ruleId"), "could-not-tell");
  EXPECT_EQ(run.at("results").back().at("level"), "error");
  const Output junit = Run({"check", "half.json", "--host", kHost, "--format", "junit"});
  EXPECT_EQ(Attribute(junit.out, "errors"), "1");
  EXPECT_NE(junit.out.find("type=\"could-not-tell\""), std::string::npos);
  EXPECT_GT(CountOf(junit.out, "<skipped message="), 0u);
  EXPECT_NE(junit.out.find("no answer &lt;in&gt; time"), std::string::npos);
}

TEST_F(Ci, ATargetThatIsNotThereIsAReportToo) {
  for (const char* format : {"sarif", "junit", "json", "markdown", "html", "prometheus", "text"}) {
    WriteFile(top_ / "report", "of an earlier run");
    const Output output = Run({"check", "--root", "root", "/nope", "--format", format, "-o", "report"});
    EXPECT_EQ(output.status, 2);
    EXPECT_NE(output.err.find("/nope"), std::string::npos);
    const std::string report = ReadFile(top_ / "report");
    EXPECT_EQ(report.find("of an earlier run"), std::string::npos) << format;
    EXPECT_NE(report.find(format == std::string("prometheus") ? "verdict=\"unknown\"} 1" : "/nope"),
              std::string::npos)
        << report;
  }
  const std::vector<std::string> words = {"check", "--root", "root", "/nope", "--host", kHost};
  for (const bool several : {false, true}) {
    std::vector<std::string> asked = words;
    if (several) asked.insert(asked.end(), {"--host", "gpu=L4"});
    asked.insert(asked.end(), {"--format", "sarif"});
    const base::Json json = base::Json::parse(Run(asked).out);
    ExpectSoundSarif(json);
    EXPECT_EQ(json.at("runs").at(0).at("results").at(0).at("ruleId"), "could-not-tell");
    asked.back() = "junit";
    EXPECT_EQ(Attribute(Run(asked).out, "errors"), "1");
  }
  EXPECT_EQ(Run(words).out, "") << "the line on stderr is enough for a reader";
}

}  // namespace
}  // namespace culprit
