// data/status_codes.toml: status codes, what they mean in practice, and the causes they
// suggest.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "knowledge/answer.h"

namespace culprit::knowledge {

struct CudaStatus {
  int32_t code;
  std::string_view driver_name;             // "CUDA_ERROR_NO_DEVICE"; "" = the driver has none
  std::string_view runtime_name;            // "cudaErrorNoDevice"; "" = the runtime has none
  int32_t legacy;                           // number in the runtime before CUDA 10.1; -1 = none
  std::span<const std::string_view> texts;  // from cudaGetErrorString and cuGetErrorString
  bool retired;                             // no runtime since CUDA 5.0 returns it
  std::string_view meaning;
  std::span<const std::string_view> causes;
  std::string_view source;
};
std::span<const CudaStatus> CudaStatuses();

struct CudnnStatus {
  std::string_view name;
  int32_t v7;  // its number in that major; -1 = does not exist
  int32_t v8;
  int32_t v9;
  std::string_view alias_in_v9;
  std::string_view meaning;
  std::span<const std::string_view> causes;
  std::string_view source;
};
std::span<const CudnnStatus> CudnnStatuses();

struct StatusCode {
  int32_t code;
  std::string_view name;
  std::string_view meaning;
  std::span<const std::string_view> causes;
  std::string_view source;
};
std::span<const StatusCode> NvmlStatuses();
std::span<const StatusCode> WindowsLoaderCodes();
std::span<const StatusCode> CublasStatuses();
std::span<const StatusCode> CusolverStatuses();
std::span<const StatusCode> CusparseStatuses();
std::span<const StatusCode> CufftStatuses();
std::span<const StatusCode> NvrtcStatuses();
std::span<const StatusCode> NvJitLinkStatuses();
std::span<const StatusCode> NcclStatuses();
std::span<const StatusCode> XidCodes();

// By number, or by either name ("CUDA_ERROR_NO_DEVICE", "cudaErrorNoDevice"); nullptr if there is none.
const CudaStatus* FindCudaStatus(int32_t code);
const CudaStatus* FindCudaStatus(std::string_view name);
// Its name in the runtime, or in the driver if the runtime has none.
std::string_view NameOf(const CudaStatus& row);
// By the number that programs print, the current one or that of the runtime before CUDA 10.1; by its text,
// case-insensitively.
const CudaStatus* FindCudaStatusOfAnyAge(int32_t code);
const CudaStatus* FindCudaStatusByText(std::string_view text);
// By name, or by the number it has in that cuDNN major (7, 8, 9).
const CudnnStatus* FindCudnnStatus(std::string_view name);
const CudnnStatus* FindCudnnStatus(int32_t code, uint32_t cudnn_major);

}  // namespace culprit::knowledge
