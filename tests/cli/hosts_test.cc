// `check` for several hosts: one table, every finding once, and "could not tell" never looks like a pass.
#include <gtest/gtest.h>

#include <algorithm>

#include "base/json.h"
#include "made_up_torch.h"

namespace culprit {
namespace {

class Hosts : public TorchImage {
 protected:
  void SetUp() override {
    TorchImage::SetUp();
    WriteFile(
        top_ / "fleet.toml",
        "hosts = [\"driver=580.95.05,gpu=H100,B200\"]\n"
        "[[host]]\nname = \"a100 pool\"\ndriver = \"535.183.01\"\ngpu = [\"A100\", \"L4\"]\n"
        "[[host]]\nname = \"<b>desks</b> | \\u001b[31m\"\ndriver = \"580.95.05\"\ngpu = \"RTX 5090\"\n");
  }
  static std::vector<std::string> Fleet(std::vector<std::string> more = {}) {
    more.insert(more.begin(), {"check", "--root", "root", "--hosts", "fleet.toml"});
    return more;
  }
  base::Json JsonOf(std::vector<std::string> more, const std::string& format = "json") const {
    more.insert(more.end(), {"--format", format});
    return base::Json::parse(Run(more).out);
  }
};

TEST_F(Hosts, AreATableInEveryFormat) {
  ExpectGolden("check_hosts.txt", Fleet(), 1);
  ExpectGolden("check_hosts.md", Fleet({"--format", "markdown"}), 1);
  ExpectGolden("check_hosts.json", Fleet({"--format", "json"}), 1);
  const std::string page = Run(Fleet({"--format", "html"})).out;
  EXPECT_NE(page.find("<table class=\"hosts\">"), std::string::npos);
  EXPECT_NE(page.find("a100 pool"), std::string::npos);
  EXPECT_EQ(page.find("<b>desks"), std::string::npos) << "names are escaped";
}

TEST_F(Hosts, AHostGetsTheFindingsThatItGetsAlone) {
  const base::Json table = JsonOf(Fleet());
  ASSERT_EQ(table.at("hosts").size(), 3u);
  for (size_t i = 0; i < 3; ++i) {
    const base::Json& host = table.at("hosts").at(i);
    const base::Json alone = JsonOf({"check", "--root", "root", "--host", host.at("host")});
    EXPECT_EQ(alone.at("schema"), "culprit.check/1");
    EXPECT_EQ(host.at("verdict"), alone.at("verdict"));
    EXPECT_EQ(host.at("headline"), alone.at("headline"));
    ASSERT_EQ(host.at("findings").size(), alone.at("findings").size());
    for (size_t f = 0; f < host.at("findings").size(); ++f) {
      base::Json finding = table.at("findings").at(host.at("findings").at(f).get<size_t>());
      base::Json expected = alone.at("findings").at(f);
      finding.erase("hosts");
      expected.at("fix").erase("proof");  // fixes are tried for one host only
      EXPECT_EQ(finding, expected);
    }
  }
}

TEST_F(Hosts, SayHowTheTargetRuns) {
  // CUDA 13.2 on a driver of CUDA 13.2, on one of CUDA 13.0, and on one that is too old.
  const auto runs = [&](const std::string& host) {
    const base::Json table =
        JsonOf({"check", "--root", "root", "--host", host, "--host", "driver=580.95.05,gpu=H100"});
    return table.at("hosts").at(0).at("runs").get<std::string>();
  };
  WriteFile(root_.string() + kSite + "torch/version.py",
            "__version__ = '2.11.0+cu132'\ncuda: Optional[str] = '13.2'\nhip: Optional[str] = None\n");
  std::filesystem::remove_all(root_.string() + kSite + "nvidia_cuda_runtime-13.0.96.dist-info");
  AddPackage("nvidia-cuda-runtime", "13.2.75", "nvidia/cu13/lib/libcudart.so.13,,\n");
  EXPECT_EQ(runs("driver=595.71.05,gpu=H100"), "yes");
  EXPECT_EQ(runs("driver=580.95.05,gpu=H100"), "minor-version");
  EXPECT_EQ(runs("driver=470.82.01,gpu=A100"), "no");
  EXPECT_EQ(runs("driver=595.71.05"), "unknown") << "nobody said which GPU";
  EXPECT_EQ(runs("gpu=H100"), "unknown") << "nobody said which driver";
}

// cuda-compat in the image: the container runtime puts it in front of an older driver, whatever the GPU.
TEST_F(Hosts, RunByForwardCompatibilityWithTheImagesOwnLibcuda) {
  Add("/usr/local/cuda-13.0/compat/libcuda.so.580.65.06", {.soname = "libcuda.so.1"});
  fs::create_symlink("libcuda.so.580.65.06", root_ / "usr/local/cuda-13.0/compat/libcuda.so.1");
  fs::create_symlink("cuda-13.0", root_ / "usr/local/cuda");
  const base::Json table =
      JsonOf({"check", "--root", "root", "--host", "driver=535.183.01,gpu=H100", "--host",
              "driver=580.95.05,gpu=H100", "--host", "driver=550.54.14,gpu=A100", "--host",
              "driver=535.183.01,gpu=RTX 3090", "--host", "driver=525.85.12,gpu=H100"});
  std::vector<std::string> runs;
  for (const base::Json& host : table.at("hosts")) runs.push_back(host.at("runs"));
  EXPECT_EQ(runs,
            (std::vector<std::string>{"forward-compatibility", "yes", "forward-compatibility", "no", "no"}));
  std::vector<std::string> codes;
  for (const base::Json& finding : table.at("findings")) codes.push_back(finding.at("code"));
  EXPECT_NE(std::ranges::find(codes, "CUL1012"), codes.end()) << "error 804 on GeForce";
  const std::string text = Run({"check", "--root", "root", "--host", "driver=535.183.01,gpu=H100", "--host",
                                "driver=580.95.05,gpu=H100"})
                               .out;
  EXPECT_NE(text.find("forward compatibility"), std::string::npos) << text;
}

// ldconfig runs when the container starts: a cache that was not refreshed is a fault of the image only
// without a GPU.
TEST_F(Hosts, TheWorstOneDecidesTheStatus) {
  const std::vector<std::string> good = {"--host", "driver=580.95.05,gpu=H100", "--host",
                                         "driver=580.95.05,gpu=B200"};
  const auto status = [&](std::vector<std::string> more) {
    more.insert(more.begin(), good.begin(), good.end());
    more.insert(more.begin(), {"check", "--root", "root"});
    return Run(more).status;
  };
  EXPECT_EQ(status({}), 0);
  EXPECT_EQ(status({"--host", "driver=580.95.05"}), 2);
  EXPECT_EQ(status({"--host", "driver=580.95.05", "--host", "driver=470.82.01,gpu=H100"}), 1);
}

TEST_F(Hosts, CiHasOneSuiteAHostAndOneResultAFinding) {
  const Output junit = Run(Fleet({"--format", "junit", "-o", "fleet.xml"}));
  EXPECT_EQ(junit.status, 1);
  const std::string xml = ReadFile(top_ / "fleet.xml");
  EXPECT_NE(xml.find("<testsuite name=\"culprit check: a100 pool\""), std::string::npos);
  EXPECT_EQ(xml.find('\x1b'), std::string::npos);
  const base::Json sarif = JsonOf(Fleet(), "sarif"), table = JsonOf(Fleet());
  const base::Json& run = sarif.at("runs").at(0);
  ASSERT_EQ(run.at("results").size(), table.at("findings").size());
  for (const base::Json& result : run.at("results")) {
    EXPECT_FALSE(result.at("properties").at("hosts").empty());
    EXPECT_NE(result.at("message").at("text").get<std::string>().find("\nHosts: "), std::string::npos);
  }
  const base::Json doubt = JsonOf(Fleet({"--host", "driver=580.95.05"}), "sarif");
  EXPECT_EQ(doubt.at("runs").at(0).at("results").back().at("ruleId"), "could-not-tell");
}

TEST_F(Hosts, MistakesInTheFileNameTheirLine) {
  const auto mistake = [&](const std::string& text) {
    WriteFile(top_ / "bad.toml", text);
    const Output output = Run({"check", "--root", "root", "--hosts", "bad.toml"});
    EXPECT_EQ(output.status, 2);
    return output.err;
  };
  EXPECT_EQ(mistake("\nhost = 1\n"),
            "culprit: bad.toml:2: hosts must be a list: [\"driver=535.183.01,gpu=L4\"]\n");
  EXPECT_EQ(mistake("[[host]]\nname = \"x\"\nram = \"1\"\n"),
            "culprit: bad.toml:3: 'ram' is not a key of a host; use name, driver and gpu\n");
  EXPECT_EQ(mistake("strict = true\n"),
            "culprit: bad.toml:1: 'strict' is not a key of this file; use hosts and [[host]]\n");
  EXPECT_NE(mistake("[[host]]\ngpu = \"Voodoo2\"\n").find("bad.toml:1: "), std::string::npos);
  EXPECT_NE(mistake("[[host]]\ngpu = \"L4,driver=1.0\"\n").find("bad.toml:2: gpu must be a string"),
            std::string::npos);
  EXPECT_NE(mistake("[[host]]\nname = \"x\"\n").find("a host needs a driver or a gpu"), std::string::npos);
  EXPECT_NE(mistake("").find("contains no host"), std::string::npos);
  EXPECT_NE(mistake("[[host\n").find("bad.toml:1"), std::string::npos);
  EXPECT_EQ(Run({"check", "--root", "root", "--hosts", "none.toml"}).status, 2);
}

}  // namespace
}  // namespace culprit
