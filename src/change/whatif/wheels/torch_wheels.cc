// torch and what is compiled against it. Files and run paths are those of the wheels that data/imports.toml
// and tests/rules/worlds name; libraries inside the wheel, or in nvidia-* packages, as the row of the build
// says.
#include <algorithm>

#include "base/text.h"
#include "change/whatif/wheels/wheel.h"
#include "knowledge/arch.h"
#include "knowledge/packages/pins.h"
#include "knowledge/packages/release.h"

namespace culprit::whatif {
namespace {

using knowledge::FrameworkRelease;
using knowledge::LibrariesFrom;

constexpr const char* kRunPath =
    "$ORIGIN/../../nvidia/cudnn/lib:$ORIGIN/../../nvidia/nccl/lib:$ORIGIN/../../nvidia/cublas/lib:"
    "$ORIGIN/../../nvidia/cuda_runtime/lib:$ORIGIN/../../nvidia/cuda_nvrtc/lib:$ORIGIN/../../nvidia/cu13/lib:"
    "$ORIGIN";

// What torch in this environment was built with: the text behind "cuda" in its version.py.
std::string VersionOfTorch(const Wheel& wheel) {
  for (const std::string& place : wheel.environment.places) {
    const auto text =
        system::ReadWholeFile(*wheel.machine, base::JoinPath(place, "torch/version.py"), 1 << 20);
    if (!text) continue;
    const size_t at = text->find("__version__ = '");
    if (at == text->npos) continue;
    const size_t start = at + 15;
    return text->substr(start, text->find('\'', start) - start);
  }
  return "";
}

// Until CUDA 10 the wheels had them inside under names of their own, or linked into libtorch_cuda.so; which
// ones is in no table.
bool NamesAreKnown(const FrameworkRelease& row) {
  const auto cuda = base::Version::Parse(row.cuda);
  return cuda && cuda->part(0) >= 11;
}

// CUDA, cuBLAS and cuDNN by the names of the build's majors; a name that the tables do not have is left out.
std::vector<std::string> Libraries(const FrameworkRelease& row, bool windows) {
  if (!NamesAreKnown(row)) return {};
  const std::string cuda = MajorOf(row.cuda);
  std::vector<std::string> names;
  for (const char* library : {"cudart", "cublas", "cublasLt"}) {
    if (std::string file = CudaFile(library, cuda, windows); !file.empty()) names.push_back(std::move(file));
  }
  const std::string_view cudnn = windows && !row.cudnn_windows.empty() ? row.cudnn_windows : row.cudnn;
  if (!cudnn.empty() && cudnn != "none")
    names.push_back(windows ? "cudnn64_" + MajorOf(cudnn) + ".dll" : "libcudnn.so." + MajorOf(cudnn));
  return names;
}

void PutBundled(Wheel& wheel, const FrameworkRelease& row) {
  if (!NamesAreKnown(row)) return;
  const bool windows = wheel.environment.windows;
  const std::string cuda = MajorOf(row.cuda);
  for (const char* library : {"cudart", "cublas", "cublasLt"}) {
    const std::string file = CudaFile(library, cuda, windows);
    if (!file.empty()) PutCudaLibrary(wheel, "torch/lib", file, "");
  }
  const std::string_view cudnn = windows && !row.cudnn_windows.empty() ? row.cudnn_windows : row.cudnn;
  if (const auto number = base::Version::Parse(cudnn)) PutCudnn(wheel, "torch/lib", *number);
}

void PutTorchLinux(Wheel& wheel, const FrameworkRelease* row) {
  const bool bundled = row != nullptr && row->libraries == LibrariesFrom::kBundled;
  const std::string path = bundled || row == nullptr ? "$ORIGIN" : kRunPath;
  const auto library = [&](const std::string& name, std::vector<std::string> needed) -> Claims& {
    Claims& claims = wheel.binaries["torch/lib/" + name];
    claims.soname = name;
    claims.rpath = path;
    claims.needed = std::move(needed);
    return claims;
  };
  Claims& module = wheel.binaries["torch/_C." + wheel.environment.ModuleEnding()];
  module.rpath = "$ORIGIN:$ORIGIN/lib";
  module.needed = {"libtorch_python.so"};
  if (row == nullptr) {
    library("libtorch_global_deps.so", {});
    library("libtorch_python.so", {"libtorch.so"});
    library("libtorch.so", {});
    return;
  }
  std::vector<std::string> cuda = Libraries(*row, /*windows=*/false);
  std::vector<std::string> first = cuda;
  std::erase_if(first, [](const std::string& name) { return name.starts_with("libcublasLt"); });
  library("libtorch_global_deps.so", first);
  library("libtorch_python.so", {"libtorch.so", "libtorch_cuda.so"});
  library("libtorch.so", {"libtorch_cuda.so"});
  cuda.emplace_back("libc.so.6");
  library("libtorch_cuda.so", cuda).gpu_code = CodeOf(*row, wheel.environment);
  if (bundled) PutBundled(wheel, *row);
}

void PutTorchWindows(Wheel& wheel, const FrameworkRelease* row) {
  wheel.binaries["torch/_C." + wheel.environment.ModuleEnding()].needed = {"torch_python.dll"};
  wheel.binaries["torch/lib/c10.dll"] = {};
  wheel.binaries["torch/lib/torch_cpu.dll"].needed = {"c10.dll"};
  Claims& python = wheel.binaries["torch/lib/torch_python.dll"];
  python.needed = {"torch_cpu.dll"};
  if (row == nullptr) return;
  python.needed.emplace_back("torch_cuda.dll");
  Claims& cuda = wheel.binaries["torch/lib/torch_cuda.dll"];
  cuda.needed = Libraries(*row, /*windows=*/true);
  cuda.needed.emplace_back("torch_cpu.dll");
  cuda.gpu_code = CodeOf(*row, wheel.environment);
  PutBundled(wheel, *row);
}

void PutTorch(Wheel& wheel) {
  const FrameworkRelease* row = BuildOf(wheel, "torch");
  const bool windows = wheel.environment.windows;
  // What the package index has for Windows is without CUDA.
  const bool cpu = wheel.Local() == "cpu" || (windows && wheel.Local().empty());
  if (cpu || (row != nullptr && row->cuda.empty())) row = nullptr;
  std::string local = wheel.Local();
  if (cpu) local = "cpu";
  if (row != nullptr && local.empty()) local = row->variant;
  // Of a build that no table has, its version tells the CUDA, or nothing does.
  std::string cuda;
  if (row != nullptr) cuda = "'" + std::string(row->cuda) + "'";
  if (cuda.empty() && local.starts_with("cu") && local.size() == 5)
    cuda = "'" + local.substr(2, 2) + "." + local.substr(4) + "'";
  if (cpu) cuda = "None";
  wheel.texts["torch/__init__.py"] = "";
  wheel.texts["torch/version.py"] = "__version__ = '" + wheel.Release() + (local.empty() ? "" : "+" + local) +
                                    "'\ndebug = False\n" + (cuda.empty() ? "" : "cuda = " + cuda + "\n") +
                                    "hip = None\n";
  if (windows) {
    PutTorchWindows(wheel, row);
  } else {
    PutTorchLinux(wheel, row);
  }
  wheel.owns = {"torch", "torchgen", "functorch"};
  // The pins of the package index are those of its own build.
  const bool pinned = row != nullptr && (wheel.Local().empty() || row->is_default);
  if (!pinned) {
    std::erase_if(wheel.needs, [](const std::string& need) {
      return need.starts_with("nvidia-") || need.starts_with("cuda-toolkit");
    });
  }
  for (std::string& need : wheel.needs) {
    if (need.find(';') == need.npos) need += " ; platform_system == \"Linux\"";
  }
}

void PutCompanion(Wheel& wheel, const std::string& library) {
  const std::string torch = VersionOfTorch(wheel);
  const size_t plus = torch.find('+');
  const std::string local = !wheel.Local().empty() ? "+" + wheel.Local()
                            : plus == torch.npos   ? ""
                                                   : torch.substr(plus);
  wheel.texts[wheel.name + "/__init__.py"] = "";
  wheel.texts[wheel.name + "/version.py"] = "__version__ = '" + wheel.Release() + local + "'\n";
  Claims& claims = wheel.binaries[library];
  if (!wheel.environment.windows) claims.needed = {"libc.so.6"};
  // It is compiled for what the torch of the same build is.
  const std::string cuda = local.starts_with("+cu") ? local.substr(1) : "";
  const auto number = base::Version::Parse(torch.substr(0, plus));
  if (!cuda.empty() && number) {
    const auto rows = knowledge::FindFramework("torch", *number, cuda);
    if (!rows.empty()) claims.gpu_code = CodeOf(*rows.front(), wheel.environment);
  }
  wheel.owns = {wheel.name, wheel.name + ".libs"};
}

// "1204" of "12.4".
std::string CudaNumber(const std::string& variant) {
  const std::string digits = variant.substr(2);
  return digits.size() == 3 ? digits.substr(0, 2) + "0" + digits.substr(2) : "";
}

void PutXformers(Wheel& wheel) {
  const std::string torch = VersionOfTorch(wheel);
  const knowledge::Pin* pin = knowledge::FindPin("xformers", wheel.Release());
  const std::string asked(pin != nullptr ? knowledge::Requirement(*pin, "torch") : "");
  std::string built = asked.starts_with("==") ? asked.substr(2) : torch.substr(0, torch.find('+'));
  const size_t plus = torch.find('+');
  const std::string variant = plus == torch.npos ? "" : torch.substr(plus + 1);
  if (!variant.empty() && !built.empty()) built += "+" + variant;
  const std::string cuda = variant.starts_with("cu") ? CudaNumber(variant) : "";
  wheel.texts["xformers/__init__.py"] = "";
  wheel.texts["xformers/cpp_lib.json"] =
      "{\"version\": {" + (cuda.empty() ? "" : "\"cuda\": " + cuda + ", ") + "\"torch\": \"" + built + "\"}}";
  Claims& claims = wheel.binaries[wheel.environment.windows ? "xformers/_C.pyd" : "xformers/_C.so"];
  const auto number = base::Version::Parse(torch.substr(0, plus));
  if (number && !variant.empty()) {
    const auto rows = knowledge::FindFramework("torch", *number, variant);
    if (!rows.empty()) claims.gpu_code = CodeOf(*rows.front(), wheel.environment);
  }
  wheel.owns = {"xformers"};
}

void PutBitsandbytes(Wheel& wheel) {
  const std::string torch = VersionOfTorch(wheel);
  const size_t plus = torch.find("+cu");
  wheel.texts["bitsandbytes/__init__.py"] = "";
  if (plus != torch.npos) {
    const std::string name = "bitsandbytes/libbitsandbytes_cuda" + torch.substr(plus + 3);
    wheel.binaries[name + (wheel.environment.windows ? ".dll" : ".so")] = {};
  }
  wheel.owns = {"bitsandbytes"};
}

}  // namespace

bool FillTorch(Wheel& wheel) {
  const bool windows = wheel.environment.windows;
  if (wheel.name == "torch") {
    PutTorch(wheel);
  } else if (wheel.name == "torchvision") {
    PutCompanion(wheel, windows ? "torchvision/_C.pyd" : "torchvision/_C.so");
  } else if (wheel.name == "torchaudio") {
    PutCompanion(wheel, windows ? "torchaudio/lib/libtorchaudio.pyd" : "torchaudio/lib/libtorchaudio.so");
  } else if (wheel.name == "xformers") {
    PutXformers(wheel);
  } else if (wheel.name == "bitsandbytes") {
    PutBitsandbytes(wheel);
  } else if (wheel.name == "triton") {
    wheel.texts["triton/__init__.py"] = "";
    wheel.binaries[windows ? "triton/_C/libtriton.pyd" : "triton/_C/libtriton.so"] = {};
    wheel.owns = {"triton"};
  } else {
    return false;
  }
  return true;
}

}  // namespace culprit::whatif
