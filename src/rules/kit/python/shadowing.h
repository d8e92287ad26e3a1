// Modules that Python finds before those of an environment: through PYTHONPATH, a .pth file, or the packages
// in the home of the user.
#pragma once

#include <optional>
#include <string>

#include "rules/rule.h"

namespace culprit::rules {

struct Shadowing {
  enum class Through { kPythonPath, kPthFile, kUserSite };
  Through through = Through::kPythonPath;
  std::string directory;  // of sys.path that is searched first
  std::string path;       // the folder or file in it that Python imports
  std::string source;     // "PYTHONPATH", the .pth file; "" for the user's packages
  std::string hidden;     // the folder of the same name behind it
};

// What is imported instead of this module of the environment; nullopt if its own is.
std::optional<Shadowing> ShadowingOf(const Scene& scene, const snapshot::PythonEnvironment& environment,
                                     const std::string& module);
// The module that a framework is imported as.
std::string ModuleOf(const snapshot::Framework& framework);

// Lets Python find the environment's own module again.
report::Fix WithoutShadow(const Scene& scene, const snapshot::PythonEnvironment& environment,
                          const Shadowing& shadow, const std::string& module);

}  // namespace culprit::rules
