// A project -> a question -> a plan: what is solved, what is passed through, and which line is to blame.
#include "plan/project/asking.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "base/text.h"
#include "knowledge/packages/release.h"
#include "plan/commands/commands.h"
#include "plan/solve.h"

namespace culprit::plan {
namespace {

using report::Plan;

Question AskedBy(const std::map<std::string, std::string>& files, const std::string& first,
                 const std::string& gpu = "8.0", Machine machine = Machine::kLinuxX86) {
  Question question;
  question.host.machine = machine;
  question.host.driver = knowledge::Known("580.95.05");
  question.host.gpus = {knowledge::Known(gpu)};
  question.host.python = knowledge::Known("3.11");
  const ProjectChoice choice{
      .extras = {}, .groups = {}, .facts = FactsOf(question.host, knowledge::Known("3.11"))};
  const auto project =
      ReadProject({first}, choice, [&](const std::string& path, uint64_t) -> base::Result<std::string> {
        const auto found = files.find(path);
        if (found == files.end()) return base::Fail(base::ErrorCode::kNotFound, path + ": no such file");
        return found->second;
      });
  EXPECT_TRUE(project) << project.error().message;
  if (project) Ask(*project, question);
  return question;
}

std::string CommandsOf(Plan& plan, const Question& question, As as = As::kPip) {
  WriteCommands(plan, question, {}, as);
  std::string all;
  for (const report::PlanStep& step : plan.steps) {
    for (const std::string& command : report::Texts(step.commands)) all += command + "\n";
  }
  return all;
}

bool Has(std::string_view text, std::string_view part) { return base::Contains(text, part); }

TEST(Asking, TheWheelOfCupyTakesThePlaceOfItsSource) {
  const Question question = AskedBy({{"r.txt", "cupy>=13.0.0\n"}}, "r.txt");
  Plan plan = Solve(question);
  ASSERT_EQ(plan.outcome, Plan::Outcome::kSolution) << plan.headline;
  EXPECT_TRUE(plan.passed_through.empty());
  EXPECT_TRUE(Has(CommandsOf(plan, question), "cupy-cuda13x")) << CommandsOf(plan, question);
}

TEST(Asking, KnownIsSolvedAndTheRestPassedThroughAsWritten) {
  const Question question = AskedBy({{"r.txt",
                                      "torch==2.4.*\n"
                                      "numpy_ext<2 ; python_version < \"4\"\n"
                                      "torchvision==0.19.1+cu121\n"
                                      "private @ https://host/p-1.0%2Bx-py3-none-any.whl\n"
                                      "-e .\n"
                                      "--extra-index-url https://host/simple\n"}},
                                    "r.txt");
  Plan plan = Solve(question);
  ASSERT_EQ(plan.outcome, Plan::Outcome::kSolution) << plan.headline;
  ASSERT_EQ(plan.passed_through.size(), 3u);
  EXPECT_EQ(plan.passed_through[0].name, "numpy-ext");
  EXPECT_EQ(plan.passed_through[0].origin, (report::Origin{"r.txt", 2}));
  const std::string commands = CommandsOf(plan, question);
  EXPECT_TRUE(Has(commands, "torch==2.4.1 torchvision==0.19.1")) << commands;
  EXPECT_TRUE(Has(commands, " \"numpy_ext<2; python_version < '4'\" ")) << commands;
  EXPECT_TRUE(Has(commands, "'private @ https://host/p-1.0%2Bx-py3-none-any.whl'")) << commands;
  EXPECT_TRUE(Has(commands, " -e . ")) << commands;
  EXPECT_TRUE(Has(commands, "--extra-index-url https://host/simple")) << commands;
}

TEST(Asking, AnIndexOfPyTorchAsksForItsBuilds) {
  const std::map<std::string, std::string> files = {
      {"r.txt", "--index-url https://download.pytorch.org/whl/cu118\ntorch\n"}};
  Plan plan = Solve(AskedBy(files, "r.txt"));
  ASSERT_EQ(plan.outcome, Plan::Outcome::kSolution);
  const auto torch = std::ranges::find(plan.packages, "torch", &report::PlannedPackage::name);
  ASSERT_NE(torch, plan.packages.end());
  EXPECT_TRUE(torch->version.ends_with("+cu118")) << torch->version;
  // ... and is to blame where they do not have code for the GPU.
  const Plan none = Solve(AskedBy(files, "r.txt", "12.0"));
  ASSERT_EQ(none.outcome, Plan::Outcome::kUnsolvable);
  EXPECT_TRUE(Has(none.headline, "the index of cu118 (r.txt:1)")) << none.headline;
  ASSERT_FALSE(none.relaxations.empty());
  EXPECT_TRUE(std::ranges::any_of(none.relaxations, [](const report::Relaxation& one) {
    return Has(one.text, "works without the index of cu118 (r.txt:1)");
  }));
}

TEST(Asking, ConflictsNameTheLinesOfBothSides) {
  const Plan plan =
      Solve(AskedBy({{"r.txt", "torch>=2.5\n-r b.txt\n"}, {"b.txt", "#\ntorch==2.4.0\n"}}, "r.txt"));
  ASSERT_EQ(plan.outcome, Plan::Outcome::kUnsolvable);
  EXPECT_EQ(plan.headline, "torch>=2.5 (r.txt:1) does not work with torch==2.4.0 (b.txt:2)");
  const Plan bound = Solve(AskedBy({{"r.txt", "torch>=2.5\n-c b.txt\n"}, {"b.txt", "torch<2.5\n"}}, "r.txt"));
  ASSERT_EQ(bound.outcome, Plan::Outcome::kUnsolvable);
  EXPECT_TRUE(Has(bound.headline, "torch<2.5 (b.txt:1)")) << bound.headline;
}

TEST(Asking, UnknownPackagesCanExcludeEachOther) {
  const Plan plan = Solve(AskedBy({{"r.txt", "torch==2.4.*\nthing<2\nother\nthing>=2.1\n"}}, "r.txt"));
  ASSERT_EQ(plan.outcome, Plan::Outcome::kUnsolvable);
  EXPECT_EQ(plan.headline, "thing<2 (r.txt:2) does not work with thing>=2.1 (r.txt:4)");
  EXPECT_EQ(plan.relaxations.size(), 2u);
  for (const char* fine :
       {"thing<2\nthing>=1\n", "thing==1.*\nthing<=1.5\n", "thing!=2\nthing>=2\n", "thing\nthing==1\n",
        "thing==1.*\nthing==1.5\n", "thing~=1.2\nthing==1.5.*\n", "thing==1.0\nthing==1.0+cu118\n",
        "thing~=2.2.post1\nthing>=2.5\n", "thing>=2,<=2\n", "thing==1\n-c c.txt\n"})
    EXPECT_EQ(Solve(AskedBy({{"r.txt", fine}, {"c.txt", "thing>=1\n"}}, "r.txt")).outcome,
              Plan::Outcome::kSolution)
        << fine;
  for (const char* bad : {"thing==1.0\nthing==2.0\n", "thing==1.*\nthing>=2\n", "thing~=2.0\nthing<2\n",
                          "thing~=2.2\nthing>=3\n", "thing>2\nthing<=2\n", "thing==1.*\nthing!=1.*\n",
                          "thing==0.9\n-c c.txt\n"})
    EXPECT_EQ(Solve(AskedBy({{"r.txt", bad}, {"c.txt", "thing>=1\n"}}, "r.txt")).outcome,
              Plan::Outcome::kUnsolvable)
        << bad;
}

// Whether the tables have the releases or not.
TEST(Asking, LinesOfKnownPackagesCanExcludeEachOther) {
  const auto headline = [](const std::string& lines) {
    const Plan plan = Solve(AskedBy({{"r.txt", lines}}, "r.txt"));
    EXPECT_EQ(plan.outcome, Plan::Outcome::kUnsolvable) << lines;
    EXPECT_TRUE(plan.unlisted.empty()) << lines;
    return plan.headline;
  };
  EXPECT_EQ(headline("torch==99.0\ntorch==2.6.0\n"),
            "torch==99.0 (r.txt:1) does not work with torch==2.6.0 (r.txt:2)");
  EXPECT_EQ(headline("torch==99.0\ntorch==98.0\n"),
            "torch==99.0 (r.txt:1) does not work with torch==98.0 (r.txt:2)");
  EXPECT_EQ(headline("numpy\ntorch>=2.7,<2.7\n"), "torch>=2.7,<2.7 (r.txt:2) excludes every version");
  EXPECT_EQ(headline("thing>2,<1\n"), "thing>2,<1 (r.txt:1) excludes every version");
  // The build for the CPU is another package.
  EXPECT_EQ(Solve(AskedBy({{"r.txt", "onnxruntime==1.15.0\nonnxruntime-gpu==1.18.0\n"}}, "r.txt")).outcome,
            Plan::Outcome::kSolution);
}

TEST(Asking, OtherBuildsOfAKnownNameAreNotReplaced) {
  const Question question =
      AskedBy({{"r.txt", "onnxruntime\ntorch==2.4.0+cpu\ntorchaudio==2.4.0.dev1\npytroch\n"}}, "r.txt");
  EXPECT_TRUE(question.wants.empty());
  EXPECT_EQ(question.passed_through.size(), 4u);
  std::string notes;
  for (const std::string& note : question.notes) notes += note + "\n";
  EXPECT_TRUE(Has(notes, "onnxruntime (r.txt:1): a CPU-only package; onnxruntime-gpu uses the GPU")) << notes;
  EXPECT_FALSE(Has(notes, "did you mean")) << "a file is not typed at a prompt: " << notes;
}

TEST(Asking, AWheelWithALabelIsAnotherBuild) {
  const Question question = AskedBy(
      {{"r.txt", "vllm @ https://host/vllm-0.11.0+cu129-cp38-abi3-manylinux1_x86_64.whl\ntorch==2.8.0\n"}},
      "r.txt");
  ASSERT_EQ(question.wants.size(), 1u);
  EXPECT_EQ(question.passed_through.size(), 1u);
  const Question torch = AskedBy(
      {{"r.txt", "torch @ https://host/torch-2.4.1%2Bcu118-cp311-cp311-linux_x86_64.whl\n"}}, "r.txt");
  ASSERT_EQ(torch.wants.size(), 1u);
  EXPECT_EQ(torch.wants[0].specifiers, "==2.4.1+cu118");
}

TEST(Asking, TheToolkitOfAFileIsThatOfTheIndex) {
  const Plan plan = Solve(AskedBy({{"r.txt", "cuda-toolkit==12.8.1\n"}}, "r.txt"));
  ASSERT_EQ(plan.outcome, Plan::Outcome::kSolution) << plan.headline;
  EXPECT_TRUE(std::ranges::any_of(plan.packages, [](const report::PlannedPackage& package) {
    return package.name == "cuda-toolkit" && package.channel == report::ChannelKind::kPypi;
  }));
}

TEST(Asking, WhatALockHasWithoutGpuSupportHereIsNoConflict) {
  const std::string source = "source = { registry = \"https://" + PublicIndexHost() + "/simple\" }\n";
  const std::string lock =
      "version = 1\nrequires-python = \">=3.11\"\n"
      "[manifest]\noverrides = [{ name = \"numpy\", specifier = \">=1.26\" }]\n"
      "[[package]]\nname = \"own\"\nversion = \"1\"\nsource = { editable = \".\" }\n"
      "dependencies = [{ name = \"jax\" }, { name = \"torch\" }]\n"
      "[[package]]\nname = \"jax\"\nversion = \"0.7.1\"\n" +
      source + "[[package]]\nname = \"torch\"\nversion = \"2.7.1\"\n" + source;
  for (const Machine machine : {Machine::kWindows, Machine::kLinuxX86}) {
    const Question question = AskedBy({{"uv.lock", lock}}, "uv.lock", "8.0", machine);
    EXPECT_EQ(question.wants.size(), 1u);
    EXPECT_EQ(question.passed_through.size(), 1u);
    EXPECT_TRUE(Has(question.notes.front(),
                    machine == Machine::kWindows ? "no GPU support on Windows" : "no CUDA plugin for jax"));
    EXPECT_TRUE(question.overridden.contains("numpy"));
    EXPECT_EQ(Solve(question).outcome, Plan::Outcome::kSolution);
  }
}

TEST(Asking, BesideUnknownPackagesPipMayTakeOlderReleasesOfWhatHasNoGpuCode) {
  const Question question = AskedBy({{"r.txt", "torch==2.4.1\nnumpy>=1.26\nthing\n"}}, "r.txt");
  Plan plan = Solve(question);
  const std::string commands = CommandsOf(plan, question);
  EXPECT_TRUE(Has(commands, "\"numpy>=1.26,<=")) << commands;
  EXPECT_TRUE(Has(commands, "torch==2.4.1 ")) << commands;
  const Question known = AskedBy({{"r.txt", "torch==2.4.1\nnumpy>=1.26\n"}}, "r.txt");
  Plan exact = Solve(known);
  EXPECT_TRUE(Has(CommandsOf(exact, known), " numpy==")) << CommandsOf(exact, known);
}

TEST(Asking, ReleasesFromBeforeTheTablesAreLeftToPip) {
  const auto asked = [](const std::string& keras) {
    Question question = AskedBy({{"r.txt", keras + "\ntensorflow==2.10.*\n"}}, "r.txt");
    question.host.python = knowledge::Known("3.7");
    return Solve(question);
  };
  const Plan plan = asked("keras>=2.0.8");
  ASSERT_EQ(plan.outcome, Plan::Outcome::kSolution) << plan.headline;
  ASSERT_EQ(plan.passed_through.size(), 2u);
  EXPECT_TRUE(plan.passed_through[0].text.starts_with("keras>=2.0.8,<")) << plan.passed_through[0].text;
  EXPECT_EQ(plan.passed_through[1].text, "numpy<2") << "tensorflow 2.10 was compiled for it";
  EXPECT_EQ(asked("keras>=3").outcome, Plan::Outcome::kUnsolvable);
}

TEST(Asking, AReleaseThatTheTablesDoNotHaveIsPassedThrough) {
  const Question question = AskedBy({{"r.txt", "torch==0.4.1\ntorchvision==0.1.9\nvllm==99.0\n"}}, "r.txt");
  EXPECT_TRUE(question.wants.empty());
  EXPECT_EQ(question.passed_through.size(), 3u);
  const Plan plan = Solve(question);
  EXPECT_EQ(plan.outcome, Plan::Outcome::kSolution);
  EXPECT_EQ(plan.unlisted, (std::vector<std::string>{"torch==0.4.1 (r.txt:1)", "torchvision==0.1.9 (r.txt:2)",
                                                     "vllm==99.0 (r.txt:3)"}));
  EXPECT_TRUE(plan.headline.starts_with("could not tell whether torch==0.4.1 (r.txt:1), ")) << plan.headline;
  EXPECT_EQ(plan.not_checked.size(), 3u);
  // Of a package without GPU code nothing depends on it.
  const Plan keras = Solve(AskedBy({{"r.txt", "torch==2.6.0\nkeras==0.1\n"}}, "r.txt"));
  EXPECT_TRUE(keras.unlisted.empty());
  EXPECT_TRUE(Has(keras.notes.front(), "keras (r.txt:2): the tables have no such release"));
}

TEST(Asking, AReleaseThatTheTablesDoNotHaveIsCouldNotTellForFilesAndWords) {
  for (const std::string torch : {"torch==2.6.9", "torch>=99"}) {
    const Plan of_file = Solve(AskedBy({{"r.txt", torch + "\nonnxruntime-gpu==1.17.0\n"}}, "r.txt"));
    Question typed = AskedBy({{"r.txt", ""}}, "r.txt");
    ASSERT_TRUE(AskWord(torch, typed));
    ASSERT_TRUE(AskWord("onnxruntime-gpu==1.17.0", typed));
    PassUnlisted(typed);
    const Plan of_words = Solve(typed);
    EXPECT_EQ(of_words.unlisted, std::vector<std::string>{torch});
    EXPECT_EQ(of_file.unlisted, std::vector<std::string>{torch + " (r.txt:1)"});
    EXPECT_TRUE(
        of_words.headline.starts_with("could not tell whether " + torch +
                                      " works: the tables do not contain it; the rest: onnxruntime-gpu"))
        << of_words.headline;
    EXPECT_EQ(of_words.packages, of_file.packages);
    ASSERT_EQ(of_file.relaxations.size(), 1u);
    EXPECT_TRUE(of_file.relaxations.front().option.starts_with("torch==2.")) << of_file.relaxations[0].option;
    EXPECT_EQ(of_words.relaxations, of_file.relaxations);
  }
  // The package for the CPU has the name of the framework, and other releases.
  EXPECT_EQ(Solve(AskedBy({{"r.txt", "onnxruntime-gpu==1.20.2\n"}}, "r.txt")).packages.back().version,
            "1.20.2");
  // What the system has cannot be passed to pip.
  Question toolkit = AskedBy({{"r.txt", ""}}, "r.txt");
  ASSERT_TRUE(AskWord("cuda==99", toolkit));
  PassUnlisted(toolkit);
  const Plan none = Solve(toolkit);
  EXPECT_EQ(none.outcome, Plan::Outcome::kUnsolvable);
  EXPECT_EQ(none.unlisted, std::vector<std::string>{"cuda==99"});
}

TEST(Asking, AFileThatAsksForNothingIsNoClaim) {
  const Question question = AskedBy({{"r.txt", "# nothing yet\n"}}, "r.txt");
  Plan plan = Solve(question);
  EXPECT_EQ(plan.headline, "no packages were requested, so there is nothing to plan");
  EXPECT_EQ(CommandsOf(plan, question), "");
}

// A plan chooses among minor versions of Python.
TEST(Asking, PatchReleasesOfPythonAreThoseOfTheirMinor) {
  const auto python_of = [](const std::string& bound) {
    const Question question =
        AskedBy({{"pyproject.toml", "[project]\nname = \"x\"\nrequires-python = \"" + bound +
                                        "\"\ndependencies = [\"torch==2.4.1\"]\n"}},
                "pyproject.toml");
    return Solve(question).outcome;
  };
  for (const char* good :
       {">= 3.10", "==3.11.4", ">=3.11.2,<3.12", "~=3.11.3", "<3.11.5", "!=3.11.1", "==3.11.*"})
    EXPECT_EQ(python_of(good), Plan::Outcome::kSolution) << good;
  for (const char* bad : {">=3.12", "==3.10.4", "<3.11", "<3.11.0", "~=3.10.1"})
    EXPECT_EQ(python_of(bad), Plan::Outcome::kUnsolvable) << bad;
  const Question conda = AskedBy(
      {{"environment.yml", "dependencies:\n  - python=3.11.13\n  - pytorch=2.4.1\n"}}, "environment.yml");
  EXPECT_EQ(Solve(conda).outcome, Plan::Outcome::kSolution);
}

TEST(Asking, WordsOfTheCommandLine) {
  Question question;
  EXPECT_TRUE(AskWord("torch>=2.1", question));
  EXPECT_TRUE(AskWord("some-thing[extra]>=1,<2", question));
  EXPECT_FALSE(AskWord("some-thing=1", question));
  EXPECT_FALSE(AskWord("torch=1", question));
  EXPECT_EQ(question.wants.size(), 1u);
  ASSERT_EQ(question.passed_through.size(), 1u);
  EXPECT_EQ(question.passed_through[0].text, "some-thing[extra]>=1,<2");
}

TEST(Asking, HostileTextStaysAWord) {
  const Question question =
      AskedBy({{"r.txt", "x @ https://h/$(reboot)\ny @ https://h/'`id`'\n-e a;b\n"}}, "r.txt");
  Plan plan = Solve(question);
  const std::string commands = CommandsOf(plan, question);
  EXPECT_TRUE(Has(commands, "'x @ https://h/$(reboot)'")) << commands;
  EXPECT_TRUE(Has(commands, "'y @ https://h/'\\''`id`'\\'")) << commands;
  Plan windows = plan;
  Question there = question;
  there.host.machine = Machine::kWindows;
  EXPECT_FALSE(Has(CommandsOf(windows, there), "reboot"));
  EXPECT_TRUE(std::ranges::any_of(
      windows.notes, [](const std::string& note) { return Has(note, "cannot be quoted safely"); }));
}

TEST(Asking, MeantByFindsTypos) {
  EXPECT_EQ(MeantBy("pytroch"), "torch");
  EXPECT_EQ(MeantBy("tensroflow"), "tensorflow");
  EXPECT_EQ(MeantBy("torchvison"), "torchvision");
  EXPECT_EQ(MeantBy("einops"), "");
  EXPECT_EQ(MeantBy("requests"), "");
  EXPECT_EQ(MeantBy("pip"), "");
}

}  // namespace
}  // namespace culprit::plan
