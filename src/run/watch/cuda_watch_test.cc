// What makes CUDA calls visible: CUPTI found, variables set, logs read.
#include "run/watch/cuda_watch.h"

#include <gtest/gtest.h>

#include "system/memory.h"

namespace culprit::watch {
namespace {

using Strings = std::vector<std::string>;

std::string Elf(char machine) {
  std::string bytes = std::string(
                          "\x7f"
                          "ELF\x02\x01\x01",
                          7) +
                      std::string(57, '\0');
  bytes[18] = machine;
  return bytes;
}
const std::string kHere = Elf(62), kOther = Elf(static_cast<char>(183));

class Cupti : public testing::Test {
 protected:
  Cupti() {
    machine_.SetCpu({.machine = "x86_64", .platform = "", .isa_levels = {}, .legacy_caps = {}});
    machine_.SetEnvironment({{"PATH", "/usr/bin"}, {"HOME", "/home/u"}});
    machine_.SetWorkingDirectory("/home/u");
    machine_.AddFile("/usr/bin/python3.12", kHere, 0755);
    machine_.AddLink("/usr/bin/python3", "python3.12");
    machine_.AddFile("/usr/local/cuda-13.0/targets/x86_64-linux/lib/libcupti.so.2025.3.1", kHere);
    machine_.AddLink("/usr/local/cuda-13.0/targets/x86_64-linux/lib/libcupti.so.13", "libcupti.so.2025.3.1");
    machine_.AddLink("/usr/local/cuda-13.0/lib64", "targets/x86_64-linux/lib");
    machine_.AddLink("/usr/local/cuda", "cuda-13.0");
    machine_.AddLink("/home/u/venv/bin/python", "/usr/bin/python3");
    machine_.AddFile("/home/u/venv/pyvenv.cfg", "home = /usr/bin\n");
    machine_.AddFile(site_ + "/nvidia/cuda_cupti/lib/libcupti.so.12", kHere);
    machine_.AddFile(site_ + "/triton/backends/nvidia/lib/cupti/libcupti.so.12", kHere);
  }

  const std::string site_ = "/home/u/venv/lib/python3.12/site-packages";
  const std::string toolkit_ = "/usr/local/cuda/lib64/libcupti.so.13";
  system::MemorySystem machine_;
};

TEST_F(Cupti, OfTheCommandsPythonFirstThatOfTritonLast) {
  const Strings expected = {site_ + "/nvidia/cuda_cupti/lib/libcupti.so.12", toolkit_,
                            site_ + "/triton/backends/nvidia/lib/cupti/libcupti.so.12"};
  EXPECT_EQ(FindCupti(machine_, {"venv/bin/python", "train.py"}), expected);
  machine_.AddFile("/home/u/venv/bin/torchrun", "#!/home/u/venv/bin/python -s\nimport sys\n", 0755);
  EXPECT_EQ(FindCupti(machine_, {"/home/u/venv/bin/torchrun"}), expected);
  machine_.AddFile("/home/u/train.py", "#!/usr/bin/env python\n", 0755);
  machine_.SetEnvironment({{"PATH", "/home/u/venv/bin:/usr/bin"}});
  EXPECT_EQ(FindCupti(machine_, {"./train.py"}), expected);
}

TEST_F(Cupti, OfAProgramThatIsNoPython) {
  machine_.AddFile("/home/u/app", kHere, 0755);
  EXPECT_EQ(FindCupti(machine_, {"./app"}), Strings{toolkit_});
  machine_.SetEnvironment({{"VIRTUAL_ENV", "/home/u/venv"}, {"CUDA_HOME", "/usr/local/cuda-13.0"}});
  EXPECT_EQ(
      FindCupti(machine_, {"./app"}),
      (Strings{site_ + "/nvidia/cuda_cupti/lib/libcupti.so.12", "/usr/local/cuda-13.0/lib64/libcupti.so.13",
               site_ + "/triton/backends/nvidia/lib/cupti/libcupti.so.12"}));
  EXPECT_FALSE(FindCupti(machine_, {}).empty());
}

TEST_F(Cupti, NotOfAnotherCpuAndNoBrokenFile) {
  machine_.AddFile(site_ + "/nvidia/cuda_cupti/lib/libcupti.so.12", kOther);
  machine_.AddFile(site_ + "/triton/backends/nvidia/lib/cupti/libcupti.so.12", "");
  machine_.AddFile(site_ + "/nvidia/cu13/lib/libcupti.so.13", kHere.substr(0, 19));
  machine_.AddLink(site_ + "/nvidia/cu14/lib/libcupti.so.14", "nowhere");
  EXPECT_EQ(FindCupti(machine_, {"venv/bin/python"}), Strings{toolkit_});
}

TEST_F(Cupti, LooksAtFewPlaces) {
  machine_.ClearAccessed();
  FindCupti(machine_, {"venv/bin/python"});
  EXPECT_LT(machine_.accessed().size(), 80u);
}

TEST(CudaSwitches, StayAwayFromWhatTheUserHasSet) {
  const Switches calls = SwitchesForCalls({{"CUDA_INJECTION64_PATH", "/mine.so"}}, "/ours.so", {"/c"});
  EXPECT_TRUE(calls.variables.empty());
  ASSERT_EQ(calls.watched.size(), 1u);
  EXPECT_EQ(calls.watched[0].why_not, "CUDA_INJECTION64_PATH is already set; culprit does not change it");
  const Switches logs = SwitchesForLogs({{"CUDNN_LOGINFO_DBG", "1"}, {"CUDA_LOG_FILE", "stderr"}}, "/tmp/x");
  EXPECT_TRUE(logs.variables.empty());
  EXPECT_EQ(logs.watched.size(), 2u);
}

TEST(CudaSwitches, SetBoth) {
  const auto calls = SwitchesForCalls({{"CUDA_INJECTION64_PATH", ""}}, "/ours.so", {"/a", "/b"}).variables;
  EXPECT_EQ(calls, (std::map<std::string, std::string>{{"CUDA_INJECTION64_PATH", "/ours.so"},
                                                       {"CULPRIT_CUPTI", "/a:/b"}}));
  const auto logs = SwitchesForLogs({}, "/tmp/x").variables;
  EXPECT_EQ(logs.at("CUDNN_LOGDEST_DBG"), "/tmp/x/cudnn.%i.log");
  EXPECT_EQ(logs.at("CUDA_LOG_FILE"), "/tmp/x/cuda.log");
}

const CudaLog kDriver{record::Channel::kCudaLog, "", 0}, kCudnn{record::Channel::kCudnnLog, "", 476};

// As driver 580 writes it.
constexpr std::string_view kDriverText =
    "[02:00:50.970][1405][CUDA][E] No CUDA context is current to the calling thread\n"
    "[02:00:50.970][1405][CUDA][E] Returning 201 (CUDA_ERROR_INVALID_CONTEXT) from cuCtxGetDevice_v2\n"
    "[02:00:51.000][1405][CUDA][E] Kernel ($__internal_9) cannot be found in library\n"
    "[02:00:51.714][1405][CUDA][E] Returning 2 (CUDA_ERROR_OUT_OF_MEMORY) from cuMemAlloc_v2\n"
    "[02:00:51.762][1405][CUDA][E] Returning 2 (CUDA_ERROR_OUT_OF_MEMORY) from cuMemAlloc_v2\n"
    "[02:01:01.739][1397][CUDA][E] One or more of block dimensions of (4096,1,1) exceeds the maximum\n"
    "[02:01:01.739][1397][CUDA][E] Returning 1 (CUDA_ERROR_INVALID_VALUE) from cuLaunchKernel\n"
    "[02:01:01.8";

TEST(DriverLog, GivesTheCallsThatFailed) {
  const auto calls = CallsOf(kDriver, kDriverText, (2 * 3600 + 50) * 1'000'000LL);
  ASSERT_EQ(calls.size(), 2u);
  EXPECT_EQ(calls[0].call.function, "cuMemAlloc_v2");
  EXPECT_EQ(calls[0].call.status, "CUDA_ERROR_OUT_OF_MEMORY");
  EXPECT_EQ(calls[0].call.code, 2);
  EXPECT_EQ(calls[0].call.at, 1'714'000u);
  EXPECT_EQ(calls[0].call.detail, "");  // what stands before it was said of something else
  EXPECT_EQ(calls[0].call.count, 2u);
  EXPECT_EQ(calls[1].call.function, "cuLaunchKernel");
  EXPECT_EQ(calls[1].call.detail, "One or more of block dimensions of (4096,1,1) exceeds the maximum");
  EXPECT_EQ(CallsOf(kDriver, kDriverText)[1].call.at, 0u);
}

constexpr std::string_view kCudnnText =
    "\nW! CuDNN (v91900 56) function cudnnBatchNormalizationBackwardEx() called:\n"
    "w!         Warning: CUDNN_STATUS_NOT_SUPPORTED; Reason: !canRunSemiPersist\n"
    "w! Process=476; Thread=963; GPU=NULL; Handle=NULL; StreamId=NULL.\n\n\n"
    "E! CuDNN (v91900 56) function cudnnSetTensor4dDescriptor() called:\n"
    "e!         Error: CUDNN_STATUS_BAD_PARAM; Reason: (n <= 0) || (c <= 0)\n"
    "e!         Error: CUDNN_STATUS_INTERNAL_ERROR; Reason: passed on\n"
    "e! Time: 2026-11-16T00:00:01.500000 (0d+0h+0m+0s since start)\n"
    "e! Process=477; Thread=478; GPU=NULL; Handle=NULL; StreamId=NULL.\n\n\n"
    "E! CuDNN (v8700) function cudnnCreate() called:\n"
    "e!     Error: CUDNN_STATUS_NOT_INITIALIZED; Reason: cut o";

TEST(CudnnLog, GivesErrorsAndNoWarnings) {
  const auto calls = CallsOf(kCudnn, kCudnnText, (86'400 - 1) * 1'000'000LL);
  ASSERT_EQ(calls.size(), 2u);
  EXPECT_EQ(calls[0].call.function, "cudnnSetTensor4dDescriptor");
  EXPECT_EQ(calls[0].call.status, "CUDNN_STATUS_BAD_PARAM");
  EXPECT_EQ(calls[0].call.code, 2000);
  EXPECT_EQ(calls[0].call.detail, "(n <= 0) || (c <= 0)");
  EXPECT_EQ(calls[0].process, 477);
  EXPECT_EQ(calls[0].call.thread, 478);
  EXPECT_EQ(calls[0].call.at, 2'500'000u);  // past midnight
  EXPECT_EQ(calls[1].call.code, 1);
  EXPECT_EQ(calls[1].process, 476);
}

TEST(Logs, MayBeCutAnywhereAndSpoiled) {
  for (const auto& [log, text] : {std::pair(kDriver, kDriverText), std::pair(kCudnn, kCudnnText)}) {
    for (size_t i = 0; i < text.size(); ++i) {
      std::string spoiled(text);
      spoiled[i] = static_cast<char>(i % 2 == 0 ? '\n' : '9');
      EXPECT_LE(CallsOf(log, text.substr(i), 5).size(), 2u);
      EXPECT_LE(CallsOf(log, text.substr(0, i), 5).size(), 2u);
      EXPECT_LE(CallsOf(log, spoiled, 5).size(), 3u);
    }
  }
}

TEST(AddLoggedCalls, EnrichesWhatWasSeenAndAddsTheRest) {
  record::Run run;
  run.processes.resize(2);
  run.processes[0].id = 1;
  run.processes[1].id = 2;
  run.processes[1].loads.push_back({.path = "/usr/lib/libcuda.so.1"});
  run.processes[1].failed_calls.push_back({.at = 9,
                                           .api = base::CudaApi::kDriver,
                                           .function = "cuLaunchKernel",
                                           .code = 1,
                                           .source = base::CallSource::kCupti});
  LoggedCall launch, start;
  launch.call = {.at = 8,
                 .api = base::CudaApi::kDriver,
                 .function = "cuLaunchKernel",
                 .code = 1,
                 .detail = "too many threads",
                 .source = base::CallSource::kCudaLog};
  start.call = {.at = 5,
                .api = base::CudaApi::kDriver,
                .function = "cuInit",
                .code = 100,
                .source = base::CallSource::kCudaLog};
  AddLoggedCalls(run, {launch, start});
  EXPECT_TRUE(run.processes[0].failed_calls.empty());
  ASSERT_EQ(run.processes[1].failed_calls.size(), 2u);
  EXPECT_EQ(run.processes[1].failed_calls[0].function, "cuInit");
  EXPECT_EQ(run.processes[1].failed_calls[1].said, "too many threads");
  EXPECT_EQ(run.processes[1].failed_calls[1].count, 1u);
}

TEST(ForgetOurOwn, TakesOutWhatOurLibraryLoaded) {
  record::Run run;
  run.processes.resize(1);
  const auto load = [&](const std::string& path, const std::string& requester) {
    record::Loaded loaded;
    loaded.path = path;
    loaded.requester = requester;
    run.processes[0].loads.push_back(loaded);
  };
  load("/usr/lib/libcuda.so.1", "/app");
  load("/tmp/x/culprit-injection.so", "/usr/lib/libcuda.so.1");
  load("/triton/libcupti.so.12", "/tmp/x/culprit-injection.so");
  load("/triton/libnvperf.so", "/triton/libcupti.so.12");
  load("/app/libcupti.so.13", "/app/libtorch.so");
  record::Request request;
  request.requester = "/tmp/x/culprit-injection.so";
  run.processes[0].failed_requests = {request, {}};
  ForgetOurOwn(run);
  ASSERT_EQ(run.processes[0].loads.size(), 2u);
  EXPECT_EQ(run.processes[0].loads[1].path, "/app/libcupti.so.13");
  EXPECT_EQ(run.processes[0].failed_requests.size(), 1u);
}

}  // namespace
}  // namespace culprit::watch
