// Python environments of a Windows machine.
#include <gtest/gtest.h>

#include "collect/windows/stack.h"
#include "collect/windows/test_windows.h"

namespace culprit::collect {
namespace {

using snapshot::PythonEnvironment;
using Paths = std::vector<std::string>;

class WindowsPython : public testing::Test {
 protected:
  void AddPython(const std::string& prefix, int bits = 64) {
    machine_.system.AddFile(prefix + "/python.exe", binfmt::BuildPe({.bits = bits, .dll = false}));
    machine_.system.AddFile(prefix + "/python311.dll", "x");
    machine_.system.AddFile(prefix + "/python3.dll", "x");
    machine_.system.AddDirectory(prefix + "/Lib/site-packages");
  }
  void AddVenv(const std::string& prefix, const std::string& more = "") {
    machine_.system.AddFile(prefix + "/pyvenv.cfg", "home = C:\\Python311\r\nversion = 3.11.9\r\n" + more);
    machine_.system.AddFile(prefix + "/Scripts/python.exe", binfmt::BuildPe({.dll = false}));
    machine_.system.AddDirectory(prefix + "/Lib/site-packages");
  }
  void AddTorch(const std::string& site) {
    machine_.system.AddFile(site + "/torch/__init__.py");
    machine_.system.AddFile(site + "/torch/version.py",
                            "__version__ = '2.5.1+cu124'\r\ncuda: Optional[str] = '12.4'\r\nhip = None\r\n");
    machine_.system.AddFile(site + "/torch/lib/torch_cuda.dll", "abc");
    const std::string record = site + "/torch-2.5.1+cu124.dist-info/";
    machine_.system.AddFile(
        record + "METADATA",
        "Name: torch\r\nVersion: 2.5.1+cu124\r\nRequires-Dist: nvidia-cudnn-cu12==9.1.0.70; "
        "platform_system == \"Linux\"\r\n\r\n");
    machine_.system.AddFile(record + "RECORD",
                            "torch/lib/torch_cuda.dll,sha256=x,4\r\ntorch/_C.cp311-win_amd64.pyd,,9\r\n");
  }
  snapshot::Fact<std::vector<PythonEnvironment>> Fact() {
    Surroundings around = machine_.Around();
    around.environments = given_;
    return CollectWindowsPython(around);
  }
  std::vector<PythonEnvironment> Collect() {
    const auto fact = Fact();
    return fact ? *fact : std::vector<PythonEnvironment>();
  }
  WindowsMachine machine_;
  Paths given_;
};

TEST_F(WindowsPython, AVirtualEnvironmentAndThePythonThatItStarts) {
  AddPython("/C:/Python311");
  AddVenv("/C:/projects/venv");
  AddTorch("/C:/projects/venv/Lib/site-packages");
  machine_.variables["VIRTUAL_ENV"] = "c:\\projects\\venv";
  const auto environments = Collect();
  ASSERT_EQ(environments.size(), 1u);
  const PythonEnvironment& venv = environments[0];
  EXPECT_EQ(venv.kind, snapshot::EnvironmentKind::kVenv);
  EXPECT_EQ(venv.why, snapshot::EnvironmentWhy::kActive);
  EXPECT_EQ(venv.python, "3.11");
  EXPECT_EQ(venv.bits, 64);
  EXPECT_EQ(venv.interpreter, "/C:/projects/venv/Scripts/python.exe");
  EXPECT_EQ(venv.process, "/C:/Python311/python.exe");
  EXPECT_EQ(venv.site_packages, (Paths{"/C:/projects/venv/Lib/site-packages"}));
  ASSERT_EQ(venv.frameworks.size(), 1u);
  EXPECT_EQ(venv.frameworks[0].cuda, "12.4");
  EXPECT_EQ(venv.frameworks[0].cudnn, "");  // what it pins is for Linux
  EXPECT_EQ(venv.frameworks[0].libraries,
            (Paths{"/C:/projects/venv/Lib/site-packages/torch/lib/torch_cuda.dll"}));
  ASSERT_EQ(venv.packages.size(), 1u);
  ASSERT_EQ(venv.packages[0].damaged.size(), 2u);  // one of another size, one missing
  EXPECT_EQ(venv.packages[0].damaged[0].problem, snapshot::FileDamage::kSize);
  EXPECT_EQ(venv.packages[0].damaged[1].problem, snapshot::FileDamage::kMissing);
}

TEST_F(WindowsPython, TensorflowNamesItsCudaAsDllsAreNamed) {
  AddPython("/C:/Python311");
  const std::string site = "/C:/Python311/Lib/site-packages";
  machine_.system.AddFile(site + "/tensorflow/__init__.py");
  machine_.system.AddFile(site + "/tensorflow/python/platform/build_info.py",
                          "build_info = collections.OrderedDict([('cuda_version', '64_112'), "
                          "('cudnn_version', '64_8'), ('is_cuda_build', True)])\r\n");
  machine_.system.AddFile(site + "/tensorflow-2.10.1.dist-info/METADATA",
                          "Name: tensorflow\r\nVersion: 2.10.1\r\n\r\n");
  given_ = {"/C:/Python311"};
  const auto environments = Collect();
  ASSERT_EQ(environments.size(), 1u);
  ASSERT_EQ(environments[0].frameworks.size(), 1u);
  EXPECT_EQ(environments[0].frameworks[0].cuda, "11.2");
  EXPECT_EQ(environments[0].frameworks[0].cudnn, "8");
}

TEST_F(WindowsPython, SysPathOfAVenvThatSeesTheSystem) {
  AddPython("/C:/Python311");
  AddVenv("/C:/v", "include-system-site-packages = true\r\n");
  machine_.system.AddFile("/C:/v/Lib/site-packages/more.pth", "..\\..\\src\r\nimport os\r\nD:\\other\r\n");
  machine_.system.AddDirectory("/C:/v/src");
  machine_.system.AddDirectory("/D:/other");
  machine_.system.AddDirectory("/C:/u/Roaming/Python/Python311/site-packages");
  machine_.system.AddDirectory("/C:/p");
  machine_.variables = {{"APPDATA", "C:\\u\\Roaming"}, {"PYTHONPATH", "C:\\p;C:\\none"}};
  given_ = {"/C:/v"};
  const auto environments = Collect();
  ASSERT_EQ(environments.size(), 1u);
  EXPECT_EQ(environments[0].site_packages,
            (Paths{"/C:/p", "/C:/v/Lib/site-packages", "/C:/v/src", "/D:/other",
                   "/C:/u/Roaming/Python/Python311/site-packages", "/C:/Python311/Lib/site-packages"}));
}

TEST_F(WindowsPython, ThirtyTwoBitsAreSeenAndHaveAUserSiteOfTheirOwn) {
  AddPython("/C:/Python311-32", 32);
  machine_.system.AddDirectory("/C:/u/Roaming/Python/Python311-32/site-packages");
  machine_.variables = {{"PATH", "C:\\Python311-32"}, {"APPDATA", "C:\\u\\Roaming"}};
  const auto environments = Collect();
  ASSERT_EQ(environments.size(), 1u);
  EXPECT_EQ(environments[0].bits, 32);
  EXPECT_EQ(environments[0].kind, snapshot::EnvironmentKind::kSystem);
  EXPECT_EQ(environments[0].site_packages,
            (Paths{"/C:/u/Roaming/Python/Python311-32/site-packages", "/C:/Python311-32/Lib/site-packages"}));
}

TEST_F(WindowsPython, InstallationsThatTheRegistryNames) {
  AddPython("/D:/py311");
  AddTorch("/D:/py311/Lib/site-packages");
  machine_.system.AddRegistryKey("HKCU/SOFTWARE/Python/PythonCore/3.11/InstallPath", {{"", "D:\\py311\\"}});
  const auto environments = Collect();
  ASSERT_EQ(environments.size(), 1u);
  EXPECT_EQ(environments[0].prefix, "/D:/py311");
  EXPECT_EQ(environments[0].why, snapshot::EnvironmentWhy::kFound);
}

TEST_F(WindowsPython, CondaHasItsPythonAtThePrefix) {
  AddPython("/C:/Users/u/miniconda3/envs/train");
  machine_.system.AddFile("/C:/Users/u/miniconda3/envs/train/conda-meta/cudnn-8.9.2-h1.json", "{}");
  machine_.variables["CONDA_PREFIX"] = "C:\\Users\\u\\miniconda3\\envs\\train";
  const auto environments = Collect();
  ASSERT_EQ(environments.size(), 1u);
  EXPECT_EQ(environments[0].kind, snapshot::EnvironmentKind::kConda);
  EXPECT_EQ(environments[0].interpreter, "/C:/Users/u/miniconda3/envs/train/python.exe");
  ASSERT_EQ(environments[0].packages.size(), 1u);
  EXPECT_EQ(environments[0].packages[0].installer, "conda");
}

TEST_F(WindowsPython, OfTheStoreBehindAnAliasWithoutContents) {
  const std::string local = "/C:/Users/u/AppData/Local/";
  machine_.system.AddFile(local + "Microsoft/WindowsApps/python.exe", "");
  machine_.variables = {{"PATH", "C:\\Users\\u\\AppData\\Local\\Microsoft\\WindowsApps"},
                        {"LOCALAPPDATA", "C:\\Users\\u\\AppData\\Local"}};
  const auto none = Fact();
  EXPECT_EQ(none.state, snapshot::FactState::kUnreadable);
  EXPECT_NE(none.why.find("only opens the Microsoft Store"), std::string::npos);

  const std::string package = local + "Packages/PythonSoftwareFoundation.Python.3.11_qbz5n2kfra8p0";
  AddTorch(package + "/LocalCache/local-packages/Python311/site-packages");
  const auto environments = Collect();
  ASSERT_EQ(environments.size(), 1u);
  EXPECT_EQ(environments[0].kind, snapshot::EnvironmentKind::kStore);
  EXPECT_EQ(environments[0].why, snapshot::EnvironmentWhy::kActive);
  EXPECT_EQ(environments[0].python, "3.11");
  EXPECT_EQ(environments[0].interpreter, local + "Microsoft/WindowsApps/python.exe");
  EXPECT_EQ(environments[0].frameworks.size(), 1u);
}

TEST_F(WindowsPython, AnEmbeddedOneSearchesWhatItsPathFileSays) {
  AddPython("/C:/portable/python_embeded");
  const std::string file = "/C:/portable/python_embeded/python311._pth";
  machine_.system.AddDirectory("/C:/portable/app");
  machine_.system.AddFile(file, "python311.zip\r\n.\r\n..\\app\r\n# import site\r\n");
  given_ = {"/C:/portable/python_embeded"};
  machine_.variables["PYTHONPATH"] = "C:\\portable";
  EXPECT_EQ(Collect().at(0).kind, snapshot::EnvironmentKind::kEmbedded);
  EXPECT_EQ(Collect().at(0).site_packages, (Paths{"/C:/portable/app"}));
  machine_.system.AddFile(file, "..\\app\r\nimport site\r\n");
  EXPECT_EQ(Collect().at(0).site_packages,
            (Paths{"/C:/portable/app", "/C:/portable/python_embeded/Lib/site-packages"}));
}

TEST_F(WindowsPython, InATreePackagesAloneAreAnEnvironment) {
  machine_.host_unseen = true;
  AddTorch("/C:");
  auto environments = Collect();
  ASSERT_EQ(environments.size(), 1u);
  EXPECT_EQ(environments[0].prefix, "/C:");
  EXPECT_EQ(environments[0].kind, snapshot::EnvironmentKind::kDirectory);
  EXPECT_EQ(environments[0].frameworks.size(), 1u);
  machine_.host_unseen = false;  // a whole machine is not searched so
  EXPECT_TRUE(Collect().empty());
}

TEST_F(WindowsPython, InATreeEnvironmentsRightBelowItAreFound) {
  machine_.host_unseen = true;
  AddVenv("/C:/copied");
  AddTorch("/C:/copied/Lib/site-packages");
  AddTorch("/C:/wheel");
  const auto environments = Collect();
  ASSERT_EQ(environments.size(), 2u);
  EXPECT_EQ(environments[0].prefix, "/C:/copied");
  EXPECT_EQ(environments[0].process, "");  // the Python that it was made from is not in the tree
  EXPECT_EQ(environments[1].prefix, "/C:/wheel");
}

TEST_F(WindowsPython, WhatIsNoEnvironmentIsTold) {
  machine_.system.AddDirectory("/C:/empty");
  given_ = {"/C:/empty"};
  EXPECT_EQ(Fact().state, snapshot::FactState::kUnreadable);
}

}  // namespace
}  // namespace culprit::collect
