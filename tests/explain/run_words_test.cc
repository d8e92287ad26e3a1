// What the program itself said last, and what it had survived by then.
#include <gtest/gtest.h>

#include "watched_machine.h"

namespace culprit::watched {
namespace {

constexpr const char* kNoise =
    "W tensorflow/stream_executor/platform/default/dso_loader.cc:64] Could not load dynamic library "
    "'libcudart.so.11.0'; dlerror: libcudart.so.11.0: cannot open shared object file: No such file or "
    "directory\n";
constexpr const char* kTraceback =
    "Traceback (most recent call last):\n  File \"train.py\", line 5, in <module>\n    build(options)\n";

TEST(Words, AnErrorOfItsOwnAfterAFailureThatItSurvived) {
  Machine machine("world = \"torch\"\n");
  const auto report = machine.Explain(
      machine.Run(std::string(kNoise) + kTraceback + "ValueError: unknown optimizer 'adamm'\n"));
  EXPECT_EQ(FirstCause(report), "");
  EXPECT_HAS(report.headline, "the program's own error: ValueError: unknown optimizer 'adamm'");
}

TEST(Words, AnExceptionOfAnyName) {
  Machine machine("world = \"torch\"\n");
  const auto report =
      machine.Explain(machine.Run(std::string(kNoise) + kTraceback + "config.Fault: no such key\n"));
  EXPECT_EQ(FirstCause(report), "");
  EXPECT_HAS(report.headline, "config.Fault: no such key");
  const auto bare = machine.Explain(machine.Run(std::string(kNoise) + kTraceback + "MemoryError\n"));
  EXPECT_EQ(FirstCause(bare), "");
  EXPECT_HAS(bare.headline, "the program's own error: MemoryError");
}

TEST(Words, LastWordsAboutCudaLeaveTheEarlierFailure) {
  Machine machine("world = \"torch\"\n");
  EXPECT_NE(FirstCause(machine.Explain(
                machine.Run(std::string(kNoise) + kTraceback + "AssertionError: this needs a GPU\n"))),
            "");
}

TEST(Words, AChainOfExceptionsIsOneError) {
  Machine machine("world = \"torch\"\n");
  const auto report = machine.Explain(
      machine.Run(std::string(kTraceback) +
                  "OSError: libcublas.so.11: cannot open shared object file: No such file or directory\n\n"
                  "During handling of the above exception, another exception occurred:\n\n" +
                  kTraceback + "KeyError: 'fallback'\n"));
  EXPECT_EQ(FirstCause(report), "cuda-version-mismatch");  // the machine has libcublas.so.12
}

TEST(Words, AGroupOfExceptionsIsOneError) {
  Machine machine("world = \"torch\"\n");
  const auto group = [](const std::string& first) {
    return std::string(kNoise) +
           "  + Exception Group Traceback (most recent call last):\n"
           "  |   File \"train.py\", line 9, in <module>\n"
           "  | ExceptionGroup: validation failed (2 sub-exceptions)\n"
           "  +-+---------------- 1 ----------------\n"
           "    | Traceback (most recent call last):\n    |   File \"train.py\", line 2, in one\n    | " +
           first +
           "\n    +---------------- 2 ----------------\n"
           "    | Traceback (most recent call last):\n    |   File \"train.py\", line 3, in two\n"
           "    | KeyError: 'label'\n    +------------------------------------\n";
  };
  EXPECT_EQ(FirstCause(machine.Explain(machine.Run(group("ValueError: row 3")))), "");
  EXPECT_NE(FirstCause(machine.Explain(machine.Run(group("RuntimeError: no GPU")))), "");
}

TEST(Words, AnArchiveIsAPackageWherePackagesAreInstalled) {
  Machine machine("world = \"torch\"\n");
  record::Run run = machine.Run(std::string(kTraceback) + "zipfile.BadZipFile: File is not a zip file\n");
  EXPECT_EQ(FirstCause(machine.Explain(run)), "");
  run.command = {"python3", "-m", "pip", "install", "torch"};
  EXPECT_EQ(FirstCause(machine.Explain(run)), "corrupt-library");
}

TEST(Words, ATracebackThatDidNotEndItDecidesNothing) {
  Machine machine("world = \"torch\"\n");
  record::Run run = machine.Run(std::string(kNoise) + kTraceback + "ValueError: skipped a batch\n");
  run.exit_status = 3;
  EXPECT_NE(FirstCause(machine.Explain(run)), "");
}

TEST(Words, AFolderThatHasTheNameOfAFramework) {
  Machine machine("world = \"gpu\"\n");
  const std::string output =
      std::string(kTraceback) + "AttributeError: module 'torch' has no attribute 'zeros'\n";
  record::Run run = machine.Run(output, false);
  const auto report = machine.Explain(run);
  EXPECT_EQ(FirstCause(report), "application-bug");
  EXPECT_HAS(report.headline, "the imported module 'torch' is not the framework");
  Machine with_torch("world = \"torch\"\n");
  EXPECT_NE(FirstCause(with_torch.Explain(with_torch.Run(output))), "application-bug");
}

TEST(Words, AFunctionThatALibraryOfItsOwnDoesNotHave) {
  Machine machine("world = \"torch\"\n");
  EXPECT_EQ(
      FirstCause(machine.Explain(machine.Run(
          std::string(kTraceback) + "AttributeError: /app/libplain.so: undefined symbol: frobnicate\n"))),
      "");
}

}  // namespace
}  // namespace culprit::watched
