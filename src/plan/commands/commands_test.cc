// Plans made by hand -> the commands and files that carry them out.
#include "plan/commands/commands.h"

#include <gtest/gtest.h>

#include "plan/commands/command_parts.h"

namespace culprit::plan {
namespace {

using report::Plan;
using Strings = std::vector<std::string>;

const report::Channel kCu118{report::ChannelKind::kTorchIndex, "https://download.pytorch.org/whl/cu118"};

Plan Solved(std::vector<report::PlannedPackage> packages) {
  return {.outcome = Plan::Outcome::kSolution,
          .headline = "it fits",
          .question = {"torch", "GPU sm_37"},
          .packages = std::move(packages),
          .knowledge_date = "2026-11-15"};
}
report::PlannedPackage Python(const std::string& version) {
  return {.name = "python",
          .version = version,
          .channel = report::ChannelKind::kHost,
          .role = report::PackageRole::kPython};
}
report::PlannedPackage Pip(const std::string& name, const std::string& version,
                           const report::Channel& channel = report::ChannelKind::kPypi) {
  return {.name = name, .version = version, .channel = channel, .role = report::PackageRole::kFramework};
}
Strings Titles(const Plan& plan) {
  Strings titles;
  for (const auto& step : plan.steps) titles.push_back(step.title);
  return titles;
}
Strings CommandsOf(const Plan& plan, const std::string& title) {
  for (const auto& step : plan.steps) {
    if (step.title == title) return report::Texts(step.commands);
  }
  return {};
}
Plan Write(Plan plan, As as, const Question& question = {}, const Place& place = {}) {
  WriteCommands(plan, question, place, as);
  return plan;
}
Question On(Machine machine) {
  Question question;
  question.host.machine = machine;
  return question;
}

TEST(Commands, ANewEnvironmentAndOneCommandForEachIndexThatOfTheIndexFirst) {
  const Plan plan =
      Write(Solved({Python("3.11"), Pip("onnxruntime-gpu", "1.18.0"), Pip("torch", "2.4.1+cu118", kCu118),
                    Pip("torchvision", "0.19.1+cu118", kCu118)}),
            As::kPip);
  EXPECT_EQ(Titles(plan), (Strings{"environment", "install", "verify"}));
  EXPECT_EQ(CommandsOf(plan, "environment"), Strings{"python3.11 -m venv .venv"});
  EXPECT_EQ(
      CommandsOf(plan, "install"),
      (Strings{".venv/bin/python -m pip install torch==2.4.1+cu118 torchvision==0.19.1+cu118 --index-url "
               "https://download.pytorch.org/whl/cu118",
               ".venv/bin/python -m pip install onnxruntime-gpu==1.18.0"}));
  EXPECT_EQ(CommandsOf(plan, "verify"), Strings{"culprit check .venv && culprit probe"});
}

TEST(Commands, AnOldPythonGetsAPipThatKnowsTheTagsOfWheels) {
  const Plan plan = Write(Solved({Python("3.9"), Pip("torch", "1.13.1+cu117", kCu118)}), As::kPip);
  EXPECT_EQ(CommandsOf(plan, "environment"),
            (Strings{"python3.9 -m venv .venv", ".venv/bin/python -m pip install --upgrade pip"}));
  EXPECT_EQ(
      CommandsOf(plan, "install"),
      Strings{".venv/bin/python -m pip install torch==1.13.1+cu117 --extra-index-url " + kCu118.address});
}

TEST(Commands, WindowsHasItsOwnSpelling) {
  auto tensorflow = Pip("tensorflow", "2.10.1");
  tensorflow.extra = "and-cuda";
  const Plan plan = Write(Solved({Python("3.10"), tensorflow}), As::kPip, On(Machine::kWindows));
  EXPECT_EQ(CommandsOf(plan, "environment"), Strings{"py -3.10 -m venv .venv"});
  EXPECT_EQ(CommandsOf(plan, "install"),
            Strings{R"(.venv\Scripts\python -m pip install "tensorflow[and-cuda]==2.10.1")"});
  EXPECT_EQ(CommandsOf(plan, "verify"), (Strings{"culprit check .venv", "culprit probe"}));
}

TEST(Commands, InAnEnvironmentThatIsHereOnlyWhatDiffersIsInstalledAndWhatGoesGoesFirst) {
  auto torch = Pip("torch", "2.4.1");
  torch.present = true;
  auto cudnn = Pip("nvidia-cudnn-cu12", "9.1.0.70");
  cudnn.was = "8.9.2.26";
  Plan solved = Solved({Python("3.11"), torch, cudnn});
  solved.removed = {{.name = "nvidia-cudnn-cu11", .version = "8.7.0.84"}};
  const Plan plan = Write(solved, As::kPip, {}, {"/home/a b/venv"});
  EXPECT_EQ(Titles(plan), (Strings{"remove", "install", "verify"}));
  EXPECT_EQ(CommandsOf(plan, "remove"),
            Strings{R"('/home/a b/venv/bin/python' -m pip uninstall -y nvidia-cudnn-cu11)"});
  EXPECT_EQ(CommandsOf(plan, "install"),
            Strings{R"('/home/a b/venv/bin/python' -m pip install nvidia-cudnn-cu12==9.1.0.70)"});
}

TEST(Commands, WhatSharesItsFilesWithOneThatGoesIsInstalledAgain) {
  auto gpu = Pip("onnxruntime-gpu", "1.20.0");
  gpu.present = true;
  Plan solved = Solved({gpu});
  solved.removed = {{.name = "onnxruntime", .version = "1.20.0"}};
  const Plan plan = Write(solved, As::kPip, {}, {"/venv"});
  EXPECT_EQ(CommandsOf(plan, "remove"),
            Strings{"/venv/bin/python -m pip uninstall -y onnxruntime onnxruntime-gpu"});
  EXPECT_EQ(CommandsOf(plan, "install"), Strings{"/venv/bin/python -m pip install onnxruntime-gpu==1.20.0"});
}

TEST(Commands, UvNamesTheEnvironmentAndTheIndex) {
  Plan solved = Solved({Python("3.11"), Pip("torch", "2.4.1+cu118", kCu118)});
  Plan plan = Write(solved, As::kUv);
  EXPECT_EQ(CommandsOf(plan, "environment"), Strings{"uv venv --python 3.11 .venv"});
  EXPECT_EQ(CommandsOf(plan, "install"),
            Strings{"uv pip install --python .venv torch==2.4.1+cu118 --index " + kCu118.address});
  solved.removed = {{.name = "xformers", .version = "0.0.20"}};
  plan = Write(solved, As::kUv, {}, {"/venv"});
  EXPECT_EQ(CommandsOf(plan, "remove"), Strings{"uv pip uninstall --python /venv xformers"});
}

TEST(Commands, CondaIsAFileWithPinsInItsPipSection) {
  auto tensorflow = Pip("tensorflow", "2.16.1");
  tensorflow.extra = "and-cuda";
  const Plan plan =
      Write(Solved({Python("3.11"), tensorflow, Pip("torch", "2.4.1+cu118", kCu118)}), As::kConda);
  EXPECT_EQ(plan.document,
            "# culprit plan: it fits\n# asked: torch, GPU sm_37\n# version tables from 2026-11-15\n"
            "name: culprit-plan\nchannels:\n  - conda-forge\n  - nodefaults\ndependencies:\n"
            "  - python=3.11\n  - pip\n  - pip:\n"
            "      - --extra-index-url https://download.pytorch.org/whl/cu118\n"
            "      - torch==2.4.1+cu118\n      - \"tensorflow[and-cuda]==2.16.1\"\n");
}

TEST(Commands, CmakeNamesTheToolkitTheGpusAndCudnn) {
  Question question;
  question.host.gpus = {base::Version{{9, 0}}, base::Version{{8, 0}}, base::Version{{9, 0}}};
  const Plan plan = Write(Solved({{.name = "cuda-toolkit",
                                   .version = "12.4.1",
                                   .channel = report::ChannelKind::kNvidiaApt,
                                   .role = report::PackageRole::kToolkit},
                                  {.name = "cudnn",
                                   .version = "9.5.1.17",
                                   .channel = report::ChannelKind::kNvidiaApt,
                                   .role = report::PackageRole::kCudnn}}),
                          As::kCmake, question);
  for (const char* line :
       {"set(CMAKE_CUDA_ARCHITECTURES \"80-real;90-real\")", "find_package(CUDAToolkit 12.4 REQUIRED)",
        "CUDAToolkit_VERSION VERSION_GREATER_EQUAL 13", "elseif(CUDNN_VERSION VERSION_LESS 9.5)"}) {
    EXPECT_NE(plan.document.find(line), std::string::npos) << line << "\n" << plan.document;
  }
}

TEST(Commands, WhatOpensLibrariesByTheirBareNamesIsToldWhereTheyAre) {
  const Plan solved =
      Solved({Python("3.11"), Pip("ctranslate2", "4.8.4"), Pip("nvidia-cudnn-cu12", "9.10.2.21")});
  const Plan plan = Write(solved, As::kPip);
  EXPECT_EQ(Titles(plan), (Strings{"environment", "install", "libraries", "verify"}));
  EXPECT_EQ(
      CommandsOf(plan, "libraries"),
      Strings{
          R"x(export LD_LIBRARY_PATH="$(set -- "$PWD"/.venv/lib/python3.11/site-packages/nvidia/*/lib; IFS=:; echo "$*")")x"});
  EXPECT_NE(Write(solved, As::kPip, On(Machine::kWindows)).steps[2].why.find("on PATH"), std::string::npos);
  EXPECT_NE(Write(solved, As::kDockerfile).document.find("&& ldconfig"), std::string::npos);
}

TEST(Commands, WhatComesWithItsFrameworkIsNotNamedAgain) {
  auto nccl = Pip("nvidia-nccl-cu12", "2.21.5");
  nccl.role = report::PackageRole::kLibrary;
  nccl.because = {{.text = "torch 2.6.0: asks for it", .asked_for = "nvidia-nccl-cu12==2.21.5"}};
  const Plan solved = Solved({Python("3.11"), Pip("torch", "2.6.0"), nccl});
  EXPECT_EQ(CommandsOf(Write(solved, As::kPip), "install"),
            Strings{".venv/bin/python -m pip install torch==2.6.0"});
  EXPECT_EQ(CommandsOf(Write(solved, As::kPip, {}, {"/venv"}), "install"),
            Strings{"/venv/bin/python -m pip install torch==2.6.0 nvidia-nccl-cu12==2.21.5"});
}

Plan WithSystem(const std::string& cuda, const std::string& cudnn) {
  return Solved({{.name = "driver",
                  .version = "525.60.13",
                  .channel = report::ChannelKind::kHost,
                  .role = report::PackageRole::kDriver},
                 {.name = "cuda-toolkit",
                  .version = cuda,
                  .channel = report::ChannelKind::kNvidiaApt,
                  .role = report::PackageRole::kToolkit},
                 {.name = "cudnn",
                  .version = cudnn,
                  .channel = report::ChannelKind::kNvidiaApt,
                  .role = report::PackageRole::kCudnn}});
}

TEST(Commands, DriverToolkitAndCudnnComeFromNvidiasRepositoryWhichIsNamedOnce) {
  Question question;
  question.host.driver = base::Version{{470, 82}};
  question.host.gpus = {base::Version{{6, 1}}};
  Plan plan = Write(WithSystem("12.4.1", "9.5.1"), As::kApt, question);
  EXPECT_EQ(Titles(plan), (Strings{"remove", "driver", "toolkit", "cuDNN", "verify"}));
  const Strings driver = CommandsOf(plan, "driver");
  ASSERT_EQ(driver.size(), 5);
  EXPECT_EQ(driver[0],
            "wget https://developer.download.nvidia.com/compute/cuda/repos/$(. /etc/os-release; echo "
            "$ID$VERSION_ID | tr "
            "-d .)/x86_64/cuda-keyring_1.1-1_all.deb");
  EXPECT_EQ(driver[3], "sudo apt-get install -y cuda-drivers-580") << "the last branch that drives Pascal";
  EXPECT_EQ(CommandsOf(plan, "toolkit"), Strings{"sudo apt-get install -y cuda-toolkit-12-4"});
  EXPECT_EQ(CommandsOf(plan, "cuDNN"),
            Strings{"sudo apt-get install -y libcudnn9-cuda-12=9.5.1.17-1 libcudnn9-dev-cuda-12=9.5.1.17-1"});
  question.host.gpus = {base::Version{{8, 6}}};
  EXPECT_EQ(CommandsOf(Write(WithSystem("12.4.1", "9.5.1"), As::kApt, question), "driver")[3],
            "sudo apt-get install -y nvidia-driver-pinning-595")
      << "the newest branch that is kept up for long; its packages have no number";
  question.host.wsl = true;
  plan = Write(WithSystem("11.2.2", "8.1.1"), As::kApt, question);
  EXPECT_TRUE(CommandsOf(plan, "driver").empty()) << "never one inside WSL";
  EXPECT_EQ(
      CommandsOf(plan, "cuDNN"),
      Strings{
          "sudo apt-get install -y \"libcudnn8=8.1.1.33-1+cuda11.*\" \"libcudnn8-dev=8.1.1.33-1+cuda11.*\""});
  plan = Write(WithSystem("12.4.1", "9.5.1"), As::kPip, On(Machine::kWindows));
  EXPECT_TRUE(CommandsOf(plan, "toolkit").empty()) << "an installer of NVIDIA's";
}

TEST(Commands, AnImageWithSystemCudaIsAnUbuntuWhoseRepositoryHasIt) {
  Plan solved = WithSystem("11.2.2", "8.1.1");
  solved.packages.push_back(Python("3.9"));
  solved.packages.push_back(Pip("tensorflow", "2.10.1"));
  const std::string file = Write(solved, As::kDockerfile).document;
  for (const char* line :
       {"FROM ubuntu:20.04\n", "repos/ubuntu2004/x86_64/cuda-keyring", "\"libcudnn8=8.1.1.33-1+cuda11.*\"",
        "uv venv --python 3.9 /opt/venv\n", "tensorflow==2.10.1\n"}) {
    EXPECT_NE(file.find(line), std::string::npos) << line << "\n" << file;
  }
  EXPECT_NE(Write(WithSystem("12.4.1", "9.5.1"), As::kDockerfile).document.find("FROM ubuntu:22.04\n"),
            std::string::npos);
}

TEST(Commands, AConflictHasNone) {
  Plan plan;
  plan.outcome = Plan::Outcome::kUnsolvable;
  EXPECT_TRUE(Write(plan, As::kPip).steps.empty());
}

TEST(Commands, WhatIsNoNameOrVersionIsNotOffered) {
  EXPECT_EQ(PinnedWord(Pip("torch", "2.4.1+cu118")).Text(), "torch==2.4.1+cu118");
  EXPECT_EQ(PinnedWord(Pip("torch", "2.4.1;touch X")).Text(), std::nullopt);
  EXPECT_EQ(PinnedWord(Pip("-rx", "2.4.1")).Text(), std::nullopt);
}

}  // namespace
}  // namespace culprit::plan
