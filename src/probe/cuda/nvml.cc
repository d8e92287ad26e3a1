#include "probe/cuda/nvml.h"

namespace culprit::cuda {
namespace {

constexpr KnownStatus kNvmlStatuses[] = {
    {1, "NVML_ERROR_UNINITIALIZED"},
    {2, "NVML_ERROR_INVALID_ARGUMENT"},
    {3, "NVML_ERROR_NOT_SUPPORTED"},
    {4, "NVML_ERROR_NO_PERMISSION"},
    {6, "NVML_ERROR_NOT_FOUND"},
    {7, "NVML_ERROR_INSUFFICIENT_SIZE"},
    {8, "NVML_ERROR_INSUFFICIENT_POWER"},
    {9, "NVML_ERROR_DRIVER_NOT_LOADED"},
    {10, "NVML_ERROR_TIMEOUT"},
    {11, "NVML_ERROR_IRQ_ISSUE"},
    {12, "NVML_ERROR_LIBRARY_NOT_FOUND"},
    {13, "NVML_ERROR_FUNCTION_NOT_FOUND"},
    {14, "NVML_ERROR_CORRUPTED_INFOROM"},
    {15, "NVML_ERROR_GPU_IS_LOST"},
    {16, "NVML_ERROR_RESET_REQUIRED"},
    {17, "NVML_ERROR_OPERATING_SYSTEM"},
    {18, "NVML_ERROR_LIB_RM_VERSION_MISMATCH"},
    {19, "NVML_ERROR_IN_USE"},
    {20, "NVML_ERROR_MEMORY"},
    {23, "NVML_ERROR_INSUFFICIENT_RESOURCES"},
    {27, "NVML_ERROR_NOT_READY"},
    {28, "NVML_ERROR_GPU_NOT_FOUND"},
    {29, "NVML_ERROR_INVALID_STATE"},
    {999, "NVML_ERROR_UNKNOWN"},
};

}  // namespace

#ifdef _WIN32
const char* const kNvmlLibrary = "nvml.dll";
#else
const char* const kNvmlLibrary = "libnvidia-ml.so.1";
#endif

std::string Nvml::StatusName(int status) const { return NameAmong(kNvmlStatuses, status, "NVML_ERROR_"); }

std::string Nvml::StatusText(int status) const {
  return nvmlErrorString ? Text(nvmlErrorString(status)) : "";
}

Nvml OpenNvml(const std::string& name) {
  Nvml nvml;
  const Library library = nvml.library = Library::Open(name);
  nvml.nvmlInit.Bind(library, "nvmlInit_v2", "nvmlInit");
  nvml.nvmlShutdown.Bind(library, "nvmlShutdown");
  nvml.nvmlErrorString.Bind(library, "nvmlErrorString");
  nvml.nvmlSystemGetDriverVersion.Bind(library, "nvmlSystemGetDriverVersion");
  nvml.nvmlSystemGetCudaDriverVersion.Bind(library, "nvmlSystemGetCudaDriverVersion_v2",
                                           "nvmlSystemGetCudaDriverVersion");
  nvml.nvmlSystemGetProcessName.Bind(library, "nvmlSystemGetProcessName");
  nvml.nvmlDeviceGetCount.Bind(library, "nvmlDeviceGetCount_v2", "nvmlDeviceGetCount");
  nvml.nvmlDeviceGetHandleByIndex.Bind(library, "nvmlDeviceGetHandleByIndex_v2",
                                       "nvmlDeviceGetHandleByIndex");
  nvml.nvmlDeviceGetName.Bind(library, "nvmlDeviceGetName");
  nvml.nvmlDeviceGetUUID.Bind(library, "nvmlDeviceGetUUID");
  nvml.nvmlDeviceGetPciInfo.Bind(library, "nvmlDeviceGetPciInfo_v3");
  nvml.nvmlDeviceGetCudaComputeCapability.Bind(library, "nvmlDeviceGetCudaComputeCapability");
  nvml.nvmlDeviceGetMemoryInfo.Bind(library, "nvmlDeviceGetMemoryInfo");
  nvml.nvmlDeviceGetComputeMode.Bind(library, "nvmlDeviceGetComputeMode");
  nvml.nvmlDeviceGetMigMode.Bind(library, "nvmlDeviceGetMigMode");
  nvml.nvmlDeviceGetMaxMigDeviceCount.Bind(library, "nvmlDeviceGetMaxMigDeviceCount");
  nvml.nvmlDeviceGetMigDeviceHandleByIndex.Bind(library, "nvmlDeviceGetMigDeviceHandleByIndex");
  nvml.nvmlDeviceGetEccMode.Bind(library, "nvmlDeviceGetEccMode");
  nvml.nvmlDeviceGetTotalEccErrors.Bind(library, "nvmlDeviceGetTotalEccErrors");
  nvml.nvmlDeviceGetDriverModel.Bind(library, "nvmlDeviceGetDriverModel_v2", "nvmlDeviceGetDriverModel");
  nvml.nvmlDeviceGetComputeRunningProcesses.Bind(library, "nvmlDeviceGetComputeRunningProcesses_v3",
                                                 "nvmlDeviceGetComputeRunningProcesses_v2");
  nvml.nvmlDeviceGetGraphicsRunningProcesses.Bind(library, "nvmlDeviceGetGraphicsRunningProcesses_v3",
                                                  "nvmlDeviceGetGraphicsRunningProcesses_v2");
  nvml.nvmlDeviceGetComputeRunningProcesses1.Bind(library, "nvmlDeviceGetComputeRunningProcesses");
  nvml.nvmlDeviceGetGraphicsRunningProcesses1.Bind(library, "nvmlDeviceGetGraphicsRunningProcesses");
  return nvml;
}

std::optional<Failure> StartNvml(const Nvml& nvml, NvmlFacts& facts) {
  if (!nvml.library.opened()) return NotOpened(nvml.library);
  if (auto failure = Try(nvml, nvml.nvmlInit)) return failure;
  char text[96] = {};
  if (!Try(nvml, nvml.nvmlSystemGetDriverVersion, text, unsigned{sizeof(text) - 1})) {
    facts.driver_version = text;
  }
  if (int cuda = 0; !Try(nvml, nvml.nvmlSystemGetCudaDriverVersion, &cuda) && cuda > 0) {
    facts.driver_cuda = std::to_string(cuda / 1000) + "." + std::to_string(cuda % 1000 / 10);
  }
  return Try(nvml, nvml.nvmlDeviceGetCount, &facts.devices);
}

}  // namespace culprit::cuda
