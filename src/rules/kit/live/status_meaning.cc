#include "rules/kit/live/status_meaning.h"

#include <span>

#include "knowledge/messages/status_codes.h"

namespace culprit::rules {
namespace {

template <typename Row>
StatusMeaning Of(const Row& row, std::string_view ruled_out) {
  for (const std::string_view cause : row.causes) {
    if (cause != ruled_out) return {std::string(row.meaning), std::string(cause)};
  }
  return {};
}

}  // namespace

StatusMeaning MeaningOf(std::string_view status, std::string_view ruled_out) {
  if (const auto* row = knowledge::FindCudaStatus(status)) return Of(*row, ruled_out);
  if (const auto* row = knowledge::FindCudnnStatus(status)) return Of(*row, ruled_out);
  for (const auto& rows : {knowledge::NvmlStatuses(), knowledge::CublasStatuses(), knowledge::NvrtcStatuses(),
                           knowledge::NvJitLinkStatuses()}) {
    for (const knowledge::StatusCode& row : rows) {
      if (row.name == status) return Of(row, ruled_out);
    }
  }
  return {};
}

}  // namespace culprit::rules
