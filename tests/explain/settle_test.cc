// The same text on different machines: the facts decide.
#include <toml++/toml.h>

#include "../rules/made_up_machine.h"
#include "engine/diagnosis.h"
#include "explained.h"

namespace culprit {
namespace {

constexpr const char* kInsufficient = "CUDA driver version is insufficient for CUDA runtime version\n";

// `log` explained on the machine that `description` defines (tests/rules/worlds).
report::LikelyCause FirstOn(const std::string& description, const std::string& log,
                            const std::string& host = "") {
  model::MadeUpMachine machine(CULPRIT_SOURCE_DIR "/tests/rules");
  machine.Apply(toml::parse(description));
  engine::Diagnosis diagnosis({.machine = {std::shared_ptr<const void>(), &machine.system},
                               .host = host,
                               .limit = std::chrono::minutes(1)});
  if (auto looked = diagnosis.Look(); !looked) throw std::runtime_error(looked.error().message);
  diagnosis.Play();
  const auto symptoms = SymptomsOf(log);
  const auto explanation = diagnosis.Judge([&](const auto& scene, const auto& check) {
    return explain::Explain(symptoms, {{"-", 1}}, explain::Settle(symptoms, scene, check));
  });
  return explanation.causes.empty() ? report::LikelyCause{} : explanation.causes.front();
}

TEST(Settle, NoDriverInAContainer) {
  const auto first = FirstOn("world = \"bare\"\n[files]\n\"/.dockerenv\" = \"\"\n", kInsufficient);
  EXPECT_EQ(first.cause, "driver-missing");  // as check says
  EXPECT_EQ(first.code, "CUL1001");
}

TEST(Settle, ALibraryThatCannotStartWithoutADriver) {
  for (const char* status : {"CUDNN_STATUS_NOT_INITIALIZED", "CUBLAS_STATUS_NOT_INITIALIZED"}) {
    const std::string log = std::string("could not create a handle: ") + status + "\n";
    EXPECT_EQ(FirstOn("world = \"bare\"\n", log).cause, "driver-missing") << status;
    EXPECT_NE(FirstOn("world = \"gpu\"\n", log).cause, "driver-missing") << status;
    // Something else failed as well.
    EXPECT_EQ(FirstOn("world = \"bare\"\n", "libcudnn_ops_infer.so.8: file too short\n" + log).cause,
              "corrupt-library");
  }
}

TEST(Settle, AFileThatIsThereAndUnusable) {
  const std::string log =
      "OSError: libcublas.so.11: cannot open shared object file: No such file or directory\n";
  EXPECT_EQ(FirstOn("world = \"gpu\"\n", log).cause, "cuda-library-missing");
  EXPECT_EQ(
      FirstOn("world = \"gpu\"\n[links]\n\"/usr/local/lib/libcublas.so.11\" = \"gone.so\"\n", log).cause,
      "broken-symlink");
}

// As check says of a program that needs it (CUL4008).
TEST(Settle, ALibraryOfAnotherRelease) {
  const std::string missing = "libcublas.so.11: cannot open shared object file: No such file or directory\n";
  const auto first = FirstOn("world = \"torch\"\n", missing);
  EXPECT_EQ(first.cause, "cuda-version-mismatch");
  EXPECT_NE(first.summary.find("libcublas.so.11 is required, this machine has"), std::string::npos)
      << first.summary;
  // A program may do without a library; what ended it speaks louder.
  EXPECT_EQ(FirstOn("world = \"torch\"\n",
                    missing + "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate "
                              "2.00 GiB. GPU 0 has a total capacity of 79.10 GiB\n")
                .cause,
            "out-of-memory");
}

TEST(Settle, APartOfACudnnThatIsNotThereAtAll) {
  EXPECT_EQ(FirstOn("world = \"gpu\"\n",
                    "OSError: libcudnn_ops_infer.so.8: cannot open shared object file: No such file or "
                    "directory\n")
                .cause,
            "cudnn-missing");
}

TEST(Settle, NoDriverAtAll) {
  EXPECT_EQ(FirstOn("world = \"bare\"\n", kInsufficient).cause, "driver-missing");
}

TEST(Settle, ADriverThatIsTooOld) {
  const auto first = FirstOn("world = \"torch\"\n", kInsufficient, "driver=470.82.01,gpu=sm_80");
  EXPECT_EQ(first.cause, "driver-too-old");
  EXPECT_NE(first.summary.find("470.82.01"), std::string::npos) << first.summary;
  EXPECT_GT(first.confidence, 0.9);
}

TEST(Settle, WhatTheLogNeedsIsHeldAgainstTheDriver) {
  const auto first =
      FirstOn("world = \"gpu\"\n",
              std::string("Successfully opened dynamic library libcudart.so.12\n") + kInsufficient,
              "driver=470.82.01,gpu=sm_80");
  EXPECT_EQ(first.cause, "driver-too-old");
  EXPECT_NE(first.summary.find("driver 470.82.01 is older than 525.60.13, which CUDA 12 needs"),
            std::string::npos)
      << first.summary;
}

// libcudnn.so in the toolkit, where a linker without -L does not look.
TEST(Settle, WhatTheLinkerDidNotFindMayBeThere) {
  constexpr const char* kLink = "/usr/bin/ld: cannot find -lcudnn: No such file or directory\n";
  const auto first = FirstOn(
      "world = \"toolkit\"\n[env]\nCUDA_HOME = \"/usr/local/cuda\"\n[links]\n"
      "\"/usr/local/cuda-13.0/targets/x86_64-linux/lib/libcudnn.so\" = \"libcudnn.so.9\"\n",
      kLink);
  EXPECT_EQ(first.cause, "build-config") << first.summary;
  EXPECT_NE(first.summary.find("/usr/local/cuda"), std::string::npos) << first.summary;
  EXPECT_NE(first.fix.find("-L/usr/local/cuda"), std::string::npos) << first.fix;
  EXPECT_EQ(FirstOn("world = \"bare\"\n", kLink).cause, "cudnn-missing");
  EXPECT_EQ(FirstOn("world = \"toolkit\"\n", kLink).cause, "broken-symlink");
}

// Headers lie beside their libraries.
TEST(Settle, AHeaderMayBeThere) {
  constexpr const char* kCudnn = "net.cpp:3:10: fatal error: cudnn_version.h: No such file or directory\n";
  const auto first = FirstOn("world = \"toolkit\"\n", kCudnn);
  EXPECT_EQ(first.cause, "build-config") << first.summary;
  EXPECT_NE(first.fix.find("-I/usr/local/cuda"), std::string::npos) << first.fix;
  constexpr const char* kCuda = "main.cpp:2:10: fatal error: cuda.h: No such file or directory\n";
  EXPECT_EQ(FirstOn("world = \"toolkit\"\n", kCuda).cause, "build-config");
  EXPECT_EQ(FirstOn("world = \"bare\"\n", kCuda).cause, "toolkit-missing");
  constexpr const char* kMain = "main.cpp:2:10: fatal error: cudnn.h: No such file or directory\n";
  EXPECT_EQ(FirstOn("world = \"bare\"\n", kMain).cause, "cudnn-missing");
  EXPECT_EQ(FirstOn("world = \"toolkit\"\n", kMain).cause, "header-library-mismatch");
}

TEST(Settle, NvccMayBeThereAndNotOnPath) {
  constexpr const char* kLog = "/bin/sh: 1: nvcc: not found\n";
  const auto first = FirstOn("world = \"toolkit\"\n[env]\nPATH = \"/usr/bin:/bin\"\n", kLog);
  EXPECT_EQ(first.cause, "search-path") << first.summary;
  EXPECT_NE(first.fix.find("/usr/local/cuda-13.0/bin"), std::string::npos) << first.fix;
  EXPECT_EQ(FirstOn("world = \"bare\"\n", kLog).cause, "toolkit-missing");
}

TEST(Settle, WhatNvccOfThisMachineSupports) {
  constexpr const char* kArch = "nvcc fatal   : Unsupported gpu architecture 'compute_61'\n";
  const auto first = FirstOn("world = \"toolkit\"\n", kArch);
  EXPECT_EQ(first.cause, "arch-unsupported-by-compiler");
  EXPECT_NE(first.summary.find("CUDA 13.0"), std::string::npos) << first.summary;
  constexpr const char* kHost =
      "#error -- unsupported GNU version! gcc versions later than 13 are not supported!\n";
  EXPECT_LT(FirstOn("world = \"toolkit\"\n", kHost).confidence,
            FirstOn("world = \"bare\"\n", kHost).confidence);
}

TEST(Settle, ALibraryThatIsOnTheMachineIsNotMissing) {
  const std::string log =
      "ImportError: libcudnn.so.9: cannot open shared object file: No such file or directory\n";
  EXPECT_EQ(FirstOn("world = \"torch_and_system_cudnn\"\n", log).cause, "search-path");
  EXPECT_EQ(FirstOn("world = \"gpu\"\n", log).cause, "cudnn-missing");
}

}  // namespace
}  // namespace culprit
