// tensorflow, jax and its plugins, onnxruntime, ctranslate2, cupy, paddle: the files that tell how they were
// built (collect/python_build_facts.cc) and those that an import opens (data/imports.toml).
#include <algorithm>

#include "base/text.h"
#include "change/whatif/wheels/wheel.h"
#include "knowledge/arch.h"
#include "knowledge/packages/release.h"

namespace culprit::whatif {
namespace {

using base::JoinPath;
using knowledge::FrameworkRelease;
using knowledge::LibrariesFrom;

// The folders of nvidia-* packages, seen from `up` levels below site-packages.
std::string NvidiaRunPath(const std::string& up, const std::string& cuda) {
  if (cuda == "13") return "$ORIGIN/" + up + "nvidia/cu13/lib:$ORIGIN/" + up + "nvidia/cudnn/lib";
  std::string path;
  for (const char* folder : {"cuda_runtime", "cublas", "cudnn", "cufft", "cusolver", "cusparse", "nvjitlink",
                             "cuda_cupti", "nccl"}) {
    path += (path.empty() ? "$ORIGIN/" : ":$ORIGIN/") + up + "nvidia/" + folder + "/lib";
  }
  return path;
}

std::string_view CudnnOf(const FrameworkRelease& row, bool windows) {
  return windows && !row.cudnn_windows.empty() ? row.cudnn_windows : row.cudnn;
}

void PutTensorflow(Wheel& wheel) {
  const FrameworkRelease* row = BuildOf(wheel, "tensorflow");
  const bool windows = wheel.environment.windows;
  const LibrariesFrom from = row == nullptr ? LibrariesFrom::kUnknown
                             : windows      ? row->libraries_windows
                                            : row->libraries;
  const bool cuda = row != nullptr && !row->cuda.empty() && from != LibrariesFrom::kNoGpu &&
                    !wheel.name.starts_with("tensorflow-cpu") && wheel.name != "tensorflow-intel" &&
                    wheel.environment.cpu == "x86_64";
  std::string info = "build_info = {'is_cuda_build': False}\n";
  if (cuda) {
    info = "build_info = {'cuda_version': '" + std::string(row->cuda) + "', 'cudnn_version': '" +
           MajorOf(CudnnOf(*row, windows)) + "', 'is_cuda_build': True}\n";
  }
  wheel.texts["tensorflow/__init__.py"] = "";
  // Of a build that no table has, nothing is said.
  if (row != nullptr || wheel.name != "tensorflow")
    wheel.texts["tensorflow/python/platform/build_info.py"] = info;
  wheel.owns = {"tensorflow"};
  if (windows) {
    Claims& module = wheel.binaries["tensorflow/python/_pywrap_tensorflow_internal.pyd"];
    if (cuda) module.gpu_code = CodeOf(*row, wheel.environment);
    return;
  }
  Claims& module = wheel.binaries["tensorflow/python/_pywrap_tensorflow_internal.so"];
  module.runpath = "$ORIGIN/..";
  module.needed = {"libtensorflow_cc.so.2", "libtensorflow_framework.so.2"};
  Claims& main = wheel.binaries["tensorflow/libtensorflow_cc.so.2"];
  main = {
      .soname = "libtensorflow_cc.so.2", .needed = {"libtensorflow_framework.so.2"}, .runpath = "$ORIGIN"};
  Claims& framework = wheel.binaries["tensorflow/libtensorflow_framework.so.2"];
  framework = {.soname = "libtensorflow_framework.so.2", .needed = {"libc.so.6"}};
  if (!cuda) return;
  framework.runpath = from == LibrariesFrom::kExtra ? NvidiaRunPath("../", MajorOf(row->cuda)) : "$ORIGIN";
  if (from == LibrariesFrom::kExtra) main.runpath = "$ORIGIN:" + framework.runpath;
  main.gpu_code = framework.gpu_code = CodeOf(*row, wheel.environment);
}

// "12" of jax-cuda12-plugin.
std::string CudaOfPlugin(const std::string& name) {
  std::string digits;
  for (const char c : name.substr(std::min(name.size(), size_t{8}))) {
    if (c < '0' || c > '9') break;
    digits += c;
  }
  return digits;
}

void PutJax(Wheel& wheel) {
  if (wheel.name == "jax" || wheel.name == "jaxlib") {
    wheel.texts[wheel.name + "/__init__.py"] = "";
    wheel.owns = {wheel.name};
    return;
  }
  const std::string cuda = CudaOfPlugin(wheel.name);
  if (wheel.name.ends_with("-plugin")) {
    const std::string folder = "jax_cuda" + cuda + "_plugin";
    for (const char* file : {"/cuda_plugin_extension.so", "/_versions.so"})
      wheel.binaries[folder + file].rpath = NvidiaRunPath("../", cuda);
    wheel.owns = {folder};
    return;
  }
  const std::string folder = "jax_plugins/xla_cuda" + cuda;
  Claims& plugin = wheel.binaries[folder + "/xla_cuda_plugin.so"];
  plugin.rpath = NvidiaRunPath("../../", cuda);
  const auto rows = knowledge::FindFramework("jax", wheel.Number(), "cuda" + cuda);
  if (!rows.empty()) plugin.gpu_code = CodeOf(*rows.front(), wheel.environment);
  wheel.owns = {folder};
}

void PutOnnxruntime(Wheel& wheel) {
  const bool gpu = wheel.name == "onnxruntime-gpu";
  const FrameworkRelease* row = gpu ? BuildOf(wheel, "onnxruntime") : nullptr;
  const bool windows = wheel.environment.windows;
  wheel.texts["onnxruntime/__init__.py"] = "";
  wheel.texts["onnxruntime/capi/build_and_package_info.py"] =
      "package_name = '" + wheel.name + "'\n__version__ = '" + wheel.version + "'\n" +
      (row != nullptr && !row->cuda.empty() ? "cuda_version = '" + std::string(row->cuda) + "'\n" : "");
  wheel.owns = {"onnxruntime"};
  const std::string ending = windows ? ".pyd" : "." + wheel.environment.ModuleEnding();
  wheel.binaries["onnxruntime/capi/onnxruntime_pybind11_state" + ending].runpath = windows ? "" : "$ORIGIN";
  if (!gpu) return;
  const std::string stem = windows ? "onnxruntime/capi/" : "onnxruntime/capi/lib",
                    so = windows ? ".dll" : ".so";
  Claims& shared = wheel.binaries[stem + "onnxruntime_providers_shared" + so];
  Claims& provider = wheel.binaries[stem + "onnxruntime_providers_cuda" + so];
  if (!windows) {
    shared.soname = "libonnxruntime_providers_shared.so";
    provider.soname = "libonnxruntime_providers_cuda.so";
    provider.needed = {"libc.so.6"};
  }
  if (row == nullptr || row->cuda.empty()) return;
  const std::string cuda = MajorOf(row->cuda);
  for (const char* library : {"cublasLt", "cublas", "cudart"}) {
    const std::string file = CudaFile(library, cuda, windows);
    if (!file.empty()) provider.needed.push_back(file);
  }
  provider.gpu_code = CodeOf(*row, wheel.environment);
}

void PutCtranslate2(Wheel& wheel) {
  const FrameworkRelease* row = BuildOf(wheel, "ctranslate2");
  wheel.texts["ctranslate2/__init__.py"] = "";
  wheel.owns = {"ctranslate2", "ctranslate2.libs"};
  const std::string module = "ctranslate2/_ext." + wheel.environment.ModuleEnding();
  Claims library;
  if (row != nullptr) library.gpu_code = CodeOf(*row, wheel.environment);
  if (wheel.environment.windows) {
    wheel.binaries[module].needed = {"ctranslate2.dll"};
    wheel.binaries["ctranslate2/ctranslate2.dll"] = std::move(library);
    return;
  }
  const std::string file = "libctranslate2-00000000.so." + wheel.Release();
  wheel.binaries[module].rpath = "$ORIGIN/../ctranslate2.libs";
  wheel.binaries[module].needed = {file};
  library.soname = file;
  library.rpath = "$ORIGIN";
  library.needed = {"libc.so.6"};
  wheel.binaries["ctranslate2.libs/" + file] = std::move(library);
}

void PutCupy(Wheel& wheel) {
  const size_t at = wheel.name.rfind("cuda");
  std::string cuda = at == std::string::npos ? "" : wheel.name.substr(at + 4);  // "12x", "112"
  if (cuda.ends_with('x')) cuda = cuda.substr(0, cuda.size() - 1) + ".x";
  if (cuda.size() == 3 && cuda.find('.') == cuda.npos) cuda.insert(2, ".");
  wheel.texts["cupy/__init__.py"] = "";
  if (!cuda.empty()) wheel.texts["cupy/.data/_wheel.json"] = "{\"cuda\": \"" + cuda + "\"}";
  wheel.binaries["cupy/_core/core." + wheel.environment.ModuleEnding()] = {};
  wheel.owns = {"cupy", "cupyx", "cupy_backends"};
}

void PutPaddle(Wheel& wheel) {
  const FrameworkRelease* row = wheel.name == "paddlepaddle-gpu" ? BuildOf(wheel, "paddle") : nullptr;
  const bool windows = wheel.environment.windows;
  wheel.texts["paddle/__init__.py"] = "";
  std::string text = "full_version = '" + wheel.Release() + "'\n";
  if (wheel.name == "paddlepaddle") text += "cuda_version = 'False'\ncudnn_version = 'False'\n";
  if (row != nullptr && !row->cuda.empty()) text += "cuda_version = '" + std::string(row->cuda) + "'\n";
  if (row != nullptr && !row->cudnn.empty()) text += "cudnn_version = '" + std::string(row->cudnn) + "'\n";
  wheel.texts["paddle/version/__init__.py"] = text;
  Claims& library = wheel.binaries[windows ? "paddle/base/libpaddle.pyd" : "paddle/base/libpaddle.so"];
  if (row != nullptr) library.gpu_code = CodeOf(*row, wheel.environment);
  wheel.owns = {"paddle"};
}

}  // namespace

const FrameworkRelease* BuildOf(const Wheel& wheel, std::string_view framework) {
  std::string variant = wheel.Local();
  if (variant == "cpu") return nullptr;
  auto rows = knowledge::FindFramework(framework, wheel.Number(), variant);
  if (!rows.empty()) return rows.front();
  // A patch release has the build of the one before it.
  const FrameworkRelease* before = nullptr;
  for (const FrameworkRelease& row : knowledge::FrameworkReleases()) {
    const base::Version version = knowledge::Known(row.version);
    if (row.framework == framework && version < wheel.Number() &&
        knowledge::MinorOf(version) == knowledge::MinorOf(wheel.Number()))
      before = &row;
  }
  if (before == nullptr) return nullptr;
  rows = knowledge::FindFramework(framework, knowledge::Known(before->version), variant);
  return rows.empty() ? nullptr : rows.front();
}

std::vector<std::string> CodeOf(const FrameworkRelease& row, const Environment& environment) {
  const auto codes = environment.windows                                         ? row.code_windows
                     : environment.cpu == "aarch64" && !row.code_aarch64.empty() ? row.code_aarch64
                                                                                 : row.code;
  const knowledge::PtxIsa* isa = knowledge::PtxOfCuda(row.cuda);
  const auto ptx = [&](const std::string& arch) {
    return "compute_" + arch + (isa != nullptr ? ":" + std::string(isa->isa) : "");
  };
  std::string container;
  for (const std::string_view code : codes) {
    std::string arch;
    std::string_view text = code;
    const bool only_ptx = text.starts_with("PTX ");
    if (only_ptx) text.remove_prefix(4);
    const bool also_ptx = text.ends_with("+PTX");
    if (also_ptx) text.remove_suffix(4);
    for (const char c : text) {
      if (c != '.') arch += c;
    }
    if (!only_ptx) container += (container.empty() ? "sm_" : " sm_") + arch;
    if (only_ptx || also_ptx) container += (container.empty() ? "" : " ") + ptx(arch);
  }
  if (container.empty() && !row.code_min.empty()) {
    std::string arch;
    for (const char c : row.code_min) {
      if (c != '.') arch += c;
    }
    container = "sm_" + arch + " " + ptx(arch);
  }
  if (container.empty()) return {};
  return {container};
}

bool FillFramework(Wheel& wheel) {
  const std::string& name = wheel.name;
  if (name.starts_with("tensorflow") || name == "tf-nightly") {
    if (name != "tensorflow" && name != "tensorflow-cpu" && name != "tensorflow-gpu" &&
        name != "tensorflow-intel")
      return false;
    PutTensorflow(wheel);
  } else if (name == "jax" || name == "jaxlib" ||
             (name.starts_with("jax-cuda") && (name.ends_with("-plugin") || name.ends_with("-pjrt")))) {
    PutJax(wheel);
  } else if (name == "onnxruntime" || name == "onnxruntime-gpu") {
    PutOnnxruntime(wheel);
  } else if (name == "ctranslate2") {
    PutCtranslate2(wheel);
  } else if (name.starts_with("cupy")) {
    PutCupy(wheel);
  } else if (name == "paddlepaddle" || name == "paddlepaddle-gpu") {
    PutPaddle(wheel);
  } else {
    return false;
  }
  return true;
}

}  // namespace culprit::whatif
