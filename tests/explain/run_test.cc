// What `culprit run` says about common failures: records as a watch makes them, on made-up machines, with the
// messages of PyTorch, cuDNN and the loader. Set CULPRIT_SHOW to read the reports.
#include "run/judge/run.h"

#include <gtest/gtest.h>
#include <toml++/toml.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>

#include "../rules/made_up_machine.h"
#include "base/text.h"
#include "engine/diagnosis.h"
#include "render/run/run.h"

namespace culprit {
namespace {

constexpr const char* kSite = "/opt/venv/lib/python3.11/site-packages/";
constexpr int64_t kPid = 4711;
constexpr uint64_t kSecond = 1'000'000;

// A machine, and what its torch would load, as if it had been observed.
class Machine {
 public:
  explicit Machine(const std::string& description) : machine_(CULPRIT_SOURCE_DIR "/tests/rules") {
    machine_.Apply(toml::parse(description));
    diagnosis_.emplace(engine::Subject{.machine = {std::shared_ptr<const void>(), &machine_.system},
                                       .limit = std::chrono::minutes(1)});
    if (auto looked = diagnosis_->Look(); !looked) throw std::runtime_error(looked.error().message);
    diagnosis_->Play();
    diagnosis_->Judge();
    const auto played = diagnosis_->scene().scenarios;
    played_.assign(played.begin(), played.end());
  }

  // A run of 10 s that failed with status 1. `torch`: with everything that torch loads.
  record::Run Run(const std::string& output, bool torch = true) const {
    record::Process process{
        .id = kPid, .program = "/usr/bin/python3.11", .arguments = {"python3", "train.py"}};
    process.loads.push_back({.path = "/usr/bin/python3.11"});
    for (const loader::Scenario& scenario : played_) {
      if (torch && scenario.kind == loader::Scenario::Kind::kFramework) Add(scenario.graph, process);
    }
    return {.command = {"python3", "train.py"},
            .duration = 10 * kSecond,
            .exit_status = 1,
            .watched = {{record::Channel::kLoads, "LD_AUDIT", ""}, {record::Channel::kCalls, "CUPTI", ""}},
            .processes = {std::move(process)},
            .texts = {{.name = record::Channel::kOutput, .beginning = output}}};
  }

  report::RunReport Explain(const record::Run& run) {
    diagnosis_->Play(std::make_shared<const record::Run>(run));
    auto report = diagnosis_->Judge(
        [&](const auto& scene, const auto& check) { return run::ExplainRun(run, scene, check); });
    if (std::getenv("CULPRIT_SHOW") != nullptr) std::puts(render::ToText(report, {}).c_str());
    return report;
  }

 private:
  static void Add(const loader::LoadGraph& graph, record::Process& process) {
    for (const loader::Request& request : graph.requests) {
      const std::string requester =
          request.requester == loader::kNone ? request.requester_path : graph.objects[request.requester].path;
      const bool dlopen = request.opened_by == loader::OpenedBy::kDlopen;
      if (request.object == loader::kNone) {
        record::Request failed{
            .at = 9 * kSecond, .name = request.name, .requester = requester, .dlopen = dlopen};
        for (const loader::Attempt& attempt : request.attempts)
          failed.attempts.push_back({attempt.path, attempt.via, attempt.outcome});
        process.failed_requests.push_back(std::move(failed));
      } else if (request.loaded_now && request.object > 0) {
        process.loads.push_back({.at = 2 * kSecond,
                                 .path = graph.objects[request.object].path,
                                 .name = request.name,
                                 .requester = requester,
                                 .via = request.via,
                                 .dlopen = dlopen});
      }
    }
  }

  model::MadeUpMachine machine_;
  std::optional<engine::Diagnosis> diagnosis_;
  std::vector<loader::Scenario> played_;
};

record::FailedCall Call(const char* function, int64_t code, uint64_t at = 9 * kSecond,
                        const char* detail = "") {
  const bool driver =
      std::string_view(function).starts_with("cu") && !std::string_view(function).starts_with("cuda");
  return {.at = at,
          .thread = kPid,
          .api = driver ? base::CudaApi::kDriver : base::CudaApi::kRuntime,
          .function = function,
          .code = code,
          .detail = detail,
          .source = base::CallSource::kCupti};
}

std::string FirstCause(const report::RunReport& report) {
  return report.explanation.causes.empty() ? "" : report.explanation.causes.front().cause;
}
double Confidence(const report::RunReport& report) {
  return report.explanation.causes.empty() ? 0 : report.explanation.causes.front().confidence;
}
bool Has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

#define EXPECT_HAS(text, part) EXPECT_TRUE(Has(text, part)) << text

TEST(Run, CudnnPartsOfAnotherVersionByLdLibraryPath) {
  Machine machine(
      "world = \"torch_and_system_cudnn\"\n[env]\nLD_LIBRARY_PATH = \"/usr/lib/x86_64-linux-gnu\"\n");
  const auto report = machine.Explain(
      machine.Run("Traceback (most recent call last):\n"
                  "  File \"train.py\", line 5, in <module>\n"
                  "    torch.nn.functional.conv2d(x, w)\n"
                  "RuntimeError: cuDNN version incompatibility: PyTorch was compiled  against (9, 19, 0) but "
                  "found runtime "
                  "version (9, 14, 0). PyTorch already comes bundled with cuDNN. One option to resolving "
                  "this error is to "
                  "ensure PyTorch can find the bundled cuDNN. Looks like your LD_LIBRARY_PATH contains "
                  "incompatible version of "
                  "cudnn. Please either remove it from the path or install cudnn (9, 19, 0)\n"));
  EXPECT_EQ(FirstCause(report), "cudnn-mixed-versions");
  EXPECT_GT(Confidence(report), 0.95);
  EXPECT_HAS(report.headline, "9.14.0 in /usr/lib/x86_64-linux-gnu");
  ASSERT_EQ(report.mixes.size(), 1u);
  EXPECT_HAS(report.mixes[0].because, "LD_LIBRARY_PATH contains /usr/lib/x86_64-linux-gnu");
  EXPECT_FALSE(report.mixes[0].members[0].odd);  // the shim of the wheel
  EXPECT_EQ(report.explanation.causes.front().commands.front(), "unset LD_LIBRARY_PATH");
}

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
  // The allocator tries, frees its cache and tries again; a much earlier failure was harmless.
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
  EXPECT_EQ(named.explanation.causes.front().commands.front(), "ps -fp 99");
  // In a container the driver does not name it; the numbers do.
  const auto unnamed = machine.Explain(machine.Run(OutOfMemory("2.00 GiB", "1.27 GiB", "")));
  EXPECT_HAS(unnamed.headline, "another process uses 138.0 GiB of 139.8 GiB");
  const auto own = machine.Explain(machine.Run(OutOfMemory("2.00 GiB", "1.27 GiB", "", "138.10 GiB")));
  EXPECT_HAS(own.headline, "the program itself filled the GPU: it used 138.1 GiB");
}

TEST(Run, AKernelOutOfItsBounds) {
  Machine machine("world = \"torch\"\n");
  record::Run run = machine.Run("");  // no output about it
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

TEST(Run, APartOfCudnnIsMissing) {
  const std::string part = std::string(kSite) + "nvidia/cudnn/lib/libcudnn_cnn.so.9";
  Machine machine("world = \"torch\"\nremove = [\"" + part + "\"]\n");
  record::Run run = machine.Run(
      "Unable to load any of {libcudnn_cnn.so.9.19.0, libcudnn_cnn.so.9.19, libcudnn_cnn.so.9, "
      "libcudnn_cnn.so}\n"
      "Invalid handle. Cannot load symbol cudnnCreateConvolutionDescriptor\n");
  run.exit_status = 0;
  run.signal = "SIGABRT";
  const auto report = machine.Explain(run);
  EXPECT_EQ(FirstCause(report), "cudnn-sublibrary-missing");
  EXPECT_GT(Confidence(report), 0.9);
  EXPECT_HAS(report.headline, "libcudnn_cnn.so.9");
  ASSERT_FALSE(report.failed_loads.empty());
  EXPECT_EQ(report.failed_loads[0].name, "libcudnn_cnn.so.9");  // of four names, the known one
  EXPECT_FALSE(report.failed_loads[0].survived);
  bool beside = false;
  for (const auto& place : report.failed_loads[0].searched)
    beside |= place.path == part && place.outcome == base::LoadOutcome::kMissing;
  EXPECT_TRUE(beside);
}

TEST(Run, APartOfCudnnThatIsMissingAndNotNamed) {
  const std::string part = std::string(kSite) + "nvidia/cudnn/lib/libcudnn_engines_precompiled.so.9";
  Machine machine("world = \"torch\"\nremove = [\"" + part + "\"]\n");
  const auto report = machine.Explain(
      machine.Run("RuntimeError: cuDNN error: CUDNN_STATUS_NOT_SUPPORTED_SUBLIBRARY_UNAVAILABLE\n"));
  EXPECT_EQ(FirstCause(report), "cudnn-sublibrary-missing");
  EXPECT_HAS(report.headline, "libcudnn_engines_precompiled.so.9");
}

// ext.so -> libone.so -> libtwo.so -> libthree.so.1, which is missing; everything is unloaded afterwards.
record::Run ThreeLevels(const Machine& machine) {
  record::Run run = machine.Run(
      "Traceback (most recent call last):\n  File \"train.py\", line 1, in <module>\n    import ext\n"
      "ImportError: libthree.so.1: cannot open shared object file: No such file or directory\n",
      false);
  record::Process& process = run.processes[0];
  process.loads.push_back({.path = "/app/ext.so",
                           .requester = "/usr/bin/python3.11",
                           .via = base::Via::kPath,
                           .dlopen = true,
                           .closed = true});
  process.loads.push_back(
      {.path = "/app/libone.so", .requester = "/app/ext.so", .via = base::Via::kRunpath, .closed = true});
  process.loads.push_back(
      {.path = "/app/libtwo.so", .requester = "/app/libone.so", .via = base::Via::kRunpath, .closed = true});
  process.failed_requests.push_back(
      {.at = 9 * kSecond,
       .name = "libthree.so.1",
       .requester = "/app/libtwo.so",
       .attempts = {
           {"/app/libthree.so.1", base::Via::kRunpath, base::LoadOutcome::kMissing},
           {"/usr/lib/x86_64-linux-gnu/libthree.so.1", base::Via::kDefault, base::LoadOutcome::kMissing}}});
  return run;
}

TEST(Run, AnImportThatFailsThreeLevelsDown) {
  Machine machine(
      "world = \"gpu\"\n[elf]\n\"/app/libtwo.so\" = { needed = [\"libthree.so.1\"], runpath = \"$ORIGIN\" "
      "}\n");
  const auto report = machine.Explain(ThreeLevels(machine));
  EXPECT_EQ(FirstCause(report), "dependent-missing");
  EXPECT_GT(Confidence(report), 0.9);
  EXPECT_HAS(report.headline, "libthree.so.1");
  EXPECT_HAS(report.headline, "/app/libtwo.so");
  ASSERT_FALSE(report.failed_loads.empty());
  EXPECT_EQ(report.failed_loads[0].chain,
            (std::vector<std::string>{"/app/ext.so", "/app/libone.so", "/app/libtwo.so"}));
  EXPECT_EQ(report.failed_loads[0].searched.size(), 2u);
}

TEST(Run, TheSameWhereTheLibraryLiesElsewhere) {
  Machine machine(
      "world = \"gpu\"\n[elf]\n\"/usr/local/lib/libthree.so.1\" = { soname = \"libthree.so.1\" }\n");
  const auto report = machine.Explain(ThreeLevels(machine));
  EXPECT_EQ(FirstCause(report), "search-path");
  EXPECT_HAS(report.headline, "/usr/local/lib/libthree.so.1");
}

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
  EXPECT_NE(FirstCause(report), "cudnn-mixed-versions");  // every sub-library was observed, and they agree
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

// A program may request missing libraries and still fail for its own reasons.
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
  EXPECT_HAS(report.headline, "no CUDA call and no library load failed, and no CUDA error was printed");
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

// Another environment of the machine may be as broken as it likes.
TEST(Run, FindingsOfOtherProgramsDoNotSpeak) {
  Machine machine(
      "world = \"torch_and_system_cudnn\"\n[env]\nLD_LIBRARY_PATH = \"/usr/lib/x86_64-linux-gnu\"\n");
  const auto report = machine.Explain(machine.Run("ValueError: no such file\n", false));
  EXPECT_EQ(FirstCause(report), "");
  EXPECT_FALSE(report.check.findings.empty());
}

}  // namespace
}  // namespace culprit
