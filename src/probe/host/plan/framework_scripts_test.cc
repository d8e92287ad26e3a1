// The scripts in a real interpreter, with fake modules in place of the frameworks.
#include "probe/host/plan/framework_scripts.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "probe/host/run.h"

namespace culprit::probe {
namespace {

class FrameworkScripts : public testing::Test {
 protected:
  void SetUp() override {
    if (std::system("python3 -c '' 2>/dev/null") != 0) GTEST_SKIP() << "there is no python3";
    std::string name = testing::TempDir() + "culprit_framework_XXXXXX";
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    directory_ = name;
  }
  void TearDown() override {
    if (!directory_.empty()) std::filesystem::remove_all(directory_);
  }

  snapshot::ProbeFacts Do(const std::string& framework, const std::string& module) {
    if (!module.empty()) std::ofstream(directory_ / (framework + ".py")) << module;
    probe::Run run({.step_limit = std::chrono::seconds(20)});
    run.Start({.name = framework,
               .program = "/usr/bin/env",
               .arguments = {"PYTHONPATH=" + directory_.string(), "python3", "-B", "-c",
                             FrameworkScript(framework)},
               .steps = {StepName::kImport, StepName::kFrameworkDevices, StepName::kFrameworkConvolution}});
    return run.Wait();
  }

  std::filesystem::path directory_;
};

TEST_F(FrameworkScripts, ACpuOnlyBuildIsToldAndPrintingDoesNotDisturb) {
  const auto facts = Do("torch", R"(
import os
print('hello from torch'); os.write(1, b'and more\n')
__version__ = '2.0 +cpu'
class version: cuda = None
class backends:
    class cudnn:
        enabled, benchmark, deterministic, allow_tf32 = True, False, False, True
        version = staticmethod(lambda: None)
)");
  ASSERT_EQ(facts.steps.size(), 3u);
  EXPECT_EQ(facts.steps[0].outcome, snapshot::StepOutcome::kOk) << facts.steps[0].output;
  EXPECT_EQ(facts.steps[0].figures.at("version"), "2.0 +cpu");
  EXPECT_EQ(facts.steps[0].figures.at("allow_tf32"), "True");
  // Standard error has no place among the lines of the protocol: it may be read with those of the next step.
  EXPECT_NE((facts.steps[0].output + facts.steps[1].output).find("hello from torch"), std::string::npos);
  EXPECT_EQ(facts.steps[1].status.text(), "cpu-only");
  EXPECT_EQ(facts.steps[1].detail, "torch 2.0 +cpu was built without CUDA");
  EXPECT_EQ(facts.steps[2].outcome, snapshot::StepOutcome::kNotRun);
}

TEST_F(FrameworkScripts, ACudnnThatTorchRefusesIsAFailureThoughItWouldCompute) {
  const auto facts = Do("torch", R"(
__version__ = '2.11.0+cu130'
class version: cuda, hip = '13.0', None
class cuda:
    is_available = staticmethod(lambda: True)
    device_count = staticmethod(lambda: 1)
    get_device_name = staticmethod(lambda i: 'Fake GPU')
asked = []
class backends:
    class cudnn:
        enabled, benchmark, deterministic, allow_tf32 = True, False, True, True
        @staticmethod
        def version():
            asked.append(1)  # the real one, too, complains at the first question only
            if len(asked) == 1: raise RuntimeError('cuDNN version incompatibility: PyTorch was compiled against (9, 19, 0)')
            return 91400
)");
  ASSERT_EQ(facts.steps.size(), 3u);
  EXPECT_EQ(facts.steps[0].detail, "2.11.0+cu130; cuDNN enabled, deterministic");
  EXPECT_EQ(facts.steps[1].outcome, snapshot::StepOutcome::kOk);
  EXPECT_EQ(facts.steps[2].outcome, snapshot::StepOutcome::kFailed);
  EXPECT_EQ(facts.steps[2].status.text(), "RuntimeError");
  EXPECT_NE(facts.steps[2].detail.find("compiled against (9, 19, 0)"), std::string::npos);
}

TEST_F(FrameworkScripts, TheConvolutionIsComparedWithTheCpus) {
  const std::string cupy = R"(
__version__ = '13'
class cuda:
    class runtime:
        runtimeGetVersion = staticmethod(lambda: 13000)
        getDeviceCount = staticmethod(lambda: 1)
        getDeviceProperties = staticmethod(lambda i: {'name': b'Fake GPU'})
    class Device:
        def __init__(self, number): pass
        def __enter__(self): return self
        def __exit__(self, *rest): pass
def array(*rest): raise RuntimeError('cudaErrorNoKernelImageForDevice: no kernel image')
float32 = 'float32'
)";
  const auto facts = Do("cupy", cupy);
  EXPECT_EQ(facts.steps[1].outcome, snapshot::StepOutcome::kOk);
  EXPECT_EQ(facts.steps[1].detail, "Fake GPU");
  EXPECT_EQ(facts.steps[2].outcome, snapshot::StepOutcome::kFailed);
  EXPECT_EQ(facts.steps[2].status.text(), "RuntimeError");
  EXPECT_EQ(facts.steps[2].call, "array");
  EXPECT_NE(facts.steps[2].output.find("Traceback"), std::string::npos);
}

TEST_F(FrameworkScripts, AnImportThatFailsOrCrashesIsAResult) {
  const auto missing = Do("jax", "import jaxlib_that_is_not_there\n");
  EXPECT_EQ(missing.steps[0].outcome, snapshot::StepOutcome::kFailed);
  EXPECT_EQ(missing.steps[0].status.text(), "ModuleNotFoundError");
  EXPECT_EQ(missing.steps[1].outcome, snapshot::StepOutcome::kNotRun);
  const auto crashed = Do("onnxruntime", "import os, signal\nos.kill(os.getpid(), signal.SIGSEGV)\n");
  EXPECT_EQ(crashed.steps[0].outcome, snapshot::StepOutcome::kCrashed);
  EXPECT_EQ(crashed.steps[0].status.text(), "SIGSEGV");
  EXPECT_EQ(crashed.steps[2].detail, "needs import, which failed");
  const auto ended = Do("tensorflow", "import os\nos._exit(3)\n");
  EXPECT_EQ(ended.steps[0].outcome, snapshot::StepOutcome::kEnded);
}

}  // namespace
}  // namespace culprit::probe
