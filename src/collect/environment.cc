#include "collect/environment.h"

#include <utility>

#include "snapshot/secrets/hide.h"

namespace culprit::collect {
namespace {

std::string UpperCase(std::string text) {
  for (char& c : text) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - ('a' - 'A'));
  }
  return text;
}

}  // namespace

Variables EnvironmentOf(base::Platform platform, Variables variables) {
  for (auto& [name, value] : variables) value = snapshot::HideVariable(name, std::move(value));
  if (platform != base::Platform::kWindows) return variables;
  Variables folded;
  // "PATH" sorts before "Path", so the first of each name is the one in upper case.
  for (auto& [name, value] : variables) folded.emplace(UpperCase(name), std::move(value));
  return folded;
}

}  // namespace culprit::collect
