// `culprit plan` as users run it. Questions name versions, so that a new harvest changes no answer; the date
// of the harvest is removed before comparing.
#include <gtest/gtest.h>

#include <regex>

#include "base/json.h"
#include "made_up_root.h"

namespace culprit {
namespace {

class PlanCli : public Cli {
 protected:
  // Always for one platform: the default is that of this machine and would differ elsewhere.
  static std::vector<std::string> Ask(std::vector<std::string> words) {
    words.insert(words.begin(), "plan");
    for (const char* word : {"--platform", "linux-x86_64"}) words.push_back(word);
    return words;
  }
  void ExpectPlan(const std::string& name, const std::vector<std::string>& words, int status) const {
    ExpectGolden(name, Ask(words), status);
  }
  base::Json Json(std::vector<std::string> words, int status = 0) const {
    words.insert(words.end(), {"--format", "json"});
    const Output output = Run(Ask(words));
    EXPECT_EQ(output.status, status) << output.err;
    return base::Json::parse(output.out);
  }
};

constexpr const char* kA100 = "driver=550.54.14,gpu=sm_80";

TEST_F(PlanCli, Help) { ExpectGolden("plan_help.txt", {"plan", "--help"}, 0); }
TEST_F(PlanCli, NothingWantedIsWrongUsage) { ExpectGolden("plan_nothing.txt", {"plan"}, 64); }
TEST_F(PlanCli, AnUnknownPackageIsPassedThroughAndNamesThatComeNearAreSaid) {
  ExpectPlan("plan_unknown.txt", {"tensorflwo", "some-thing<2", "--host", kA100, "--python", "3.11"}, 0);
}
TEST_F(PlanCli, FilesThatCannotBeReadAreBadInput) {
  EXPECT_EQ(Run({"plan", "-r", "none.txt"}).status, 2);
  EXPECT_EQ(Run({"plan", "none/pyproject.toml"}).status, 2);
  EXPECT_EQ(Run({"plan", "-r", "/dev/zero"}).status, 2);
  EXPECT_EQ(Run({"plan", "--requirements", "none.txt"}).status, 64);
}
TEST_F(PlanCli, WrongValuesAreWrongUsage) {
  EXPECT_EQ(Run({"plan", "torch", "--allow", "everything"}).status, 64);
  EXPECT_EQ(Run({"plan", "torch", "--python", "three"}).status, 64);
  EXPECT_EQ(Run({"plan", "torch", "--host", "driver=new"}).status, 64);
  EXPECT_EQ(Run({"plan", "torch", "--as", "rpm"}).status, 64);
  EXPECT_EQ(Run({"plan", "torch", "./one", "./other"}).status, 64);
}
TEST_F(PlanCli, AnEnvironmentThatIsNotThereCannotBeLookedAt) {
  EXPECT_EQ(Run({"plan", "torch", "./none"}).status, 2);
}

TEST_F(PlanCli, ASolution) {
  ExpectPlan("plan_torch.txt", {"torch==2.6.0", "--host", kA100, "--python", "3.11"}, 0);
  ExpectPlan("plan_torch.md", {"torch==2.6.0", "--host", kA100, "--python", "3.11", "--format", "markdown"},
             0);
}
TEST_F(PlanCli, AConflict) {
  // "What works instead" gets newer with each harvest.
  ExpectGolden("plan_conflict.txt",
               Ask({"torch==2.6.0", "--host", "driver=580.95.05,gpu=sm_120", "--python", "3.11"}), 1,
               [](std::string text) { return text.substr(0, text.find("what works instead") + 19); });
}
TEST_F(PlanCli, JsonHoldsTheContract) {
  const auto plan = Json({"torch==2.6.0", "--host", kA100, "--python", "3.11"});
  EXPECT_EQ(plan["schema"], "culprit.plan/1");
  EXPECT_EQ(plan["outcome"], "solution");
  bool found = false;
  for (const auto& package : plan["packages"]) {
    if (package["name"] == "torch") found = package["version"] == "2.6.0" && package["channel"] == "pypi";
  }
  EXPECT_TRUE(found) << plan["packages"];
  EXPECT_FALSE(plan["commands"].empty());
  EXPECT_TRUE(plan["checked"]) << plan["not_checked"];
  EXPECT_TRUE(plan["findings"].empty()) << plan["findings"];
  const auto conflict =
      Json({"torch==2.6.0", "--host", "driver=580.95.05,gpu=sm_120", "--python", "3.11"}, 1);
  EXPECT_EQ(conflict["outcome"], "unsolvable");
  EXPECT_FALSE(conflict["conflict"][0]["text"].get<std::string>().empty());
  EXPECT_EQ(Run(Ask({"torch==2.6.0", "--host", kA100, "--as", "json"})).out.front(), '{');
}
TEST_F(PlanCli, AGpuMayBeNamed) {
  EXPECT_EQ(Json({"torch==2.6.0", "--host", "driver=550.54.14,gpu=RTX 4090"})["outcome"], "solution");
}
TEST_F(PlanCli, FilesAreWrittenAsTheyAre) {
  ExpectPlan("plan_dockerfile.txt",
             {"torch==2.6.0", "--host", kA100, "--python", "3.11", "--as", "dockerfile"}, 0);
  ExpectPlan("plan_dockerfile_system.txt",
             {"tensorflow==2.12.1", "--host", kA100, "--python", "3.11", "--as", "dockerfile"}, 0);
  ExpectPlan("plan_conda.txt", {"torch==2.6.0", "--host", kA100, "--python", "3.11", "--as", "conda"}, 0);
  ExpectPlan("plan_cmake.txt", {"cudnn==9.5.1", "--cuda", "12.4", "--host", kA100, "--as", "cmake"}, 0);
}
TEST_F(PlanCli, AptNamesWhatNvidiasRepositoryHas) {
  const auto plan = Json({"cudnn==9.5.1", "--cuda", "12.4", "--host", kA100, "--as", "apt"});
  EXPECT_EQ(plan["steps"][0]["title"], "toolkit");
  EXPECT_EQ(plan["steps"][0]["commands"].back(), "sudo apt-get install -y cuda-toolkit-12-4");
  EXPECT_EQ(plan["steps"][1]["commands"].back(),
            "sudo apt-get install -y libcudnn9-cuda-12=9.5.1.17-1 libcudnn9-dev-cuda-12=9.5.1.17-1");
}
TEST_F(PlanCli, AnEnvironmentIsRepaired) {
  const std::string site = "opt/venv/lib/python3.11/site-packages/";
  WriteFile(root_ / "opt/venv/pyvenv.cfg", "home = /usr/bin\nversion = 3.11.2\n");
  WriteFile(root_ / (site + "torch-2.6.0.dist-info/METADATA"), "Name: torch\nVersion: 2.6.0\n");
  WriteFile(root_ / (site + "nvidia_cudnn_cu12-9.5.1.17.dist-info/METADATA"),
            "Name: nvidia-cudnn-cu12\nVersion: 9.5.1.17\n");
  const auto plan = Json({"--repair", "/opt/venv", "--root", "root", "--host", kA100});
  bool replaced = false;
  for (const auto& package : plan["packages"]) {
    if (package["name"] == "torch") {
      EXPECT_TRUE(package["present"]) << package;
    }
    if (package["name"] != "nvidia-cudnn-cu12") continue;
    replaced = package["version"] == "9.1.0.70" && package["was"] == "9.5.1.17";
  }
  EXPECT_TRUE(replaced) << plan["packages"];
  EXPECT_TRUE(plan["commands"][0].get<std::string>().starts_with(
      "/opt/venv/bin/python -m pip install nvidia-cudnn-cu12==9.1.0.70"))
      << plan["commands"];
}

}  // namespace
}  // namespace culprit
