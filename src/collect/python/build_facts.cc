#include "collect/python/build_facts.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "base/json.h"
#include "base/python/pep508.h"
#include "base/text.h"
#include "binfmt/elf/elf.h"
#include "collect/python/text.h"

namespace culprit::collect {
namespace {

using base::JoinPath;
using snapshot::Framework;
using snapshot::PythonPackage;

constexpr uint64_t kFileLimit = uint64_t{256} << 10;  // these are small; a larger one is something else

std::string Read(const BuildFiles& files, const std::string& path, Framework& framework) {
  auto text = system::ReadWholeFile(files.system, path, kFileLimit);
  if (!text) return "";
  framework.source = path;
  return *std::move(text);
}

// "None", "False" and "" mean that there is none.
std::string ValueOf(const std::optional<std::string>& literal) {
  return !literal || *literal == "None" || *literal == "False" ? "" : *literal;
}

// The exact version that a package pins another to: ==9.1.0.70 -> "9.1.0.70". PyTorch's wheels for Windows
// have the requirements of those for Linux, marked as such.
std::string PinOf(const BuildFiles& files, std::string_view prefix) {
  if (files.package == nullptr) return "";
  const base::MarkerFacts facts{.windows = files.system.platform() == base::Platform::kWindows};
  for (const snapshot::Requirement& requirement : files.package->requirements) {
    if (!requirement.name.starts_with(prefix) || !requirement.extra.empty()) continue;
    if (base::Holds(requirement.marker, facts) == false) continue;
    if (requirement.specifier.starts_with("==")) return requirement.specifier.substr(2);
  }
  return "";
}

// The first three numbers: the fourth of cuDNN counts builds.
std::string Release(const std::string& version) {
  const auto parts = base::Split(version, '.');
  std::string release;
  for (size_t i = 0; i < std::min<size_t>(3, parts.size()); ++i) release += (i == 0 ? "" : ".") + parts[i];
  return release;
}

// "cupy-cuda12x" -> "12", "mxnet-cu112" -> "11.2", "tensorrt-cu12" -> "12".
std::string CudaOfName(std::string_view package) {
  size_t at = package.rfind("cuda");
  at = at == std::string_view::npos ? package.rfind("-cu") : at + 1;
  if (at == std::string_view::npos) return "";
  std::string digits;
  for (const char c : package.substr(at + 3)) {
    if (c >= '0' && c <= '9') digits += c;
  }
  if (digits.size() == 3) return digits.substr(0, 2) + "." + digits.substr(2);
  return digits.size() == 2 ? digits : "";
}

// The CUDA major of the runtime or the cuBLAS that a library needs: "11" of libcublas.so.11.
std::string CudaOfNeeded(const BuildFiles& files, const std::string& path) {
  const auto file = files.system.Open(path);
  if (!file || !file->bytes) return "";
  const binfmt::ElfFile elf = binfmt::ReadElf(*file->bytes);
  for (const binfmt::ElfRequest& request : elf.requests) {
    for (const std::string_view stem : {"libcublas.so.", "libcudart.so."}) {
      if (request.name.starts_with(stem)) return base::Split(request.name.substr(stem.size()), '.').front();
    }
  }
  return "";
}

}  // namespace

// The version in version.py has the local part (+cu124) that the record of a wheel from PyPI leaves out.
void ReadTorch(const BuildFiles& files, Framework& framework) {
  const std::string text = Read(files, JoinPath(framework.directory, "version.py"), framework);
  if (text.empty()) return;
  if (const auto version = PythonAssignment(text, "__version__")) framework.version = *version;
  const auto cuda = PythonAssignment(text, "cuda");
  framework.cuda = ValueOf(cuda);
  const bool other_gpu = !ValueOf(PythonAssignment(text, "hip")).empty() ||
                         !ValueOf(PythonAssignment(text, "rocm")).empty() ||
                         !ValueOf(PythonAssignment(text, "xpu")).empty();
  framework.cpu_only = cuda == "None" && !other_gpu;
  framework.cudnn = Release(PinOf(files, "nvidia-cudnn-cu"));
}

void ReadTorchCompanion(const BuildFiles& files, Framework& framework) {
  const std::string text = Read(files, JoinPath(framework.directory, "version.py"), framework);
  if (const auto version = PythonAssignment(text, "__version__")) framework.version = *version;
  const size_t local = framework.version.find("+cu");
  if (local != std::string::npos) {
    const std::string digits = framework.version.substr(local + 3);
    if (digits.size() == 3) framework.cuda = digits.substr(0, 2) + "." + digits.substr(2);
  }
  framework.cpu_only = framework.version.ends_with("+cpu");
}

// cpp_lib.json: {"version": {"cuda": 1204, "torch": "2.5.1+cu124", "python": "3.10.15"}, "env": {...}}
void ReadXformers(const BuildFiles& files, Framework& framework) {
  const std::string text = Read(files, JoinPath(framework.directory, "cpp_lib.json"), framework);
  const base::Json json = base::ParseJson(text);
  if (!json.is_object() || !json.contains("version") || !json["version"].is_object()) return;
  const base::Json& version = json["version"];
  if (version.contains("torch") && version["torch"].is_string()) {
    framework.built_with = {"torch", version["torch"].get<std::string>()};
  }
  if (version.contains("cuda") && version["cuda"].is_number_unsigned()) {
    const auto number = version["cuda"].get<uint64_t>();  // 1204
    if (number > 100 && number < 100000) {
      framework.cuda = std::to_string(number / 100) + "." + std::to_string(number % 100);
    }
  }
}

// What a build for Windows writes in the place of a version is the end of a DLL's name: "64_112" in
// cudart64_112.dll is CUDA 11.2, "64_8" in cudnn64_8.dll is cuDNN 8.
std::string WithoutDllName(std::string version) {
  constexpr std::string_view kBits = "64_";
  if (!version.starts_with(kBits)) return version;
  version.erase(0, kBits.size());
  if (version.size() > 1) version.insert(version.size() - 1, ".");
  return version;
}

void ReadTensorflow(const BuildFiles& files, Framework& framework) {
  constexpr const char* kBuildInfo = "python/platform/build_info.py";
  std::string text = Read(files, JoinPath(framework.directory, kBuildInfo), framework);
  if (text.empty())  // 1.15 keeps everything in a second package
    text = Read(files, JoinPath(framework.directory + "_core", kBuildInfo), framework);
  // 2.3 has a dictionary, 1.15 variables: cuda_version_number.
  const auto entry = [&](const std::string& name) {
    auto value = PythonEntry(text, name);
    if (!value) value = PythonAssignment(text, name);
    return value ? value : PythonAssignment(text, name + "_number");
  };
  const auto is_cuda = entry("is_cuda_build");
  framework.cpu_only = is_cuda == "False";
  if (is_cuda != "True") return;
  const auto version = [&](const std::string& name) { return WithoutDllName(ValueOf(entry(name))); };
  framework.cuda = version("cuda_version");
  if (framework.cuda == "10") framework.cuda = "10.0";  // 1.15: so libtensorflow_framework.so.1 spells it
  framework.cudnn = version("cudnn_version");
}

// The plugin is a package of its own; older releases had CUDA builds of jaxlib ("0.4.13+cuda12.cudnn89").
void ReadJax(const BuildFiles& files, Framework& framework) {
  std::erase_if(framework.libraries, [](const std::string& file) { return file.ends_with("_solver.so"); });
  bool jaxlib = false;
  for (const PythonPackage& package : files.packages) {
    const bool plugin = package.name.starts_with("jax-cuda") && package.name.ends_with("-plugin");
    if (plugin && CudaOfName(package.name.substr(0, package.name.size() - 7)) > framework.cuda) {
      framework.cuda = CudaOfName(package.name.substr(0, package.name.size() - 7));
      framework.source = package.record;
    }
    if (package.name != "jaxlib") continue;
    jaxlib = true;
    const size_t local = package.version.find("+cuda");
    if (local == std::string::npos || !framework.cuda.empty()) continue;
    const auto words = base::SplitWords(package.version.substr(local + 5), ".");
    if (!words.empty()) framework.cuda = words.front();
    framework.source = package.record;
  }
  framework.cpu_only = jaxlib && framework.cuda.empty() && framework.libraries.empty() &&
                       !files.system.Stat(JoinPath(files.site.path, "jaxlib/cuda/_solver.so"));
}

void ReadOnnxruntime(const BuildFiles& files, Framework& framework) {
  std::string text = Read(files, JoinPath(framework.directory, "capi/build_and_package_info.py"), framework);
  // Wheels for Windows have only this one (1.18 and 1.20 were looked at).
  if (text.empty()) text = Read(files, JoinPath(framework.directory, "capi/version_info.py"), framework);
  if (text.empty()) {
    // Not every wheel has one of them (1.18.0 for Linux); its CUDA provider tells as well.
    if (framework.libraries.empty()) return;
    framework.cuda = CudaOfNeeded(files, framework.libraries.front());
    if (!framework.cuda.empty()) framework.source = framework.libraries.front();
    return;
  }
  if (const auto name = PythonAssignment(text, "package_name")) framework.package = *name;
  if (const auto version = PythonAssignment(text, "__version__")) framework.version = *version;
  framework.cuda = ValueOf(PythonAssignment(text, "cuda_version"));
  framework.cpu_only = framework.cuda.empty() && framework.libraries.empty();
}

void ReadCupy(const BuildFiles& files, Framework& framework) {
  framework.cuda = CudaOfName(framework.package);
  const std::string text = Read(files, JoinPath(framework.directory, ".data/_wheel.json"), framework);
  const base::Json json = base::ParseJson(text);
  if (json.is_object() && json.contains("cuda") && json["cuda"].is_string()) {
    std::string cuda = json["cuda"].get<std::string>();  // "12.x", "11.2"
    if (cuda.ends_with(".x")) cuda.resize(cuda.size() - 2);
    framework.cuda = cuda;
  }
}

void ReadPaddle(const BuildFiles& files, Framework& framework) {
  const std::string text = Read(files, JoinPath(framework.directory, "version/__init__.py"), framework);
  const auto cuda = PythonAssignment(text, "cuda_version");
  framework.cuda = ValueOf(cuda);
  framework.cudnn = ValueOf(PythonAssignment(text, "cudnn_version"));
  framework.cpu_only = cuda == "False";
}

void ReadMxnet(const BuildFiles&, Framework& framework) {
  framework.cuda = CudaOfName(framework.package);  // "mxnet" alone may be anything
}

void ReadTensorrt(const BuildFiles& files, Framework& framework) {
  for (const PythonPackage& package : files.packages) {
    if (!package.name.starts_with("tensorrt-cu") && !package.name.starts_with("tensorrt-lean-cu")) continue;
    std::string name = package.name;
    for (const std::string_view tail : {"-libs", "-bindings"}) {
      if (name.ends_with(tail)) name.resize(name.size() - tail.size());
    }
    framework.cuda = CudaOfName(name);
  }
}

}  // namespace culprit::collect
