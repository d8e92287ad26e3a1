// Copies of cuDNN on Windows, and the versions of DLLs.
#include <gtest/gtest.h>

#include "collect/live_file_view.h"
#include "collect/windows/dll_name.h"
#include "collect/windows/stack.h"
#include "collect/windows/test_windows.h"

namespace culprit::collect {
namespace {

using binfmt::BuildPe;
using snapshot::CudnnCopy;
using snapshot::CudnnPart;

constexpr const char* kBin = "/C:/Program Files/NVIDIA GPU Computing Toolkit/CUDA/v11.8/bin/";

class WindowsCudnn : public testing::Test {
 protected:
  void Add8(const std::string& directory, const std::string& version = "8.9.5.29") {
    for (const char* part : {"cudnn", "cudnn_ops_infer", "cudnn_ops_train", "cudnn_cnn_infer",
                             "cudnn_cnn_train", "cudnn_adv_infer", "cudnn_adv_train"}) {
      const std::string name = CudnnDll(part, 8);
      machine_.system.AddFile(directory + name, CudnnPartOf(name, version));
    }
  }
  std::vector<CudnnCopy> Collect(const std::vector<snapshot::PythonEnvironment>& environments = {}) {
    const auto copies = CollectWindowsCudnn(machine_.Around(), environments);
    EXPECT_TRUE(copies);
    return copies ? *copies : std::vector<CudnnCopy>();
  }
  static std::string ProblemOf(const CudnnCopy& copy, const std::string& name) {
    for (const CudnnPart& part : copy.parts) {
      if (part.name == name) return part.problem.text();
    }
    return "no such part";
  }
  WindowsMachine machine_;
};

TEST_F(WindowsCudnn, ACompleteCopyBesideTheToolkit) {
  Add8(kBin);
  machine_.system.AddFile(
      std::string(kBin) + "cudnn_ops_infer64_8.dll",
      BuildPe({.name = "cudnn_ops_infer64_8.dll",
               .exports = {"f"},
               .version = binfmt::PeVersionInfo{"8.9.5.29", "8.9.5.29", {}},
               .sections = {{".texts", std::string("cublas64_11.dll\0cublasLt64_11.dll\0", 34)}}}));
  machine_.system.AddFile("/C:/Program Files/NVIDIA GPU Computing Toolkit/CUDA/v11.8/include/cudnn_version.h",
                          "#define CUDNN_MAJOR 8\n#define CUDNN_MINOR 9\n#define CUDNN_PATCHLEVEL 4\n");
  const auto copies = Collect();
  ASSERT_EQ(copies.size(), 1u);
  const CudnnCopy& copy = copies[0];
  EXPECT_EQ(copy.major, 8u);
  EXPECT_EQ(copy.version, "8.9.5.29");
  EXPECT_EQ(copy.machine, "x86-64");
  EXPECT_EQ(copy.parts.size(), 7u);
  EXPECT_TRUE(copy.missing_parts.empty());
  EXPECT_EQ(copy.cuda, "11");
  EXPECT_TRUE(copy.cuda_source.ends_with("cudnn_ops_infer64_8.dll")) << copy.cuda_source;
  EXPECT_EQ(copy.header_version, "8.9.4");
  for (const CudnnPart& part : copy.parts) EXPECT_EQ(part.problem.text(), "") << part.name;
}

TEST_F(WindowsCudnn, ATreeThatWasHandedOverIsGoneThrough) {
  Add8("/C:/Downloads/some archive/cuda/bin/");
  EXPECT_TRUE(Collect().empty());
  Surroundings around = machine_.Around();
  around.host_unseen = true;
  const auto copies = CollectWindowsCudnn(around, {});
  ASSERT_TRUE(copies && copies->size() == 1);
  EXPECT_EQ(copies->front().directory, "/C:/Downloads/some archive/cuda/bin");
}

TEST_F(WindowsCudnn, EachWayInWhichADllIsBroken) {
  Add8(kBin);
  const auto put = [&](const std::string& name, const std::string& bytes) {
    machine_.system.AddFile(kBin + name, bytes);
  };
  machine_.system.Remove(std::string(kBin) + "cudnn_ops_infer64_8.dll");
  put("cudnn_ops_train64_8.dll", "");
  const std::string whole = CudnnPartOf("cudnn_cnn_infer64_8.dll", "8.9.5.29");
  put("cudnn_cnn_infer64_8.dll", whole.substr(0, whole.size() - 300));
  put("cudnn_cnn_train64_8.dll", std::string(5000, '<'));
  put("cudnn_adv_infer64_8.dll", CudnnPartOf("cudnn_adv_infer64_8.dll", "8.9.5.29", 32));
  put("cudnn_adv_train64_8.dll", CudnnPartOf("cudnn_adv64_9.dll", "9.1.0.70"));
  const auto copies = Collect();
  ASSERT_EQ(copies.size(), 1u);
  const CudnnCopy& copy = copies[0];
  EXPECT_EQ(copy.missing_parts, (std::vector<std::string>{"cudnn_ops_infer64_8.dll"}));
  EXPECT_EQ(ProblemOf(copy, "cudnn_ops_train64_8.dll"), "is empty");
  EXPECT_EQ(ProblemOf(copy, "cudnn_cnn_infer64_8.dll"), "cut short");
  EXPECT_EQ(ProblemOf(copy, "cudnn_cnn_train64_8.dll"), "not a DLL");
  EXPECT_EQ(ProblemOf(copy, "cudnn_adv_infer64_8.dll"), "a 32-bit DLL");
  EXPECT_EQ(ProblemOf(copy, "cudnn_adv_train64_8.dll"),
            "renamed: its export table names it cudnn_adv64_9.dll");
}

TEST_F(WindowsCudnn, ARenamedFileWithoutANameOfItsOwnIsKnownByItsVersion) {
  machine_.variables["PATH"] = "C:\\app";
  machine_.system.AddFile("/C:/app/cudnn64_8.dll",
                          BuildPe({.version = binfmt::PeVersionInfo{
                                       "9.1.0.70", "9.1.0.70", {{"ProductName", "NVIDIA cuDNN Library"}}}}));
  const auto copies = Collect();
  ASSERT_EQ(copies.size(), 1u);
  EXPECT_EQ(copies[0].parts[0].problem.text(), "renamed: it belongs to cuDNN 9.1.0.70");
}

TEST_F(WindowsCudnn, EveryPlaceOnceWhateverItsSpelling) {
  Add8("/C:/app/");
  machine_.system.AddFile("/C:/Users/u/cudnn64_9.dll", CudnnPartOf("cudnn64_9.dll", "9.1.0.70"));
  machine_.system.AddFile("/C:/Program Files/NVIDIA/CUDNN/v9.1/bin/12.4/cudnn64_9.dll",
                          CudnnPartOf("cudnn64_9.dll", "9.1.0.70"));
  machine_.system.AddFile("/D:/cudnn/bin/cudnn64_7.dll", CudnnPartOf("cudnn64_7.dll", "7.6.5.32"));
  machine_.system.AddFile("/C:/new/cudnn64_8.dll", CudnnPartOf("cudnn64_8.dll", "8.4.0.27"));
  machine_.system.AddRegistryKey("HKCU/Environment", {{"Path", "%HERE%\\new"}});
  machine_.variables = {{"PATH", "c:\\APP;.;C:\\app\\"}, {"CUDNN_PATH", "D:\\cudnn"}, {"HERE", "C:"}};
  std::vector<std::string> directories;
  for (const CudnnCopy& copy : Collect()) directories.push_back(copy.directory);
  EXPECT_EQ(directories,
            (std::vector<std::string>{"/C:/APP", "/C:/Users/u", "/C:/new",
                                      "/C:/Program Files/NVIDIA/CUDNN/v9.1/bin/12.4", "/D:/cudnn/bin"}));
}

TEST_F(WindowsCudnn, TheDirectoryOfANamedProgramIsLookedAt) {
  Add8("/C:/server/");
  Surroundings around = machine_.Around();
  around.programs = {"/C:/server/run.exe"};
  const auto copies = CollectWindowsCudnn(around, {});
  ASSERT_TRUE(copies);
  EXPECT_EQ(copies->size(), 1u);
}

TEST_F(WindowsCudnn, OfAWheelWithItsOwner) {
  const std::string site = "/C:/venv/Lib/site-packages";
  const std::string bin = site + "/nvidia/cudnn/bin/";
  machine_.system.AddFile(bin + "cudnn64_9.dll", CudnnPartOf("cudnn64_9.dll", "9.1.0.70"));
  // These two come without a version resource.
  machine_.system.AddFile(
      bin + "cudnn_graph64_9.dll",
      BuildPe({.name = "cudnn_graph64_9.dll", .words = {{"cudnn_graph_version", 0x90100}}}));
  machine_.system.AddFile(bin + "cudnn_heuristic64_9.dll", BuildPe({.name = "cudnn_heuristic64_9.dll"}));
  machine_.system.AddFile(site + "/nvidia_cudnn_cu12-9.1.0.70.dist-info/RECORD",
                          "nvidia/cudnn/bin/cudnn64_9.dll,sha256=x,1\r\n"
                          "nvidia/cudnn/bin/cudnn_graph64_9.dll,sha256=x,1\r\n"
                          "nvidia/cudnn/bin/cudnn_heuristic64_9.dll,sha256=x,1\r\n");
  const auto copies = Collect({{.prefix = "/C:/venv", .site_packages = {site}}});
  ASSERT_EQ(copies.size(), 1u);
  EXPECT_EQ(copies[0].owner.text(), "pip nvidia-cudnn-cu12 9.1.0.70");
  EXPECT_EQ(copies[0].cuda, "12");
  for (const CudnnPart& part : copies[0].parts) EXPECT_EQ(part.version, "9.1.0.70") << part.name;
  EXPECT_NE(std::ranges::find(copies[0].missing_parts, "cudnn_ops64_9.dll"), copies[0].missing_parts.end());
}

// CTranslate2 brings a shim of its own; the record of another package lists a file of the same name.
TEST_F(WindowsCudnn, ACopyElsewhereIsNotOfThePackageThatHasTheSameName) {
  const std::string site = "/C:/venv/Lib/site-packages";
  machine_.system.AddFile(site + "/ctranslate2/cudnn64_8.dll", BuildPe({.name = "cudnn64_8.dll"}));
  machine_.system.AddFile(site + "/nvidia_cudnn_cu11-8.9.5.29.dist-info/RECORD",
                          "nvidia/cudnn/bin/cudnn64_8.dll,sha256=x,1\n");
  const auto copies = Collect({{.prefix = "/C:/venv", .site_packages = {site}}});
  ASSERT_EQ(copies.size(), 1u);
  EXPECT_EQ(copies[0].owner.text(), "");
  EXPECT_EQ(copies[0].version, "");
}

TEST_F(WindowsCudnn, NothingReadableIsNotNothingThere) {
  machine_.system.AddFile("/C:/app/cudnn64_8.dll", "x");
  machine_.system.SetUnreadable("/C:/app");
  machine_.variables["PATH"] = "C:\\app";
  EXPECT_EQ(CollectWindowsCudnn(machine_.Around(), {}).state, snapshot::FactState::kUnreadable);
}

class WindowsVersion : public testing::Test {
 protected:
  snapshot::Fact<snapshot::LibraryVersion> Read(const std::string& name, const std::string& bytes) {
    machine_.system.AddFile("/C:/x/" + name, bytes);
    LiveFileView view(machine_.system);
    return view.Version("/C:/x/" + name);
  }
  WindowsMachine machine_;
};

TEST_F(WindowsVersion, TheToolkitsDllsTellItInTheirDescription) {
  const auto runtime =
      Read("cudart64_12.dll", Dll("cudart64_12.dll", "6.14.11.12040",
                                  {{"FileDescription", "NVIDIA CUDA Runtime, Version 12.4.127 "}}));
  ASSERT_TRUE(runtime);
  EXPECT_EQ(runtime->version, "12.4.127");
  EXPECT_EQ(runtime->cuda, "12");
  const auto nvrtc = Read("nvrtc64_112_0.dll", Dll("nvrtc64_112_0.dll", "6.14.11.9000",
                                                   {{"ProductName", "NVIDIA CUDA 11.8.89 NVRTC Library"}}));
  ASSERT_TRUE(nvrtc);
  EXPECT_EQ(nvrtc->version, "11.8.89");
  EXPECT_EQ(nvrtc->cuda, "11");
}

// cuDNN before 8.9 carries the resource of another library; its exported word is right.
TEST_F(WindowsVersion, OldCudnnIsNotBelievedItsResource) {
  const binfmt::PeVersionInfo old = {
      "6.14.11.6050", "10.0.10011.16384", {{"FileDescription", "NVIDIA CUDA CUDNN Library, Version 6.5.0 "}}};
  EXPECT_FALSE(Read("cudnn64_8.dll", BuildPe({.version = old})));
  const auto word = Read("cudnn_ops_infer64_8.dll", BuildPe({.name = "cudnn_ops_infer64_8.dll",
                                                             .words = {{"cudnn_ops_infer_version", 0x80401}},
                                                             .version = old}));
  ASSERT_TRUE(word);
  EXPECT_EQ(word->version, "8.4.1");
  LiveFileView view(machine_.system);
  const auto shim = view.Version("/C:/x/cudnn64_8.dll");  // now that a neighbour tells
  ASSERT_TRUE(shim);
  EXPECT_EQ(shim->version, "8.4.1");
  EXPECT_NE(shim.source.find("cudnn_ops_infer64_8.dll"), std::string::npos);
}

TEST_F(WindowsVersion, AFileOfNoLibraryOfCudaHasNone) {
  EXPECT_EQ(Read("zlibwapi.dll", Dll("zlibwapi.dll", "1.2.3.0")).state, snapshot::FactState::kNotApplicable);
  EXPECT_EQ(Read("cublas64_12.dll", "").state, snapshot::FactState::kAbsent);
}

TEST(WindowsDllNames, WhatTheyTell) {
  EXPECT_EQ(ParseCudnnDll("CUDNN_OPS_INFER64_8.DLL")->part, "cudnn_ops_infer");
  EXPECT_EQ(ParseCudnnDll("cudnn64_9-0123456789abcdef.dll")->major, 9u);
  for (const char* other :
       {"cudnn.dll", "cudnnfoo64_8.dll", "cudnn64_x.dll", "cudnn64_8.dll.bak", "cudnn64_"})
    EXPECT_FALSE(ParseCudnnDll(other)) << other;
  EXPECT_EQ(CudaInDllName("cudart64_110.dll"), "11");
  EXPECT_EQ(CudaInDllName("cublasLt64_13.dll"), "13");
  EXPECT_EQ(CudaInDllName("nvJitLink_120_0.dll"), "12");
  EXPECT_EQ(CudaInDllName("cudart64_92.dll"), "9");
  EXPECT_EQ(CudaInDllName("cufft64_11.dll"), "");  // counts by itself: that of CUDA 12
}

}  // namespace
}  // namespace culprit::collect
