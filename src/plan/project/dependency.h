// One requirement of a project file (PEP 508), as it is written, and taken apart.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "report/plan.h"

namespace culprit::plan {

struct Dependency {
  report::RequirementKind kind = report::RequirementKind::kNamed;
  std::string name;        // normalised; "" for an address or a path that names none
  std::string extras;      // "cuda12,k8s"
  std::string specifiers;  // ">=2.1,<2.5", without spaces
  std::string marker;      // "sys_platform == 'linux'"
  std::string text;        // for an installer: without comment, hashes and options
  bool editable = false;
  bool locked = false;  // by a lock file: maybe for another package, not asked for by name
  report::Origin origin{};
};

// "torch>=2.1,<2.5 ; python_version < '3.13'", "jax[cuda12]", "pkg @ https://...", "git+https://...",
// "./wheels/x.whl". An error says what is wrong, without the place.
base::Result<Dependency> ParseDependency(std::string_view text);

// Whether every part of the specifiers can be compared with versions of the tables: ">=2.1", not
// ">=2.1.dev0".
bool IsReadable(std::string_view specifiers);

// " (requirements.txt:3)"; "" for the command line.
std::string PlaceWords(const report::Origin& origin);

}  // namespace culprit::plan
