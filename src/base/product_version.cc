#include "base/product_version.h"

namespace culprit::base {

std::string_view ProductVersion() { return CULPRIT_VERSION; }
std::string_view ProductCommit() { return CULPRIT_COMMIT; }

}  // namespace culprit::base
