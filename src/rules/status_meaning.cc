#include "rules/status_meaning.h"

#include <span>

#include "knowledge/status_codes.h"

namespace culprit::rules {
namespace {

template <typename Row>
StatusMeaning Of(const Row& row) {
  if (row.causes.empty()) return {};
  return {std::string(row.meaning), std::string(row.causes.front())};
}

}  // namespace

StatusMeaning MeaningOf(std::string_view status) {
  if (const auto* row = knowledge::FindCudaStatus(status)) return Of(*row);
  if (const auto* row = knowledge::FindCudnnStatus(status)) return Of(*row);
  for (const auto& rows : {knowledge::NvmlStatuses(), knowledge::CublasStatuses(), knowledge::NvrtcStatuses(),
                           knowledge::NvJitLinkStatuses()}) {
    for (const knowledge::StatusCode& row : rows) {
      if (row.name == status) return Of(row);
    }
  }
  return {};
}

}  // namespace culprit::rules
