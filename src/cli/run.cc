// culprit run -- COMMAND...
#include "base/error.h"
#include "cli/command.h"
#include "cli/options.h"

namespace culprit::cli {

int RunRun(int, const char* const*) {
  return Fail({base::ErrorCode::kUnsupported, "run: under construction"});
}

}  // namespace culprit::cli
