#include "report/check.h"

namespace culprit::report {

std::string_view Name(Verdict verdict) {
  switch (verdict) {
    case Verdict::kOk:
      return "ok";
    case Verdict::kWarnings:
      return "warnings";
    case Verdict::kErrors:
      return "errors";
    case Verdict::kUnknown:
      return "unknown";
  }
  return "unknown";
}

}  // namespace culprit::report
