// culprit diff BEFORE AFTER
#include "base/error.h"
#include "cli/command.h"
#include "cli/options.h"

namespace culprit::cli {

int RunDiff(int, const char* const*) {
  return Fail({base::ErrorCode::kUnsupported, "diff: under construction"});
}

}  // namespace culprit::cli
