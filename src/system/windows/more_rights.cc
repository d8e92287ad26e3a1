// Windows asks its user instead.
#include "system/more_rights.h"

namespace culprit::system {

bool HasMoreRights(const std::string&) { return false; }

}  // namespace culprit::system
