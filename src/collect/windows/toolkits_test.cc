// Toolkits of a Windows machine.
#include <gtest/gtest.h>

#include "collect/windows/stack.h"
#include "collect/windows/test_windows.h"

namespace culprit::collect {
namespace {

constexpr const char* kToolkits = "/C:/Program Files/NVIDIA GPU Computing Toolkit/CUDA/";

TEST(WindowsToolkits, OfTheUsualPlaceTheRegistryAndTheEnvironment) {
  WindowsMachine machine;
  auto& system = machine.system;
  const std::string usual = std::string(kToolkits) + "v12.4";
  system.AddFile(usual + "/version.json", R"({"cuda": {"version": "12.4.1"}})");
  system.AddFile(usual + "/bin/nvcc.exe", "MZ Cuda compilation tools, release 12.4, V12.4.131\n");
  system.AddFile(usual + "/include/cuda.h", "#define CUDA_VERSION 12040\n");
  system.AddFile("/D:/cuda-11.8/include/cuda.h", "#define CUDA_VERSION 11080\n");
  system.AddFile("/D:/cuda-13/bin/x64/cudart64_13.dll", "x");
  system.AddFile("/C:/nothing/readme.txt");
  system.AddRegistryKey("HKLM/SOFTWARE/NVIDIA Corporation/GPU Computing Toolkit/CUDA/v11.8",
                        {{"InstallDir", "D:\\cuda-11.8\\"}});
  machine.variables = {
      {"CUDA_PATH", "c:\\PROGRAM FILES\\NVIDIA GPU Computing Toolkit\\CUDA\\v12.4\\"},
      {"CUDA_PATH_V13_0", "D:\\cuda-13"},
      {"CUDA_HOME", "C:\\nothing"},
      {"PATH", "C:\\none;C:\\Program Files\\NVIDIA GPU Computing Toolkit\\CUDA\\v12.4\\bin"}};
  const auto toolkits = CollectWindowsToolkits(machine.Around(), {});
  ASSERT_TRUE(toolkits);
  ASSERT_EQ(toolkits->copies.size(), 3u);
  const snapshot::Toolkit& first = toolkits->copies[0];
  EXPECT_EQ(first.root, usual);
  EXPECT_EQ(first.version, "12.4.1");
  EXPECT_EQ(first.nvcc, usual + "/bin/nvcc.exe");
  EXPECT_EQ(first.nvcc_version, "12.4.131");
  EXPECT_EQ(first.header_version, "12.4");
  EXPECT_TRUE(first.links.empty());
  EXPECT_EQ(toolkits->copies[1].version, "11.8");
  EXPECT_EQ(toolkits->copies[1].source, "/D:/cuda-11.8/include/cuda.h");
  EXPECT_EQ(toolkits->copies[2].root, "/D:/cuda-13");
  EXPECT_EQ(toolkits->nvcc_on_path, usual + "/bin/nvcc.exe");
}

TEST(WindowsToolkits, CondaAndPipCountOnlyWithNvcc) {
  WindowsMachine machine;
  auto& system = machine.system;
  const std::string with = "/C:/conda/envs/with", without = "/C:/conda/envs/without";
  system.AddFile(with + "/Library/bin/nvcc.exe", "MZ Cuda compilation tools, release 12.4, V12.4.131\n");
  system.AddFile(without + "/Library/include/cuda.h", "#define CUDA_VERSION 12040\n");
  const std::string site = without + "/Lib/site-packages";
  system.AddFile(site + "/nvidia/cuda_nvcc/bin/nvcc.exe", "MZ");
  const std::vector<snapshot::PythonEnvironment> environments = {
      {.prefix = with, .kind = snapshot::EnvironmentKind::kConda},
      {.prefix = without, .kind = snapshot::EnvironmentKind::kConda, .site_packages = {site}}};
  const auto toolkits = CollectWindowsToolkits(machine.Around(), environments);
  ASSERT_EQ(toolkits->copies.size(), 2u);
  EXPECT_EQ(toolkits->copies[0].root, site + "/nvidia/cuda_nvcc");
  EXPECT_EQ(toolkits->copies[0].kind, snapshot::ToolkitKind::kPip);
  EXPECT_EQ(toolkits->copies[1].root, with + "/Library");
  EXPECT_EQ(toolkits->copies[1].version, "12.4");
}

}  // namespace
}  // namespace culprit::collect
