// The reports of compute-sanitizer and cuda-gdb as several versions write them. The texts are made up in
// their shape.
#include "run/tools/kernel_errors.h"

#include <gtest/gtest.h>

#include <string>

namespace culprit::run {
namespace {

std::string PlaceOf(const report::RunKernelError& error) {
  return error.kernel + " at " + error.file + ":" + std::to_string(error.line);
}

TEST(SanitizerReport, SameErrorOfManyThreadsIsOneEntry) {
  std::string text = "========= COMPUTE-SANITIZER\n";
  for (int thread = 0; thread < 1000; ++thread)
    text +=
        "========= Invalid __global__ write of size 4 bytes\n"
        "=========     at scale(float *, int)+0x70 in /src/my app/scale.cu:12\n"
        "=========     by thread (" +
        std::to_string(thread) +
        ",0,0) in block (0,0,0)\n"
        "=========     Address 0x7f" +
        std::to_string(thread) +
        " is out of bounds\n"
        "=========     and is 1 bytes after the nearest allocation at 0x7f00 of size 16 bytes\n"
        "=========     Saved host backtrace up to driver entry point at kernel launch time\n"
        "=========         Host Frame: launch(float*) in scale.cc:40 [0x8ae3] in app\n"
        "=========         Host Frame: main [0x8a94] in app\n"
        "=========\n";
  text +=
      "========= Program hit cudaErrorLaunchFailure (error 719) due to \"unspecified launch failure\" on "
      "CUDA API "
      "call to cudaDeviceSynchronize.\n"
      "=========     Saved host backtrace up to driver entry point at error\n"
      "=========     Host Frame:cudaDeviceSynchronize [0x743fb]\n"
      "=========                in /opt/lib/libcudart.so.12\n"
      "========= \n"
      "========= Target application returned an error\n"
      "========= ERROR SUMMARY: 4,001 errors\n"
      "========= ERROR SUMMARY: 3000 errors were not printed. Use --print-limit option to adjust\n";
  const KernelFindings found = ReadSanitizerReport(text);
  ASSERT_EQ(found.errors.size(), 2u);
  const report::RunKernelError& write = found.errors[0];
  EXPECT_EQ(write.kind, "Invalid __global__ write of size 4 bytes");
  EXPECT_EQ(PlaceOf(write), "scale(float *, int) at /src/my app/scale.cu:12");
  EXPECT_EQ(write.where, "by thread (0,0,0) in block (0,0,0)");
  EXPECT_EQ(write.detail,
            "Address 0x7f0 is out of bounds, and is 1 bytes after the nearest allocation at 0x7f00 of size "
            "16 bytes");
  EXPECT_EQ(write.count, 1000u);
  ASSERT_EQ(write.host_frames.size(), 2u);
  EXPECT_EQ(write.host_frames[0], "launch(float*) in scale.cc:40 [0x8ae3] in app");
  EXPECT_TRUE(found.errors[1].kernel.empty());
  EXPECT_TRUE(found.errors[1].kind.ends_with("call to cudaDeviceSynchronize"));
  EXPECT_EQ(found.errors[1].host_frames[0], "cudaDeviceSynchronize [0x743fb] in /opt/lib/libcudart.so.12");
  EXPECT_EQ(found.total, 4001u);
  EXPECT_TRUE(found.not_checked.empty());
}

TEST(SanitizerReport, PlacesOfOlderVersions) {
  const KernelFindings found = ReadSanitizerReport(
      "========= Invalid __shared__ read of size 8 bytes\n"
      "=========     at 0x000000c8 in /src/a.cuh:75:void ns::project<double>(double*, int)\n"
      "=========     by thread (9,0,0) in block (0,0,0)\n"
      "=========     Device Frame:/src/a.cu:20:outer(int*) (outer(int*) : 0x8f0)\n"
      "=========\n"
      "========= Invalid __global__ read of size 8 bytes\n"
      "=========     at 0x3b0 in void boot<unsigned long,Degree<int=2048>>(unsigned long*)\n"
      "========= Barrier error detected. Divergent thread(s) in warp.\n"
      "=========     at __syncwarp(unsigned int)+0xe0 in sm_30_intrinsics.hpp:110\n"
      "=========         Device Frame: broken(float *)+0xb0 in /src/k.cu:12\n"
      "========= ERROR SUMMARY: 3 errors\n");
  ASSERT_EQ(found.errors.size(), 3u);
  EXPECT_EQ(PlaceOf(found.errors[0]), "outer(int*) at /src/a.cuh:75");
  EXPECT_EQ(found.errors[0].detail, "called at /src/a.cu:20, in void ns::project<double>(double*, int)");
  EXPECT_EQ(found.errors[1].kernel, "void boot<unsigned long,Degree<int=2048>>(unsigned long*)");
  EXPECT_EQ(found.errors[1].line, 0u);
  EXPECT_EQ(found.errors[2].kernel, "broken(float *)");
  EXPECT_EQ(found.errors[2].detail, "called at /src/k.cu:12, in __syncwarp(unsigned int)");
}

TEST(SanitizerReport, RacesLeaksAndUninitialisedReads) {
  const KernelFindings found = ReadSanitizerReport(
      "========= Error: Race reported between Write access at sum(int *)+0x60 in s.cu:9\n"
      "=========     and Read access at sum(int *)+0x90 in s.cu:11 [62 hazards]\n"
      "=========     and Write access at sum(int *)+0xa0 in s.cu:12 [2 hazards]\n"
      "=========\n"
      "========= Uninitialized __global__ memory read of size 2 bytes\n"
      "=========     at 0x88 in i.cu:3:first(short*)\n"
      "=========\n"
      "========= Leaked 64 bytes at 0x400200200\n"
      "=========     Host Frame: fill() [0x1] in app\n"
      "========= Leaked 32 bytes at 0x400200400\n"
      "=========     Host Frame: fill() [0x1] in app\n"
      "========= LEAK SUMMARY: 96 bytes leaked in 2 allocations\n"
      "========= RACECHECK SUMMARY: 1 hazard displayed (1 error, 2 warnings)\n");
  ASSERT_EQ(found.errors.size(), 3u);
  EXPECT_EQ(found.errors[0].kind, "Race reported between Write access and Read access");
  EXPECT_EQ(PlaceOf(found.errors[0]), "sum(int *) at s.cu:9");
  EXPECT_EQ(found.errors[0].count, 64u);
  EXPECT_EQ(found.errors[1].kernel, "first(short*)");
  EXPECT_EQ(found.errors[2].kind, "Leaked memory");
  EXPECT_EQ(found.errors[2].count, 2u);
  EXPECT_EQ(found.total, 3u);
}

TEST(SanitizerReport, WhatTheToolCouldNotDoIsNotAPass) {
  const KernelFindings found = ReadSanitizerReport(
      "========= COMPUTE-SANITIZER\n"
      "========= Error: process didn't terminate successfully\n"
      "=========     The application may have hit an error\n"
      "========= Target application terminated before first instrumented API call\n"
      "========= Error: couldn't find exit code.\n");
  EXPECT_TRUE(found.errors.empty());
  EXPECT_FALSE(found.total.has_value());
  ASSERT_EQ(found.not_checked.size(), 2u);
  EXPECT_EQ(found.not_checked[1].why, "Target application terminated before first instrumented API call");

  record::Run run;
  run.texts = {{record::Channel::kOutput, "========= Invalid x\n", 0, 0, ""},
               {record::Channel::kSanitizer, "========= COMPUTE-SANITIZER\n", 0, 0, ""}};
  const KernelFindings cut = KernelErrors(run);
  EXPECT_TRUE(cut.errors.empty());
  EXPECT_EQ(cut.not_checked.size(), 1u);
}

TEST(SanitizerReport, AnyBytes) {
  std::string text =
      "=========\n========= \n=========     at \n========= Invalid\n=========     at 0x in :1:\n"
      "=========     at x+0x in :\n========= Warning: Race reported between\n=========     and [hazards]\n"
      "=========     Device Frame: : 0x\n=========     in x\n========= ERROR SUMMARY: "
      "99999999999999999999999";
  text += std::string(5000, ':');
  for (size_t i = 0; i < text.size(); i += 7) ReadSanitizerReport(std::string_view(text).substr(i));
  for (int i = 0; i < 150; ++i)
    text += "\n========= Invalid kind " + std::to_string(i) + "\n=========     at k";
  const KernelFindings found = ReadSanitizerReport(text);
  EXPECT_EQ(found.errors.size(), kMostKernelErrors);
  EXPECT_TRUE(found.not_checked.back().why.ends_with("more different errors are not listed"));
}

TEST(CudaGdbLog, ExceptionWithItsKernelLineAndHostStack) {
  const KernelFindings found = ReadCudaGdbLog(
      "CUDA Exception: Warp Illegal Address\n"
      "The exception was triggered at PC 0x55c08620 (store.cu:17)\n"
      "\n"
      "Thread 1 \"app\" received signal CUDA_EXCEPTION_14, Warp Illegal Address.\n"
      "[Switching focus to CUDA kernel 0, grid 1, block (2,0,0), thread (3,0,0), device 0, sm 0, warp 0, "
      "lane 3]\n"
      "0x0000000055c08fb0 in store<<<(4,1,1),(32,1,1)>>> (p=0x0, n=5) at store.cu:50\n"
      "[culprit] kernels\n"
      "  Kernel Parent Dev Grid Status SMs Mask GridDim BlockDim Invocation\n"
      "*      0      -   0    1 Active 0x01 (4,1,1) (32,1,1) store(p=0x0)\n"
      "[culprit] stack\n"
      "#0  0x0000000055c08fb0 in store<<<(4,1,1),(32,1,1)>>> (p=0x0, n=5) at store.cu:50\n"
      "[culprit] host\n"
      "[Switching to thread 1 (Thread 0x7fff (LWP 7))]\n"
      "#0  0x00007fff in ?? () from /usr/lib/libcuda.so.1\n"
      "#0  0x00007fff in ?? () from /usr/lib/libcuda.so.1\n"
      "#1  0x00005555 in (anonymous namespace)::go (x=1) at main.cc:8\n"
      "#2  main () at main.cc:12\n"
      "[culprit] go on\n"
      "[culprit] exit 1\n");
  ASSERT_EQ(found.errors.size(), 1u);
  const report::RunKernelError& error = found.errors[0];
  EXPECT_EQ(error.kind, "Warp Illegal Address (CUDA_EXCEPTION_14)");
  EXPECT_EQ(PlaceOf(error), "store at store.cu:17");
  EXPECT_EQ(error.where, "by thread (3,0,0) in block (2,0,0)");
  ASSERT_EQ(error.host_frames.size(), 3u);
  EXPECT_EQ(error.host_frames[0], "?? in /usr/lib/libcuda.so.1");
  EXPECT_EQ(error.host_frames[1], "(anonymous namespace)::go in main.cc:8");
  EXPECT_EQ(found.total, 1u);
}

// As cuda-gdb 13 tells it: the process is gone before the debugger stops.
TEST(CudaGdbLog, ExceptionOfAProcessThatIsGone) {
  const KernelFindings found = ReadCudaGdbLog(
      "CUDA Exception: Warp Illegal Address\n"
      "The exception was triggered at PC 0x7f64977a1790  store(int*, int)  (store.cu:17)\n"
      "\n"
      "Program terminated with signal SIGKILL, Killed.\n"
      "The program no longer exists.\n"
      "[culprit] kernels\n"
      "No CUDA kernels.\n"
      "[culprit] signal 9\n");
  ASSERT_EQ(found.errors.size(), 1u);
  EXPECT_EQ(found.errors[0].kind, "Warp Illegal Address");
  EXPECT_EQ(PlaceOf(found.errors[0]), "store(int*, int) at store.cu:17");
}

TEST(CudaGdbLog, KernelThatRunsAtAnInterruption) {
  const KernelFindings found = ReadCudaGdbLog(
      "Program received signal SIGINT, Interrupt.\n"
      "[culprit] kernels\n"
      "*      0      -   0    1 Active 0x01 (1,1,1) (1,1,1) spin(flag=0x7f)\n"
      "fatal:  One or more CUDA devices cannot be made available to the debugger\n");
  ASSERT_EQ(found.errors.size(), 1u);
  EXPECT_EQ(found.errors[0].kind, "SIGINT, Interrupt");
  EXPECT_EQ(found.errors[0].kernel, "spin");
  EXPECT_EQ(found.errors[0].detail, "this kernel was running");
  EXPECT_EQ(found.not_checked.size(), 1u);
  EXPECT_FALSE(found.total.has_value());
}

}  // namespace
}  // namespace culprit::run
