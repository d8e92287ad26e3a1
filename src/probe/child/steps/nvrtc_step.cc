// A kernel from source: compiled by NVRTC for this device, loaded, launched, checked.
#include <algorithm>

#include "probe/child/kernel.h"
#include "probe/child/step.h"
#include "probe/cuda/nvrtc.h"

namespace culprit::prober {
namespace {

struct Program {
  const cuda::Nvrtc& nvrtc;
  void* handle = nullptr;
  ~Program() {
    if (handle != nullptr && nvrtc.nvrtcDestroyProgram) nvrtc.nvrtcDestroyProgram(&handle);
  }
};

using SizeQuestion = cuda::Function<int(void*, size_t*)>;
using TextQuestion = cuda::Function<int(void*, char*)>;

std::optional<Failure> Fetch(const cuda::Nvrtc& nvrtc, const SizeQuestion& size_of, const TextQuestion& get,
                             void* program, std::string& bytes) {
  size_t size = 0;
  if (auto failure = Try(nvrtc, size_of, program, &size)) return failure;
  constexpr size_t kMost = 64 << 20;
  if (size == 0 || size > kMost) {
    return Failure{OwnStatus::kWrongResult, size_of.name(), "a size of " + std::to_string(size) + " bytes"};
  }
  bytes.assign(size + 1, '\0');
  return Try(nvrtc, get, program, bytes.data());
}

std::optional<Failure> Compile(const cuda::Nvrtc& nvrtc, const std::string& architecture, bool cubin,
                               std::string& image) {
  Program program{nvrtc};
  if (auto failure = Try(nvrtc, nvrtc.nvrtcCreateProgram, &program.handle, kKernelCuda, "culprit_mix.cu", 0,
                         nullptr, nullptr)) {
    return failure;
  }
  const std::string option = "--gpu-architecture=" + architecture;
  const char* options[] = {option.c_str()};
  if (auto failure = Try(nvrtc, nvrtc.nvrtcCompileProgram, program.handle, 1, options)) {
    std::string log;
    if (!Fetch(nvrtc, nvrtc.nvrtcGetProgramLogSize, nvrtc.nvrtcGetProgramLog, program.handle, log)) {
      log.resize(std::min(log.size(), log.find('\0')));
    }
    while (!log.empty() && static_cast<unsigned char>(log.back()) <= ' ') log.pop_back();
    failure->detail = "for " + architecture + (log.empty() ? "" : ": " + log);
    return failure;
  }
  return cubin ? Fetch(nvrtc, nvrtc.nvrtcGetCUBINSize, nvrtc.nvrtcGetCUBIN, program.handle, image)
               : Fetch(nvrtc, nvrtc.nvrtcGetPTXSize, nvrtc.nvrtcGetPTX, program.handle, image);
}

}  // namespace

Outcome NvrtcStep(Session& session) {
  if (auto failure = session.Preload()) return std::unexpected(*failure);
  const cuda::Nvrtc nvrtc = cuda::OpenNvrtc(session.arguments().nvrtc);
  session.teller().TellNewLibraries();
  if (!nvrtc.library.opened()) return std::unexpected(cuda::NotOpened(nvrtc.library));
  int major = 0, minor = 0;
  if (auto failure = Try(nvrtc, nvrtc.nvrtcVersion, &major, &minor)) return std::unexpected(*failure);
  const std::string version = std::to_string(major) + "." + std::to_string(minor);
  session.teller().Figure("nvrtc_version", version);

  if (auto failure = session.MakeContext()) return std::unexpected(*failure);
  const cuda::Driver& driver = session.driver();
  if (auto failure = Try(driver, driver.cuDeviceGetAttribute, &major, cuda::Driver::kCapabilityMajor,
                         session.device())) {
    return std::unexpected(*failure);
  }
  if (auto failure = Try(driver, driver.cuDeviceGetAttribute, &minor, cuda::Driver::kCapabilityMinor,
                         session.device())) {
    return std::unexpected(*failure);
  }
  const bool cubin = nvrtc.nvrtcGetCUBINSize && nvrtc.nvrtcGetCUBIN;
  const std::string architecture =
      (cubin ? "sm_" : "compute_") + std::to_string(major) + std::to_string(minor);
  session.teller().Figure("architecture", architecture);
  std::string image;
  if (auto failure = Compile(nvrtc, architecture, cubin, image)) return std::unexpected(*failure);
  double load_ms = 0;
  if (auto failure = RunKernel(session, image.c_str(), load_ms)) return std::unexpected(*failure);
  return "NVRTC " + version + " for " + architecture;
}

}  // namespace culprit::prober
