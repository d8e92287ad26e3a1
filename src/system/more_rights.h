// Whether a program runs with more rights than its user: set-user-ID, set-group-ID, capabilities.
#pragma once

#include <string>

namespace culprit::system {

bool HasMoreRights(const std::string& path);

}  // namespace culprit::system
