// The real culprit-probe with fake libraries: what it reports when they work, and for each kind of failure.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "fake_world.h"
#include "told_steps.h"

namespace culprit {
namespace {

using Words = std::vector<std::string>;

Ran Probe(const FakeWorld& world, Words arguments, const std::string& term_after = "") {
  arguments.insert(arguments.begin(), CULPRIT_PROBE_PROGRAM);
  return world.Run(arguments, term_after);
}
Told Tell(const FakeWorld& world, const Words& arguments) {
  const Ran ran = Probe(world, arguments);
  EXPECT_EQ(ran.status, 0) << ran.err;
  return Told(ran.out);
}

const std::string kLibcuda = kFakes + "/driver/libcuda.so.1";
const Words kRuntime = {"runtime",         "--cudart",       "libcudart.so.13",
                        "--nvrtc",         "libnvrtc.so.13", "--cublas",
                        "libcublas.so.13", "--cublaslt",     "libcublasLt.so.13"};

testing::AssertionResult AllOk(const Told& told, size_t steps) {
  if (!told.greeted || !told.done) return testing::AssertionFailure() << "no greeting, or no last line";
  if (told.steps.size() != steps) return testing::AssertionFailure() << told.steps.size() << " steps";
  for (const ToldStep& step : told.steps)
    if (!step.end.starts_with("ok")) return testing::AssertionFailure() << step.name << ": " << step.end;
  return testing::AssertionSuccess();
}

TEST(Prober, ADriverThatWorks) {
  FakeWorld world;
  const Told told = Tell(world.Set("FAKE_CUDA_DEVICES", "2"), {"driver"});
  EXPECT_TRUE(AllOk(told, 9));
  EXPECT_TRUE(told.Step("libcuda").Has("library libcuda.so.1 " + kLibcuda));
  EXPECT_TRUE(told.Step("nvml").Has("library libnvidia-ml.so.1 " + kFakes));
  const ToldStep devices = told.Step("devices");
  for (const char* line : {"device 0 0", "device 1 1", "fact name Fake H200", "fact compute_capability 9.0",
                           "fact uuid GPU-11121314-1516-1718-191a-1b1c1d1e1f20", "fact mig off",
                           "fact ecc on", "fact bus_id 00000000:19:00.0", "fact memory_total 85899345920"}) {
    EXPECT_TRUE(devices.Has(line)) << line;
  }
  EXPECT_FALSE(devices.Has("holder"));
}

TEST(Prober, ARuntimeThatWorks) { EXPECT_TRUE(AllOk(Tell(FakeWorld(), kRuntime), 4)); }

TEST(Prober, EveryMajorVersionOfCudnnWorks) {
  const std::pair<int, const char*> copies[] = {
      {91900, "libcudnn.so.9"}, {91400, "libcudnn.so.9"}, {8907, "libcudnn.so.8"}, {7605, "libcudnn.so.7"}};
  for (const auto& [version, file] : copies) {
    SCOPED_TRACE(version);
    const Told told = Tell(FakeWorld(), {"cudnn", "--cudnn", FakeCudnn(version) + "/" + file});
    EXPECT_TRUE(AllOk(told, 4));
    EXPECT_TRUE(told.Step("cudnn-load").Has("figure cudnn_version " + std::to_string(version)));
    EXPECT_TRUE(told.Step("cudnn-convolution").Has("figure relative_error"));
  }
  EXPECT_TRUE(
      AllOk(Tell(FakeWorld(), {"cudnn", "--deep", "--cudnn", FakeCudnn(91900) + "/libcudnn.so.9"}), 5));
}

struct Fault {
  std::string how;  // FAKE_CUDA
  std::string step;
  std::string end;  // how its last line starts
};

TEST(Prober, AStatusIsToldWithItsNameAndCall) {
  const Fault faults[] = {
      {"nvmlInit_v2=18", "nvml", "failed NVML_ERROR_LIB_RM_VERSION_MISMATCH nvmlInit"},
      {"cuInit=100", "init", "failed CUDA_ERROR_NO_DEVICE cuInit"},
      {"cuInit=803", "init", "failed CUDA_ERROR_SYSTEM_DRIVER_MISMATCH cuInit"},
      {"cuDevicePrimaryCtxRetain=2", "context", "failed CUDA_ERROR_OUT_OF_MEMORY cuDevicePrimaryCtxRetain"},
      {"cuMemAlloc_v2=2", "memory", "failed CUDA_ERROR_OUT_OF_MEMORY cuMemAlloc"},
      {"cuMemFree_v2=700", "memory", "failed CUDA_ERROR_ILLEGAL_ADDRESS cuMemFree"},
      {"cuMemcpyHtoD_v2=999", "copy", "failed CUDA_ERROR_UNKNOWN cuMemcpyHtoD"},
      {"cuMemcpyDtoH_v2=wrong", "copy", "failed wrong-result cuMemcpyDtoH"},
      {"cuModuleLoadDataEx=222", "kernel", "failed CUDA_ERROR_UNSUPPORTED_PTX_VERSION cuModuleLoadDataEx"},
      {"cuLaunchKernel=wrong", "kernel", "failed wrong-result cuLaunchKernel"},
      {"cuMemcpyPeer=wrong", "peer", "failed wrong-result cuMemcpyPeer"},
      {"cudaGetDeviceCount=35", "cudart", "failed cudaErrorInsufficientDriver cudaGetDeviceCount"},
      {"nvrtcCompileProgram=5", "nvrtc", "failed NVRTC_ERROR_INVALID_OPTION nvrtcCompileProgram"},
      {"nvrtcCompileProgram=wrong", "nvrtc", "failed wrong-result"},
      {"cublasCreate_v2=1", "cublas", "failed CUBLAS_STATUS_NOT_INITIALIZED cublasCreate"},
      {"cublasSgemm_v2=wrong", "cublas", "failed wrong-result cublasSgemm"},
      {"cublasLtMatmul=15", "cublaslt", "failed CUBLAS_STATUS_NOT_SUPPORTED cublasLtMatmul"},
      {"cublasLtMatmul=wrong", "cublaslt", "failed wrong-result cublasLtMatmul"},
      {"cudnnCreate=1001", "cudnn-create", "failed CUDNN_STATUS_NOT_INITIALIZED cudnnCreate"},
      {"cudnnCnnVersionCheck=1002", "cudnn-parts",
       "failed CUDNN_STATUS_SUBLIBRARY_VERSION_MISMATCH cudnnCnnVersionCheck"},
      {"cudnnConvolutionForward=5000", "cudnn-convolution",
       "failed CUDNN_STATUS_EXECUTION_FAILED cudnnConvolutionForward"},
      {"cudnnConvolutionForward=wrong", "cudnn-convolution", "failed wrong-result cudnnConvolutionForward"},
  };
  for (const Fault& fault : faults) {
    SCOPED_TRACE(fault.how);
    FakeWorld world;
    world.Misbehave(fault.how).Set("FAKE_CUDA_DEVICES", "2");
    const bool driver =
        fault.how.starts_with("cu") && !fault.how.starts_with("cud") && !fault.how.starts_with("cub");
    const Told told = Tell(world, driver || fault.how.starts_with("nvml") ? Words{"driver"}
                                  : fault.how.starts_with("cudnn")
                                      ? Words{"cudnn", "--cudnn", FakeCudnn(91900) + "/libcudnn.so.9"}
                                      : kRuntime);
    EXPECT_TRUE(told.done);
    // It is the first one that fails; later ones may fail for the same reason.
    const auto first =
        std::ranges::find_if(told.steps, [](const ToldStep& step) { return !step.end.starts_with("ok"); });
    ASSERT_NE(first, told.steps.end());
    EXPECT_EQ(first->name, fault.step);
    EXPECT_TRUE(first->end.starts_with(fault.end)) << first->end;
  }
}

TEST(Prober, ACrashNamesSignalAndLibrary) {
  const std::string cudnn = FakeCudnn(91900);
  const struct {
    std::string how, step, end;
    Words job;
  } faults[] = {
      {"cuCtxSetCurrent=crash", "context", "crash SIGSEGV " + kLibcuda, {"driver"}},
      {"cuMemAlloc_v2=abort", "memory", "crash SIGABRT " + kLibcuda, {"driver"}},
      {"nvmlDeviceGetCount_v2=crash",
       "nvml",
       "crash SIGSEGV " + kFakes + "/driver/libnvidia-ml.so.1",
       {"driver"}},
      {"cublasSgemm_v2=abort", "cublas", "crash SIGABRT " + kFakes + "/cuda/libcublas.so.13", kRuntime},
      {"cudnnConvolutionForward=crash",
       "cudnn-convolution",
       "crash SIGSEGV " + cudnn + "/libcudnn_cnn.so.9",
       {"cudnn", "--cudnn", cudnn + "/libcudnn.so.9"}},
  };
  for (const auto& fault : faults) {
    SCOPED_TRACE(fault.how);
    FakeWorld world;
    const Ran ran = Probe(world.Misbehave(fault.how), fault.job);
    const Told told(ran.out);
    EXPECT_NE(ran.status, 0);
    EXPECT_FALSE(told.done);
    EXPECT_EQ(told.steps.back().name, fault.step);
    EXPECT_EQ(told.steps.back().end, fault.end);
  }
}

TEST(Prober, AskedWhereItHangsItNamesTheLibrary) {
  for (const char* how : {"cuMemAlloc_v2=hang", "cuMemAlloc_v2=spin"}) {
    SCOPED_TRACE(how);
    FakeWorld world;
    const Ran ran = Probe(world.Misbehave(how), {"driver"}, "begin memory");
    const Told told(ran.out);
    EXPECT_EQ(told.steps.back().name, "memory");
    EXPECT_EQ(told.steps.back().end, "stuck " + kLibcuda);
  }
}

TEST(Prober, WhatALibraryPrintsDoesNotReachTheProtocol) {
  for (const char* how : {"cuInit=print", "cuInit=flood"}) {
    FakeWorld world;
    const Ran ran = Probe(world.Misbehave(how), {"driver"});
    EXPECT_EQ(ran.out.find("looks"), std::string::npos);
    EXPECT_NE(ran.err.find("looks%20like"), std::string::npos);
    EXPECT_TRUE(Told(ran.out).done);
    EXPECT_TRUE(Told(ran.out).End("kernel").starts_with("ok"));
  }
}

TEST(Prober, AProcessThatEndsInAStepLeavesItOpen) {
  for (const auto& [how, status] : {std::pair{"cuInit=exit", 0}, std::pair{"cuInit=oom-kill", -SIGKILL}}) {
    FakeWorld world;
    const Ran ran = Probe(world.Misbehave(how), {"driver"});
    EXPECT_EQ(ran.status, status);
    EXPECT_FALSE(Told(ran.out).done);
    EXPECT_EQ(Told(ran.out).steps.back().name, "init");
    EXPECT_EQ(Told(ran.out).steps.back().end, "");
  }
}

TEST(Prober, DevicesThatCudaDoesNotShowAreShownByNvml) {
  for (const char* list : {"-1", "7", ""}) {
    SCOPED_TRACE(list);
    FakeWorld world;
    const Told told = Tell(world.Set("CUDA_VISIBLE_DEVICES", list), {"driver"});
    EXPECT_TRUE(told.End("init").starts_with("failed CUDA_ERROR_NO_DEVICE cuInit")) << told.End("init");
    EXPECT_TRUE(told.Step("devices").Has("device - 0"));
    EXPECT_TRUE(told.End("context").starts_with("not-run"));
  }
}

TEST(Prober, CudasOrderIsMatchedWithNvmls) {
  FakeWorld world;
  world.Set("FAKE_CUDA_DEVICES", "3").Set("CUDA_VISIBLE_DEVICES", "2,0");
  const ToldStep devices = Tell(world, {"driver"}).Step("devices");
  EXPECT_TRUE(devices.Has("device 0 2"));
  EXPECT_TRUE(devices.Has("device 1 0"));
  EXPECT_TRUE(devices.Has("device - 1"));
}

TEST(Prober, StubOfTheToolkitFirst) {
  FakeWorld world;
  const Told told = Tell(world.Prepend(kFakes + "/stubs"), {"driver"});
  EXPECT_TRUE(told.Step("libcuda").Has(kFakes + "/stubs/libcuda.so.1"));
  EXPECT_TRUE(told.End("init").starts_with("failed CUDA_ERROR_STUB_LIBRARY cuInit")) << told.End("init");
}

TEST(Prober, NoDriverAtAll) {
  if (dlopen("libcuda.so.1", RTLD_LAZY) != nullptr) GTEST_SKIP() << "this machine has a driver";
  FakeWorld world;
  const Told told = Tell(world.Set("LD_LIBRARY_PATH", kFakes + "/cuda"), {"driver"});
  EXPECT_TRUE(told.End("libcuda").starts_with("failed not-found")) << told.End("libcuda");
  EXPECT_TRUE(told.End("init").starts_with("not-run")) << told.End("init");
}

TEST(Prober, WhoHoldsTheMemory) {
  FakeWorld world;
  world.Set("FAKE_CUDA_HOLDER", "4242:85363523584:train.py");  // all but 512 MiB - 1 MiB
  const Told told = Tell(world.Set("FAKE_CUDA_FREE", "1048576"), {"driver"});
  EXPECT_TRUE(told.Step("devices").Has("holder 4242 85363523584"));
  EXPECT_TRUE(told.End("context").starts_with("failed CUDA_ERROR_OUT_OF_MEMORY")) << told.End("context");
}

TEST(Prober, ModesOfADevice) {
  FakeWorld world;
  world.Set("FAKE_CUDA_MODE", "prohibited").Set("FAKE_CUDA_MIG", "on").Set("FAKE_CUDA_ECC_ERRORS", "3");
  const Told told = Tell(world, {"driver"});
  for (const char* line : {"fact compute_mode prohibited", "fact mig on", "fact ecc_errors 3"}) {
    EXPECT_TRUE(told.Step("devices").Has(line)) << line;
  }
  EXPECT_TRUE(told.End("context").starts_with("failed CUDA_ERROR_DEVICE_UNAVAILABLE")) << told.End("context");
}

TEST(Prober, AStepAloneMakesWhatItNeeds) {
  const Told told = Tell(FakeWorld(), {"driver", "--only", "kernel"});
  EXPECT_TRUE(AllOk(told, 1));
  EXPECT_EQ(told.steps.front().name, "kernel");
  EXPECT_TRUE(AllOk(Tell(FakeWorld(), {"cudnn", "--cudnn", FakeCudnn(91900) + "/libcudnn.so.9", "--only",
                                       "cudnn-convolution"}),
                    1));
}

// cuDNN sub-libraries with mixed versions, missing, or truncated.
TEST(ProberCudnn, AGraphOfAnotherVersionInLdLibraryPath) {
  FakeWorld world;
  const fs::path odd = world.directory() / "odd";
  fs::create_directory(odd);
  fs::copy(FakeCudnn(91400) + "/libcudnn_graph.so.9", odd);
  const Told told =
      Tell(world.Prepend(odd.string()), {"cudnn", "--cudnn", FakeCudnn(91900) + "/libcudnn.so.9"});
  const ToldStep parts = told.Step("cudnn-parts");
  EXPECT_TRUE(parts.end.starts_with("failed CUDNN_STATUS_SUBLIBRARY_VERSION_MISMATCH cudnnOpsVersionCheck"))
      << parts.end;
  EXPECT_NE(parts.end.find("9.14.0"), std::string::npos) << parts.end;
  EXPECT_NE(parts.end.find("9.19.0"), std::string::npos) << parts.end;
}

TEST(ProberCudnn, AllPartsOfAnotherVersionUnderTheShim) {
  FakeWorld world;
  const Told told =
      Tell(world.Prepend(FakeCudnn(91400)), {"cudnn", "--cudnn", FakeCudnn(91900) + "/libcudnn.so.9"});
  EXPECT_TRUE(told.Step("cudnn-load").Has(FakeCudnn(91900) + "/libcudnn.so.9"));
  EXPECT_TRUE(told.Step("cudnn-load").Has("figure cudnn_version 91400"));
  bool seen = false;  // which files they really were
  for (const ToldStep& step : told.steps) seen = seen || step.Has(FakeCudnn(91400) + "/libcudnn_ops.so.9");
  EXPECT_TRUE(seen);
}

TEST(ProberCudnn, APartThatIsMissing) {
  FakeWorld world;
  const fs::path copy = world.CopyOfCudnn(91900, "copy");
  fs::remove(copy / "libcudnn_cnn.so.9");
  world.Block({"libcudnn_cnn.so.9.19.0", "libcudnn_cnn.so.9.19", "libcudnn_cnn.so.9", "libcudnn_cnn.so"});
  const Told told = Tell(world, {"cudnn", "--cudnn", (copy / "libcudnn.so.9").string()});
  EXPECT_TRUE(told.End("cudnn-create").starts_with("ok"));
  EXPECT_TRUE(
      told.End("cudnn-parts")
          .starts_with("failed CUDNN_STATUS_NOT_SUPPORTED_SUBLIBRARY_UNAVAILABLE cudnnCnnVersionCheck"))
      << told.End("cudnn-parts");
  EXPECT_TRUE(
      told.End("cudnn-convolution").starts_with("failed CUDNN_STATUS_NOT_SUPPORTED_SUBLIBRARY_UNAVAILABLE"))
      << told.End("cudnn-convolution");
}

TEST(ProberCudnn, TheGraphIsCutOff) {
  FakeWorld world;
  const fs::path copy = world.CopyOfCudnn(91900, "copy");
  fs::resize_file(copy / "libcudnn_graph.so.9", 400);
  world.Block({"libcudnn_graph.so.9.19.0", "libcudnn_graph.so.9.19", "libcudnn_graph.so"});
  const Ran ran = Probe(world, {"cudnn", "--cudnn", (copy / "libcudnn.so.9").string()});
  const Told told(ran.out);
  EXPECT_FALSE(told.done);
  EXPECT_EQ(told.steps.back().name, "cudnn-load");
  EXPECT_EQ(told.steps.back().end, "crash SIGABRT " + (copy / "libcudnn.so.9").string());
  EXPECT_NE(ran.err.find("Cannot load symbol cudnnGetVersion"), std::string::npos);
}

TEST(ProberCudnn, APartOfEightThatIsMissingEndsTheProcess) {
  FakeWorld world;
  const fs::path copy = world.CopyOfCudnn(8907, "copy");
  fs::remove(copy / "libcudnn_cnn_infer.so.8");
  world.Block({"libcudnn_cnn_infer.so.8"});
  const Ran ran = Probe(world, {"cudnn", "--cudnn", (copy / "libcudnn.so.8").string()});
  EXPECT_NE(ran.err.find("Could not load library libcudnn_cnn_infer.so.8"), std::string::npos);
  EXPECT_EQ(Told(ran.out).steps.back().end, "crash SIGABRT " + (copy / "libcudnn.so.8").string());
}

TEST(ProberCudnn, AFileThatIsNotThere) {
  const Told told = Tell(FakeWorld(), {"cudnn", "--cudnn", "/nowhere/libcudnn.so.9"});
  EXPECT_TRUE(told.End("cudnn-load").starts_with("failed not-found")) << told.End("cudnn-load");
  EXPECT_TRUE(told.End("cudnn-create").starts_with("not-run"));
}

}  // namespace
}  // namespace culprit
