// CUDA calls that fail: no device, no memory, a kernel that goes wrong, and what tools say about kernels.
#include <gtest/gtest.h>

#include "watched_machine.h"

namespace culprit::watched {
namespace {

TEST(Run, ADeviceThatIsNotThere) {
  Machine machine("world = \"torch\"\n[env]\nCUDA_VISIBLE_DEVICES = \"7\"\n");
  record::Run run = machine.Run(
      "Traceback (most recent call last):\n  File \"train.py\", line 2, in <module>\n"
      "    torch._C._cuda_init()\nRuntimeError: No CUDA GPUs are available\n");
  for (const bool called : {false, true}) {  // with and without CUPTI
    if (called) run.processes[0].failed_calls = {Call("cuInit", 100)};
    const auto report = machine.Explain(run);
    EXPECT_EQ(FirstCause(report), "gpu-not-visible");
    EXPECT_GT(Confidence(report), 0.9);
    EXPECT_HAS(report.headline, "CUDA_VISIBLE_DEVICES=7");
    EXPECT_EQ(report.first_failure.has_value(), called);
  }
}

std::string OutOfMemory(const std::string& wanted, const std::string& free, const std::string& others,
                        const std::string& own = "528.00 MiB") {
  return "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate " + wanted +
         ". GPU 0 has a total capacity of 139.81 GiB of which " + free + " is free. " + others +
         "Including non-PyTorch memory, this process has " + own +
         " memory in use. Of the allocated memory 0 bytes is allocated by PyTorch, and 0 bytes is reserved "
         "by "
         "PyTorch but unallocated.\n";
}

TEST(Run, MemoryThatNoGpuHas) {
  Machine machine("world = \"torch\"\n");
  record::Run run = machine.Run(OutOfMemory("16384.00 GiB", "139.27 GiB", ""));
  // The allocator tries, frees its cache and tries again. The program survived a failure long before that.
  run.processes[0].failed_calls = {Call("cudaMalloc", 2, kSecond), Call("cuMemAlloc_v2", 2, 9 * kSecond),
                                   Call("cudaMalloc", 2, 9 * kSecond + 50),
                                   Call("cudaMalloc", 2, 9 * kSecond + 5000)};
  const auto report = machine.Explain(run);
  EXPECT_EQ(FirstCause(report), "out-of-memory");
  EXPECT_HAS(report.headline, "requested 16.0 TiB in one allocation, and the GPU has 139.8 GiB");
  ASSERT_TRUE(report.first_failure);
  EXPECT_EQ(report.first_failure->function, "cudaMalloc");
  EXPECT_EQ(report.first_failure->status, "cudaErrorMemoryAllocation");
  EXPECT_NEAR(report.first_failure->seconds, 9, 0.01);
}

TEST(Run, MemoryThatAnotherProcessHolds) {
  Machine machine("world = \"torch\"\n");
  const auto named = machine.Explain(
      machine.Run(OutOfMemory("2.00 GiB", "1.27 GiB", "Process 99 has 137.80 GiB memory in use. ")));
  EXPECT_EQ(FirstCause(named), "out-of-memory");
  EXPECT_HAS(named.headline, "process 99 uses 137.8 GiB of 139.8 GiB");
  EXPECT_EQ(named.explanation.causes.front().commands.front().Text(), "ps -fp 99");
  // In a container the driver does not name the process; the numbers still show it.
  const auto unnamed = machine.Explain(machine.Run(OutOfMemory("2.00 GiB", "1.27 GiB", "")));
  EXPECT_HAS(unnamed.headline, "another process uses 138.0 GiB of 139.8 GiB");
  const auto own = machine.Explain(machine.Run(OutOfMemory("2.00 GiB", "1.27 GiB", "", "138.10 GiB")));
  EXPECT_HAS(own.headline, "the program itself filled the GPU: it used 138.1 GiB");
}

TEST(Run, AKernelOutOfItsBounds) {
  Machine machine("world = \"torch\"\n");
  record::Run run = machine.Run("");  // the program printed nothing
  run.processes[0].failed_calls = {
      Call("cuStreamSynchronize", 700, 8 * kSecond, "scatter(float*, int)"),
      Call("cudaStreamSynchronize", 700, 8 * kSecond + 20, "scatter(float*, int)"), Call("cudaFree", 700),
      Call("cudaEventDestroy", 4)};
  const auto report = machine.Explain(run);
  EXPECT_EQ(FirstCause(report), "application-bug");
  EXPECT_GT(Confidence(report), 0.9);
  EXPECT_HAS(report.headline, "cudaStreamSynchronize returned cudaErrorIllegalAddress (700)");
  EXPECT_HAS(report.headline, "scatter(float*, int)");
  EXPECT_EQ(report.other_failures.size(), 2u);
}

TEST(Run, WhatAToolSawOfAKernel) {
  Machine machine("world = \"torch\"\n");
  record::Run run = machine.Run("");
  run.exit_status = 0;
  run.texts.push_back({.name = record::Channel::kSanitizer,
                       .beginning = "========= COMPUTE-SANITIZER\n"
                                    "========= Invalid __global__ write of size 4 bytes\n"
                                    "=========     at scatter(float *, int)+0x70 in scatter.cu:12\n"
                                    "=========     by thread (3,0,0) in block (0,0,0)\n"
                                    "=========     Access to 0x7f0000000010 is out of bounds\n"
                                    "=========     and is 13 bytes after the nearest allocation\n"
                                    "========= \n"
                                    "========= ERROR SUMMARY: 1 error\n"});
  const auto report = machine.Explain(run);
  EXPECT_HAS(report.headline, "Invalid __global__ write of size 4 bytes in kernel scatter");
  EXPECT_HAS(report.headline, "scatter.cu:12");
  EXPECT_EQ(FirstCause(report), "application-bug");
  EXPECT_GT(Confidence(report), 0.9);
}

TEST(Run, AToolNamesOnlyWhatStopsAKernel) {
  Machine machine("world = \"torch\"\n");
  record::Run run = machine.Run(
      "/src/take.cu:7: void take(int*): block: [0,0,0], thread: [3,0,0] Assertion `i < 2` failed.\n");
  run.texts.push_back({.name = record::Channel::kSanitizer,
                       .beginning = "========= COMPUTE-SANITIZER\n"
                                    "========= Warp assert\n"
                                    "=========     at __assertfail+0x19a0\n"
                                    "=========     by thread (3,0,0) in block (0,0,0)\n"
                                    "========= \n"
                                    "========= ERROR SUMMARY: 1 error\n"});
  const auto report = machine.Explain(run);
  ASSERT_FALSE(report.kernel_errors.empty());
  EXPECT_EQ(report.kernel_errors[0].kernel, "take(int*)");
  EXPECT_EQ(report.kernel_errors[0].file, "/src/take.cu");
  EXPECT_EQ(report.kernel_errors[0].line, 7u);
}

// Healthy programs have such lines in the driver's log.
TEST(Run, TheLogOfTheDriverIsNoOutput) {
  Machine machine("world = \"torch\"\n");
  record::Run run = machine.Run("");
  run.exit_status = 0;
  run.texts.push_back(
      {.name = record::Channel::kCudaLog,
       .beginning =
           "[02:45:12.589][140160565263936][CUDA][E] Returning 201 (CUDA_ERROR_INVALID_CONTEXT) from "
           "cuCtxGetDevice_v2\n"});
  EXPECT_TRUE(machine.Explain(run).explanation.causes.empty());
}

TEST(Run, AnAssertionInAKernel) {
  Machine machine("world = \"torch\"\n");
  record::Run run = machine.Run(
      "/src/take.cu:7: void take(int*): block: [0,0,0], thread: [3,0,0] Assertion `i < 2` failed.\n"
      "torch.AcceleratorError: CUDA error: device-side assert triggered\n");
  run.processes[0].failed_calls = {Call("cudaDeviceSynchronize", 710)};
  const auto report = machine.Explain(run);
  EXPECT_EQ(FirstCause(report), "application-bug");
  EXPECT_HAS(report.headline, "failed an assertion");
  EXPECT_HAS(report.headline, "/src/take.cu:7");
  EXPECT_FALSE(Has(report.headline, "accessed invalid memory"));
}

}  // namespace
}  // namespace culprit::watched
