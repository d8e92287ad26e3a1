// libculprit as installed: the files, what it exports and needs, and every example built against it with
// find_package() as a user would, then run with the fake libraries.
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <sstream>

#include "run_program.h"

namespace {

namespace fs = std::filesystem;

const std::string kFakes = CULPRIT_FAKES;

class Installed : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    std::string pattern = (fs::temp_directory_path() / "culprit_install.XXXXXX").string();
    root_ = mkdtemp(pattern.data());
    const ProgramEnd end =
        RunProgram("cmake --install " CULPRIT_BUILD " --component api --prefix " + root_ + "/first");
    ASSERT_EQ(end.status, 0) << end.output;
    fs::rename(root_ + "/first", Prefix());  // it must not depend on where it was installed first
  }
  static void TearDownTestSuite() { fs::remove_all(root_); }

  static std::string Prefix() { return root_ + "/prefix"; }
  static std::string Library() { return Prefix() + "/" CULPRIT_LIBDIR "/libculprit.so"; }
  static inline std::string root_;
};

TEST_F(Installed, ExportsItsOwnFunctionsAndNothingElse) {
  const ProgramEnd names = RunProgram("nm -D --defined-only --format=just-symbols " + Library());
  ASSERT_EQ(names.status, 0) << names.output;
  std::istringstream lines(names.output);
  size_t count = 0;
  for (std::string name; std::getline(lines, name); ++count)
    EXPECT_TRUE(name.starts_with("culprit_")) << name;
  EXPECT_EQ(count, 8U) << names.output;
}

TEST_F(Installed, NeedsNoCuda) {
  const ProgramEnd needed = RunProgram("readelf -d " + Library() + " | grep NEEDED");
  ASSERT_EQ(needed.status, 0) << needed.output;
  for (const char* library : {"cuda", "cudnn", "nvidia", "cublas", "re2", "lzma", "zstd"}) {
    EXPECT_EQ(needed.output.find(library), std::string::npos) << needed.output;
  }
  if (!CULPRIT_STATIC_BUILD) return;
  for (const char* library : {"libstdc++", "libgcc_s", "libz"}) {
    EXPECT_EQ(needed.output.find(library), std::string::npos) << needed.output;
  }
}

TEST_F(Installed, HeadersCompileAsStrictCAndCpp17) {
  const auto compile = [](const std::string& compiler, const std::string& header) {
    const ProgramEnd end = RunProgram("echo '#include <culprit/" + header +
                                      ">\nint main(void) { return culprit_version() == 0; }' | " + compiler +
                                      " -pedantic -Wall -Wextra -Wconversion -Werror -I" + Prefix() +
                                      "/include -fsyntax-only -");
    EXPECT_EQ(end.status, 0) << compiler << '\n' << end.output;
  };
  compile(CULPRIT_CC " -std=c11 -x c", "culprit_c.h");
  compile(CULPRIT_CXX " -std=c++17 -Wshadow -x c++", "culprit.h");
}

TEST_F(Installed, PkgConfigFindsItWhereItLies) {
  const ProgramEnd flags =
      RunProgram("PKG_CONFIG_PATH=" + Prefix() +
                 "/" CULPRIT_LIBDIR "/pkgconfig pkg-config --variable=includedir culprit");
  ASSERT_EQ(flags.status, 0) << flags.output;
  EXPECT_TRUE(fs::exists(flags.output.substr(0, flags.output.find('\n')) + "/culprit/culprit.h"))
      << flags.output;
}

TEST_F(Installed, ExamplesBuildAndRunAsAUserWouldBuildThem) {
  const std::string build = root_ + "/build";
  const std::string cudnn = std::string(CULPRIT_FAKES) + "/cudnn-91400";
  const ProgramEnd made = RunProgram(
      "cmake -G Ninja -S " CULPRIT_EXAMPLES " -B " + build + " -DCMAKE_PREFIX_PATH=" + Prefix() +
      " -DCMAKE_C_COMPILER=" CULPRIT_CC " -DCMAKE_CXX_COMPILER=" CULPRIT_CXX
      " -DCMAKE_CXX_FLAGS='-Wall -Wextra -Werror' -DCMAKE_MODULE_PATH=" CULPRIT_FAKE_TOOLKIT " -DFAKES=" +
      kFakes + " -DCUDNN_INCLUDE_DIR=" CULPRIT_FAKE_TOOLKIT "/include -DCUDNN_LIBRARY=" + cudnn +
      "/libcudnn.so.9 && cmake --build " + build);
  ASSERT_EQ(made.status, 0) << made.output;

  const std::string fake = "LD_LIBRARY_PATH=" + kFakes + "/driver:" + kFakes + "/cuda:" + cudnn + " ";
  const auto run = [&](const std::string& variables, const std::string& example,
                       const std::string& arguments = "") {
    return RunProgram("env -u CUDA_VISIBLE_DEVICES " + variables + build + "/" + example + "/" + example +
                      " " + arguments);
  };
  const auto expect = [](const ProgramEnd& end, int status, const std::string& part) {
    EXPECT_EQ(end.status, status) << end.output;
    EXPECT_NE(end.output.find(part), std::string::npos) << end.output;
  };
  const std::string line = "GPU 0: Fake H200 (sm_90), 79.5 of 80.0 GiB free\n";
  expect(run(fake, "device_check"), 0, line);
  expect(run(fake + "CUDA_VISIBLE_DEVICES=-1 ", "device_check"), 1, "  $ unset CUDA_VISIBLE_DEVICES\n");
  expect(run(fake, "cpu_fallback"), 0, line + "sum: 500\n");
  expect(run(fake + "CUDA_VISIBLE_DEVICES= ", "cpu_fallback"), 0, "; running on the CPU\nsum: 500\n");
  expect(run(fake, "c_check"), 0, line);
  expect(run(fake + "FAKE_CUDA_DEVICES=2 ", "select_device", "GPU-22"), 0, "the runtime uses GPU 1\n");
  expect(run(fake, "robust_errors"), 0, "the kernel wrote 0 to 63\n");
  expect(run(fake + "FAKE_CUDA=cudaMalloc=2 ", "robust_errors"), 1, "cudaErrorMemoryAllocation (2)");
  expect(run(fake + "FAKE_CUDA=cuLaunchKernel=719 ", "robust_errors"), 1, "CUDA_ERROR_LAUNCH_FAILED (719)");
  expect(run(fake, "cudnn_check"), 0, "cudnnCreate works, version 91400\n");
  expect(run(fake + "FAKE_CUDA=cudnnCreate=1001 ", "cudnn_check"), 1, "CUDNN_STATUS_NOT_INITIALIZED (1001)");
}

// The fake headers could differ from the real ones.
TEST_F(Installed, ExamplesFitTheHeadersOfARealToolkit) {
  if (!fs::exists("/usr/local/cuda/include/cuda_runtime.h")) GTEST_SKIP() << "no toolkit in /usr/local/cuda";
  std::string sources = " " CULPRIT_EXAMPLES "/robust_errors/robust_errors.cc";
  if (fs::exists("/usr/local/cuda/include/cudnn.h"))
    sources += " " CULPRIT_EXAMPLES "/cudnn_check/cudnn_check.cc";
  const ProgramEnd end = RunProgram(CULPRIT_CXX
                                    " -std=c++17 -Wall -Wextra -Werror -fsyntax-only -isystem "
                                    "/usr/local/cuda/include -I" +
                                    Prefix() + "/include" + sources);
  EXPECT_EQ(end.status, 0) << end.output;
}

}  // namespace
