// Named conflicts with their words, relaxations, repairs. The grid of tests/plan asks for bounds.
#include "plan/solve.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "knowledge/packages/release.h"
#include "plan/universe/builds.h"

namespace culprit::plan {
namespace {

using report::Plan;
using report::PlannedPackage;

BuildTable& Builds() {
  static BuildTable builds;
  return builds;
}

Question Asked(const std::vector<std::string>& wants, const std::string& driver = "",
               const std::string& gpu = "", const std::string& python = "") {
  Question question;
  for (const std::string& want : wants) question.wants.push_back(ParseWant(want).value());
  if (!driver.empty()) question.host.driver = knowledge::Known(driver);
  if (!gpu.empty()) question.host.gpus = {knowledge::Known(gpu)};
  if (!python.empty()) question.host.python = knowledge::Known(python);
  return question;
}

const PlannedPackage* Find(const std::vector<PlannedPackage>& packages, const std::string& name) {
  const auto at = std::ranges::find(packages, name, &PlannedPackage::name);
  return at == packages.end() ? nullptr : &*at;
}
std::string Conflict(const Plan& plan) {
  std::string text;
  for (const report::ConflictLine& line : plan.conflict)
    text += std::string(line.depth * 2, ' ') + line.text + "\n";
  return text;
}
std::string Relaxations(const Plan& plan) {
  std::string text;
  for (const report::Relaxation& one : plan.relaxations) text += one.text + " [" + one.option + "]\n";
  return text;
}
bool Has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(Solve, NamesTheLibraryForWhichKeplerIsTooOld) {
  const Plan plan = SolveWith(Asked({"torch>=2.4"}, "470.82.01", "3.7"), Builds());
  EXPECT_EQ(plan.outcome, Plan::Outcome::kUnsolvable);
  EXPECT_EQ(plan.requirements, (std::vector<std::string>{"torch>=2.4", "GPU sm_37"}));
  EXPECT_TRUE(Has(Conflict(plan), "torch 2.4.0 to 2.7.1 (cu118): its cuDNN 9.1.0 has no code for sm_37"))
      << Conflict(plan);
  EXPECT_TRUE(Has(Relaxations(plan), "works with torch <= 2.3.1+cu118 [torch==2.3.1]")) << Relaxations(plan);
  EXPECT_FALSE(Has(Relaxations(plan), "driver")) << "470 is the last branch that drives it";
}

TEST(Solve, OffersOtherPythons) {
  const Plan plan = SolveWith(Asked({"tensorflow==2.10.*"}, "", "", "3.12"), Builds());
  EXPECT_EQ(plan.headline, "tensorflow==2.10.* does not work with Python 3.12");
  EXPECT_EQ(Conflict(plan), "tensorflow 2.10.0 to 2.10.1: no wheel for Python 3.12\n");
  EXPECT_TRUE(Has(Relaxations(plan), "works with Python 3.7 to 3.10 [--python 3.10]")) << Relaxations(plan);
}

TEST(Solve, KnowsThatOneEnvironmentHoldsOneCudnn) {
  const Plan plan = SolveWith(Asked({"torch==2.6.*", "ctranslate2==4.4.*"}), Builds());
  EXPECT_EQ(plan.requirements, (std::vector<std::string>{"torch==2.6.*", "ctranslate2==4.4.*"}));
  EXPECT_TRUE(Has(Conflict(plan), "torch 2.6.0: uses cuDNN 9")) << Conflict(plan);
  EXPECT_TRUE(Has(Conflict(plan), "ctranslate2 4.4.0: uses cuDNN 8")) << Conflict(plan);
  EXPECT_TRUE(Has(Relaxations(plan), "ctranslate2==4.4.* in a separate environment")) << Relaxations(plan);
}

TEST(Solve, AsksForTheDriverThatDrivesBlackwell) {
  const Plan plan = SolveWith(Asked({"torch"}, "535.104.05", "12.0"), Builds());
  EXPECT_EQ(Conflict(plan),
            "driver 535.104.05: is older than the first branch known to support sm_120, 570\n");
  ASSERT_FALSE(plan.relaxations.empty());
  EXPECT_EQ(plan.relaxations.front().option, "--allow driver-upgrade");
  EXPECT_TRUE(plan.relaxations.front().text.starts_with("works with driver >= 570")) << Relaxations(plan);
}

TEST(Solve, SeesThatTheCudnnForTwoCudaMajorsHasOneName) {
  const Plan plan = SolveWith(Asked({"onnxruntime-gpu==1.26.*", "jax[cuda13]"}), Builds());
  EXPECT_TRUE(Has(Conflict(plan), "onnxruntime 1.26.0: uses the cuDNN for CUDA 12")) << Conflict(plan);
  EXPECT_TRUE(Has(Conflict(plan), "uses the cuDNN for CUDA 13")) << Conflict(plan);
}

TEST(Solve, NamesTheBuildThatDroppedVolta) {
  Question question = Asked({"torch==2.7.*"}, "", "7.0");
  question.cuda = knowledge::Known("12.8");
  const Plan plan = SolveWith(question, Builds());
  EXPECT_TRUE(Has(Conflict(plan), "torch 2.7.0 to 2.7.1 (cu128): no code for sm_70")) << Conflict(plan);
  EXPECT_TRUE(Has(plan.headline, "CUDA 12.8")) << plan.headline;
  EXPECT_TRUE(Has(Relaxations(plan), "works without --cuda")) << Relaxations(plan);
}

TEST(Solve, SaysWhyNothingNewerWasTaken) {
  const Plan plan = SolveWith(Asked({"torch"}, "580.95.05", "6.1", "3.11"), Builds());
  ASSERT_EQ(plan.outcome, Plan::Outcome::kSolution);
  const PlannedPackage* torch = Find(plan.packages, "torch");
  ASSERT_NE(torch, nullptr);
  EXPECT_EQ(torch->channel.address, "https://download.pytorch.org/whl/cu126");
  std::string because;
  for (const report::Bound& bound : torch->because) because += bound.text + "\n";
  EXPECT_TRUE(Has(because, ": no code for sm_61")) << because;
  EXPECT_TRUE(Has(because, "torch 2.15.0 (cu126): not in the table")) << because;
  EXPECT_TRUE(Has(because, "CUDA 12 needs driver >= 525.60.13; this host has 580.95.05")) << because;
  EXPECT_TRUE(std::ranges::all_of(torch->because, [](const report::Bound& b) { return !b.source.empty(); }));
}

TEST(Solve, TellsWhatIsNewerAndNotKnown) {
  Question question = Asked({"onnxruntime-gpu"}, "550.54.14", "8.6", "3.12");
  const Plan plan = SolveWith(question, Builds());
  ASSERT_FALSE(plan.notes.empty());
  EXPECT_TRUE(Has(plan.notes.front(), "its package index is not known: --allow unknown permits it"))
      << plan.notes.front();
  question.allow_unknown = true;
  const Plan bold = SolveWith(question, Builds());
  EXPECT_GT(NumberOf(Find(bold.packages, "onnxruntime-gpu")->version),
            NumberOf(Find(plan.packages, "onnxruntime-gpu")->version));
}

// jax asks for some cuDNN 9, and the newest has no code for Pascal.
TEST(Solve, HoldsALibraryBackForAnOldGpu) {
  const Plan plan = SolveWith(Asked({"jax"}, "535.104.05", "6.1", "3.12"), Builds());
  const PlannedPackage* cudnn = Find(plan.packages, "nvidia-cudnn-cu12");
  ASSERT_NE(cudnn, nullptr) << plan.headline;
  EXPECT_EQ(cudnn->version, "9.10.2.21");
  EXPECT_EQ(cudnn->role, report::PackageRole::kLibrary);
}

TEST(Solve, RepairsWithTheSmallestChange) {
  Question question = Asked({}, "550.54.14", "8.6", "3.11");
  question.repair = true;
  question.installed = {{"torch", "2.6.0"},
                        {"torchvision", "0.20.1"},
                        {"nvidia-cudnn-cu12", "9.5.1.17"},
                        {"requests", "2.32.0"}};
  const Plan plan = SolveWith(question, Builds());
  ASSERT_EQ(plan.outcome, Plan::Outcome::kSolution) << plan.headline;
  EXPECT_TRUE(Find(plan.packages, "torch")->present);
  EXPECT_EQ(Find(plan.packages, "torchvision")->version, "0.21.0");
  EXPECT_EQ(Find(plan.packages, "torchvision")->was, "0.20.1");
  EXPECT_EQ(Find(plan.packages, "nvidia-cudnn-cu12")->version, "9.1.0.70");
  EXPECT_EQ(Find(plan.packages, "nvidia-cudnn-cu12")->was, "9.5.1.17");
  EXPECT_TRUE(plan.removed.empty());
}

// torch 2.6.0 pins cuBLAS 12.4, tensorflow 2.18 pins 12.5: another build of the same torch is nearest.
TEST(Solve, KeepsWhatCanBeKeptWhenSeveralMustChange) {
  Question question = Asked({}, "550.54.14", "8.6", "3.11");
  question.repair = true;
  question.installed = {{"torch", "2.6.0"},
                        {"torchvision", "0.21.0"},
                        {"tensorflow", "2.18.0"},
                        {"nvidia-cudnn-cu12", "9.3.0.75"}};
  const Plan plan = SolveWith(question, Builds());
  ASSERT_EQ(plan.outcome, Plan::Outcome::kSolution) << plan.headline;
  EXPECT_EQ(plan.headline, "4 changes fix the environment with Python 3.11");
  EXPECT_EQ(Find(plan.packages, "torch")->version, "2.6.0+cu126");
  EXPECT_EQ(Find(plan.packages, "torchvision")->version, "0.21.0+cu126");
  EXPECT_EQ(Find(plan.packages, "nvidia-cudnn-cu12")->version, "9.5.1.17");
}

TEST(Solve, KeepsWhatIsToBeKept) {
  Question question = Asked({"torchvision"}, "550.54.14", "8.6", "3.11");
  question.installed = {{"torch", "2.5.1"}};
  question.keep = {"torch"};
  const Plan plan = SolveWith(question, Builds());
  ASSERT_EQ(plan.outcome, Plan::Outcome::kSolution) << plan.headline;
  EXPECT_EQ(Find(plan.packages, "torchvision")->version, "0.20.1");
  question.wants = {ParseWant("torch>=2.6").value()};
  const Plan none = SolveWith(question, Builds());
  EXPECT_EQ(none.requirements, (std::vector<std::string>{"torch>=2.6", "--keep torch"}));
  EXPECT_TRUE(Has(Relaxations(none), "works if this may change: torch")) << Relaxations(none);
}

TEST(Solve, RemovesTheWheelWhoseFilesHaveTheSameNames) {
  Question question = Asked({"torch==2.9.1+cu130"}, "580.95.05", "8.6", "3.11");
  question.installed = {{"torch", "2.8.0"}, {"nvidia-cudnn-cu12", "9.10.2.21"}};
  const Plan plan = SolveWith(question, Builds());
  ASSERT_EQ(plan.outcome, Plan::Outcome::kSolution) << plan.headline;
  EXPECT_EQ(Find(plan.packages, "torch")->was, "2.8.0");
  ASSERT_NE(Find(plan.removed, "nvidia-cudnn-cu12"), nullptr);
}

TEST(Solve, SaysWhichDriverIsNeededWhereNoneIsKnown) {
  const Plan plan = SolveWith(Asked({"torch==2.4.1"}, "", "", "3.10"), Builds());
  const PlannedPackage* driver = Find(plan.packages, "driver");
  ASSERT_NE(driver, nullptr);
  EXPECT_EQ(driver->version, "525.60.13");
  EXPECT_FALSE(driver->present);
  EXPECT_FALSE(plan.knowledge_date.empty());
}

// 527.00 would be new enough for CUDA 12 as a driver of Linux; on Windows that begins with 527.41.
TEST(Solve, CountsTheDriverOfWslAsOneOfWindows) {
  Question question = Asked({"torch==2.4.1"}, "527.00", "8.6", "3.10");
  EXPECT_EQ(Find(SolveWith(question, Builds()).packages, "torch")->version, "2.4.1");
  question.host.wsl = true;
  EXPECT_EQ(Find(SolveWith(question, Builds()).packages, "torch")->version, "2.4.1+cu118");
}

TEST(Solve, ABuildOfPytorchsIndexRequiresTheTritonOfItsRelease) {
  EXPECT_EQ(SolveWith(Asked({"torch==2.7.0+cu128", "triton==3.3.0"}), Builds()).outcome,
            Plan::Outcome::kSolution);
  const Plan plan = SolveWith(Asked({"torch==2.7.0", "triton==3.4.0"}), Builds());
  EXPECT_EQ(plan.headline, "torch==2.7.0 does not work with triton==3.4.0");
  EXPECT_EQ(Conflict(plan), "torch 2.7.0: requires triton==3.3.0\n");
}

TEST(Solve, WhatIsCompiledAgainstABuildWorksWithItsCudaMajor) {
  const auto torch = [](const std::string& xformers, const std::string& asked) {
    const Plan plan = SolveWith(Asked({xformers, asked}), Builds());
    const PlannedPackage* found = Find(plan.packages, "torch");
    return found == nullptr ? plan.headline : found->version;
  };
  EXPECT_EQ(torch("xformers==0.0.18", "torch"), "2.0.0+cu118") << "the very build";
  EXPECT_EQ(torch("xformers==0.0.30", "torch==2.7.0+cu128"), "2.7.0+cu128");
  EXPECT_EQ(torch("xformers==0.0.30", "torch==2.7.0+cu118"),
            "xformers==0.0.30 does not work with torch==2.7.0+cu118");
  EXPECT_EQ(torch("xformers==0.0.35", "torch==2.11.0").substr(0, 6), "2.11.0") << "METADATA: torch>=2.10";
}

TEST(Solve, KnowsWhichToolkitAFrameworkCanLoad) {
  Question question = Asked({"tensorflow==2.10.*"}, "535.104.05", "8.6", "3.9");
  const Plan tested = SolveWith(question, Builds());
  EXPECT_EQ(Find(tested.packages, "cuda-toolkit")->version, "11.2.2");
  question.cuda = knowledge::Known("11.8");
  const Plan asked = SolveWith(question, Builds());
  ASSERT_EQ(asked.outcome, Plan::Outcome::kSolution) << asked.headline << Conflict(asked);
  EXPECT_EQ(Find(asked.packages, "cuda-toolkit")->version, "11.8.0");
  EXPECT_EQ(Find(asked.packages, "cudnn")->version.substr(0, 2), "8.");
}

TEST(Solve, UpgradesTheDriverOnlyWhenItMay) {
  Question question = Asked({"torch==2.9.*"}, "470.82.01", "8.6", "3.11");
  EXPECT_EQ(SolveWith(question, Builds()).outcome, Plan::Outcome::kUnsolvable);
  question.allow_driver_upgrade = true;
  const Plan plan = SolveWith(question, Builds());
  ASSERT_EQ(plan.outcome, Plan::Outcome::kSolution);
  EXPECT_EQ(Find(plan.packages, "driver")->was, "470.82.01");
  EXPECT_EQ(Find(plan.packages, "driver")->version, "525.60.13");
}

TEST(Solve, UnknownGpuCodeDoesNotWinOverAReleaseWithoutIt) {
  const Plan none = SolveWith(Asked({"torch", "flash-attn"}, "550.54.14", "7.0", "3.11"), Builds());
  EXPECT_EQ(none.outcome, Plan::Outcome::kUnsolvable);
  const Plan old = SolveWith(Asked({"bitsandbytes"}, "550.54.14", "5.2", "3.11"), Builds());
  const PlannedPackage* chosen = Find(old.packages, "bitsandbytes");
  ASSERT_NE(chosen, nullptr) << old.headline;
  EXPECT_EQ(chosen->version, "0.47.0") << "the last with code for Maxwell";
  const Plan untold = SolveWith(Asked({"torchcodec"}, "580.65.06", "6.1", "3.11"), Builds());
  EXPECT_EQ(untold.outcome, Plan::Outcome::kUnsolvable);
  EXPECT_TRUE(untold.headline.starts_with("could not tell whether torchcodec")) << untold.headline;
  EXPECT_TRUE(Has(Relaxations(untold), "[--allow unknown]")) << Relaxations(untold);
  // Where nothing newer was refused, it is taken and said.
  const Plan said = SolveWith(Asked({"torchcodec==0.7.0"}, "580.65.06", "8.6", "3.11"), Builds());
  ASSERT_EQ(said.outcome, Plan::Outcome::kSolution) << said.headline;
  EXPECT_EQ(said.code_unknown, (std::vector<std::string>{"torchcodec"}));
  EXPECT_TRUE(Has(said.headline, "could not tell whether the GPU is supported by torchcodec"))
      << said.headline;
}

TEST(Solve, ALibraryForTheCudaOfTorchMustBeThere) {
  const Plan plan =
      SolveWith(Asked({"bitsandbytes==0.45.5", "torch==2.12.0"}, "580.95.05", "8.0", "3.12"), Builds());
  ASSERT_EQ(plan.outcome, Plan::Outcome::kSolution) << plan.headline;
  EXPECT_EQ(Find(plan.packages, "torch")->version, "2.12.0+cu126") << "the default is for CUDA 13.0";
  const Plan none =
      SolveWith(Asked({"bitsandbytes==0.45.5", "torch==2.12.0+cu130"}, "580.95.05", "8.0", "3.12"), Builds());
  EXPECT_EQ(none.outcome, Plan::Outcome::kUnsolvable);
  EXPECT_FALSE(none.uncertain);
  EXPECT_TRUE(Has(Conflict(none), "has libraries for CUDA 11.7, 11.8, 12.0")) << Conflict(none);
}

TEST(Solve, CouldNotTellIsSaidAsAFactToo) {
  const auto uncertain = [](const std::vector<std::string>& wants, const std::string& python = "3.12") {
    const Plan plan = SolveWith(Asked(wants, "580.95.05", "8.0", python), Builds());
    const bool told = plan.headline.find("could not tell") == std::string::npos;
    EXPECT_NE(plan.uncertain, told) << plan.headline;
    return plan.uncertain;
  };
  EXPECT_FALSE(uncertain({"torch==2.9.0"}));
  EXPECT_FALSE(uncertain({"torch==2.15.0"}, "3.10")) << "Requires-Python, also of builds that may exist";
  EXPECT_TRUE(uncertain({"torch==2.15.0+cu126"})) << "a build that may exist";
  EXPECT_TRUE(uncertain({"torchcodec==0.7.0"})) << "GPU code that no table has";
  EXPECT_TRUE(uncertain({"mxnet-cu112"})) << "the same";
}

TEST(Solve, PackagesOfTheIndexThatHoldABuild) {
  const auto planned = [](const std::string& want, const std::string& python) {
    Question question = Asked({want}, "470.82", "7.0", python);
    const Plan plan = SolveWith(question, Builds());
    std::string text;
    for (const PlannedPackage& package : plan.packages) {
      if (package.wanted) text += package.name + " " + package.version;
    }
    for (const std::string& note : plan.notes) {
      if (note.find("tensorflow") != std::string::npos) text += "; " + note;
    }
    return text;
  };
  EXPECT_EQ(planned("tensorflow-gpu==1.14", "3.7"), "tensorflow-gpu 1.14.0");
  EXPECT_EQ(planned("tensorflow-gpu==2.0.*", "3.7"), "tensorflow-gpu 2.0.4");
  EXPECT_EQ(planned("tensorflow-gpu==2.4.1", "3.8"),
            "tensorflow 2.4.1; numpy<2: tensorflow 2.4.1 was compiled for numpy 1")
      << "the same files";
  EXPECT_EQ(planned("tensorflow==1.14", "3.7"),
            "tensorflow-gpu 1.14.0; tensorflow 1.14.0 is for the CPU only; tensorflow-gpu is the build for "
            "the GPU");
  EXPECT_EQ(planned("tensorflow-gpu==2.12.0", "3.10"),
            "tensorflow 2.12.0; the package index has no wheel of tensorflow-gpu 2.12.0; tensorflow 2.12.0 "
            "takes its place; numpy<2: tensorflow 2.12.0 was compiled for numpy 1");
  const Question two = Asked({"tensorflow==2.10.*", "onnxruntime-gpu==1.16.*"}, "535.104.05", "7.5", "3.10");
  EXPECT_EQ(SolveWith(two, Builds()).passed_through.size(), 1u) << "numpy<2, once";
  const Plan old = SolveWith(Asked({"tensorrt"}, "535.104.05", "7.5", "3.10"), Builds());
  EXPECT_NE(Find(old.packages, "tensorrt-cu12"), nullptr) << old.headline << Conflict(old);
  const Plan windows = [] {
    Question question = Asked({"mxnet-cu112"}, "580.95.05", "8.0", "3.8");
    question.host.machine = Machine::kWindows;
    return SolveWith(question, Builds());
  }();
  EXPECT_EQ(windows.outcome, Plan::Outcome::kUnsolvable) << windows.headline;
}

TEST(Solve, RapidsNeedsVoltaAndItsDriver) {
  const Plan pascal = SolveWith(Asked({"cudf-cu12>=24.2"}, "550.54.14", "6.1", "3.11"), Builds());
  EXPECT_EQ(pascal.outcome, Plan::Outcome::kUnsolvable);
  const Plan driver = SolveWith(Asked({"cudf-cu12==26.2.*"}, "525.147.05", "8.0", "3.11"), Builds());
  EXPECT_TRUE(Has(Conflict(driver), "needs driver >=535")) << Conflict(driver);
}

TEST(Solve, FrameworksAskForMoreThanCuda) {
  const Plan vllm = SolveWith(Asked({"vllm", "transformers<5"}, "580.95.05", "9.0", "3.12"), Builds());
  const PlannedPackage* old = Find(vllm.packages, "vllm");
  ASSERT_NE(old, nullptr) << vllm.headline;
  EXPECT_LT(knowledge::Known(old->version), (base::Version{{0, 30}})) << "0.33 requires transformers 5";
  // [and-cuda] of tensorflow pins another cuDNN than torch does.
  const Plan both =
      SolveWith(Asked({"torch==2.2.0", "tensorflow==2.15.0"}, "535.183.01", "8.0", "3.10"), Builds());
  ASSERT_EQ(both.outcome, Plan::Outcome::kSolution) << both.headline;
  EXPECT_EQ(Find(both.packages, "tensorflow")->extra, "");
}

TEST(Solve, TheJaxlibOfAPageOfLinksIsThatOfJax) {
  const Plan plan = SolveWith(Asked({"jax==0.4.20", "chex"}, "535.183.01", "8.0", "3.10"), Builds());
  ASSERT_EQ(plan.outcome, Plan::Outcome::kSolution) << plan.headline;
  EXPECT_EQ(Find(plan.packages, "jaxlib"), nullptr);
  const Plan plugin =
      SolveWith(Asked({"jax[cuda12]==0.4.28", "torch==2.3.0"}, "535.183.01", "8.0", "3.10"), Builds());
  ASSERT_EQ(plugin.outcome, Plan::Outcome::kSolution) << plugin.headline;
  EXPECT_EQ(Find(plugin.packages, "jax")->channel.kind, report::ChannelKind::kPypi);
}

}  // namespace
}  // namespace culprit::plan
