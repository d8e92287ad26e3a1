// A machine with a file that never answers, used the way each command uses it (except `why`, which has no
// thread to abandon: cli/deadline.h). Every command gets an answer in time that says what is missing. Then
// everything that the command owned is destroyed, the file answers after all, and the abandoned threads run
// to their end. Under the thread sanitizer (or the address sanitizer) this shows that they read nothing that
// was freed or changed.
#include <gtest/gtest.h>
#include <toml++/toml.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <thread>

#include "../rules/made_up_machine.h"
#include "change/prove/prove.h"
#include "engine/diagnosis.h"
#include "engine/findings.h"
#include "engine/record_machine.h"
#include "explain/explain.h"
#include "explain/logs/read_text.h"
#include "explain/logs/text_stream.h"
#include "explain/settle.h"
#include "probe/judge/probe.h"
#include "run/judge/run.h"
#include "system/test_watched.h"

namespace culprit::engine {
namespace {

using report::Verdict;
using std::chrono::milliseconds;

constexpr milliseconds kShort(200);   // this hangs forever, so any limit will do
constexpr milliseconds kLook(10000);  // some of it hangs, the rest must be found
constexpr milliseconds kLong(60000);  // nothing hangs
constexpr const char* kDead = "/mnt/dead";

class StuckFile : public testing::Test {
 protected:
  StuckFile() {
    auto made_up = std::make_shared<model::MadeUpMachine>(CULPRIT_SOURCE_DIR "/tests/rules");
    made_up->Apply(toml::parse(R"(
world = "torch"
directories = ["/mnt/dead/lib"]
[elf."/app/train"]
program = true
needed = ["libapp.so.1"]
runpath = "/mnt/dead/lib"
[elf."/mnt/dead/lib/libapp.so.1"]
soname = "libapp.so.1"
[elf."/mnt/dead/train"]
program = true
)"));
    const auto before = [gate = gate_](const std::string& path) {
      if (path.starts_with(kDead)) gate->Pass();
      return base::PathError::kNone;
    };
    machine_ = std::make_shared<const system::WatchedSystem>(
        std::shared_ptr<const system::System>(made_up, &made_up->system), before);
  }

  // The facts are known, and /app/train waits for its library.
  Subject Known(milliseconds limit = kShort) {
    Diagnosis diagnosis({.machine = machine_, .limit = kLong});
    EXPECT_TRUE(diagnosis.Look());
    return {.machine = machine_,
            .known = diagnosis.shared_snapshot(),
            .programs = {"/app/train"},
            .limit = limit};
  }

  Subject WithVariable(const std::string& name, const std::string& value) {
    auto environment = machine_->Environment();
    environment[name] = value;
    return {.machine = machine_, .environment = std::move(environment), .limit = kLook};
  }

  // Nothing of the test is left but the threads.
  void TearDown() override {
    const std::weak_ptr<const system::System> machine = machine_;
    machine_.reset();
    EXPECT_FALSE(machine.expired()) << "nobody hung";
    gate_->Release();
    const auto until = std::chrono::steady_clock::now() + kLong;
    while (!machine.expired()) {
      ASSERT_LT(std::chrono::steady_clock::now(), until) << "a thread does not end though nothing blocks it";
      std::this_thread::sleep_for(milliseconds(2));
    }
  }

  std::shared_ptr<system::Gate> gate_ = std::make_shared<system::Gate>();
  std::shared_ptr<const system::System> machine_;
};

bool SaysThatNothingWasPlayed(const report::CheckReport& report) {
  return std::ranges::find(report.not_checked, "what programs and frameworks load",
                           &report::NotChecked::what) != report.not_checked.end();
}

TEST_F(StuckFile, CheckJudgesTheFactsAlone) {
  Diagnosis diagnosis(Known());
  ASSERT_TRUE(diagnosis.Look());
  diagnosis.Play();
  const auto report = diagnosis.Judge();
  EXPECT_EQ(report.verdict, Verdict::kUnknown);
  EXPECT_TRUE(SaysThatNothingWasPlayed(report));
  EXPECT_FALSE(diagnosis.in_time());
  EXPECT_EQ(diagnosis.live_files(), nullptr);
  // And again, with its own view.
  EXPECT_EQ(diagnosis.scene().view.Open("/app/train").error, base::PathError::kNotRecorded);
  EXPECT_EQ(diagnosis.Judge().verdict, Verdict::kUnknown);
}

TEST_F(StuckFile, CheckOfADeadDirectoryInLdLibraryPath) {
  Diagnosis diagnosis(WithVariable("LD_LIBRARY_PATH", "/mnt/dead/lib"));
  ASSERT_TRUE(diagnosis.Look());
  EXPECT_EQ(diagnosis.snapshot().stack.driver.state, snapshot::FactState::kTimedOut);
  EXPECT_TRUE(diagnosis.snapshot().stack.gpus);
  diagnosis.Play();
  const auto report = diagnosis.Judge();
  EXPECT_EQ(report.verdict, Verdict::kUnknown);
  EXPECT_TRUE(SaysThatNothingWasPlayed(report));
}

TEST_F(StuckFile, CheckOfADeadProgram) {
  Diagnosis diagnosis({.machine = machine_, .programs = {"/mnt/dead/train"}, .limit = kShort});
  const auto looked = diagnosis.Look();
  ASSERT_FALSE(looked);
  EXPECT_TRUE(looked.error().message.starts_with("no answer within")) << looked.error().message;
}

// As plan does: only a look, and everything is dropped at once.
TEST_F(StuckFile, PlanForADeadEnvironment) {
  Diagnosis diagnosis(WithVariable("VIRTUAL_ENV", "/mnt/dead/venv"));
  ASSERT_TRUE(diagnosis.Look());
  EXPECT_EQ(diagnosis.snapshot().stack.environments.state, snapshot::FactState::kTimedOut);
}

TEST_F(StuckFile, ExplainHereSettlesByTheFactsAlone) {
  const auto stream =
      std::make_unique<logs::TextStream>("CUDA driver version is insufficient for CUDA runtime version\n");
  const auto symptoms = std::make_shared<const std::vector<logs::Symptom>>(logs::ReadLog(*stream)->symptoms);
  ASSERT_FALSE(symptoms->empty());
  Diagnosis diagnosis(Known());
  ASSERT_TRUE(diagnosis.Look());
  diagnosis.Play();
  const auto explanation = diagnosis.Judge([symptoms](const rules::Scene& scene, const auto& check) {
    return explain::Explain(*symptoms, {{"-", 1}},
                            explain::Settle(*symptoms, {scene.snapshot, scene.view, {}}, check));
  });
  EXPECT_FALSE(explanation.causes.empty());
}

// What comes after the rules may hang as well.
TEST_F(StuckFile, AnAnswerThatHangsIsAskedAgainOfTheFactsAlone) {
  Subject subject = Known();
  subject.programs.clear();
  Diagnosis diagnosis(std::move(subject));
  ASSERT_TRUE(diagnosis.Look());
  diagnosis.Play();
  const auto error = diagnosis.Judge(
      [path = std::string("/mnt/dead/lib/libapp.so.1")](
          const rules::Scene& scene, const report::CheckReport&) { return scene.view.Open(path).error; });
  EXPECT_EQ(error, base::PathError::kNotRecorded);
}

TEST_F(StuckFile, FixShowsNothing) {
  Subject subject = WithVariable("LD_LIBRARY_PATH", "/mnt/dead/lib");
  report::Finding finding{.code = "CUL5001", .subject = "/mnt/dead/lib"};
  finding.fix.changes.push_back(report::SetVariable{"CUDA_HOME", "/usr/local/cuda"});
  const report::CheckReport before{.findings = {finding}};
  EXPECT_NE(prove::Prove(std::move(subject), before, finding).outcome, report::Proof::Outcome::kShown);
}

TEST_F(StuckFile, SnapshotSaysThatItCouldNotRecord) {
  Diagnosis diagnosis(Known());
  ASSERT_TRUE(diagnosis.Look());
  const auto recorded = RecordMachine(diagnosis, {"/app/train"}, [](const std::string&) {});
  ASSERT_FALSE(recorded);
  EXPECT_TRUE(recorded.error().message.starts_with("no answer within")) << recorded.error().message;
}

TEST_F(StuckFile, RunReportsAndSavesWithoutFiles) {
  const auto run = std::make_shared<const record::Run>(record::Run{
      .command = {"/app/train"},
      .exit_status = 1,
      .processes = {
          {.id = 4711, .program = "/app/train", .loads = {{.path = "/mnt/dead/lib/libapp.so.1"}}}}});
  Diagnosis diagnosis(Known());
  ASSERT_TRUE(diagnosis.Look());
  diagnosis.Play(run);
  const auto report = diagnosis.Judge([run](const rules::Scene& scene, const report::CheckReport& check) {
    return run::ExplainRun(*run, scene, check);
  });
  EXPECT_FALSE(report.headline.empty());
  EXPECT_TRUE(RecordAsked(diagnosis).files.nodes.empty());
}

TEST_F(StuckFile, ProbeWaitsForNoCopyOfCudnn) {
  Diagnosis diagnosis(Known());
  ASSERT_TRUE(diagnosis.Look());
  diagnosis.Play();
  diagnosis.AddProbe({}, {"/mnt/dead/lib/libcudnn.so.9"});
  EXPECT_EQ(diagnosis.Judge(probe::Probe).verdict, Verdict::kUnknown);
}

// As libculprit does, which only needs findings.
TEST_F(StuckFile, TheLibraryGivesUp) {
  Diagnosis diagnosis(Known());
  ASSERT_TRUE(diagnosis.Look());
  diagnosis.Play([](const snapshot::Snapshot& facts, snapshot::FileView& view) {
    return loader::PlayScenarios(facts, view, {"/app/train"});
  });
  EXPECT_FALSE(diagnosis.AskInTime(kShort, Findings));
}

}  // namespace
}  // namespace culprit::engine
