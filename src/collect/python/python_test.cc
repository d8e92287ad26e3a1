// The Python collector on machines made up in memory.
#include <gtest/gtest.h>

#include "base/bytes/sha256.h"
#include "binfmt/elf/write.h"
#include "collect/stack.h"
#include "system/memory.h"

namespace culprit::collect {
namespace {

using snapshot::PythonEnvironment;

constexpr const char* kVenvSite = "/opt/venv/lib/python3.12/site-packages/";

class PythonCollector : public testing::Test {
 protected:
  PythonCollector() {
    system_.AddFile("/usr/bin/python3.12",
                    "\x7f"
                    "ELF",
                    0755);
    system_.AddLink("/usr/bin/python3", "python3.12");
  }

  void AddVenv(const std::string& prefix) {
    system_.AddFile(prefix + "/pyvenv.cfg",
                    "home = /usr/bin\ninclude-system-site-packages = false\nversion = 3.12.4\n");
    system_.AddLink(prefix + "/bin/python3", "/usr/bin/python3.12");
    system_.AddDirectory(prefix + "/lib/python3.12/site-packages");
  }

  void AddTorch(const std::string& site, const std::string& version, const std::string& cuda) {
    system_.AddFile(site + "torch/__init__.py");
    system_.AddFile(site + "torch/version.py",
                    "__version__ = '" + version + "'\ncuda: Optional[str] = " + cuda + "\nhip = None\n");
    const std::string record = site + "torch-" + version + ".dist-info/";
    system_.AddFile(record + "METADATA",
                    "Name: torch\nVersion: " + version +
                        "\nRequires-Dist: nvidia-cudnn-cu12==9.1.0.70; platform_system == \"Linux\"\n"
                        "Requires-Dist: sympy\n\n");
    system_.AddFile(record + "INSTALLER", "pip\n");
    system_.AddFile(record + "RECORD", "torch/lib/libtorch_cuda.so,sha256=x,3\n");
    system_.AddFile(site + "torch/lib/libtorch_cuda.so", "abc");
  }

  // A package with one library, which needs another one.
  void AddNative(const std::string& name, const std::string& library, const std::string& needs) {
    const std::string site = kVenvSite;
    std::string bytes = binfmt::BuildElf({.needed = {needs}});
    bytes.resize(200'000);
    const std::string record = site + name + "-1.2.dist-info/";
    system_.AddFile(record + "METADATA", "Name: " + name + "\nVersion: 1.2\n\n");
    system_.AddFile(record + "WHEEL",
                    "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-manylinux_2_28_x86_64\n");
    system_.AddFile(record + "RECORD", library + ",sha256=x," + std::to_string(bytes.size()) + "\n");
    system_.AddFile(site + library, bytes);
  }

  std::vector<PythonEnvironment> Collect() {
    Surroundings around{
        .system = system_, .environment = environment_, .working_directory = "/home/u/project"};
    around.environments = given_;
    around.verify = verify_;
    const auto fact = CollectPython(around);
    return fact ? *fact : std::vector<PythonEnvironment>();
  }

  system::MemorySystem system_;
  std::map<std::string, std::string> environment_ = {{"HOME", "/home/u"}, {"PATH", "/usr/bin"}};
  std::vector<std::string> given_;
  bool verify_ = false;
};

TEST_F(PythonCollector, ActiveEnvironmentWithTorch) {
  AddVenv("/opt/venv");
  AddTorch(kVenvSite, "2.5.1+cu124", "'12.4'");
  environment_["VIRTUAL_ENV"] = "/opt/venv";
  const auto environments = Collect();
  ASSERT_EQ(environments.size(), 2u);  // and what PATH gives
  const PythonEnvironment& venv = environments[0];
  EXPECT_EQ(venv.kind, snapshot::EnvironmentKind::kVenv);
  EXPECT_EQ(venv.why, snapshot::EnvironmentWhy::kActive);
  EXPECT_EQ(venv.python, "3.12");
  EXPECT_EQ(venv.interpreter, "/opt/venv/bin/python3");
  ASSERT_EQ(venv.frameworks.size(), 1u);
  const snapshot::Framework& torch = venv.frameworks[0];
  EXPECT_EQ(torch.name, "torch");
  EXPECT_EQ(torch.version, "2.5.1+cu124");
  EXPECT_EQ(torch.cuda, "12.4");
  EXPECT_EQ(torch.cudnn, "9.1.0");
  EXPECT_FALSE(torch.cpu_only);
  EXPECT_EQ(torch.libraries,
            (std::vector<std::string>{std::string(kVenvSite) + "torch/lib/libtorch_cuda.so"}));
  ASSERT_EQ(venv.packages.size(), 1u);
  EXPECT_EQ(venv.packages[0].installer, "pip");
  EXPECT_TRUE(venv.packages[0].damaged.empty());
  ASSERT_EQ(venv.packages[0].requirements.size(), 1u);
}

// What a package needs is read in its libraries, whoever made it.
TEST_F(PythonCollector, PackagesThatNobodyWroteDown) {
  AddVenv("/opt/venv");
  const std::string site = kVenvSite;
  AddNative("trees", "trees/lib/libtrees.so", "libcudart.so.12");
  AddNative("plain", "plain/_c.so", "libm.so.6");
  AddNative("nvidia-something-cu12", "nvidia/something/lib/libsomething.so.1", "libcudart.so.12");
  given_ = {"/opt/venv"};
  const auto environments = Collect();
  ASSERT_EQ(environments.size(), 1u);
  ASSERT_EQ(environments[0].frameworks.size(), 2u);
  EXPECT_EQ(environments[0].frameworks[0].directory, site + "nvidia/something");
  const snapshot::Framework& trees = environments[0].frameworks[1];
  EXPECT_EQ(trees.name, "trees");
  EXPECT_EQ(trees.version, "1.2");
  EXPECT_EQ(trees.directory, site + "trees");
  EXPECT_EQ(trees.libraries, (std::vector<std::string>{site + "trees/lib/libtrees.so"}));
}

TEST_F(PythonCollector, PackagesThatOthersLoadAreNotFrameworks) {
  AddVenv("/opt/venv");
  AddTorch(kVenvSite, "2.5.1+cu124", "'12.4'");
  AddNative("nvidia-cublas-cu12", "nvidia/cublas/lib/libcublas.so.12", "libcublasLt.so.12");  // of CUDA
  AddNative("nvidia-cudnn-cu12", "nvidia/cudnn/lib/libparts.so", "libcudart.so.12");   // torch requires it
  AddNative("torch-nightly", "torch/lib/libtorch_cuda_linalg.so", "libcudart.so.12");  // in its directory
  given_ = {"/opt/venv"};
  const auto environments = Collect();
  ASSERT_EQ(environments.size(), 1u);
  ASSERT_EQ(environments[0].frameworks.size(), 1u);
  EXPECT_EQ(environments[0].frameworks[0].name, "torch");
}

// Its bindings are the package of the framework, and do not require the one with the libraries.
TEST_F(PythonCollector, APackageWithTheLibrariesOfAFrameworkIsPartOfIt) {
  AddVenv("/opt/venv");
  const std::string site = kVenvSite;
  system_.AddFile(site + "tensorrt_lean_bindings/__init__.py");
  AddNative("tensorrt-lean-cu13-libs", "tensorrt_lean_libs/libnvinfer_lean.so.11", "libcudart.so.13");
  given_ = {"/opt/venv"};
  const auto environments = Collect();
  ASSERT_EQ(environments.size(), 1u);
  ASSERT_EQ(environments[0].frameworks.size(), 1u);
  EXPECT_EQ(environments[0].frameworks[0].name, "tensorrt_lean");
}

TEST_F(PythonCollector, CpuBuildIsSeen) {
  AddVenv("/opt/venv");
  AddTorch(kVenvSite, "2.5.1+cpu", "None");
  const auto environments = Collect();
  ASSERT_EQ(environments.size(), 2u);  // PATH's Python first, then the one found
  EXPECT_EQ(environments[1].why, snapshot::EnvironmentWhy::kFound);
  EXPECT_TRUE(environments[1].frameworks.at(0).cpu_only);
}

TEST_F(PythonCollector, FoundOnesWithoutFrameworksAreLeftOut) {
  AddVenv("/home/u/project/.venv");
  EXPECT_EQ(Collect().size(), 1u);
}

TEST_F(PythonCollector, GivenOnesKeepOthersAway) {
  AddVenv("/opt/venv");
  AddTorch(kVenvSite, "2.5.1", "'12.4'");
  AddVenv("/home/u/given");
  given_ = {"/home/u/given"};
  const auto environments = Collect();
  ASSERT_EQ(environments.size(), 1u);
  EXPECT_EQ(environments[0].prefix, "/home/u/given");
}

TEST_F(PythonCollector, AFreeThreadedPythonHasALibraryFolderOfItsOwn) {
  system_.AddFile("/opt/free/bin/python3.14t",
                  "\x7f"
                  "ELF",
                  0755);
  system_.AddLink("/opt/free/bin/python3", "python3.14t");
  AddTorch("/opt/free/lib/python3.14t/site-packages/", "2.15.0", "'13.0'");
  given_ = {"/opt/free"};
  const auto environments = Collect();
  ASSERT_EQ(environments.size(), 1u);
  EXPECT_EQ(environments[0].python, "3.14");
  ASSERT_EQ(environments[0].frameworks.size(), 1u);
  EXPECT_EQ(environments[0].frameworks[0].version, "2.15.0");
}

TEST_F(PythonCollector, UserSiteComesBeforeThoseOfTheSystem) {
  AddTorch("/home/u/.local/lib/python3.12/site-packages/", "2.1.0", "'11.8'");
  AddTorch("/usr/local/lib/python3.12/dist-packages/", "2.5.1", "'12.4'");
  auto environments = Collect();
  ASSERT_EQ(environments.size(), 1u);
  EXPECT_EQ(environments[0].kind, snapshot::EnvironmentKind::kSystem);
  EXPECT_EQ(environments[0].frameworks.at(0).version, "2.1.0");
  environment_["PYTHONNOUSERSITE"] = "1";
  environments = Collect();
  EXPECT_EQ(environments.at(0).frameworks.at(0).version, "2.5.1");
}

TEST_F(PythonCollector, LinesOfPthFilesAreSearched) {
  AddVenv("/opt/venv");
  system_.AddFile(std::string(kVenvSite) + "x.pth", "import os; os.x()\n# comment\n/srv/source\nmissing\n");
  AddTorch("/srv/source/", "2.6.0", "'12.6'");
  given_ = {"/opt/venv"};
  const auto environments = Collect();
  EXPECT_EQ(environments.at(0).site_packages.size(), 2u);
  EXPECT_EQ(environments.at(0).frameworks.at(0).directory, "/srv/source/torch");
}

TEST_F(PythonCollector, DamagedFilesAreNamedWithBothSizes) {
  AddVenv("/opt/venv");
  AddTorch(kVenvSite, "2.5.1", "'12.4'");
  system_.AddFile(std::string(kVenvSite) + "torch/lib/libtorch_cuda.so", "ab");
  given_ = {"/opt/venv"};
  const auto packages = Collect().at(0).packages;
  ASSERT_EQ(packages.at(0).damaged.size(), 1u);
  EXPECT_EQ(packages[0].damaged[0].problem, snapshot::FileDamage::kSize);
  EXPECT_EQ(packages[0].damaged[0].expected, "3");
  EXPECT_EQ(packages[0].damaged[0].actual, "2");
}

TEST_F(PythonCollector, HashesAreComparedOnRequestOnly) {
  AddVenv("/opt/venv");
  AddTorch(kVenvSite, "2.5.1", "'12.4'");
  given_ = {"/opt/venv"};
  EXPECT_TRUE(Collect().at(0).packages.at(0).damaged.empty());
  verify_ = true;
  EXPECT_EQ(Collect().at(0).packages.at(0).damaged.at(0).problem, snapshot::FileDamage::kHash);
}

TEST_F(PythonCollector, CondaPackagesThatPipDoesNotKnow) {
  system_.AddFile("/opt/conda/bin/python3.11",
                  "\x7f"
                  "ELF",
                  0755);
  system_.AddLink("/opt/conda/bin/python", "python3.11");
  system_.AddFile("/opt/conda/conda-meta/libcudnn-9.3.0-h1.json", "{}");
  system_.AddFile("/opt/conda/conda-meta/numpy-1.26.4-py311_0.json", "{}");
  system_.AddFile("/opt/conda/lib/python3.11/site-packages/numpy-1.26.4.dist-info/METADATA",
                  "Name: numpy\n\n");
  environment_["CONDA_PREFIX"] = "/opt/conda";
  const PythonEnvironment conda = Collect().at(0);
  EXPECT_EQ(conda.kind, snapshot::EnvironmentKind::kConda);
  EXPECT_EQ(conda.python, "3.11");
  ASSERT_EQ(conda.packages.size(), 2u);
  EXPECT_EQ(conda.packages[0].name, "libcudnn");
  EXPECT_EQ(conda.packages[0].installer, "conda");
  EXPECT_EQ(conda.packages[1].installer, "");
}

TEST_F(PythonCollector, ALauncherScriptIsNotTakenForAPython) {
  system_.AddFile("/home/u/.pyenv/shims/python3", "#!/bin/sh\n", 0755);
  environment_["PATH"] = "/home/u/.pyenv/shims";
  const auto fact = CollectPython({.system = system_, .environment = environment_, .working_directory = "/"});
  EXPECT_EQ(fact.state, snapshot::FactState::kUnreadable);
  EXPECT_NE(fact.why.find("is a script"), std::string::npos);
}

TEST_F(PythonCollector, AnInterpreterThatIsGoneIsTold) {
  AddVenv("/opt/venv");
  system_.Remove("/usr/bin/python3.12");
  given_ = {"/opt/venv"};
  const PythonEnvironment environment = Collect().at(0);
  EXPECT_EQ(environment.interpreter, "");
  ASSERT_FALSE(environment.problems.empty());
  EXPECT_NE(environment.problems[0].find("dangling symlink"), std::string::npos);
}

TEST_F(PythonCollector, LooksOnlyWhereItSays) {
  AddVenv("/opt/venv");
  AddTorch(kVenvSite, "2.5.1", "'12.4'");
  system_.AddFile("/home/u/secret/.venv/pyvenv.cfg");
  system_.ClearAccessed();
  Collect();
  for (const std::string& path : system_.accessed()) {
    EXPECT_EQ(path.find("secret"), std::string::npos) << path;
  }
}

TEST_F(PythonCollector, PyenvsShimLeadsToTheVersionThatIsChosen) {
  system_.AddFile("/home/u/.pyenv/shims/python3", "#!/usr/bin/env bash\n", 0755);
  system_.AddFile("/home/u/.pyenv/version", "3.11.7\n");
  for (const std::string version : {"3.11.7", "3.12.1"}) {
    system_.AddFile("/home/u/.pyenv/versions/" + version + "/bin/python3",
                    "\x7f"
                    "ELF",
                    0755);
    system_.AddDirectory("/home/u/.pyenv/versions/" + version + "/lib/python" + version.substr(0, 4) +
                         "/site-packages");
  }
  environment_["PATH"] = "/home/u/.pyenv/shims:/usr/bin";
  ASSERT_EQ(Collect().size(), 1u);
  EXPECT_EQ(Collect()[0].prefix, "/home/u/.pyenv/versions/3.11.7");
  system_.AddFile("/home/u/.python-version", "3.12.1\n");
  EXPECT_EQ(Collect()[0].prefix, "/home/u/.pyenv/versions/3.12.1");
  environment_["PYENV_VERSION"] = "3.11.7";
  EXPECT_EQ(Collect()[0].prefix, "/home/u/.pyenv/versions/3.11.7");
  environment_["PYENV_VERSION"] = "2.7.18";  // not installed: the shim would refuse
  EXPECT_TRUE(Collect().empty());
}

TEST_F(PythonCollector, PackagesInADirectoryOrAWheelOfTheirOwn) {
  for (const std::string prefix : {"/srv/packages", "/srv/torch-2.5.1-cp312-cp312-linux_x86_64.whl"}) {
    AddTorch(prefix + "/", "2.5.1+cu124", "'12.4'");
    given_.push_back(prefix);
  }
  const auto environments = Collect();
  ASSERT_EQ(environments.size(), 2u);
  EXPECT_EQ(environments[0].kind, snapshot::EnvironmentKind::kDirectory);
  EXPECT_EQ(environments[1].kind, snapshot::EnvironmentKind::kWheel);
  for (const PythonEnvironment& environment : environments) {
    ASSERT_EQ(environment.frameworks.size(), 1u);
    EXPECT_EQ(environment.frameworks[0].cuda, "12.4");
  }
}

}  // namespace
}  // namespace culprit::collect
