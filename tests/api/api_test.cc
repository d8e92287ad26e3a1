// libculprit as a program uses it: a small program (user.cc) runs with the fake drivers of tests/probe, with
// none, and with variables that hide them; plus the parts that need no process.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "api/choose_device.h"
#include "api/reason.h"
#include "api/status_name.h"
#include "run_program.h"

namespace culprit::api {
namespace {

const std::string kFakes = CULPRIT_FAKES;
const std::string kDriver = "LD_LIBRARY_PATH=" + kFakes + "/driver ";

// The output of user.cc with these variables ("A=1 B=2 ").
std::string User(const std::string& variables, const std::string& arguments) {
  return RunProgram("env -u CUDA_VISIBLE_DEVICES " + variables + CULPRIT_USER + " " + arguments).output;
}
// The value of one of its lines.
std::string Fact(const std::string& output, const std::string& name) {
  const size_t at = ("\n" + output).find("\n" + name + " ");
  if (at == std::string::npos) return "(no " + name + " in: " + output + ")";
  const size_t begin = at + name.size() + 1;
  return output.substr(begin, output.find('\n', begin) - begin);
}
bool Contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::vector<Device> Three() {
  const auto gpu = [](int index, const char* name, const char* uuid, int major, int minor, uint64_t total_gib,
                      uint64_t free_gib) {
    return Device{.index = index,
                  .name = name,
                  .uuid = uuid,
                  .major = major,
                  .minor = minor,
                  .memory_total = total_gib << 30,
                  .memory_free = free_gib << 30};
  };
  return {gpu(0, "T4", "GPU-aa11", 7, 5, 16, 15), gpu(1, "H200", "GPU-aa22", 9, 0, 140, 2),
          gpu(2, "A100", "GPU-bb33", 8, 0, 80, 70)};
}

TEST(ChooseDevice, EachPolicyTakesItsOwn) {
  const std::vector<Device> devices = Three();
  const auto chosen = [&](const DeviceWants& wants) {
    const Choice choice = ChooseDevice(devices, wants);
    return choice.device == nullptr ? choice.why : std::to_string(choice.device->index);
  };
  EXPECT_EQ(chosen({}), "2");
  EXPECT_EQ(chosen({.policy = Policy::kHighestCapability}), "1");
  EXPECT_EQ(chosen({.policy = Policy::kIndex, .index = 0}), "0");
  EXPECT_EQ(chosen({.policy = Policy::kUuid, .uuid = "GPU-b"}), "2");
  EXPECT_EQ(chosen({.policy = Policy::kUuid, .uuid = "AA2"}), "1");
  EXPECT_EQ(chosen({.policy = Policy::kHighestCapability, .min_free_memory = 3ULL << 30}), "2");
  EXPECT_EQ(chosen({.min_major = 9}), "1");
}

TEST(ChooseDevice, SaysWhyNoneDoes) {
  const std::vector<Device> devices = Three();
  EXPECT_EQ(ChooseDevice(devices, {.policy = Policy::kUuid, .uuid = "GPU-aa"}).why,
            "the UUID prefix \"GPU-aa\" matches 2 GPUs");
  EXPECT_EQ(ChooseDevice(devices, {.policy = Policy::kUuid, .uuid = "GPU-cc"}).why,
            "no GPU with UUID GPU-cc");
  EXPECT_EQ(ChooseDevice(devices, {.policy = Policy::kIndex, .index = 7}).why,
            "there is no GPU 7: CUDA shows GPU 0 to 2");
  const Choice small = ChooseDevice({devices[0]}, {.min_major = 8});
  EXPECT_EQ(small.why, "GPU 0 (T4) is sm_75, but sm_80 or newer is required");
  EXPECT_EQ(small.cause, "arch-unsupported");
  const Choice full = ChooseDevice({devices[1]}, {.min_free_memory = 8ULL << 30});
  EXPECT_EQ(full.why, "GPU 1 (H200) has 2.0 of 140.0 GiB free, but 8.0 GiB is required");
  EXPECT_EQ(full.cause, "out-of-memory");
  Device silent = devices[0];
  silent.memory_free.reset();  // "unknown" is not "enough"
  EXPECT_EQ(ChooseDevice({silent}, {.min_free_memory = 1}).device, nullptr);
  EXPECT_NE(ChooseDevice({silent}, {}).device, nullptr);
}

TEST(Statuses, AreOfTheInterfaceThatTheCallNames) {
  EXPECT_EQ(CudaInterfaceOf("cuMemAlloc(&p, 1)"), Interface::kDriver);
  EXPECT_EQ(CudaInterfaceOf("::cuInit(0)"), Interface::kDriver);
  EXPECT_EQ(CudaInterfaceOf("cudaMalloc(&p, 1)"), Interface::kRuntime);
  EXPECT_EQ(CudaInterfaceOf("custom(1)"), Interface::kRuntime);
  EXPECT_EQ(FactsOf(Interface::kDriver, 2).name, "CUDA_ERROR_OUT_OF_MEMORY");
  EXPECT_EQ(FactsOf(Interface::kRuntime, 2).name, "cudaErrorMemoryAllocation");
  EXPECT_EQ(FactsOf(Interface::kCudnn, 1001).name, "CUDNN_STATUS_NOT_INITIALIZED");
  EXPECT_EQ(FactsOf(Interface::kCudnn, 1).name, "CUDNN_STATUS_NOT_INITIALIZED");
  EXPECT_EQ(FactsOf(Interface::kCublas, 3).name, "CUBLAS_STATUS_ALLOC_FAILED");
  EXPECT_EQ(FactsOf(Interface::kNvrtc, 987654).name, "status 987654");
}

TEST(Explanation, ErrorsComeBeforeWarningsAndLikelyCausesBeforeOthers) {
  using report::Finding;
  using report::Severity;
  const std::vector<Finding> findings = {{.code = "CUL1", .cause = "b", .severity = Severity::kWarning},
                                         {.code = "CUL2", .cause = "c", .severity = Severity::kError},
                                         {.code = "CUL3", .cause = "b", .severity = Severity::kError},
                                         {.code = "CUL4", .cause = "a", .severity = Severity::kNote}};
  EXPECT_EQ(FindExplanation(findings, {"a", "b", "c"})->code, "CUL3");
  EXPECT_EQ(FindExplanation(findings, {"c", "b"})->code, "CUL2");
  EXPECT_EQ(FindExplanation(findings, {"a", "d"}), nullptr);
}

TEST(Preflight, TakesTheGpuOfAWorkingDriver) {
  const std::string out = User(kDriver, "preflight prove driver=500");
  EXPECT_EQ(Fact(out, "usable"), "1");
  EXPECT_EQ(Fact(out, "line"), "GPU 0: Fake H200 (sm_90), 79.5 of 80.0 GiB free");
  EXPECT_EQ(Fact(out, "cuda"), "13000");
  EXPECT_TRUE(Fact(out, "device").starts_with("0 GPU-1112")) << out;
  EXPECT_EQ(User(kDriver + "FAKE_CUDA_DEVICES=2 ", "devices"), "0 Fake H200 sm_90\n1 Fake H200 sm_90\n");
}

TEST(Preflight, ChoosesAmongSeveral) {
  const std::string two = kDriver + "FAKE_CUDA_DEVICES=2 FAKE_CUDA_FREE=1000000000 ";
  EXPECT_TRUE(Fact(User(two, "preflight"), "device").starts_with("1 GPU-2223"));
  EXPECT_TRUE(Fact(User(two, "preflight policy=2 index=0"), "device").starts_with("0 "));
  EXPECT_TRUE(Fact(User(two, "preflight policy=3 uuid=GPU-1112"), "device").starts_with("0 "));
  const std::string out = User(two, "preflight policy=2 index=0 free=2000000000");
  EXPECT_EQ(Fact(out, "line"),
            "no usable GPU: GPU 0 (Fake H200) has 0.9 of 80.0 GiB free, but 1.9 GiB is required; running on "
            "the CPU");
  EXPECT_EQ(Fact(out, "cause"), "out-of-memory");
}

TEST(Preflight, NamesTheVariableThatHidesTheGpu) {
  const std::string hidden = User(kDriver + "CUDA_VISIBLE_DEVICES=-1 ", "preflight");
  EXPECT_EQ(Fact(hidden, "line"),
            "no GPU: CUDA_VISIBLE_DEVICES=-1 hides the GPU (CUL2001); running on the CPU");
  EXPECT_EQ(Fact(hidden, "command"), "unset CUDA_VISIBLE_DEVICES");
  const std::string wrong = User(kDriver + "CUDA_VISIBLE_DEVICES=7 ", "preflight fallback=OpenCL");
  EXPECT_EQ(Fact(wrong, "code"), "CUL2002");
  EXPECT_TRUE(Fact(wrong, "line").ends_with("; falling back to OpenCL")) << wrong;
}

TEST(Preflight, FallsBackWithOneLineWhereThereIsNoDriver) {
  if (std::filesystem::exists("/proc/driver/nvidia")) GTEST_SKIP() << "this machine has an NVIDIA driver";
  const std::string out = User("", "preflight");
  EXPECT_EQ(Fact(out, "usable"), "0");
  EXPECT_EQ(Fact(out, "cause"), "driver-missing");
  EXPECT_EQ(Fact(out, "code"), "CUL1001");
  EXPECT_EQ(Fact(out, "fallback"), "cpu");
  EXPECT_TRUE(Fact(out, "line").starts_with("no GPU: no NVIDIA driver")) << out;
  EXPECT_TRUE(Fact(out, "line").ends_with("(CUL1001); running on the CPU")) << out;
  EXPECT_EQ(User("", "devices"), "");
}

TEST(Preflight, TellsAStubFromADriver) {
  const std::string out = User("LD_LIBRARY_PATH=" + kFakes + "/stubs ", "preflight");
  EXPECT_EQ(Fact(out, "usable"), "0");
  EXPECT_EQ(Fact(out, "cause"), "search-path") << out;
}

TEST(Preflight, AKernelThatFailsOrComputesWronglyIsNoProof) {
  EXPECT_EQ(Fact(User(kDriver + "FAKE_CUDA=cuLaunchKernel=wrong ", "preflight"), "usable"), "1");
  const std::string wrong = User(kDriver + "FAKE_CUDA=cuLaunchKernel=wrong ", "preflight prove");
  EXPECT_EQ(Fact(wrong, "usable"), "0");
  EXPECT_TRUE(Contains(wrong, "wrong-result")) << wrong;
  const std::string refused = User(kDriver + "FAKE_CUDA=cuModuleLoadDataEx=222 ", "preflight prove");
  EXPECT_EQ(Fact(refused, "cause"), "driver-too-old") << refused;
}

TEST(Preflight, RefusesADriverThatIsTooOldOrNoVersion) {
  const std::string old = User(kDriver, "preflight driver=9999.1");
  EXPECT_EQ(Fact(old, "cause"), "driver-too-old");
  EXPECT_TRUE(Contains(Fact(old, "line"), "but 9999.1 or newer is required")) << old;
  EXPECT_EQ(Fact(User(kDriver, "preflight driver=new"), "usable"), "0");
}

TEST(Preflight, KnowsWhichCudnnTheProcessWouldGet) {
  const std::string with = "LD_LIBRARY_PATH=" + kFakes + "/driver:" + kFakes + "/cudnn-91400" + " ";
  const std::string good = User(with, "preflight cudnn=9.1");
  EXPECT_EQ(Fact(good, "cudnn"), "9.14.0 " + kFakes + "/cudnn-91400" + "/libcudnn.so.9") << good;
  EXPECT_EQ(Fact(good, "usable"), "1") << good;
  const std::string old = User(with, "preflight cudnn=9.15");
  EXPECT_EQ(Fact(old, "cause"), "cudnn-version-mismatch") << old;
  const std::string none = User(with, "preflight cudnn=8");
  EXPECT_EQ(Fact(none, "usable"), "0");
  EXPECT_TRUE(Fact(none, "code").starts_with("CUL300")) << none;
}

TEST(Errors, NameCallPlaceStatusAndTheHolderOfTheMemory) {
  // This process plays the one that uses the memory.
  const std::string pid = std::to_string(getpid());
  const std::string out =
      User(kDriver + "FAKE_CUDA_HOLDER=" + pid + ":85000000000:trainer FAKE_CUDA_FREE=1000000 ",
           "error 0 2 'cudaMalloc(&p, n)' libcuda.so.1");
  EXPECT_TRUE(
      Contains(out, "what cudaMalloc(&p, n) failed at train.cc:42: cudaErrorMemoryAllocation (2): GPU 0"))
      << out;
  EXPECT_TRUE(Contains(Fact(out, "summary"), "process " + pid + " (")) << out;
  EXPECT_TRUE(Contains(Fact(out, "summary"), "uses 79.2 GiB")) << out;
  EXPECT_EQ(Fact(out, "cause"), "out-of-memory");
  EXPECT_EQ(Fact(out, "proven"), "1");
}

TEST(Errors, CudnnPartsOfTwoVersionsInThisProcessAreNamed) {
  const std::string out =
      User("LD_LIBRARY_PATH=" + kFakes + "/driver:" + kFakes + "/cudnn-91400 ",
           "error 1 1001 'cudnnCreate(&h)' " + kFakes + "/cudnn-91400/libcudnn_graph.so.9 " + kFakes +
               "/cudnn-91900/libcudnn.so.9");
  EXPECT_EQ(Fact(out, "code"), "CUL3004") << out;
  EXPECT_EQ(Fact(out, "cause"), "cudnn-mixed-versions");
  EXPECT_TRUE(Contains(Fact(out, "summary"), "9.19.0")) << out;
  EXPECT_TRUE(Contains(Fact(out, "summary"), kFakes + "/cudnn-91400")) << out;
}

TEST(Errors, ADriverThatDoesNotWorkIsTheReasonWhateverTheStatus) {
  for (const char* call :
       {"0 100 'cudaSetDevice(0)'", "1 1001 'cudnnCreate(&h)'", "2 1 'cublasCreate(&h)'"}) {
    EXPECT_EQ(Fact(User(kDriver + "CUDA_VISIBLE_DEVICES=-1 ", std::string("error ") + call), "code"),
              "CUL2001")
        << call;
  }
  // One that works is not, nor is memory if there is enough of it.
  const std::string out = User(kDriver, "error 1 1001 'cudnnCreate(&h)'");
  EXPECT_NE(Fact(out, "cause"), "out-of-memory") << out;
  EXPECT_EQ(Fact(out, "proven"), "0") << out;
}

// As check, run, explain --here and probe say (tests/run/causes/one_answer_test.py).
TEST(Errors, WithoutADriverEveryStatusSaysSo) {
  if (std::filesystem::exists("/proc/driver/nvidia")) GTEST_SKIP() << "this machine has an NVIDIA driver";
  for (const char* call : {"0 35 'cudaMalloc(&p, n)'", "0 100 'cudaSetDevice(0)'", "1 1001 'cudnnCreate(&h)'",
                           "2 1 'cublasCreate(&h)'"}) {
    EXPECT_EQ(Fact(User("", std::string("error ") + call), "code"), "CUL1001") << call;
  }
}

TEST(Errors, NumbersOfCudnnAreThoseOfTheLoadedMajor) {
  EXPECT_EQ(
      Fact(User("", "off error 1 8 'cudnnX()' " + kFakes + "/cudnn-8907/libcudnn_ops_infer.so.8"), "name"),
      "CUDNN_STATUS_EXECUTION_FAILED");
  EXPECT_TRUE(Fact(User("", "throw"), "caught").starts_with("1000 + 1 1001 CUDNN_STATUS_NOT_INITIALIZED "));
}

TEST(Errors, WithoutExplainingTheyHaveNameAndMeaningAlone) {
  const std::string out = User(kDriver, "off error 0 35 'cudaSetDevice(0)'");
  EXPECT_EQ(Fact(out, "name"), "cudaErrorInsufficientDriver");
  EXPECT_EQ(Fact(out, "cause"), "");
  EXPECT_FALSE(Fact(out, "meaning").empty());
  EXPECT_EQ(User("", "error 0 0 'cudaFree(p)'"), "ok\n");
}

TEST(Errors, WhatNothingProvesIsToldAsTheUsualMeaning) {
  const std::string out = User(kDriver, "error 0 700 'cudaDeviceSynchronize()'");
  EXPECT_EQ(Fact(out, "cause"), "application-bug");
  EXPECT_EQ(Fact(out, "proven"), "0");
}

TEST(Threads, MayCallAtOnceAndNoneIsLeftBehind) { EXPECT_EQ(User(kDriver, "threads"), "threads left 0\n"); }

}  // namespace
}  // namespace culprit::api
