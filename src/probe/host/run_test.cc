// Jobs with small shell scripts in the place of culprit-probe: whatever they do, every step that was planned
// gets a result.
#include "probe/host/run.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <mutex>

namespace culprit::probe {
namespace {

using std::chrono::milliseconds;

// What the scripts share. `wants STEP` is true when the runner asked for it.
constexpr const char* kPrologue = R"(
all=" $* "
wants() { case "$all" in *" --only $1 "*) return 0;; esac; return 1; }
say() { printf '%s\n' "$1"; }
good() { if wants "$1"; then say "begin $1 it"; say "ok fine"; fi; }
say 'culprit-probe 1'
)";

Job Fake(const std::string& script,
         std::vector<StepName> steps = {StepName::kLibcuda, StepName::kNvml, StepName::kInit,
                                        StepName::kDevices, StepName::kContext}) {
  return {.name = "driver",
          .subject = "the driver",
          .program = "/bin/sh",
          .arguments = {"-c", kPrologue + script, "fake"},
          .steps = std::move(steps)};
}

constexpr milliseconds kNever(3'600'000);  // a test that waits for it is ended by ctest

snapshot::ProbeFacts Do(Job job, milliseconds limit = milliseconds(120'000)) {
  probe::Run run({.step_limit = limit});
  run.Start(std::move(job));
  return run.Wait();
}

std::string Outcomes(const snapshot::ProbeFacts& facts) {
  std::string text;
  for (const auto& step : facts.steps)
    text += (text.empty() ? "" : " ") + std::string(base::Word(step.name)) + "=" +
            std::string(base::Word(step.outcome));
  return text;
}

TEST(Run, AHealthyChildTellsEveryStepItself) {
  const auto facts = Do(Fake(R"(
good libcuda
say 'begin nvml %'; echo 'NVML: a warning' >&2; say 'failed NVML_ERROR_UNKNOWN nvmlInit_v2 bad%20luck'
good init
say 'begin devices %'; say 'device 0 0'; say 'fact name NVIDIA%20H200'; say 'ok 1'
good context; say done)"));
  EXPECT_EQ(Outcomes(facts), "libcuda=ok nvml=failed init=ok devices=ok context=ok");
  EXPECT_EQ(facts.steps[0].job, "driver");
  EXPECT_EQ(facts.steps[0].subject, "it");
  EXPECT_EQ(facts.steps[1].subject, "the driver");
  EXPECT_EQ(facts.steps[1].output, "NVML: a warning");
  EXPECT_EQ(facts.steps[2].output, "");
  ASSERT_EQ(facts.devices.size(), 1u);
  EXPECT_EQ(facts.devices[0].name, "NVIDIA H200");
}

TEST(Run, ACrashIsBlamedOnItsStepAndTheOthersAreTriedAgain) {
  const auto facts = Do(Fake(R"(
good libcuda
if wants nvml; then
  say 'begin nvml %'; echo 'about to die' >&2; say 'crash SIGSEGV /lib/libnvidia-ml.so.1'; exit 70
fi
good init; good devices; good context; say done)"));
  EXPECT_EQ(Outcomes(facts), "libcuda=ok nvml=crashed init=ok devices=ok context=ok");
  EXPECT_EQ(facts.steps[1].status.text(), "SIGSEGV");
  EXPECT_EQ(facts.steps[1].library, "/lib/libnvidia-ml.so.1");
  EXPECT_EQ(facts.steps[1].output, "about to die");
}

TEST(Run, WhatNeedsTheCrashedStepIsNotRun) {
  const auto facts = Do(Fake(R"(
good libcuda; good nvml
if wants init; then say 'begin init %'; kill -ABRT $$; fi
good devices; good context; say done)"));
  EXPECT_EQ(Outcomes(facts), "libcuda=ok nvml=ok init=crashed devices=not-run context=not-run");
  EXPECT_EQ(facts.steps[2].status.text(), "SIGABRT");
  EXPECT_EQ(facts.steps[4].detail, "needs init, which failed");
}

TEST(Run, EveryStepThatDiesInItsTurnIsTriedOnce) {
  const auto facts = Do(Fake(R"(
for step in cudart nvrtc cublas cublaslt; do
  if wants $step; then say "begin $step %"; kill -KILL $$; fi
done
say done)",
                             {StepName::kCudart, StepName::kNvrtc, StepName::kCublas, StepName::kCublasLt}));
  EXPECT_EQ(Outcomes(facts), "cudart=crashed nvrtc=crashed cublas=crashed cublaslt=crashed");
  EXPECT_NE(facts.steps[3].detail.find("out-of-memory killer"), std::string::npos);
}

TEST(Run, AHangEndsAfterItsTimeAndTellsWhere) {
  const auto facts = Do(Fake(R"(
good libcuda
if wants nvml; then
  trap 'say "stuck /lib/libnvidia-ml.so.1"; exit 71' TERM
  say 'begin nvml %'; while :; do sleep 0.02; done
fi
good init; good devices; good context; say done)"),
                        milliseconds(4000));
  EXPECT_EQ(Outcomes(facts), "libcuda=ok nvml=hung init=ok devices=ok context=ok");
  EXPECT_EQ(facts.steps[1].library, "/lib/libnvidia-ml.so.1");
  EXPECT_GT(facts.steps[1].microseconds, 3'900'000u);
}

TEST(Run, TheTimeIsThatOfAStepNotOfTheJob) {
  const auto facts =
      Do(Fake("for s in libcuda nvml init devices context; do sleep 1; good $s; done; say done"),
         milliseconds(4000));
  EXPECT_EQ(Outcomes(facts), "libcuda=ok nvml=ok init=ok devices=ok context=ok");
}

TEST(Run, GarbageEndsOnlyTheStepInWhichItCame) {
  const auto facts = Do(Fake(R"(
good libcuda
if wants nvml; then say 'begin nvml %'; say 'Hello from a library'; fi
good init; good devices; good context; say done)"));
  EXPECT_EQ(Outcomes(facts), "libcuda=ok nvml=garbage init=ok devices=ok context=ok");
  EXPECT_NE(facts.steps[1].detail.find("Hello from a library"), std::string::npos);
}

TEST(Run, AStepNobodyAskedForIsGarbage) {
  const auto facts = Do(Fake("good libcuda; say 'begin kernel %'; say 'ok %'; say done",
                             {StepName::kLibcuda, StepName::kNvml}));
  EXPECT_EQ(Outcomes(facts), "libcuda=ok nvml=garbage");
}

TEST(Run, ASilentEndIsAResult) {
  const auto facts = Do(Fake(R"(
good libcuda
if wants nvml; then say 'begin nvml %'; exit 3; fi
good init; good devices; good context; say done)"));
  EXPECT_EQ(Outcomes(facts), "libcuda=ok nvml=ended init=ok devices=ok context=ok");
  EXPECT_EQ(facts.steps[1].detail, "its process exited without a message, exit code 3");
  EXPECT_EQ(Outcomes(Do(Fake("say done", {StepName::kLibcuda, StepName::kNvml}))),
            "libcuda=ended nvml=ended");
}

TEST(Run, HugeOutputIsCutToItsEnd) {
  const auto facts = Do(Fake(R"(
good libcuda
say 'begin nvml %'; head -c 20000000 /dev/zero | tr '\0' 'x' >&2; printf '\n\033[31mlast\n' >&2; say 'failed A b c'
good init; good devices; good context; say done)"));
  EXPECT_EQ(Outcomes(facts), "libcuda=ok nvml=failed init=ok devices=ok context=ok");
  EXPECT_LE(facts.steps[1].output.size(), 8192u);
  EXPECT_TRUE(facts.steps[1].output.ends_with("x\n\\x1b[31mlast"));

  const auto flood =
      Do(Fake("say 'begin libcuda %'; while :; do say 'library a b'; done", {StepName::kLibcuda}));
  EXPECT_EQ(Outcomes(flood), "libcuda=garbage");
  const auto endless = Do(Fake("cat /dev/zero", {StepName::kLibcuda}));
  EXPECT_EQ(Outcomes(endless), "libcuda=garbage");
}

TEST(Run, AProgramThatCannotStartIsTriedOnce) {
  Job missing = Fake("");
  missing.program = "/nowhere/culprit-probe";
  const auto facts = Do(missing);
  EXPECT_EQ(Outcomes(facts), "libcuda=ended nvml=not-run init=not-run devices=not-run context=not-run");
  EXPECT_EQ(facts.steps[0].detail, "cannot start /nowhere/culprit-probe: No such file or directory");

  Job loader = Fake("");
  loader.arguments = {"-c", "echo 'error while loading shared libraries: libx' >&2; exit 127"};
  const auto with_loader = Do(loader);
  EXPECT_EQ(with_loader.steps[0].status.text(), "not-started");
  EXPECT_EQ(with_loader.steps[0].output, "error while loading shared libraries: libx");
  EXPECT_EQ(with_loader.steps[1].outcome, snapshot::StepOutcome::kNotRun);
}

TEST(Run, DevicesAreKnownBeforeTheJobHasEnded) {
  probe::Run run({.step_limit = kNever});
  EXPECT_TRUE(run.WaitForDevices().empty());
  run.Start(Fake(
      "good libcuda; say 'begin devices %'; say 'device 0 -'; say 'ok %'; sleep 3600; good context; say done",
      {StepName::kLibcuda, StepName::kDevices, StepName::kContext}));
  EXPECT_EQ(run.WaitForDevices().size(), 1u);
}

TEST(Run, DevicesThatNeverComeAreNotWaitedFor) {
  probe::Run run({});
  run.Start(Fake("say 'begin libcuda %'; exit 1", {StepName::kLibcuda, StepName::kDevices}));
  EXPECT_TRUE(run.WaitForDevices().empty());
}

TEST(Run, JobsStandInTheOrderOfTheirStartAndKeepTheLimit) {
  std::mutex mutex;
  std::vector<std::string> progress;
  probe::Run run({.side_by_side = 4, .on_progress = [&](const std::string& line) {
                    const std::lock_guard lock(mutex);
                    progress.push_back(line);
                  }});
  run.Limit(1);
  for (const char* name : {"a", "b", "c"}) {
    Job job = Fake("say 'begin libcuda %'; sleep 0.05; say 'ok %'; say done", {StepName::kLibcuda});
    job.name = name;
    run.Start(job);
  }
  const auto facts = run.Wait();
  ASSERT_EQ(facts.steps.size(), 3u);
  for (size_t i = 0; i < 3; ++i) EXPECT_EQ(facts.steps[i].job, std::string(1, static_cast<char>('a' + i)));
  EXPECT_EQ(progress, (std::vector<std::string>{"a: the driver's library is found and loaded",
                                                "b: the driver's library is found and loaded",
                                                "c: the driver's library is found and loaded"}));
}

TEST(Run, LeavingEndsTheChildren) {
  probe::Run run({.step_limit = kNever, .side_by_side = 1});
  run.Start(Fake("say 'begin libcuda %'; sleep 3600", {StepName::kLibcuda}));
  run.Start(Fake("sleep 3600", {StepName::kLibcuda}));
}

}  // namespace
}  // namespace culprit::probe
