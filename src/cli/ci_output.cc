#include "cli/ci_output.h"

#include <utility>

#include "base/text.h"
#include "render/redact.h"
#include "render/windows_spelling.h"

namespace culprit::cli {

report::CheckReport RedactedForCi(const Options& options, const snapshot::Snapshot& snapshot,
                                  report::CheckReport report) {
  if (options.no_redact) return report;
  return render::Redacted(std::move(report), base::ValueOf(snapshot.environment, "HOME"),
                          base::ValueOf(snapshot.environment, "USER"));
}

bool WriteForCi(const Options& options, const snapshot::Snapshot& snapshot, const std::string& bytes) {
  if (snapshot.windows() == nullptr) return WriteBytes(options, bytes);
  const bool sarif = options.format == Format::kSarif;
  return WriteBytes(
      options, render::InWindowsSpelling(bytes, sarif ? render::Writing::kJson : render::Writing::kText));
}

}  // namespace culprit::cli
