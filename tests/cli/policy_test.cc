// --policy: a site's rules in every answer of check and fleet report, and what a wrong file says.
#include <gtest/gtest.h>

#include "base/json.h"
#include "made_up_torch.h"

namespace culprit {
namespace {

constexpr const char* kSiteRules = R"toml([[rule]]
code = "SITE001"
require = 'driver >= 590'
cause = "driver-too-old"
text = "our nodes run driver 590 or later"
fix = "drain the node"
commands = ["ansible-playbook driver.yml -l $(hostname)"]
link = "https://wiki.example.org/driver"

[[rule]]
code = "SITE002"
severity = "warning"
forbid = 'variable LD_LIBRARY_PATH'
cause = "search-path"
text = "LD_LIBRARY_PATH is <b>set</b>"

[[rule]]
code = "SITE003"
require = 'all package torch == 2.11.* and all loaded cuDNN == 9.19.*'
cause = "framework-version-conflict"
text = "torch is pinned"

[[rule]]
code = "SITE004"
severity = "note"
forbid = 'any cudnn at "/usr/*" < 9.19'
cause = "cudnn-version-mismatch"
text = "an old cuDNN of the system"
)toml";

class Policies : public TorchImage {
 protected:
  void SetUp() override {
    TorchImage::SetUp();
    WriteFile(top_ / "site.toml", kSiteRules);
  }
  std::vector<std::string> Judged(std::vector<std::string> more = {}) const {
    more.insert(more.begin(), {"--policy", "site.toml"});
    return Ask(more);
  }
  static std::vector<std::string> Codes(const base::Json& report) {
    std::vector<std::string> codes;
    for (const base::Json& finding : report.at("findings")) codes.push_back(finding.at("code"));
    return codes;
  }
};

TEST_F(Policies, AreJudgedLikeAnyRule) {
  ExpectGolden("check_policy.txt", Judged(), 1);
  ExpectGolden("check_policy.md",
               Judged({"--format", "markdown", "--env", "shadow.env", "--ignore", "CUL3004"}), 1);
  EXPECT_EQ(Run(Judged({"--ignore", "SITE001"})).status, 0);
  EXPECT_EQ(Run(Judged({"--ignore", "SITE001", "--strict"})).status, 0);
  EXPECT_NE(Run(Judged({"--ignore", "SITE001"})).out.find("1 ignored"), std::string::npos);
}

TEST_F(Policies, EveryFormatHasThemAndEscapesTheirText) {
  const std::vector<std::string> shadowed = {"--env", "shadow.env", "--format"};
  const auto in = [&](const std::string& format) {
    auto arguments = shadowed;
    arguments.push_back(format);
    return Run(Judged(arguments)).out;
  };
  const base::Json json = base::Json::parse(in("json"));
  const auto& findings = json.at("findings");
  const auto found =
      std::ranges::find_if(findings, [](const auto& one) { return one.at("code") == "SITE002"; });
  ASSERT_NE(found, findings.end());
  EXPECT_EQ(found->at("severity"), "warning");
  EXPECT_EQ(found->at("subject"), "LD_LIBRARY_PATH");
  EXPECT_EQ(found->at("evidence").at(1).at("source"), "site.toml:13");
  const base::Json sarif = base::Json::parse(in("sarif")).at("runs").at(0);
  const base::Json& rule = sarif.at("tool").at("driver").at("rules");
  const auto listed = std::ranges::find_if(rule, [](const auto& one) { return one.at("id") == "SITE001"; });
  ASSERT_NE(listed, rule.end());
  EXPECT_EQ(listed->at("shortDescription").at("text"), "our nodes run driver 590 or later");
  EXPECT_NE(in("junit").find("name=\"SITE002 LD_LIBRARY_PATH is &lt;b&gt;set&lt;/b&gt;\""),
            std::string::npos);
  EXPECT_NE(in("junit").find("SITE003 torch is pinned\""), std::string::npos) << "a case that passes";
  const std::string page = in("html");
  EXPECT_NE(page.find("&lt;b&gt;set&lt;/b&gt;"), std::string::npos);
  EXPECT_EQ(page.find("<b>set</b>"), std::string::npos);
  EXPECT_EQ(in("markdown").find("<b>set</b>"), std::string::npos);
}

TEST_F(Policies, WhatIsNotKnownIsNotFine) {
  // Without --host the driver of a root is out of reach: listed, as for culprit's own rules.
  const Output rooted = Run({"check", "--root", "root", "--policy", "site.toml", "--format", "json"});
  const base::Json report = base::Json::parse(rooted.out);
  EXPECT_EQ(Codes(report), (std::vector<std::string>{"CUL3014", "SITE004"}));
  const auto& lines = report.at("not_checked");
  EXPECT_TRUE(std::ranges::any_of(lines, [](const auto& line) {
    return line.at("what") == "SITE001: driver";
  })) << lines;
  // A fact that should be there and is not known: the verdict is unknown.
  WriteFile(top_ / "site.toml",
            "[[rule]]\ncode = \"SITE005\"\nrequire = 'all gpu == \"NVIDIA H100*\"'\ncause = "
            "\"arch-unsupported\"\ntext = \"t\"\n");
  const Output unknown = Run(Judged());
  EXPECT_EQ(unknown.status, 2) << unknown.out;
  EXPECT_NE(unknown.out.find("SITE005: GPU: cannot compare GPU 0, unknown which"), std::string::npos)
      << unknown.out;
}

TEST_F(Policies, SnapshotsEnvironmentsAndHosts) {
  ASSERT_EQ(Run({"snapshot", "--root", "root", "-o", "machine.json"}).status, 0);
  const Output snapshot =
      Run({"check", "machine.json", "--host", kHost, "--policy", "site.toml", "--format", "json"});
  const Output live = Run(Judged({"--format", "json"}));
  EXPECT_EQ(Codes(base::Json::parse(snapshot.out)), Codes(base::Json::parse(live.out)));
  EXPECT_EQ(snapshot.status, 1);
  EXPECT_EQ(Run({"check", "/opt/venv", "--root", "root", "--host", kHost, "--policy", "site.toml"}).status,
            1);
  EXPECT_EQ(Run({"check", "/app/train", "--root", "root", "--host", kHost, "--policy", "site.toml"}).status,
            1);
  const Output hosts = Run(Judged({"--host", "driver=590.44.01,gpu=H100"}));
  EXPECT_NE(hosts.out.find("no    SITE001 our nodes"), std::string::npos) << hosts.out;
  EXPECT_NE(hosts.out.find("driver=590.44.01,gpu=H100   yes"), std::string::npos) << hosts.out;
}

TEST_F(Policies, TheSettingsOfAProjectNameOne) {
  WriteFile(top_ / ".culprit.toml", "policy = \"rules/site.toml\"\n");
  fs::create_directories(top_ / "rules");
  fs::rename(top_ / "site.toml", top_ / "rules/site.toml");
  EXPECT_EQ(Run(Ask({})).status, 1);
  EXPECT_EQ(Run(Ask({"--settings", "none"})).status, 0);
  WriteFile(top_ / "other.toml",
            "[[rule]]\ncode = \"SITE009\"\nrequire = 'driver'\ncause = \"driver-missing\"\ntext = \"t\"\n");
  EXPECT_EQ(Run(Ask({"--policy", "other.toml"})).status, 0) << "the option comes first";
  WriteFile(top_ / ".culprit.toml", "policy = \"rules/site.toml\"\nignore = [\"SITE001: known\"]\n");
  EXPECT_EQ(Run(Ask({})).status, 0);
  WriteFile(top_ / "rules/site.toml", "[[rule]]\ncode = 1\n");
  const Output wrong = Run(Ask({}));
  EXPECT_EQ(wrong.status, 64);
  EXPECT_EQ(wrong.err, "culprit: rules/site.toml:2:8: code must be a string\n");
  WriteFile(top_ / ".culprit.toml", "policy = 1\n");
  EXPECT_EQ(Run(Ask({})).err, "culprit: .culprit.toml:1: policy must be a file name\n");
}

TEST_F(Policies, AWrongFileIsOneLine) {
  const auto mistake = [&](const std::string& text) {
    WriteFile(top_ / "site.toml", text);
    const Output check = Run(Judged()), fleet = Run({"fleet", "report", "nodes", "--policy", "site.toml"});
    EXPECT_EQ(check.status, 64);
    EXPECT_EQ(fleet.status, 64);
    EXPECT_EQ(check.err, fleet.err);
    EXPECT_EQ(check.out, "");
    return check.err;
  };
  EXPECT_EQ(mistake("[[rule]]\nrequire = 'driver >= new'\n"),
            "culprit: site.toml:2:22: require: expected a version like 12.4 or 12.*, found 'new'\n");
  EXPECT_EQ(mistake("[rules]\n"), "culprit: site.toml:1:2: expected [[rule]], found 'rules'\n");
  EXPECT_TRUE(mistake("[[rule]\n").starts_with("culprit: site.toml:1:"));
  const Output none = Run(Ask({"--policy", "none.toml"}));
  EXPECT_EQ(none.status, 2);
  EXPECT_EQ(none.err, "culprit: none.toml: No such file or directory\n");
}

TEST_F(Policies, AFleetIsJudgedByTheSameRules) {
  for (const auto& [node, env] : {std::pair{"n1", "plain.env"}, {"n2", "shadow.env"}, {"n3", "shadow.env"}}) {
    WriteFile(top_ / "plain.env", "PATH=/usr/bin\n");
    fs::create_directories(top_ / "nodes");
    ASSERT_EQ(Run({"snapshot", "--brief", "--root", "root", "--env", env, "--node", node, "-o",
                   std::string("nodes/") + node + ".json"})
                  .status,
              0);
  }
  const Output text = Run({"fleet", "report", "nodes", "--policy", "site.toml"});
  EXPECT_NE(text.out.find("warning SITE002  LD_LIBRARY_PATH is <b>set</b>: "
                          "LD_LIBRARY_PATH=/usr/lib/x86_64-linux-gnu\n  on n[2-3] (2)\n"),
            std::string::npos)
      << text.out;
  EXPECT_NE(text.out.find("\nnot checked\n  SITE001: driver: not checked\n    on n[1-3] (3)\n"),
            std::string::npos)
      << text.out;
  EXPECT_EQ(text.out.find("SITE003"), std::string::npos) << text.out;
  const base::Json json =
      base::Json::parse(Run({"fleet", "report", "nodes", "--policy", "site.toml", "--format", "json"}).out);
  EXPECT_EQ(json.at("not_checked").at(0).at("nodes"), (std::vector<std::string>{"n1", "n2", "n3"}));
  const auto codes = Codes(json);
  EXPECT_NE(std::ranges::find(codes, "SITE004"), codes.end());
  EXPECT_EQ(
      Run({"fleet", "report", "nodes", "--policy", "site.toml", "--format", "markdown"}).out.find("<b>"),
      std::string::npos);
}

}  // namespace
}  // namespace culprit
