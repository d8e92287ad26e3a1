// What pip does to an environment, exactly: which version of which package it installs, including
// dependencies. The answer comes from the environment's records, otherwise from our tables; if neither has
// it, there is no answer.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "report/change.h"
#include "rules/kit/python/asked.h"
#include "rules/kit/python/package_facts.h"

namespace culprit::rules {

// Final releases of a package in our tables that can be installed into the environment, newest first.
std::vector<std::string> KnownVersions(const Scene& scene, const snapshot::PythonEnvironment& environment,
                                       std::string_view package);

// A version that meets all specifiers: the one that "==9.1.0.70" pins, otherwise the newest in our tables.
std::optional<std::string> ExactVersion(const Scene& scene, const snapshot::PythonEnvironment& environment,
                                        std::string_view package, std::span<const std::string> specifiers);
// The same for one package of an environment, so that everything that requires it is met, and `also`.
std::optional<std::string> VersionForAll(const Scene& scene, const snapshot::PythonEnvironment& environment,
                                         std::string_view package, std::string also = "");

// One package as passed to pip.
struct Wanted {
  std::string package, version;
  std::set<std::string> extras{};
};
// "torch==2.11.0", "\"jax[cuda12]==0.4.30\"": to paste.
Command ForPip(const Wanted& wanted);

// What `pip install` installs: the package, and its requirements that are not installed in a matching
// version. kEverything is --force-reinstall, kAlone is --no-deps.
enum class Pip { kMissing, kEverything, kAlone };
void AddInstall(const Scene& scene, const snapshot::PythonEnvironment& environment, const Wanted& wanted,
                Pip how, std::vector<report::Change>& changes);

// The same build of a framework, with the CUDA packages that it needs.
struct Build {
  Wanted wanted;
  Command index;  // " --index-url https://download.pytorch.org/whl/cu118" if PyPI has another build
};
Build SameBuild(const Scene& scene, const snapshot::PythonEnvironment& environment,
                const snapshot::Framework& framework);
// " --index-url https://download.pytorch.org/whl/cu118" for torch 2.5.1+cu118; "" without a variant.
Command PytorchIndex(std::string_view torch);

// Components ("nvidia-cudnn") whose files have the same names for every CUDA major: packages of two majors
// overwrite each other.
bool HasSameFilesForEveryCuda(std::string_view component);
// Installed packages that the changes would overwrite that way, and that nothing else requires.
std::vector<std::string> InTheWay(const Scene& scene, const snapshot::PythonEnvironment& environment,
                                  const std::vector<report::Change>& changes);

// "2.11.0" for "2.11.0+cu130".
std::string PublicVersion(std::string_view version);

}  // namespace culprit::rules
