// Whether a program runs with rights that its user does not have: set-user-ID, set-group-ID, capabilities.
#pragma once

#include <string>

namespace culprit::system {

bool HasMoreRights(const std::string& path);

}  // namespace culprit::system
