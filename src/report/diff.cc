#include "report/diff.h"

namespace culprit::report {

std::string_view Name(Differs how) {
  switch (how) {
    case Differs::kAdded:
      return "added";
    case Differs::kRemoved:
      return "removed";
    case Differs::kChanged:
      return "changed";
  }
  return "changed";
}

}  // namespace culprit::report
