// CUL6013: two CuPy packages in one directory.
#include <algorithm>
#include <set>

#include "rules/kit/gpu_code/fitting_build.h"
#include "rules/kit/python/rival_packages.h"

namespace culprit::rules::cupy_twice {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
CuPy has one package per CUDA major (cupy-cuda11x, cupy-cuda12x, cupy-cuda13x) and one for building from source
(cupy). All unpack into `cupy/`. More than one is installed.

## Why it breaks
The files are mixed: modules built for one CUDA major that require libraries of another. CuPy itself warns that multiple
packages are installed and that they conflict.

## How culprit knows
Several of these records are in one directory of sys.path.

## Fix
Uninstall all of them, then install the one for your CUDA major.

## When this is not your problem
Never: uninstalling any one of them breaks what is left.

## Sources
cupy/cupy: cupy/_environment.py (duplicate detection).
)md";

// "13" for cupy-cuda13x; "" for cupy, which was built here.
std::string CudaMajor(const snapshot::PythonPackage& package) {
  return package.name.starts_with("cupy-cuda") ? package.name.substr(9, 2) : "";
}

bool IsCupy(const snapshot::PythonPackage& package) {
  return (package.name == "cupy" || package.name.starts_with("cupy-cuda")) && package.installer != "conda";
}

void Check(const Scene& scene, Ruling& ruling) {
  for (const auto& environment : EnvironmentsOf(scene, ruling)) {
    const Rivals packages = RivalsIn(environment, IsCupy);
    if (packages.size() < 2) continue;
    report::Finding& finding = ruling.Fire(InWords(environment, packages), packages[1]->record,
                                           {environment.prefix, packages[0]->record});
    AddEvidence(packages, finding);
    finding.affects.push_back("cupy in " + environment.prefix);
    std::set<std::string> majors;
    for (const auto* package : packages) majors.insert(CudaMajor(*package));
    const std::string major = PreferredMajor(scene, environment, majors);
    const auto kept =
        std::ranges::find_if(packages, [&](const auto* package) { return CudaMajor(*package) == major; });
    finding.fix = KeepOnly(
        scene, environment, packages, {(*kept)->name, (*kept)->version},
        "uninstall all of them, then install " + (major.empty() ? "one" : "the one for CUDA " + major));
  }
}

}  // namespace

extern const Rule kRule = {.code = "CUL6013",
                           .name = "cupy_twice",
                           .family = Family::kPython,
                           .root = report::Root::kOverwrites,
                           .cause = "framework-version-conflict",
                           .severity = report::Severity::kError,
                           .since = "0.2.0",
                           .title = "several CuPy packages overwrite each other",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::cupy_twice
