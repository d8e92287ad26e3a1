// CUL4009: one process loads cuBLAS and cuBLASLt of different releases.
#include "base/text.h"
#include "base/version.h"
#include "rules/kit/load_facts.h"
#include "rules/kit/load_fixes.h"
#include "rules/kit/python/package_of_file.h"
#include "rules/rule.h"

namespace culprit::rules::cuda_mixed_versions {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
libcublas and libcublasLt are built together and call each other through private functions. In this process they come
from two releases.

## Why it breaks
With an older cuBLASLt: "undefined symbol: cublasLt..., version libcublasLt.so.12" or CUBLAS_STATUS_NOT_INITIALIZED at the
first matrix product. The file names are the same for a whole CUDA major, so the loader cannot tell them apart.

## How culprit knows
It simulates the load; the release of each file comes from its real name or its package.

## Fix
Let both come from one directory. Usually LD_LIBRARY_PATH is to blame.

## When this is not your problem
A newer cuBLASLt under an older cuBLAS usually works and is only a warning.

## Sources
Issues of PyTorch about undefined symbols of cublasLt.
)md";

void Check(const Scene& scene, Ruling& ruling) {
  for (const loader::Scenario& scenario : scene.scenarios) {
    const loader::Object* cublas = nullptr;
    const loader::Object* light = nullptr;
    for (const loader::Object& object : scenario.graph.objects) {
      const knowledge::Library* library = LibraryOf(object);
      if (library == nullptr) continue;
      if (library->name == "cublas" && cublas == nullptr) cublas = &object;
      if (library->name == "cublasLt" && light == nullptr) light = &object;
    }
    if (cublas == nullptr || light == nullptr) continue;
    // An observed process may have two of each, opened by path: prefer the pair from one directory.
    for (const loader::Object& object : scenario.graph.objects) {
      const knowledge::Library* library = scenario.WasSeen() ? LibraryOf(object) : nullptr;
      if (library != nullptr && library->name == "cublasLt" &&
          base::DirName(object.path) == base::DirName(cublas->path))
        light = &object;
    }
    const auto fact = scene.view.Version(cublas->path), light_fact = scene.view.Version(light->path);
    const auto version = fact ? base::Version::Parse(fact->version) : std::nullopt;
    const auto light_version = light_fact ? base::Version::Parse(light_fact->version) : std::nullopt;
    if (!version || !light_version || version->part(0) != light_version->part(0) ||
        *version == *light_version)
      continue;
    report::Finding& finding = ruling.Fire(
        std::string(base::BaseName(light->path)) + " resolves to " + light_fact->version + " in " +
            std::string(base::DirName(light->path)) + ", " + std::string(base::BaseName(cublas->path)) +
            " is " + fact->version + " in " + std::string(base::DirName(cublas->path)),
        light->path, {cublas->path});
    if (*light_version > *version) finding.severity = report::Severity::kWarning;
    finding.affects.push_back(scenario.title);
    finding.evidence.push_back(
        {cublas->path + " is " + fact->version + ", found through " + CameThrough(scenario, *cublas),
         fact.source});
    finding.evidence.push_back(
        {light->path + " is " + light_fact->version + ", found through " + CameThrough(scenario, *light),
         light_fact.source});
    const loader::Object* odd = light->via == loader::Via::kLdLibraryPath    ? light
                                : cublas->via == loader::Via::kLdLibraryPath ? cublas
                                                                             : nullptr;
    // In the same directory they belong to one package, and one file was replaced.
    const auto* environment = scene.EnvironmentOf(scenario);
    const auto* package = environment == nullptr ? nullptr : PackageOf(*environment, cublas->path);
    if (package != nullptr && base::DirName(cublas->path) == base::DirName(light->path)) {
      finding.fix = ReinstallPackage(*environment, package->name, package->version,
                                     "reinstall " + package->name + ", which provides both");
      continue;
    }
    finding.fix = odd != nullptr ? WithoutSearchDirectory(scene, std::string(base::DirName(odd->path)))
                                 : report::Fix{.text = "use both from one release and one directory",
                                               .commands = {"culprit why libcublasLt.so." +
                                                            Plain(std::to_string(version->part(0)))},
                                               .risk = report::Risk::kNone};
  }
}

}  // namespace

extern const Rule kRule = {.code = "CUL4009",
                           .name = "cuda_mixed_versions",
                           .family = Family::kToolkit,
                           .cause = "cuda-mixed-versions",
                           .severity = report::Severity::kError,
                           .since = "0.2.0",
                           .title = "one process loads cuBLAS and cuBLASLt of different releases",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::cuda_mixed_versions
