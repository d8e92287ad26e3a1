// Each collector of Windows alone on one full machine: every path and every registry key that it asks for is
// one that it declares, or lies above one.
#include <gtest/gtest.h>

#include "collect/test_declared.h"
#include "collect/windows/dll_name.h"
#include "collect/windows/facts.h"
#include "collect/windows/places.h"
#include "collect/windows/stack.h"
#include "collect/windows/test_windows.h"
#include "knowledge/libraries.h"

namespace culprit::collect {
namespace {

constexpr const char* kWindowsVenv = "/C:/Users/u/project/.venv";
constexpr const char* kWindowsConda = "/C:/Users/u/miniconda3/envs/train";
constexpr const char* kPython = "/C:/Users/u/AppData/Local/Programs/Python/Python311";
constexpr const char* kWindowsCuda = "/C:/Program Files/NVIDIA GPU Computing Toolkit/CUDA/v12.4";
constexpr const char* kStore =
    "/C:/Users/u/AppData/Local/Packages/PythonSoftwareFoundation.Python.3.11_qbz5n2kfra8p0";

class WindowsReads : public testing::Test {
 protected:
  WindowsReads() {
    AddHost();
    AddCuda();
    AddEnvironments();
    for (const char* path : {"/C:/Users/u/.ssh/id_ed25519", "/C:/Users/u/project/train.py",
                             "/C:/Users/u/Documents/letter.docx", "/C:/Windows/System32/config/SAM"}) {
      machine_.system.AddFile(path, "secret");
    }
    machine_.system.AddRegistryKey("HKLM/SAM", {{"a", "secret"}});
    machine_.variables = {
        {"PATH",
         "C:\\Windows\\System32;C:\\tools\\bin;C:\\Program Files\\NVIDIA GPU Computing "
         "Toolkit\\CUDA\\v12.4\\bin;C:\\Users\\u\\AppData\\Local\\Programs\\Python\\Python311"},
        {"SYSTEMROOT", "C:\\Windows"},
        {"USERPROFILE", "C:\\Users\\u"},
        {"LOCALAPPDATA", "C:\\Users\\u\\AppData\\Local"},
        {"APPDATA", "C:\\Users\\u\\AppData\\Roaming"},
        {"VIRTUAL_ENV", "C:\\Users\\u\\project\\.venv"},
        {"CONDA_PREFIX", "C:\\Users\\u\\miniconda3\\envs\\train"},
        {"PYTHONPATH", "C:\\source"},
        {"CUDA_PATH", "C:\\Program Files\\NVIDIA GPU Computing Toolkit\\CUDA\\v12.4"},
        {"CUDA_PATH_V11_8", "D:\\cuda-11.8"},
        {"CUDNN_PATH", "D:\\cudnn"}};
    machine_.system.ClearAccessed();
  }

  void AddCudnn(const std::string& directory) {
    for (const char* part : {"cudnn", "cudnn_graph", "cudnn_ops"}) {
      const std::string name = CudnnDll(part, 9);
      machine_.system.AddFile(directory + "/" + name, CudnnPartOf(name, "9.1.0.70"));
    }
  }
  void AddHost();
  void AddCuda();
  void AddEnvironments();

  std::vector<std::string> Meanings(std::string name) const {
    std::vector<std::string> prefixes, sites, found;
    for (const auto& environment : environments_) {
      prefixes.push_back(environment.prefix);
      sites.insert(sites.end(), environment.site_packages.begin(), environment.site_packages.end());
    }
    if (name == "prefix") return prefixes;
    if (name == "site") return sites;
    if (name == "usual") {
      for (const std::string_view directory : knowledge::UsualWindowsDirectories())
        found.emplace_back(directory);
      for (const std::string& site : sites) {
        for (const std::string_view below : knowledge::UsualWindowsPythonDirectories())
          found.push_back(base::JoinPath(site, below));
      }
      return found;
    }
    const bool many = name.ends_with('*');
    if (many) name.pop_back();
    for (const auto& [variable, value] : machine_.variables) {
      if (many ? !variable.starts_with(name) : variable != name) continue;
      for (std::string& element : PathElements(value, "/C:/Users/u")) found.push_back(std::move(element));
    }
    return found;
  }
  bool Declared(const CollectorInfo& collector, const std::string& path) const {
    return IsDeclared(collector, path, [this](const std::string& name) { return Meanings(name); });
  }
  void ExpectDeclared(const CollectorInfo& collector, const std::string& must_have_read) const {
    const auto accessed = machine_.system.accessed();
    EXPECT_TRUE(accessed.contains(must_have_read)) << collector.name << " was to read " << must_have_read;
    for (const std::string& path : accessed)
      EXPECT_TRUE(Declared(collector, path)) << collector.name << " reads " << path;
  }

  WindowsMachine machine_;
  std::vector<snapshot::PythonEnvironment> environments_ = {
      {.prefix = kWindowsVenv,
       .kind = snapshot::EnvironmentKind::kVenv,
       .interpreter = std::string(kWindowsVenv) + "/Scripts/python.exe",
       .site_packages = {std::string(kWindowsVenv) + "/Lib/site-packages"}},
      {.prefix = kWindowsConda,
       .kind = snapshot::EnvironmentKind::kConda,
       .interpreter = std::string(kWindowsConda) + "/python.exe",
       .site_packages = {std::string(kWindowsConda) + "/Lib/site-packages"}},
      {.prefix = kPython,
       .kind = snapshot::EnvironmentKind::kSystem,
       .site_packages = {std::string(kPython) + "/Lib/site-packages"}},
      {.prefix = kStore,
       .kind = snapshot::EnvironmentKind::kStore,
       .site_packages = {std::string(kStore) + "/LocalCache/local-packages/Python311/site-packages"}},
      {.prefix = "/C:/source", .site_packages = {"/C:/source"}}};
};

void WindowsReads::AddHost() {
  auto& system = machine_.system;
  machine_.AddWindows();
  const std::string system32 = kSystem32;
  for (const char* name :
       {"nvcuda.dll", "nvml.dll", "DriverStore/FileRepository/nv_dispi.inf_amd64_1/nvml.dll"})
    system.AddFile(system32 + name, Dll(name, "32.0.15.6094"));
  system.AddFile(system32 + "vcruntime140.dll", Dll("vcruntime140.dll", "14.38.1.0"));
  const std::string set = "HKLM/SYSTEM/CurrentControlSet/";
  const std::string class_key = "{4d36e968-e325-11ce-bfc1-08002be10318}";
  system.AddRegistryKey(set + "Services/nvlddmkm/Enum", {{"0", "PCI\\VEN_10DE&DEV_2684\\4&1"}});
  system.AddRegistryKey(set + "Enum/PCI/VEN_10DE&DEV_2684/4&1", {{"Driver", class_key + "\\0000"}});
  system.AddRegistryKey(set + "Control/Class/" + class_key + "/0000",
                        {{"MatchingDeviceId", "pci\\ven_10de&dev_2684"}});
  system.AddRegistryKey(set + "Control/Session Manager/Environment", {{"Path", "C:\\tools\\bin"}});
  system.AddRegistryKey("HKCU/Environment", {{"Path", "C:\\tools\\bin"}});
  system.AddRegistryKey("HKLM/SOFTWARE/Microsoft/Windows NT/CurrentVersion", {{"ProductName", "Windows 10"}});
}

void WindowsReads::AddCuda() {
  auto& system = machine_.system;
  const std::string cuda = kWindowsCuda;
  system.AddFile(cuda + "/version.json", R"({"cuda": {"version": "12.4.1"}})");
  system.AddFile(cuda + "/bin/nvcc.exe", "MZ Cuda compilation tools, release 12.4, V12.4.131\n");
  system.AddFile("/D:/cuda-11.8/include/cuda.h", "#define CUDA_VERSION 11080\n");
  system.AddRegistryKey("HKLM/SOFTWARE/NVIDIA Corporation/GPU Computing Toolkit/CUDA/v12.4",
                        {{"InstallDir", "C:\\Program Files\\NVIDIA GPU Computing Toolkit\\CUDA\\v12.4\\"}});
  AddCudnn(cuda + "/bin");
  AddCudnn("/D:/cudnn/bin/12.4");
  AddCudnn("/C:/tools/bin");
  AddCudnn("/C:/Program Files/NVIDIA/CUDNN/v9.1/bin/12.4");
  AddCudnn(std::string(kWindowsVenv) + "/Lib/site-packages/nvidia/cudnn/bin");
  AddCudnn(std::string(kWindowsConda) + "/Library/bin");
}

void WindowsReads::AddEnvironments() {
  auto& system = machine_.system;
  const std::string program = binfmt::BuildPe({.dll = false});
  const std::string site = std::string(kWindowsVenv) + "/Lib/site-packages";
  system.AddFile(std::string(kPython) + "/python.exe", program);
  system.AddFile(std::string(kPython) + "/python311.dll", "x");
  system.AddDirectory(std::string(kPython) + "/Lib/site-packages");
  system.AddRegistryKey("HKCU/SOFTWARE/Python/PythonCore/3.11/InstallPath",
                        {{"", "C:\\Users\\u\\AppData\\Local\\Programs\\Python\\Python311\\"}});
  system.AddFile(std::string(kWindowsVenv) + "/pyvenv.cfg",
                 "home = C:\\Users\\u\\AppData\\Local\\Programs\\Python\\Python311\nversion = 3.11.9\n"
                 "include-system-site-packages = true\n");
  system.AddFile(std::string(kWindowsVenv) + "/Scripts/python.exe", program);
  system.AddFile(site + "/torch/__init__.py");
  system.AddFile(site + "/torch/version.py", "__version__ = '2.6.0'\ncuda = '12.4'\n");
  system.AddFile(site + "/torch-2.6.0.dist-info/METADATA", "Name: torch\nVersion: 2.6.0\n\n");
  system.AddFile(site + "/nvidia_cudnn_cu12-9.1.0.70.dist-info/RECORD", "nvidia/cudnn/bin/cudnn64_9.dll,,\n");
  system.AddFile(std::string(kWindowsConda) + "/python.exe", program);
  system.AddFile(std::string(kWindowsConda) + "/conda-meta/cudnn-9.1.0-h1.json", "{}");
  system.AddDirectory(std::string(kWindowsConda) + "/Lib/site-packages");
  system.AddFile(std::string(kStore) + "/LocalCache/local-packages/Python311/site-packages/cupy/__init__.py");
  system.AddDirectory("/C:/source");
}

TEST_F(WindowsReads, Driver) {
  ASSERT_TRUE(CollectWindowsDriver(machine_.Around()));
  ExpectDeclared(kWindowsDriverCollector,
                 std::string(kSystem32) + "DriverStore/FileRepository/nv_dispi.inf_amd64_1/nvml.dll");
}

TEST_F(WindowsReads, Gpus) {
  ASSERT_TRUE(CollectWindowsGpus(machine_.Around()));
  ExpectDeclared(kWindowsGpusCollector, "HKLM/SYSTEM/CurrentControlSet/Enum/PCI/VEN_10DE&DEV_2684/4&1");
}

TEST_F(WindowsReads, Python) {
  const auto environments = CollectWindowsPython(machine_.Around());
  ASSERT_TRUE(environments);
  EXPECT_EQ(environments->size(), 3u);  // the active one, that of PATH, that of the Store with a framework
  ExpectDeclared(kWindowsPythonCollector, std::string(kWindowsVenv) + "/Lib/site-packages/torch/version.py");
}

TEST_F(WindowsReads, Toolkits) {
  const auto toolkits = CollectWindowsToolkits(machine_.Around(), environments_);
  ASSERT_TRUE(toolkits);
  EXPECT_EQ(toolkits->copies.size(), 2u);
  ExpectDeclared(kWindowsToolkitsCollector, "/D:/cuda-11.8/include/cuda.h");
}

TEST_F(WindowsReads, Cudnn) {
  const auto copies = CollectWindowsCudnn(machine_.Around(), environments_);
  ASSERT_TRUE(copies);
  EXPECT_EQ(copies->size(), 6u);
  ExpectDeclared(kWindowsCudnnCollector, "/D:/cudnn/bin/12.4/cudnn_ops64_9.dll");
}

TEST_F(WindowsReads, Context) {
  ASSERT_TRUE(CollectWindowsContext(machine_.Around()));
  ExpectDeclared(kWindowsContextCollector, "HKLM/SOFTWARE/Microsoft/Windows NT/CurrentVersion");
}

TEST_F(WindowsReads, Facts) {
  ASSERT_TRUE(CollectWindows(machine_.Around(), environments_));
  ExpectDeclared(kWindowsFactsCollector, "HKCU/Environment");
}

// A declaration that covers everything would be kept by everyone.
TEST_F(WindowsReads, NoneDeclaresFilesOfTheUser) {
  for (const CollectorInfo& collector : Collectors(base::Platform::kWindows)) {
    for (const char* path : {"/C:/Users/u/.ssh/id_ed25519", "/C:/Users/u/project/train.py",
                             "/C:/Users/u/Documents/letter.docx", "/C:/Windows/System32/config/SAM",
                             "/C:/Users/u/AppData/Roaming/x/y", "HKLM/SAM/SAM", "HKCU/SOFTWARE/Microsoft"}) {
      EXPECT_FALSE(Declared(collector, path)) << collector.name << " says that it reads " << path;
    }
  }
}

}  // namespace
}  // namespace culprit::collect
