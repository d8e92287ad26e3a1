// The environment of the program: variables, and those that are lists of directories.
#include <algorithm>

#include "base/text.h"
#include "base/windows/path.h"
#include "change/whatif/make.h"

namespace culprit::whatif {
namespace {

bool IsWindows(const system::System& machine) { return machine.platform() == base::Platform::kWindows; }

const std::string* Value(const std::map<std::string, std::string>& variables, const std::string& name,
                         bool windows) {
  for (const auto& [known, value] : variables) {
    if (windows ? base::SameName(known, name) : known == name) return &value;
  }
  return nullptr;
}

// "/x/lib", "/x/lib/" and "/x//lib" are one directory; so are C:\x and c:/X/. Not "" and ".": they mean the
// same in LD_LIBRARY_PATH, but users must search for the one that is written there.
std::string Plain(std::string_view element, bool windows) {
  if (element.empty()) return "";
  std::string text = windows ? base::FoldCase(base::FromWindowsPath(element)) : base::CleanPath(element);
  while (text.size() > 1 && text.ends_with('/')) text.pop_back();
  return text;
}

// ld.so takes ';' for ':' too; what is written back has ':'.
std::vector<std::string> Elements(const std::string& name, const std::string& value, bool windows) {
  if (windows) return base::Split(value, ';');
  std::string text = value;
  if (name == "LD_LIBRARY_PATH") std::ranges::replace(text, ';', ':');
  return base::Split(text, ':');
}

}  // namespace

Changes Make(const system::System& machine, const report::SetVariable& change) {
  static_cast<void>(machine);
  system::SystemChanges made;
  made.variables[change.name] = change.value;
  return made;
}

Changes Make(const system::System& machine, const report::UnsetVariable& change) {
  static_cast<void>(machine);
  system::SystemChanges made;
  made.unset.insert(change.name);
  return made;
}

Changes Make(const system::System& machine, const report::DropFromList& change) {
  const bool windows = IsWindows(machine);
  const auto variables = machine.Environment();
  const std::string* value = Value(variables, change.name, windows);
  if (value == nullptr) return base::Fail(base::ErrorCode::kNotFound, change.name + " is not set");
  std::vector<std::string> elements = Elements(change.name, *value, windows);
  const std::string unwanted = Plain(change.element, windows);
  if (std::erase_if(elements, [&](const auto& element) { return Plain(element, windows) == unwanted; }) ==
      0) {
    return base::Fail(base::ErrorCode::kNotFound, change.name + " does not name \"" + change.element + "\"");
  }
  system::SystemChanges made;
  std::string text;
  for (size_t i = 0; i < elements.size(); ++i)
    text.append(i == 0 ? "" : windows ? ";" : ":").append(elements[i]);
  if (text.empty()) {
    made.unset.insert(change.name);
  } else {
    made.variables[change.name] = text;
  }
  return made;
}

Changes Make(const system::System& machine, const report::AddToList& change) {
  const bool windows = IsWindows(machine);
  const auto variables = machine.Environment();
  const std::string* value = Value(variables, change.name, windows);
  system::SystemChanges made;
  std::string text = change.element;
  if (value != nullptr && !value->empty()) text.append(windows ? ";" : ":").append(*value);
  made.variables[change.name] = text;
  return made;
}

}  // namespace culprit::whatif
