#include "knowledge/messages/causes.h"

namespace culprit::knowledge {

const Cause* FindCause(std::string_view slug) {
  for (const Cause& cause : Causes()) {
    if (cause.slug == slug) return &cause;
  }
  return nullptr;
}

}  // namespace culprit::knowledge
