// Releases of the packages of the index that are no framework, for one machine: rows of data/projects.toml,
// distributions.toml, harvested.toml and extensions.toml, joined.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/platform.h"
#include "base/version.h"
#include "knowledge/packages/distributions.h"
#include "knowledge/packages/extensions.h"
#include "knowledge/packages/pins.h"
#include "knowledge/packages/projects.h"

namespace culprit::knowledge {

using base::Machine;

struct ProjectRelease {
  std::string_view package;  // "flash-attn"
  std::string_view version;  // "" = whatever its repository has
  base::Version number;
  Machine machine = Machine::kLinuxX86;
  const Project* project = nullptr;          // what is said of all its releases
  const Distribution* wheel = nullptr;       // of a package of distributions.toml, for the machine
  std::vector<const ProjectWheels*> wheels;  // of one of projects.toml, for the machine
  const ProjectWheels* archive = nullptr;    // of its source
  std::vector<const ProjectNeeds*> needs;    // on the machine, with any extra and Python
  std::vector<const ProjectCode*> code;      // one of them must fit
  std::vector<const UnstatedNeeds*> unstated;
  const ProjectLibraries* libraries = nullptr;  // of the wheel for the machine
  const OpenedLibrary* opened = nullptr;        // which of them it opens
  const SourceBuild* build = nullptr;           // what it takes, where it is built on the machine
};

// Newest first; empty if the tables do not have the package. `name` must outlive them.
std::vector<ProjectRelease> ReleasesOfProject(std::string_view name, Machine machine);
// The release that somebody means with "2.8.3", or with "2.8": the newest 2.8.x. nullptr if there is none.
const ProjectRelease* ReleaseMeant(const std::vector<ProjectRelease>& releases, std::string_view version);

// What a name on the package index stands for in the tables: "onnxruntime-gpu", "cupy-cuda12x" and
// "mxnet-cu112" are builds of a framework, "flash-attn" is a package of its own.
struct TableEntry {
  std::string_view framework;  // "" = it is none
  std::string package;         // "" = the tables do not have it
  std::string variant;         // of the framework: "cuda12x"
};
TableEntry FindEntry(std::string_view name);

// A requirement of a release: "transformer-engine[pytorch]>=2".
struct Required {
  std::string name, extras, specifiers;
  std::string_view source;
};
// "=={version}" is the version of the package itself.
Required TakeApart(std::string_view text, std::string_view version, std::string_view source);
// All packages that a release requires without an extra, whether its METADATA says so or not. What depends on
// the Python counts for this one; without one, what holds for all.
std::vector<Required> RequirementsOf(const ProjectRelease& release, const base::Version* python);
// Whether a requirement is one of the machine, not of a package: "driver>=535", "gpu>=7.0".
bool IsOfMachine(const Required& required);
// The build that it was compiled against; nullptr if there is no row.
const Extension* CompiledAgainst(std::string_view package, std::string_view version);

// nullptr if there is no row.
const Project* FindProject(std::string_view name);
// What a build of a release takes; nullptr if there is no row.
const SourceBuild* FindSourceBuild(std::string_view name, std::string_view version);
// Whether the tables can plan it: they have its releases, or where its source is.
bool IsProject(std::string_view name);
// Whether any of its releases meets the specifiers.
bool HasProjectRelease(const std::string& name, std::string_view specifiers);
// Whether specifiers leave room below a version: ">=2.0" does before "2.12.0", "==2.13.*" does not.
bool AdmitsBefore(const std::string& version, const std::string& specifiers);

}  // namespace culprit::knowledge
