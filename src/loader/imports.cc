#include "loader/imports.h"

namespace culprit::loader {

std::vector<ImportStep> ImportSteps(const snapshot::PythonEnvironment&, const snapshot::Framework& framework,
                                    snapshot::FileView&) {
  std::vector<ImportStep> steps;
  for (const std::string& library : framework.libraries) steps.push_back({.names = {library}});
  return steps;
}

}  // namespace culprit::loader
