#include "base/product_version.h"

namespace culprit::base {

std::string_view ProductVersion() { return CULPRIT_VERSION; }

}  // namespace culprit::base
