#include "knowledge/messages/status_codes.h"

#include <algorithm>

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

std::string_view NameOf(const CudaStatus& row) {
  return row.runtime_name.empty() ? row.driver_name : row.runtime_name;
}

const CudaStatus* FindCudaStatusOfAnyAge(int32_t code) {
  const CudaStatus* now = FindCudaStatus(code);
  if (now != nullptr && now->retired) now = nullptr;
  if (now != nullptr && !now->runtime_name.empty()) return now;
  const CudaStatus* before =
      FirstOf(CudaStatuses(), [&](const CudaStatus& row) { return row.legacy == code && code >= 0; });
  return before != nullptr ? before : now;  // 47 is more often an old runtime's than the driver's own
}

const CudaStatus* FindCudaStatusByText(std::string_view text) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  return FirstOf(CudaStatuses(), [&](const CudaStatus& row) {
    return std::ranges::any_of(row.texts, [&](std::string_view known) {
      return std::ranges::equal(known, text, [&](char a, char b) { return lower(a) == lower(b); });
    });
  });
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
