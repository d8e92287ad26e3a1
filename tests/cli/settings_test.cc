// .culprit.toml and --ignore: what is ignored is counted, never silent.
#include <gtest/gtest.h>

#include "base/json.h"
#include "made_up_torch.h"

namespace culprit {
namespace {

class Settings : public TorchImage {
 protected:
  void Write(const std::string& text) const { WriteFile(top_ / ".culprit.toml", text); }
  std::vector<std::string> Mixed(std::vector<std::string> more = {}) const {
    more.insert(more.begin(), {"--env", "shadow.env"});
    return Ask(more);
  }
};

TEST_F(Settings, WhatIsIgnoredIsCounted) {
  ExpectGolden("check_ignored.txt", Mixed({"--ignore", "CUL3004"}), 0);
  Write("ignore = [{code = \"CUL3004\", reason = \"the image is rebuilt on Monday\"}]\n");
  ExpectGolden("check_ignored_by_file.txt", Mixed(), 0);
  ExpectGolden("check_ignored_by_file.md", Mixed({"--format", "markdown"}), 0);
}

TEST_F(Settings, EveryFormatSaysIt) {
  Write("ignore = [\"CUL3004: the image is rebuilt on Monday\"]\n");
  const base::Json json = base::Json::parse(Run(Mixed({"--format", "json"})).out);
  EXPECT_EQ(json.at("verdict"), "ok");
  EXPECT_EQ(json.at("ignored").at(0).at("code"), "CUL3004");
  EXPECT_EQ(json.at("ignored").at(0).at("count"), 1);
  EXPECT_EQ(json.at("ignored").at(0).at("reason"), "the image is rebuilt on Monday");
  EXPECT_EQ(json.at("ignored").at(0).at("source"), ".culprit.toml:1");
  const base::Json sarif = base::Json::parse(Run(Mixed({"--format", "sarif"})).out);
  const base::Json& result = sarif.at("runs").at(0).at("results").back();
  EXPECT_EQ(result.at("ruleId"), "CUL3004");
  EXPECT_EQ(result.at("suppressions").at(0).at("justification"), "the image is rebuilt on Monday");
  for (const char* format : {"html", "junit"}) {
    const std::string text = Run(Mixed({"--format", format})).out;
    EXPECT_NE(text.find("the image is rebuilt on Monday"), std::string::npos) << format;
  }
}

TEST_F(Settings, TheNearestFileAboveCounts) {
  Write("ignore = [\"CUL3004\"]\n");
  EXPECT_EQ(Run(Mixed({"--settings", "none"})).status, 1);
  WriteFile(top_ / "other.toml", "strict = true\n");
  EXPECT_EQ(Run(Mixed({"--settings", "other.toml"})).status, 1);
  EXPECT_EQ(Run(Mixed()).status, 0);
}

TEST_F(Settings, SeveralHostsAreATable) {
  Write("hosts = [\"driver=470.82.01,gpu=T4\", \"driver=580.95.05,gpu=H100\"]\n");
  const Output output = Run({"check", "--root", "root"});
  EXPECT_EQ(output.status, 1) << output.err;
  EXPECT_NE(output.out.find("  driver=470.82.01,gpu=T4    no    CUL"), std::string::npos) << output.out;
  EXPECT_NE(output.out.find("  driver=580.95.05,gpu=H100  yes\n"), std::string::npos) << output.out;
  EXPECT_EQ(base::Json::parse(Run({"check", "--root", "root", "--format", "json"}).out).at("schema"),
            "culprit.hosts/1");
  EXPECT_EQ(base::Json::parse(Run(Ask({"--format", "json"})).out).at("schema"), "culprit.check/1")
      << "--host comes before the file";
}

TEST_F(Settings, MistakesNameTheirLine) {
  const auto mistake = [&](const std::string& text) {
    Write(text);
    const Output output = Run({"check", "--root", "root"});
    EXPECT_EQ(output.status, 2);
    return output.err;
  };
  EXPECT_EQ(mistake("\nignore = [\"CUL9999\"]\n"),
            "culprit: .culprit.toml:2: 'CUL9999' is not a code; `culprit rules` lists the codes\n");
  EXPECT_EQ(mistake("hots = 1\n"),
            "culprit: .culprit.toml:1: 'hots' is not a setting; use hosts, host, ignore, policy and "
            "strict\n");
  EXPECT_EQ(mistake("strict = 1\n"), "culprit: .culprit.toml:1: strict must be true or false\n");
  EXPECT_EQ(mistake("hosts = \"x\"\n"),
            "culprit: .culprit.toml:1: hosts must be a list: [\"driver=535.183.01,gpu=L4\"]\n");
  EXPECT_NE(mistake("hosts = [\"gpu=\"]\n").find(".culprit.toml:1: "), std::string::npos);
  EXPECT_NE(mistake("hosts = [\n").find(".culprit.toml:"), std::string::npos);
  EXPECT_EQ(Run({"check", "--root", "root", "--settings", "no.toml"}).status, 2);
}

TEST_F(Settings, CodesMayBeInAnyCase) {
  EXPECT_EQ(Run(Mixed({"--ignore", "cul3004"})).out, Run(Mixed({"--ignore", "CUL3004"})).out);
  Write("ignore = [\"Cul3004: the image is rebuilt on Monday\"]\n");
  ExpectGolden("check_ignored_by_file.txt", Mixed(), 0);
}

TEST_F(Settings, WhatIsNoCodeIsWrongUsage) {
  for (const char* word : {"CUL9999", "CUL10", "3004", "SITE1", ""}) {
    const Output output = Run(Mixed({"--settings", "none", "--ignore", word}));
    EXPECT_EQ(output.status, 64) << word;
    EXPECT_NE(output.err.find("--ignore: '" + std::string(word) + "' is not a code"), std::string::npos)
        << output.err;
  }
}

TEST_F(Settings, WhatHasTheNameAndIsNoFileIsNotPassedOver) {
  std::filesystem::create_directory(top_ / ".culprit.toml");
  const Output folder = Run(Mixed());
  EXPECT_EQ(folder.status, 2);
  EXPECT_NE(folder.err.find(".culprit.toml: not a regular file"), std::string::npos) << folder.err;
  std::filesystem::remove(top_ / ".culprit.toml");
  std::filesystem::create_symlink("gone.toml", top_ / ".culprit.toml");
  const Output link = Run(Mixed());
  EXPECT_EQ(link.status, 2);
  EXPECT_NE(link.err.find(".culprit.toml: a symlink to a file that cannot be read"), std::string::npos)
      << link.err;
  EXPECT_EQ(Run(Mixed({"--settings", "none"})).status, 1);
}

}  // namespace
}  // namespace culprit
