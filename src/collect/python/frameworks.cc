#include "collect/python/frameworks.h"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

#include "base/text.h"
#include "collect/python/build_facts.h"

namespace culprit::collect {
namespace {

using base::JoinPath;
using snapshot::Framework;
using snapshot::PythonPackage;

struct Known {
  std::string_view name;
  std::string_view module;                      // its directory in site-packages
  std::span<const std::string_view> packages;   // distributions that bring it, '*' at the end: any tail
  std::span<const std::string_view> libraries;  // patterns below site-packages; '*' within a component
  std::span<const std::string_view> dlls;       // the same on Windows
  void (*read)(const BuildFiles& files, Framework& framework);  // nullptr: the package says all there is
};

constexpr std::array<std::string_view, 3> kTorchPackages = {"torch", "pytorch", "pytorch-gpu"};
constexpr std::array<std::string_view, 2> kTorchLibraries = {"torch/lib/libtorch_cuda.so",
                                                             "torch/lib/libtorch_cuda_cu.so"};
constexpr std::array<std::string_view, 2> kTorchDlls = {"torch/lib/torch_cuda.dll",
                                                        "torch/lib/torch_cuda_cu.dll"};
constexpr std::array<std::string_view, 7> kTensorflowPackages = {
    "tensorflow", "tensorflow-intel", "tensorflow-gpu",    "tensorflow-cpu",
    "tf-nightly", "tensorflow-base",  "tensorflow-cpu-aws"};
constexpr std::array<std::string_view, 4> kTensorflowLibraries = {
    "tensorflow/libtensorflow_cc.so.2", "tensorflow/libtensorflow_framework.so.2",
    "tensorflow/python/_pywrap_tensorflow_internal.so", "tensorflow/python/lib_pywrap_tensorflow_common.so"};
constexpr std::array<std::string_view, 2> kTensorflowDlls = {
    "tensorflow/python/_pywrap_tensorflow_internal.pyd", "tensorflow/python/_pywrap_tensorflow_common.dll"};
constexpr std::array<std::string_view, 1> kJaxPackages = {"jax"};
constexpr std::array<std::string_view, 4> kJaxLibraries = {
    "jax_plugins/xla_cuda13/xla_cuda_plugin.so", "jax_plugins/xla_cuda12/xla_cuda_plugin.so",
    "jax_plugins/xla_cuda11/xla_cuda_plugin.so", "jaxlib/cuda/_solver.so"};
constexpr std::array<std::string_view, 1> kOnnxruntimePackages = {"onnxruntime*"};
constexpr std::array<std::string_view, 1> kOnnxruntimeLibraries = {
    "onnxruntime/capi/libonnxruntime_providers_cuda.so"};
constexpr std::array<std::string_view, 1> kOnnxruntimeDlls = {
    "onnxruntime/capi/onnxruntime_providers_cuda.dll"};
constexpr std::array<std::string_view, 1> kCtranslate2Packages = {"ctranslate2"};
constexpr std::array<std::string_view, 2> kCtranslate2Libraries = {"ctranslate2.libs/libctranslate2-*",
                                                                   "ctranslate2/libctranslate2.so*"};
constexpr std::array<std::string_view, 1> kCtranslate2Dlls = {"ctranslate2/ctranslate2.dll"};
constexpr std::array<std::string_view, 1> kCupyPackages = {"cupy*"};
constexpr std::array<std::string_view, 2> kCupyLibraries = {"cupy/cuda/cub.*.so", "cupy/cuda/thrust.*.so"};
constexpr std::array<std::string_view, 2> kCupyDlls = {"cupy/cuda/cub.*.pyd", "cupy/cuda/thrust.*.pyd"};
constexpr std::array<std::string_view, 1> kPaddlePackages = {"paddlepaddle*"};
constexpr std::array<std::string_view, 4> kPaddleLibraries = {
    "paddle/libs/libphi_gpu.so", "paddle/libs/libphi_kernels_gpu.so", "paddle/base/libpaddle.so",
    "paddle/fluid/libpaddle.so"};
constexpr std::array<std::string_view, 4> kPaddleDlls = {"paddle/libs/phi_gpu.dll", "paddle/libs/phi.dll",
                                                         "paddle/base/libpaddle.pyd",
                                                         "paddle/fluid/libpaddle.pyd"};
constexpr std::array<std::string_view, 1> kMxnetPackages = {"mxnet*"};
constexpr std::array<std::string_view, 1> kMxnetLibraries = {"mxnet/libmxnet.so"};
constexpr std::array<std::string_view, 1> kMxnetDlls = {"mxnet/libmxnet.dll"};
constexpr std::array<std::string_view, 4> kTensorrtPackages = {"tensorrt", "tensorrt-cu13", "tensorrt-cu12",
                                                               "tensorrt-cu11"};
constexpr std::array<std::string_view, 2> kTensorrtLibraries = {"tensorrt_libs/libnvinfer.so.*",
                                                                "tensorrt/libnvinfer.so.*"};
constexpr std::array<std::string_view, 2> kTensorrtDlls = {"tensorrt_libs/nvinfer_*.dll",
                                                           "tensorrt_libs/nvinfer.dll"};
// The lean runtime has no package of its own beside bindings and libraries.
constexpr std::array<std::string_view, 3> kLeanPackages = {
    "tensorrt-lean-cu13-bindings", "tensorrt-lean-cu12-bindings", "tensorrt-lean-bindings"};
constexpr std::array<std::string_view, 1> kLeanLibraries = {"tensorrt_lean_libs/libnvinfer_lean.so.*"};
constexpr std::array<std::string_view, 1> kTritonPackages = {"triton"};
constexpr std::array<std::string_view, 1> kXformersPackages = {"xformers"};
constexpr std::array<std::string_view, 1> kXformersLibraries = {"xformers/_C*.so"};
constexpr std::array<std::string_view, 1> kXformersDlls = {"xformers/_C*.pyd"};
constexpr std::array<std::string_view, 1> kFlashPackages = {"flash-attn"};
constexpr std::array<std::string_view, 1> kFlashLibraries = {"flash_attn_2_cuda.*.so"};
constexpr std::array<std::string_view, 1> kFlashDlls = {"flash_attn_2_cuda.*.pyd"};
constexpr std::array<std::string_view, 1> kVisionPackages = {"torchvision"};
constexpr std::array<std::string_view, 1> kVisionLibraries = {"torchvision/_C*.so"};
constexpr std::array<std::string_view, 1> kVisionDlls = {"torchvision/_C*.pyd"};
constexpr std::array<std::string_view, 1> kAudioPackages = {"torchaudio"};
constexpr std::array<std::string_view, 2> kAudioLibraries = {"torchaudio/lib/libtorchaudio*.so",
                                                             "torchaudio/lib/_torchaudio.so"};
constexpr std::array<std::string_view, 2> kAudioDlls = {"torchaudio/lib/libtorchaudio*.pyd",
                                                        "torchaudio/lib/_torchaudio*.pyd"};
constexpr std::array<std::string_view, 1> kBitsPackages = {"bitsandbytes"};
constexpr std::array<std::string_view, 1> kBitsLibraries = {"bitsandbytes/libbitsandbytes_cuda*.so"};
constexpr std::array<std::string_view, 1> kBitsDlls = {"bitsandbytes/libbitsandbytes_cuda*.dll"};

constexpr std::array<Known, 16> kKnown = {{
    {"torch", "torch", kTorchPackages, kTorchLibraries, kTorchDlls, ReadTorch},
    {"tensorflow", "tensorflow", kTensorflowPackages, kTensorflowLibraries, kTensorflowDlls, ReadTensorflow},
    {"jax", "jax", kJaxPackages, kJaxLibraries, {}, ReadJax},
    {"onnxruntime", "onnxruntime", kOnnxruntimePackages, kOnnxruntimeLibraries, kOnnxruntimeDlls,
     ReadOnnxruntime},
    {"ctranslate2", "ctranslate2", kCtranslate2Packages, kCtranslate2Libraries, kCtranslate2Dlls, nullptr},
    {"cupy", "cupy", kCupyPackages, kCupyLibraries, kCupyDlls, ReadCupy},
    {"paddle", "paddle", kPaddlePackages, kPaddleLibraries, kPaddleDlls, ReadPaddle},
    {"mxnet", "mxnet", kMxnetPackages, kMxnetLibraries, kMxnetDlls, ReadMxnet},
    {"tensorrt", "tensorrt", kTensorrtPackages, kTensorrtLibraries, kTensorrtDlls, ReadTensorrt},
    {"tensorrt_lean", "tensorrt_lean_bindings", kLeanPackages, kLeanLibraries, {}, ReadTensorrt},
    {"triton", "triton", kTritonPackages, {}, {}, nullptr},
    {"xformers", "xformers", kXformersPackages, kXformersLibraries, kXformersDlls, ReadXformers},
    {"flash-attn", "flash_attn", kFlashPackages, kFlashLibraries, kFlashDlls, nullptr},
    {"torchvision", "torchvision", kVisionPackages, kVisionLibraries, kVisionDlls, ReadTorchCompanion},
    {"torchaudio", "torchaudio", kAudioPackages, kAudioLibraries, kAudioDlls, ReadTorchCompanion},
    {"bitsandbytes", "bitsandbytes", kBitsPackages, kBitsLibraries, kBitsDlls, nullptr},
}};

// Files that a pattern with '*' in its last component finds.
std::vector<std::string> Find(const system::System& system, const std::string& site,
                              std::string_view pattern) {
  const std::string path = JoinPath(site, pattern);
  if (pattern.find('*') == std::string_view::npos) {
    if (system.LinkStat(path)) return {path};
    return {};
  }
  std::vector<std::string> found;
  const std::string directory(base::DirName(path));
  if (const auto entries = system.List(directory)) {
    for (const auto& entry : *entries) {
      if (base::MatchesPattern(base::BaseName(path), entry.name))
        found.push_back(JoinPath(directory, entry.name));
    }
  }
  return found;
}

const PythonPackage* PackageOf(const Known& known, const std::string& site,
                               const std::vector<PythonPackage>& packages) {
  for (const PythonPackage& package : packages) {
    if (base::DirName(package.record) != site && package.installer != "conda") continue;
    for (const std::string_view pattern : known.packages) {
      if (base::MatchesPattern(pattern, package.name)) return &package;
    }
  }
  return nullptr;
}

}  // namespace

bool IsOfKnownFramework(std::string_view package) {
  return std::ranges::any_of(kKnown, [&](const Known& known) {
    return std::ranges::any_of(
        known.packages, [&](std::string_view pattern) { return base::MatchesPattern(pattern, package); });
  });
}

std::vector<Framework> FrameworksOf(const system::System& system, const std::vector<SiteDirectory>& sites,
                                    const std::vector<PythonPackage>& packages) {
  std::vector<Framework> frameworks;
  for (const Known& known : kKnown) {
    const auto site =
        std::ranges::find_if(sites, [&](const SiteDirectory& one) { return one.Has(known.module); });
    if (site == sites.end()) continue;
    Framework framework{.name = std::string(known.name), .directory = JoinPath(site->path, known.module)};
    const PythonPackage* package = PackageOf(known, site->path, packages);
    // An empty directory that an uninstalled package left behind is no framework.
    if (package == nullptr && !system.Stat(JoinPath(framework.directory, "__init__.py"))) continue;
    if (package != nullptr) {
      framework.package = package->name;
      framework.version = package->version;
      framework.source = package->record;
    }
    const bool windows = system.platform() == base::Platform::kWindows;
    for (const std::string_view pattern : windows ? known.dlls : known.libraries) {
      for (std::string& file : Find(system, site->path, pattern))
        framework.libraries.push_back(std::move(file));
    }
    if (known.read != nullptr) known.read({system, *site, package, packages}, framework);
    frameworks.push_back(std::move(framework));
  }
  return frameworks;
}

}  // namespace culprit::collect
