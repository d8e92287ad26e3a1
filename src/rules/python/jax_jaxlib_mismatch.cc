// CUL6004: incompatible versions of jax and jaxlib.
#include "base/python/pep440.h"
#include "rules/kit/python/package_changes.h"

namespace culprit::rules::jax_jaxlib_mismatch {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
jax (Python) and jaxlib (compiled) are two packages. Each jax supports a short range of jaxlib versions: not older than
its stated minimum, and not newer than itself.

## Why it breaks
`import jax` raises "jaxlib is version X, but this version of jax requires version >= Y" or "jaxlib version X is newer
than and incompatible with jax version Y".

## How culprit knows
It evaluates the jaxlib requirement in jax's record, and compares the two versions as jax itself does.

## Fix
Install both in one command.

## When this is not your problem
Never: the import fails.

## Sources
jax 0.10.2: jax/_src/lib/__init__.py check_jaxlib_version; METADATA of jax.
)md";

void Check(const Scene& scene, Ruling& ruling) {
  for (const auto& environment : EnvironmentsOf(scene, ruling)) {
    const auto* jax = environment.Find("jax");
    const auto* jaxlib = environment.Find("jaxlib");
    if (jax == nullptr) continue;
    std::string why, source;
    if (jaxlib == nullptr) {
      why = "jax " + jax->version + " in " + environment.prefix + " has no jaxlib";
    } else {
      for (const auto& requirement : jax->requirements) {
        if (requirement.name != "jaxlib" ||
            base::Holds(requirement.marker, MarkerFactsOf(scene, environment)) != true) {
          continue;
        }
        if (base::Meets(jaxlib->version, requirement.specifier) != false) continue;
        why = "jax " + jax->version + " requires jaxlib" + requirement.specifier + ", but jaxlib " +
              jaxlib->version + " is installed";
        source = "Requires-Dist: jaxlib" + requirement.specifier;
      }
      const auto a = base::PythonVersion::Parse(jax->version),
                 b = base::PythonVersion::Parse(jaxlib->version);
      if (why.empty() && a && b && b->release > a->release) {
        why = "jaxlib " + jaxlib->version + " is newer than jax " + jax->version;
        source = "jax " + jax->version;
      }
    }
    if (why.empty()) continue;
    report::Finding& finding =
        ruling.Fire(why, jaxlib == nullptr ? jax->record : jaxlib->record, {jax->version});
    finding.affects.push_back("jax " + jax->version + " in " + environment.prefix);
    finding.evidence.push_back({source.empty() ? "jax " + jax->version : source, jax->record});
    if (jaxlib != nullptr) finding.evidence.push_back({"jaxlib " + jaxlib->version, jaxlib->record});
    finding.fix = {.text = "install jax and jaxlib of the same release together",
                   .commands = {PipOf(environment) + " install jax==" + Plain(jax->version) +
                                " jaxlib==" + Plain(jax->version)},
                   .risk = report::Risk::kMedium};
    AddInstall(scene, environment, {"jaxlib", jax->version}, Pip::kMissing, finding.fix.changes);
  }
}

}  // namespace

extern const Rule kRule = {.code = "CUL6004",
                           .name = "jax_jaxlib_mismatch",
                           .family = Family::kPython,
                           .cause = "framework-version-conflict",
                           .severity = report::Severity::kError,
                           .since = "0.2.0",
                           .title = "jax and jaxlib have incompatible versions",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::jax_jaxlib_mismatch
