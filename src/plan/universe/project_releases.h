// Releases of the packages that people install beside a framework, for one machine: rows of
// data/projects.toml and data/extensions.toml, joined.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/version.h"
#include "knowledge/packages/extensions.h"
#include "knowledge/packages/projects.h"
#include "plan/question.h"

namespace culprit::plan {

struct ProjectRelease {
  std::string_view version;  // "" = whatever its repository has
  base::Version number;
  std::vector<const knowledge::ProjectWheels*> wheels;  // for the machine
  const knowledge::ProjectWheels* archive = nullptr;    // of its source
  std::vector<const knowledge::ProjectNeeds*> needs;    // on the machine, with any extra and Python
  std::vector<const knowledge::ProjectCode*> code;      // one of them must fit
  std::vector<const knowledge::UnstatedNeeds*> unstated;
  const knowledge::SourceBuild* build = nullptr;  // what it takes, where it is built on the machine
};

// Newest first; empty if the tables do not have the package.
std::vector<ProjectRelease> ReleasesOfProject(const std::string& name, Machine machine);

// nullptr if there is no row.
const knowledge::Project* FindProject(std::string_view name);
// What a build of a release takes; nullptr if there is no row.
const knowledge::SourceBuild* FindSourceBuild(std::string_view name, std::string_view version);
// Whether the tables can plan it: they have its releases, or where its source is.
bool IsProject(std::string_view name);
// Whether any of its releases meets the specifiers.
bool HasProjectRelease(const std::string& name, std::string_view specifiers);
// Whether specifiers leave room below a version: ">=2.0" does before "2.12.0", "==2.13.*" does not.
bool AdmitsBefore(const std::string& version, const std::string& specifiers);

}  // namespace culprit::plan
