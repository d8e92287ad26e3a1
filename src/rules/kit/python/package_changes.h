// What pip does to an environment, said exactly: which version of which package comes in, also for what that
// package requires. It is read in the records of the environment, otherwise in the tables; where neither
// tells there is no answer.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "report/change.h"
#include "rules/kit/python/package_facts.h"

namespace culprit::rules {

// The extras that packages of an environment ask of each other.
std::map<std::string, std::set<std::string>> AskedExtras(const snapshot::PythonEnvironment& environment,
                                                         const MarkerFacts& facts);

// What installed packages require of one package, as far as it holds here.
struct Asked {
  const snapshot::PythonPackage* by;
  std::string specifier;
};
std::vector<Asked> AskedOf(const Scene& scene, const snapshot::PythonEnvironment& environment,
                           std::string_view package);

// Final releases of a package that the tables know and that can be installed into the environment, newest
// first.
std::vector<std::string> KnownVersions(const Scene& scene, const snapshot::PythonEnvironment& environment,
                                       std::string_view package);

// A version that meets all specifiers: the one that "==9.1.0.70" names, otherwise the newest that the tables
// know.
std::optional<std::string> ExactVersion(const Scene& scene, const snapshot::PythonEnvironment& environment,
                                        std::string_view package, std::span<const std::string> specifiers);
// The same for one package of an environment, so that everything that asks for it is met.
std::optional<std::string> VersionForAll(const Scene& scene, const snapshot::PythonEnvironment& environment,
                                         std::string_view package);

// One package as pip is asked for it.
struct Wanted {
  std::string package, version;
  std::set<std::string> extras{};
};
// "torch==2.11.0", "\"jax[cuda12]==0.4.30\"": to paste.
std::string ForPip(const Wanted& wanted);

// What `pip install` brings: the package, and what it requires where that is not installed in a fitting
// version. kEverything is --force-reinstall, kAlone is --no-deps.
enum class Pip { kMissing, kEverything, kAlone };
void AddInstall(const Scene& scene, const snapshot::PythonEnvironment& environment, const Wanted& wanted,
                Pip how, std::vector<report::Change>& changes);

// The same build of a framework again, with the packages of CUDA that it needs.
struct Build {
  Wanted wanted;
  std::string
      index;  // " --index-url https://download.pytorch.org/whl/cu118" where the package index has another
};
Build SameBuild(const Scene& scene, const snapshot::PythonEnvironment& environment,
                const snapshot::Framework& framework);
// " --index-url https://download.pytorch.org/whl/cu118" for torch 2.5.1+cu118; "" without a variant.
std::string PytorchIndex(std::string_view torch);

// Components ("nvidia-cudnn") whose files have the same names for every CUDA major: packages of two majors
// overwrite each other.
bool HasSameFilesForEveryCuda(std::string_view component);
// Installed packages that what is about to be installed would overwrite so, and that nothing else asks for.
std::vector<std::string> InTheWay(const Scene& scene, const snapshot::PythonEnvironment& environment,
                                  const std::vector<report::Change>& changes);

// "2.11.0" of "2.11.0+cu130".
std::string PublicVersion(std::string_view version);

}  // namespace culprit::rules
