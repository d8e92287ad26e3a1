// How a run ends: a crash, a hang, a failure that is not about CUDA, success.
#include <gtest/gtest.h>

#include "watched_machine.h"

namespace culprit::watched {
namespace {

TEST(Run, ACrashInALibrary) {
  Machine machine("world = \"torch\"\n");
  record::Run run = machine.Run("step 1\n");
  run.exit_status = 0;
  run.signal = "SIGSEGV";
  run.processes[0].crashes = {
      {.at = 9 * kSecond,
       .thread = kPid,
       .signal = "SIGSEGV",
       .code = 1,
       .address = 0,
       .frames = {{.object = "/app/libfilter.so", .offset = 0x1139, .function = "filter_apply"},
                  {.object = "/app/libfilter.so", .offset = 0x1180, .function = "filter_run"},
                  {.object = "/app/ext.so", .offset = 0x2000, .function = "PyInit_ext", .guessed = true}}}};
  const auto report = machine.Explain(run);
  EXPECT_HAS(report.headline,
             "SIGSEGV in /app/libfilter.so, function filter_apply, called probably by /app/ext.so, function "
             "PyInit_ext");
  EXPECT_HAS(report.headline, "a null pointer");
  EXPECT_NE(FirstCause(report), "cudnn-mixed-versions");  // all of cuDNN was seen, in one version
  EXPECT_NE(FirstCause(report), "corrupt-library");
}

TEST(Run, AHangInACall) {
  Machine machine("world = \"torch\"\n");
  record::Run run = machine.Run("step 1\n^CTraceback (most recent call last):\nKeyboardInterrupt\n");
  run.exit_status = 0;
  run.signal = run.interrupted = "SIGINT";
  run.interrupted_at = 64 * kSecond;
  run.duration = 65 * kSecond;
  run.processes[0].open_calls = {{.since = 4 * kSecond,
                                  .thread = kPid,
                                  .api = base::CudaApi::kRuntime,
                                  .function = "cudaStreamSynchronize"}};
  const auto report = machine.Explain(run);
  EXPECT_HAS(report.headline, "cudaStreamSynchronize had not returned for 60 s");
  EXPECT_HAS(report.headline, "a kernel that never ends");
  EXPECT_EQ(FirstCause(report), "");
}

TEST(Run, AHangElsewhere) {
  Machine machine("world = \"torch\"\n");
  record::Run run = machine.Run("");
  run.exit_status = 130;
  run.interrupted = "SIGINT";
  run.interrupted_at = 64 * kSecond;
  run.threads = {
      {.process = kPid, .thread = kPid, .name = "python3", .state = "S", .system_call = "recvfrom"},
      {.process = kPid, .thread = 4712, .name = "worker", .state = "S", .system_call = "futex"}};
  const auto report = machine.Explain(run);
  EXPECT_HAS(report.headline, "its main thread was waiting for the network (recvfrom)");
  EXPECT_EQ(report.waits.size(), 1u);
}

// A program may ask for what is not there, and fail for reasons of its own.
TEST(Run, WhatHasNothingToDoWithCuda) {
  Machine machine("world = \"torch\"\n");
  record::Run run = machine.Run(
      "Traceback (most recent call last):\n  File \"train.py\", line 9, in <module>\n"
      "ValueError: batch size must be positive\n");
  run.exit_status = 3;
  run.processes[0].failed_requests.push_back(
      {.at = 9 * kSecond, .name = "libnvidia-opticalflow.so.1", .requester = "/app/x.so", .dlopen = true});
  run.processes[0].failed_calls = {Call("cuDeviceGetAttribute", 1), Call("cudaMalloc", 2, kSecond),
                                   Call("cudaEventDestroy", 4, 10 * kSecond)};
  const auto report = machine.Explain(run);
  EXPECT_EQ(FirstCause(report), "");
  EXPECT_FALSE(report.first_failure);
  EXPECT_HAS(report.headline, "ValueError: batch size must be positive");
  EXPECT_HAS(report.headline, "the program went on after every failed CUDA call and library load");
  for (const auto& failed : report.failed_loads) EXPECT_TRUE(failed.survived) << failed.name;
  run.watched[1] = {record::Channel::kCalls, "", "no CUPTI was found"};
  EXPECT_HAS(machine.Explain(run).headline, "as far as culprit could watch");
}

TEST(Run, AnEndWithoutFailure) {
  Machine machine("world = \"torch\"\n");
  record::Run run = machine.Run("done\n");
  run.exit_status = 0;
  run.processes[0].failed_calls = {Call("cudaMalloc", 2)};
  const auto report = machine.Explain(run);
  EXPECT_FALSE(report.failed);
  EXPECT_FALSE(report.first_failure);
  EXPECT_HAS(report.headline, "finished with status 0");
}

// Another environment of the machine may be broken in any way.
TEST(Run, FindingsOfOtherProgramsDoNotSpeak) {
  Machine machine(
      "world = \"torch_and_system_cudnn\"\n[env]\nLD_LIBRARY_PATH = \"/usr/lib/x86_64-linux-gnu\"\n");
  const auto report = machine.Explain(machine.Run("ValueError: no such file\n", false));
  EXPECT_EQ(FirstCause(report), "");
  EXPECT_FALSE(report.check.findings.empty());
}

// What `nvcc a.cu` makes returns CUDA's status, without a word.
record::Run SilentProgram(const Machine& machine, int64_t exit_status) {
  record::Run run = machine.Run("", /*torch=*/false);
  run.exit_status = exit_status;
  return run;
}

void AskInVain(record::Run& run, const char* name) {
  run.processes[0].failed_requests.push_back(
      {.at = kSecond,
       .name = name,
       .requester = run.processes[0].program,
       .dlopen = true,
       .attempts = {{.path = std::string("/lib/") + name, .outcome = base::LoadOutcome::kMissing}}});
}

TEST(Run, AnExitStatusOfCudaWhereThereIsNoDriver) {
  Machine machine("world = \"bare\"\n");
  record::Run run = SilentProgram(machine, 35);
  AskInVain(run, "libcuda.so.1");
  const auto report = machine.Explain(run);
  EXPECT_EQ(FirstCause(report), "driver-missing") << report.headline;
  ASSERT_FALSE(report.failed_loads.empty());
  EXPECT_FALSE(report.failed_loads.front().survived);
}

TEST(Run, AProgramOfItsOwnWordsIsNotBlamedOnTheDriver) {
  Machine machine("world = \"bare\"\n");
  record::Run run =
      machine.Run("Traceback (most recent call last):\nValueError: bad batch\n", /*torch=*/false);
  AskInVain(run, "libcuda.so.1");
  const auto report = machine.Explain(run);
  EXPECT_EQ(FirstCause(report), "") << report.headline;
  EXPECT_HAS(report.headline, "ValueError: bad batch");
}

TEST(Run, WhatWasNotSeenIsNotTold) {
  Machine machine("world = \"bare\"\n");
  const auto report = machine.Explain(SilentProgram(machine, 35));
  EXPECT_EQ(FirstCause(report), "") << "it may mean anything: the program has nothing to do with CUDA";
  EXPECT_HAS(report.headline, "could not tell why");
}

}  // namespace
}  // namespace culprit::watched
