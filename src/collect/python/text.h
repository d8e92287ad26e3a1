// Values in Python files that are read as text and never executed: `cuda: Optional[str] = '12.4'` at the
// start of a line, and `'cuda_version': '12.5.1'` anywhere. What is not a plain literal is not understood.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace culprit::collect {

// The last `name = literal` at the start of a line, as text: "12.4" for '12.4', "None", "True", "7".
// nullopt when there is none, or when it is no literal.
std::optional<std::string> PythonAssignment(std::string_view text, std::string_view name);

// The value beside a quoted key of a dictionary or of a list of pairs.
std::optional<std::string> PythonEntry(std::string_view text, std::string_view key);

}  // namespace culprit::collect
