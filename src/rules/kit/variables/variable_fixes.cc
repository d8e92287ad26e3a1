#include "rules/kit/variables/variable_fixes.h"

#include <utility>

#include "base/text.h"

namespace culprit::rules {

report::Fix SetOrUnset(const Scene& scene, const std::string& name, const std::string& value,
                       std::string text) {
  report::Fix fix{.text = std::move(text), .commands = {}, .risk = report::Risk::kLow};
  if (value.empty()) {
    fix.commands = {scene.OnWindows() ? "set " + Plain(name) + "=" : "unset " + Plain(name)};
    fix.changes = {report::UnsetVariable{name}};
  } else {
    fix.commands = {scene.OnWindows() ? "set \"" + Plain(name) + "=" + InQuotes(value) + "\""
                                      : "export " + Plain(name) + "=" + Quoted(value)};
    fix.changes = {report::SetVariable{name, value}};
  }
  return fix;
}

std::string WithoutEntries(std::string_view list, std::string_view separators,
                           const std::function<bool(const std::string& entry)>& drop) {
  std::string rest;
  for (const std::string& entry : base::SplitWords(list, separators)) {
    if (drop(entry)) continue;
    if (!rest.empty()) rest += separators.front();
    rest += entry;
  }
  return rest;
}

}  // namespace culprit::rules
