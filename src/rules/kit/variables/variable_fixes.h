// Fixes that change an environment variable.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "rules/rule.h"

namespace culprit::rules {

// Sets the variable in this shell, or unsets it if `value` is empty.
report::Fix SetOrUnset(const Scene& scene, const std::string& name, const std::string& value,
                       std::string text);

// A list without the entries that `drop` says and without empty ones, joined by the first of `separators`.
std::string WithoutEntries(std::string_view list, std::string_view separators,
                           const std::function<bool(const std::string& entry)>& drop);

}  // namespace culprit::rules
