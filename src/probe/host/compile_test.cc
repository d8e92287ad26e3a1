// Compiling, linking and running told apart, with a shell script in the place of nvcc.
#include "probe/host/compile.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "probe/host/plan/build_choice.h"
#include "snapshot/recorded_file_view.h"

namespace culprit::probe {
namespace {

class Compiling : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = testing::TempDir() + "culprit_nvcc_XXXXXX";
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    directory_ = name;
  }
  void TearDown() override { std::filesystem::remove_all(directory_); }

  // `script` sees $out, the file to make, and $all, its arguments.
  CompileResult Try(const std::string& script) {
    const std::string nvcc = (directory_ / "nvcc").string();
    std::ofstream(nvcc) << "#!/bin/sh\nall=\"$*\"\necho \"$all\" >> " << directory_.string() << "/calls\n"
                        << "while [ $# -gt 0 ]; do [ \"$1\" = -o ] && out=$2; shift; done\n"
                        << script << "\n";
    chmod(nvcc.c_str(), 0755);
    snapshot::Snapshot snapshot;
    snapshot.environment = {{"PATH", "/usr/bin:/bin"}};
    snapshot.stack.toolkits = snapshot::Fact<snapshot::Toolkits>::Of({.nvcc_on_path = nvcc}, "test");
    std::vector<snapshot::CudnnCopy> copies = {
        {.directory = "/opt/cudnn/lib", .major = 9, .header = "/opt/cudnn/include/cudnn_version.h"}};
    snapshot.stack.cudnn = snapshot::Fact<std::vector<snapshot::CudnnCopy>>::Of(copies, "test");
    std::vector<snapshot::ProbedDevice> devices(3);
    devices[0].compute_capability = devices[1].compute_capability = "9.0";
    devices[2].compute_capability = "12.0";
    snapshot::RecordedFileView view(snapshot.files);
    return TryCompiling(snapshot, view, devices, {}, {.step_limit = std::chrono::seconds(5)});
  }

  static std::string Outcomes(const CompileResult& result) {
    std::string text;
    for (const auto& step : result.steps) text += std::string(base::Word(step.outcome)) + " ";
    return text;
  }

  std::filesystem::path directory_;
};

const std::string kMake =
    "printf '#!/bin/sh\\necho cudaSuccess launch; echo header_version 91900' > $out; chmod +x $out";

TEST_F(Compiling, AHealthyToolchainMakesTwoProgramsThatRun) {
  const CompileResult result = Try(kMake);
  EXPECT_EQ(Outcomes(result), "ok ok ok ok ok ok ");
  EXPECT_EQ(result.advice, std::vector<std::string>{"CMAKE_CUDA_ARCHITECTURES=90;120"});
  EXPECT_EQ(result.steps[5].name, snapshot::StepName::kRunCudnn);
  EXPECT_EQ(result.steps[5].figures.at("header_version"), "91900");
  std::ifstream calls(directory_ / "calls");
  const std::string text((std::istreambuf_iterator<char>(calls)), {});
  EXPECT_NE(text.find("-arch=sm_90 -c "), std::string::npos) << text;
  EXPECT_NE(text.find("-I /opt/cudnn/include"), std::string::npos) << text;
  EXPECT_NE(text.find("-L/opt/cudnn/lib -Xlinker -rpath"), std::string::npos) << text;
  const size_t source = text.find("/cuda.cu");
  const std::string path = text.substr(text.rfind(' ', source) + 1, source - text.rfind(' ', source) - 1);
  EXPECT_FALSE(std::filesystem::exists(path)) << path;
}

TEST_F(Compiling, ACompilerErrorIsQuoted) {
  const CompileResult result =
      Try("case \"$all\" in *cudnn.cu*) echo 'note: x'; echo 'cudnn.cu:4:10: fatal error: cudnn.h: No such "
          "file' >&2; exit 1;; esac; " +
          kMake);
  EXPECT_EQ(Outcomes(result), "ok ok ok failed not-run not-run ");
  EXPECT_EQ(result.steps[3].status.text(), "compiler-error");
  EXPECT_EQ(result.steps[3].detail, "cudnn.cu:4:10: fatal error: cudnn.h: No such file");
  EXPECT_EQ(result.steps[5].detail, "needs compile-cudnn, which failed");
}

TEST_F(Compiling, ALinkerErrorAndARunThatFailsAreOtherThings) {
  const CompileResult link = Try("case \"$all\" in *-c*) " + kMake +
                                 ";; *) echo '/usr/bin/ld: cannot find -lcudart' >&2; exit 255;; esac");
  EXPECT_EQ(Outcomes(link), "ok failed not-run ok failed not-run ");
  EXPECT_EQ(link.steps[1].status.text(), "linker-error");

  const CompileResult run = Try(
      "printf '#!/bin/sh\\necho cudaErrorInsufficientDriver cudaSetDevice; exit 1' > $out; chmod +x $out");
  EXPECT_EQ(Outcomes(run), "ok ok failed ok ok failed ");
  EXPECT_EQ(run.steps[2].status.text(), "cudaErrorInsufficientDriver");
  EXPECT_EQ(run.steps[2].call, "cudaSetDevice");

  const CompileResult crash = Try("printf '#!/bin/sh\\nkill -SEGV $$' > $out; chmod +x $out");
  EXPECT_EQ(Outcomes(crash), "ok ok crashed ok ok crashed ");
}

TEST_F(Compiling, WithoutNvccNothingIsTried) {
  const snapshot::Snapshot snapshot;
  snapshot::RecordedFileView view(snapshot.files);
  const CompileResult result = TryCompiling(snapshot, view, {}, {}, {});
  EXPECT_EQ(Outcomes(result), "failed not-run not-run not-run not-run not-run ");
  EXPECT_EQ(result.steps[0].detail, "no nvcc was found");
}

}  // namespace
}  // namespace culprit::probe
