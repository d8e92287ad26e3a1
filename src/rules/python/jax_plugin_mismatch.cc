// CUL6005: JAX's CUDA plugin does not match jaxlib, or its two packages differ.
#include "base/python/pep440.h"
#include "rules/kit/python/package_changes.h"

namespace culprit::rules::jax_plugin_mismatch {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
JAX's GPU support comes in two packages, jax-cudaNN-plugin and jax-cudaNN-pjrt. Both must have exactly the version of
jaxlib. Here they do not.

## Why it breaks
JAX warns "JAX plugin jax_cuda12_plugin version X is installed, but it is not compatible with the installed jaxlib
version Y, so it will not be used" and computes on the CPU, or fails at the first kernel that the plugin provides.

## How culprit knows
It compares the version numbers in the package records (release numbers only), as jaxlib does.

## Fix
Install the set with the jax extra, which pins all of them: `pip install "jax[cuda12]"`.

## When this is not your problem
You use JAX on the CPU only; then uninstall the plugin.

## Sources
jaxlib 0.10.2: jaxlib/plugin_support.py check_plugin_version; METADATA of jax-cuda13-plugin (pins its pjrt).
)md";

std::vector<uint64_t> Numbers(const std::string& version) {
  const auto parsed = base::PythonVersion::Parse(version);
  return parsed ? parsed->release : std::vector<uint64_t>{};
}

void Check(const Scene& scene, Ruling& ruling) {
  for (const auto& environment : EnvironmentsOf(scene, ruling)) {
    const auto* jaxlib = environment.Find("jaxlib");
    const auto* jax = environment.Find("jax");
    if (jaxlib == nullptr) continue;
    for (const auto& package : environment.packages) {
      const bool plugin = package.name.starts_with("jax-cuda") && package.name.ends_with("-plugin");
      if (!plugin) continue;
      const std::string pjrt_name = package.name.substr(0, package.name.size() - 6) + "pjrt";
      const auto* pjrt = environment.Find(pjrt_name);
      std::string why;
      if (Numbers(package.version) != Numbers(jaxlib->version)) {
        why = package.name + " " + package.version + " does not match jaxlib " + jaxlib->version +
              ": JAX will not use it";
      } else if (pjrt == nullptr) {
        why = package.name + " " + package.version + " is installed without " + pjrt_name;
      } else if (Numbers(pjrt->version) != Numbers(package.version)) {
        why = package.name + " " + package.version + " does not match " + pjrt_name + " " + pjrt->version;
      }
      if (why.empty()) continue;
      const std::string extra = package.name.substr(4, package.name.size() - 4 - 7);  // "cuda12"
      report::Finding& finding = ruling.Fire(why, package.record, {jaxlib->version, pjrt_name});
      finding.affects.push_back("jax " + (jax == nullptr ? "" : jax->version) + " in " + environment.prefix);
      finding.evidence.push_back({package.name + " " + package.version, package.record});
      finding.evidence.push_back({"jaxlib " + jaxlib->version, jaxlib->record});
      if (pjrt != nullptr) finding.evidence.push_back({pjrt_name + " " + pjrt->version, pjrt->record});
      const Wanted whole{"jax", jax == nullptr ? jaxlib->version : jax->version, {extra}};
      finding.fix = {.text = "install the whole set of one release with the jax extra",
                     .commands = {PipOf(environment) + " install " + ForPip(whole)},
                     .risk = report::Risk::kMedium};
      AddInstall(scene, environment, whole, Pip::kMissing, finding.fix.changes);
    }
  }
}

}  // namespace

extern const Rule kRule = {.code = "CUL6005",
                           .name = "jax_plugin_mismatch",
                           .family = Family::kPython,
                           .cause = "framework-version-conflict",
                           .severity = report::Severity::kError,
                           .since = "0.2.0",
                           .title = "JAX's CUDA plugin does not match the jaxlib version",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::jax_plugin_mismatch
