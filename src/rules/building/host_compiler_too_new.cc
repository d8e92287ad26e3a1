// CUL8002: nvcc does not support the host compiler.
#include "base/text.h"
#include "base/version.h"
#include "knowledge/host_compilers.h"
#include "rules/kit/file_fixes.h"
#include "rules/kit/toolkit/toolkit_facts.h"
#include "rules/rule.h"

namespace culprit::rules::host_compiler_too_new {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
nvcc compiles host code with gcc or clang and supports versions up to a maximum. It does not support the compiler that it
would call here.

## Why it breaks
"#error -- unsupported GNU version! gcc versions later than 13 are not supported!". With -allow-unsupported-compiler the
headers of the newer compiler may still not compile.

## How culprit knows
The compiler that nvcc would call (NVCC_CCBIN, -ccbin, gcc on PATH), its version from the names of its symlinks, and the
table in data/host_compilers.toml.

## Fix
Install an older compiler too and select it with NVCC_CCBIN. You do not need to change the system default.

## When this is not your problem
You only run programs that are already built.

## Sources
crt/host_config.h of each toolkit; data/host_compilers.toml.
)md";

void Check(const Scene& scene, Ruling& ruling) {
  const BuildChoice chosen = ChosenToolkit(scene);
  if (chosen.toolkit == nullptr || chosen.toolkit->nvcc.empty() ||
      scene.stack().toolkits->host_compilers.empty())
    return;
  const snapshot::Toolkit& toolkit = *chosen.toolkit;
  const auto cuda =
      base::Version::Parse(Release(toolkit.nvcc_version.empty() ? toolkit.version : toolkit.nvcc_version));
  const snapshot::Compiler& compiler = scene.stack().toolkits->host_compilers.front();
  const auto version = base::Version::Parse(compiler.version);
  if (!cuda) return;
  if (!version || compiler.name.empty()) {
    return ruling.NotEnoughFacts("whether " + toolkit.nvcc + " supports " + compiler.path,
                                 "the compiler's version is unknown");
  }
  const bool clang = compiler.name == "clang";
  const auto answer = clang ? knowledge::ClangFits(*cuda, *version) : knowledge::GccFits(*cuda, *version);
  if (answer.verdict != knowledge::Verdict::kNo) return;
  report::Finding& finding =
      ruling.Fire("nvcc of CUDA " + cuda->ToString() + " does not support " + compiler.name + " " +
                      compiler.version + " (" + compiler.path + ")",
                  compiler.path);
  finding.affects.push_back("builds");
  finding.evidence.push_back({answer.why, std::string(answer.source)});
  finding.evidence.push_back(
      {compiler.path + " is " + compiler.name + " " + compiler.version, compiler.source});
  finding.evidence.push_back({"a build uses " + toolkit.root, chosen.because});
  finding.fix = {.text = "install an older compiler too and select it for nvcc",
                 .commands = {},
                 .risk = report::Risk::kLow};
  const knowledge::NvccRow* row = knowledge::FindNvcc(*cuda);
  if (row != nullptr && !row->gcc_max.empty()) {
    const std::string major = base::Split(row->gcc_max, '.').front();
    finding.fix.text = "install gcc " + major + " too and select it for nvcc";
    finding.fix.commands = {"export NVCC_CCBIN=g++-" + Plain(major)};
    report::PutLibrary older;
    older.path = "/usr/bin/g++-" + major;
    older.like = compiler.path;
    older.program = true;
    // No need to install one that exists.
    if (scene.view.Open(older.path).error != base::PathError::kNone) {
      if (PackageManagerOf(scene) == PackageManager::kDpkg)
        finding.fix.commands.insert(finding.fix.commands.begin(), "sudo apt-get install g++-" + Plain(major));
      finding.fix.changes.emplace_back(older);
    }
    finding.fix.changes.push_back(report::SetVariable{"NVCC_CCBIN", "g++-" + major});
  }
}

}  // namespace

extern const Rule kRule = {.code = "CUL8002",
                           .name = "host_compiler_too_new",
                           .family = Family::kBuilding,
                           .explains = Explains::kHostCompiler,
                           .cause = "host-compiler",
                           .severity = report::Severity::kWarning,
                           .where = Where::kLinux,
                           .since = "0.2.0",
                           .title = "nvcc does not support the host compiler",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::host_compiler_too_new
