#include "knowledge/status_codes.h"

namespace culprit::knowledge {
namespace {

template <typename Row, typename Fits>
const Row* FirstOf(std::span<const Row> rows, Fits fits) {
  for (const Row& row : rows) {
    if (fits(row)) return &row;
  }
  return nullptr;
}

int32_t NumberIn(const CudnnStatus& row, uint32_t major) {
  return major == 7 ? row.v7 : major == 8 ? row.v8 : major == 9 ? row.v9 : -1;
}

}  // namespace

const CudaStatus* FindCudaStatus(int32_t code) {
  return FirstOf(CudaStatuses(), [&](const CudaStatus& row) { return row.code == code; });
}

const CudaStatus* FindCudaStatus(std::string_view name) {
  if (name.empty()) return nullptr;
  return FirstOf(CudaStatuses(),
                 [&](const CudaStatus& row) { return row.driver_name == name || row.runtime_name == name; });
}

const CudnnStatus* FindCudnnStatus(std::string_view name) {
  return FirstOf(CudnnStatuses(), [&](const CudnnStatus& row) { return row.name == name; });
}

const CudnnStatus* FindCudnnStatus(int32_t code, uint32_t cudnn_major) {
  if (code < 0) return nullptr;
  return FirstOf(CudnnStatuses(), [&](const CudnnStatus& row) {
    return NumberIn(row, cudnn_major) == code && (cudnn_major < 9 || row.alias_in_v9.empty());
  });
}

}  // namespace culprit::knowledge
