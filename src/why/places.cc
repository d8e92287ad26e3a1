#include "why/places.h"

#include "base/text.h"

namespace culprit::why {

std::string Absolute(const snapshot::Snapshot& snapshot, const std::string& path) {
  return path.empty() ? path : base::JoinPath(snapshot.working_directory, path);
}

report::Place PlaceOf(const loader::Attempt& attempt, const snapshot::Snapshot& snapshot) {
  return {.path = Absolute(snapshot, attempt.path),
          .via = attempt.via,
          .outcome = attempt.outcome,
          .detail = attempt.detail,
          .origin = attempt.origin};
}

bool WorthShowing(const loader::Attempt& attempt) {
  return !(attempt.hwcaps && attempt.in_missing_directory);
}

}  // namespace culprit::why
