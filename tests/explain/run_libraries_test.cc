// Failures to load: mixed and missing cuDNN libraries, an import that fails far below.
#include <gtest/gtest.h>

#include "watched_machine.h"

namespace culprit::watched {
namespace {

constexpr const char* kSite = "/opt/venv/lib/python3.11/site-packages/";

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
  EXPECT_EQ(report.explanation.causes.front().commands.front().Text(), "unset LD_LIBRARY_PATH");
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
  EXPECT_EQ(report.failed_loads[0].name, "libcudnn_cnn.so.9");  // the one of the four names that is known
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

// ext.so -> libone.so -> libtwo.so -> libthree.so.1, which is missing; the loader unloads all of them again.
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

}  // namespace
}  // namespace culprit::watched
