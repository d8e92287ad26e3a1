// Names in conditions -> names of facts. A name that no fact can have is an error: a rule about it would
// always hold.
#pragma once

#include <expected>
#include <string>

#include "policy/facts.h"

namespace culprit::policy {

// The name of the facts that a condition means; or what is wrong with it. A pattern stays as it is.
std::expected<std::string, std::string> FactName(Kind kind, const std::string& name);

// The same for names that differ only in their case or separators; those of variables are as they are.
std::string NameKey(Kind kind, const std::string& name);

}  // namespace culprit::policy
