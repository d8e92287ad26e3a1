// What Python on Windows loads when a framework is imported: rows of data/imports.toml run through the loader
// model, on made-up environments.
#include <gtest/gtest.h>

#include "loader/imports.h"
#include "loader/process.h"
#include "windows_world.h"

namespace culprit::model {
namespace {

using loader::ImportStep;
using loader::LoadGraph;

constexpr uint32_t kPython = 0x1100;

// An environment in C:\venv (or elsewhere) of the Python in C:\Python311.
class WindowsImports : public testing::Test {
 protected:
  explicit WindowsImports(std::string prefix = "/C:/venv") {
    environment.prefix = std::move(prefix);
    environment.kind = snapshot::EnvironmentKind::kVenv;
    environment.interpreter = environment.prefix + "/Scripts/python.exe";
    environment.process = "/C:/Python311/python.exe";
    environment.python = "3.11";
    environment.site_packages = {environment.prefix + "/Lib/site-packages"};
    world.files.Add(environment.process, {.program = true});
    for (const char* dll : {"vcruntime140.dll", "vcruntime140_1.dll", "msvcp140.dll", "msvcp140_1.dll"}) {
      world.files.Add("/C:/Windows/System32/" + std::string(dll), {});
    }
  }

  std::string Site(const std::string& name) const { return environment.site_packages.front() + "/" + name; }
  void Add(const std::string& name, const Dll& dll = {}) { world.files.Add(Site(name), dll); }

  void Torch(const std::string& version = "2.4.1", const std::string& cuda = "12.4") {
    environment.frameworks = {
        {.name = "torch", .version = version, .directory = Site("torch"), .cuda = cuda, .cudnn = "9.1.0"}};
    Add("torch/_C.cp311-win_amd64.pyd", {.imports = Needs({"torch_python.dll"})});
    Add("torch/lib/torch_python.dll", {.imports = Needs({"torch_cuda.dll"})});
    Add("torch/lib/torch_cuda.dll", {.imports = Needs({"cudnn64_9.dll", "cudart64_12.dll"})});
    Add("torch/lib/cudart64_12.dll");
    for (const char* dll : {"cudnn64_9.dll", "cudnn_graph64_9.dll", "cudnn_ops64_9.dll", "cudnn_cnn64_9.dll",
                            "cudnn_adv64_9.dll", "cudnn_heuristic64_9.dll",
                            "cudnn_engines_runtime_compiled64_9.dll", "cudnn_engines_precompiled64_9.dll"}) {
      Add("torch/lib/" + std::string(dll));
    }
  }

  std::vector<ImportStep> Steps() {
    world.Settle();
    return loader::ImportSteps(world.snapshot, environment, environment.frameworks.front(), world.files);
  }
  LoadGraph Import() {
    const auto steps = Steps();
    return loader::Load(world.snapshot, world.files, {.target = environment.process, .imports = steps});
  }
  // Names of the failures that matter, in order.
  static std::vector<std::string> Missing(const LoadGraph& graph) {
    std::vector<std::string> names;
    for (const loader::Request& request : graph.requests) {
      if (!request.error.empty() && !request.optional && !request.alternative) names.push_back(request.name);
    }
    return names;
  }
  std::vector<std::string> AddedDirectories() {
    std::vector<std::string> added;
    for (const ImportStep& step : Steps()) {
      if (step.action != ImportStep::Action::kAddDllDirectory) continue;
      added.insert(added.end(), step.names.begin(), step.names.end());
    }
    return added;
  }
  static const loader::Object* Loaded(const LoadGraph& graph, std::string_view file) {
    for (const loader::Object& object : graph.objects) {
      if (base::BaseName(object.path) == file) return &object;
    }
    return nullptr;
  }

  WindowsWorld world;
  snapshot::PythonEnvironment environment;
};

class WindowsImportsInBrackets : public WindowsImports {
 protected:
  WindowsImportsInBrackets() : WindowsImports("/C:/ai [new]/venv") {}
};

TEST_F(WindowsImports, TorchOpensEveryDllOfItsLibFolderAndCudnnFindsItsParts) {
  Torch();
  const LoadGraph graph = Import();
  EXPECT_EQ(graph.import_error, "");
  EXPECT_EQ(Missing(graph), std::vector<std::string>{});
  EXPECT_NE(Loaded(graph, "cudnn_adv64_9.dll"), nullptr);
  EXPECT_NE(Loaded(graph, "_C.cp311-win_amd64.pyd"), nullptr);
}

TEST_F(WindowsImports, TorchAsksWithTheFlagsOfItsCode) {
  Torch();
  size_t opened = 0;
  for (const ImportStep& step : Steps()) {
    if (step.action != ImportStep::Action::kOpen || step.when != ImportStep::When::kAlways) continue;
    const bool bare = step.names.front().find('/') == std::string::npos;
    EXPECT_EQ(step.flags, bare ? 0x1000U : kPython) << step.names.front();
    ++opened;
  }
  EXPECT_EQ(opened, 3U + 11U + 1U);  // the C runtime, torch\lib, torch._C
}

// Python's glob interprets brackets as a pattern: nothing is preloaded, and what cuDNN then loads by bare
// name is in no directory of the standard search.
TEST_F(WindowsImportsInBrackets, TorchLoadsNothingInAdvanceAndCudnnMissesItsParts) {
  Torch();
  const LoadGraph graph = Import();
  EXPECT_EQ(graph.import_error, "");
  ASSERT_NE(Loaded(graph, "torch_cuda.dll"), nullptr);
  EXPECT_EQ(Loaded(graph, "torch_cuda.dll")->via, loader::Via::kAddDllDirectory);
  EXPECT_EQ(Missing(graph), (std::vector<std::string>{"cudnn_graph64_9.dll", "cudnn_ops64_9.dll",
                                                      "cudnn_cnn64_9.dll", "cudnn_adv64_9.dll"}));
}

TEST_F(WindowsImports, ABracketThatNobodyClosesIsNoPattern) {
  environment.prefix = "/C:/ai [new/venv";
  environment.site_packages = {environment.prefix + "/Lib/site-packages"};
  Torch();
  EXPECT_EQ(Missing(Import()), std::vector<std::string>{});
}

TEST_F(WindowsImports, WhatTorchDoesNotFindIsTriedAgainWithPath) {
  Torch();
  Add("torch/lib/zz.dll", {.imports = Needs({"only_on_path.dll"})});
  world.files.Add("/C:/path1/only_on_path.dll", {});
  const LoadGraph graph = Import();
  EXPECT_EQ(graph.import_error, "");
  EXPECT_EQ(Missing(graph), std::vector<std::string>{});
  ASSERT_NE(Loaded(graph, "only_on_path.dll"), nullptr);
  EXPECT_EQ(Loaded(graph, "only_on_path.dll")->via, loader::Via::kEnvironmentPath);
}

TEST_F(WindowsImports, WhatIsNotOnPathEitherEndsTheImport) {
  Torch();
  Add("torch/lib/zz.dll", {.imports = Needs({"nowhere.dll"})});
  const LoadGraph graph = Import();
  EXPECT_TRUE(graph.import_error.starts_with("error 126")) << graph.import_error;
  EXPECT_EQ(Loaded(graph, "_C.cp311-win_amd64.pyd"), nullptr);
}

TEST_F(WindowsImports, AnErrorOtherThan126EndsTheImportAtOnce) {
  Torch();
  Add("torch/lib/aa.dll", {.problem = binfmt::PeProblem::kNotPe});
  const LoadGraph graph = Import();
  EXPECT_TRUE(graph.import_error.starts_with("error 193")) << graph.import_error;
  size_t tries = 0;
  for (const loader::Request& request : graph.requests) tries += request.name.ends_with("aa.dll") ? 1 : 0;
  EXPECT_EQ(tries, 1U);
}

TEST_F(WindowsImports, TorchAddsTheToolkitOnlyWithoutACudartOfItsOwn) {
  world.files.AddDirectory("/C:/cuda124/bin");
  world.files.AddDirectory("/C:/Program Files/NVIDIA GPU Computing Toolkit/CUDA/v12.4/bin");
  Torch();
  EXPECT_EQ(AddedDirectories(), std::vector<std::string>{Site("torch/lib")});
  environment.frameworks.clear();
  environment.frameworks.push_back(
      {.name = "torch", .version = "2.4.1", .directory = "/C:/other/torch", .cuda = "12.4"});
  world.files.AddDirectory("/C:/other/torch/lib");
  EXPECT_EQ(AddedDirectories(),
            (std::vector<std::string>{"/C:/other/torch/lib",
                                      "/C:/Program Files/NVIDIA GPU Computing Toolkit/CUDA/v12.4/bin"}));
  world.snapshot.environment["cuda_path_v12_4"] = R"(C:\cuda124)";
  EXPECT_EQ(AddedDirectories(), (std::vector<std::string>{"/C:/other/torch/lib", "/C:/cuda124/bin"}));
}

TEST_F(WindowsImports, TorchAddsLibraryBinOfTheEnvironmentAndOfItsBase) {
  world.files.AddDirectory("/C:/venv/Library/bin");
  world.files.AddDirectory("/C:/Python311/Library/bin");
  Torch();
  EXPECT_EQ(AddedDirectories(), (std::vector<std::string>{Site("torch/lib"), "/C:/venv/Library/bin",
                                                          "/C:/Python311/Library/bin"}));
}

TEST_F(WindowsImports, Ctranslate2FindsCublasOnPathButItsOwnDependenciesNot) {
  environment.frameworks = {
      {.name = "ctranslate2", .version = "4.4.0", .directory = Site("ctranslate2"), .cuda = "12"}};
  Add("ctranslate2/_ext.cp311-win_amd64.pyd", {.imports = Needs({"ctranslate2.dll"})});
  Add("ctranslate2/ctranslate2.dll", {.imports = Needs({"cudnn64_8.dll"})});
  Add("ctranslate2/cudnn64_8.dll");
  for (const char* dll :
       {"cudnn_ops_infer64_8.dll", "cudnn_cnn_infer64_8.dll", "cudnn_adv_infer64_8.dll", "cublas64_12.dll"}) {
    world.files.Add("/C:/path1/" + std::string(dll), {});
  }
  const LoadGraph graph = Import();
  EXPECT_EQ(Missing(graph), std::vector<std::string>{});
  ASSERT_NE(Loaded(graph, "cublas64_12.dll"), nullptr);
  EXPECT_EQ(Loaded(graph, "cublas64_12.dll")->via, loader::Via::kEnvironmentPath);
  EXPECT_EQ(Loaded(graph, "cudnn_ops_infer64_8.dll")->path, "/C:/path1/cudnn_ops_infer64_8.dll");
}

TEST_F(WindowsImports, AMissingPartOfCudnn8IsAskedForByItsShim) {
  environment.frameworks = {
      {.name = "ctranslate2", .version = "4.4.0", .directory = Site("ctranslate2"), .cuda = "12"}};
  Add("ctranslate2/_ext.cp311-win_amd64.pyd", {.imports = Needs({"ctranslate2.dll"})});
  Add("ctranslate2/ctranslate2.dll", {.imports = Needs({"cudnn64_8.dll"})});
  Add("ctranslate2/cudnn64_8.dll");
  const LoadGraph graph = Import();
  EXPECT_EQ(Missing(graph), (std::vector<std::string>{"cudnn_ops_infer64_8.dll", "cudnn_cnn_infer64_8.dll",
                                                      "cudnn_adv_infer64_8.dll"}));
  const auto& request = *std::ranges::find(graph.requests, "cudnn_ops_infer64_8.dll", &loader::Request::name);
  EXPECT_EQ(graph.objects[request.requester].path, Site("ctranslate2/cudnn64_8.dll"));
  EXPECT_EQ(request.code, 126U);
}

TEST_F(WindowsImports, ProvidersOfOnnxruntimeFindWhatLiesBesideThem) {
  environment.frameworks = {{.name = "onnxruntime",
                             .package = "onnxruntime-gpu",
                             .version = "1.21.1",
                             .directory = Site("onnxruntime"),
                             .cuda = "12.4"}};
  Add("onnxruntime/capi/onnxruntime_pybind11_state.pyd");
  Add("onnxruntime/capi/onnxruntime_providers_shared.dll");
  Add("onnxruntime/capi/onnxruntime_providers_cuda.dll",
      {.imports = Needs({"onnxruntime_providers_shared.dll", "cublasLt64_12.dll"})});
  const LoadGraph without = Import();
  EXPECT_EQ(Loaded(without, "onnxruntime_providers_cuda.dll"), nullptr);
  Add("nvidia/cublas/bin/cublasLt64_12.dll");  // preload_dlls opens it, and it is then found by its name
  EXPECT_NE(Loaded(Import(), "onnxruntime_providers_cuda.dll"), nullptr);
}

TEST_F(WindowsImports, TensorflowWithoutTheCppRuntimeDoesNotImport) {
  environment.frameworks = {{.name = "tensorflow",
                             .version = "2.10.0",
                             .directory = Site("tensorflow"),
                             .cuda = "11.2",
                             .cudnn = "8.1"}};
  Add("tensorflow/python/_pywrap_tensorflow_internal.pyd");
  world.files.Add("/C:/path1/cudart64_110.dll", {});
  const LoadGraph graph = Import();
  EXPECT_EQ(graph.import_error, "");
  EXPECT_NE(Loaded(graph, "cudart64_110.dll"), nullptr);  // its own loads do search PATH
  world.files.AddNotOpened("/C:/Windows/System32/msvcp140_1.dll", base::PathError::kNoEntry);
  EXPECT_TRUE(Import().import_error.starts_with("error 126"));
}

TEST_F(WindowsImports, PythonBefore38SearchedPath) {
  environment.python = "3.7";
  environment.frameworks = {
      {.name = "ctranslate2", .version = "4.4.0", .directory = Site("ctranslate2"), .cuda = "12"}};
  Add("ctranslate2/_ext.cp37-win_amd64.pyd", {.imports = Needs({"only_on_path.dll"})});
  world.files.Add("/C:/path1/only_on_path.dll", {});
  EXPECT_NE(Loaded(Import(), "only_on_path.dll"), nullptr);
  environment.python = "3.8";
  Add("ctranslate2/_ext.cp38-win_amd64.pyd", {.imports = Needs({"only_on_path.dll"})});
  EXPECT_EQ(Loaded(Import(), "only_on_path.dll"), nullptr);
}

TEST_F(WindowsImports, RowsOfOtherSystemsAreLeftOut) {
  Torch();
  for (const ImportStep& step : Steps()) {
    for (const std::string& name : step.names) EXPECT_EQ(name.find(".so"), std::string::npos) << name;
    EXPECT_EQ(step.wanted, "");
  }
  world.snapshot.stack.windows = {};
  for (const ImportStep& step :
       loader::ImportSteps(world.snapshot, environment, environment.frameworks.front(), world.files)) {
    EXPECT_EQ(step.action, ImportStep::Action::kOpen);
    EXPECT_EQ(step.flags, 0U);
  }
}

// cudart looks for the driver only in System32: a copy next to it is not a driver.
TEST_F(WindowsImports, TheDriverIsTakenFromSystem32Alone) {
  Torch();
  Add("torch/lib/cudart64_12.dll");
  world.files.Add("/C:/path1/nvcuda.dll", {});
  EXPECT_EQ(Loaded(Import(), "nvcuda.dll"), nullptr);
  world.files.Add("/C:/Windows/System32/nvcuda.dll", {});
  const LoadGraph graph = Import();
  ASSERT_NE(Loaded(graph, "nvcuda.dll"), nullptr);
  EXPECT_EQ(Loaded(graph, "nvcuda.dll")->path, "/C:/Windows/System32/nvcuda.dll");
}

}  // namespace
}  // namespace culprit::model
