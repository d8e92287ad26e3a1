// CUL8014: the host compiler that nvcc calls is not installed.
#include "base/text.h"
#include "rules/kit/file_fixes.h"
#include "rules/kit/toolkit/toolkit_facts.h"
#include "rules/kit/variables/variable_fixes.h"

namespace culprit::rules::host_compiler_missing {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
nvcc compiles host code with another compiler: the one of NVCC_CCBIN or -ccbin, otherwise gcc on PATH. That compiler
is not installed.
## Why it breaks
"nvcc fatal: Failed to preprocess host compiler properties", "gcc: No such file or directory". Every extension build
fails there.
## How culprit knows
It looks up the path in NVCC_CCBIN, in -ccbin of NVCC_PREPEND_FLAGS and NVCC_APPEND_FLAGS, and gcc in the directories of PATH.

## Fix
Remove the setting, or install the compiler.
## When this is not your problem
You only run programs that are already built.

## Sources
Documentation of nvcc: --compiler-bindir, NVCC_PREPEND_FLAGS, NVCC_APPEND_FLAGS, NVCC_CCBIN.
)md";

// A compiler that a variable names.
struct Named {
  std::string variable, value;
  std::string rest;  // the variable without it; "" = nothing else is in it
};

// The words of nvcc's flags without -ccbin; its value goes to `named`.
Named InFlags(const std::string& variable, std::string_view flags) {
  Named named{.variable = variable};
  bool next = false;
  for (const std::string& word : base::SplitWords(flags, " \t")) {
    const size_t equals = word.find('=');
    const std::string option = word.substr(0, equals);
    const bool is_ccbin = option == "-ccbin" || option == "--compiler-bindir";
    if (next || (is_ccbin && equals != std::string::npos)) {
      named.value = next ? word : word.substr(equals + 1);
    } else if (!is_ccbin) {
      named.rest += (named.rest.empty() ? "" : " ") + word;
    }
    next = is_ccbin && equals == std::string::npos;
  }
  return named;
}

// The compiler that counts, in the order of nvcc; `value` is "" if no variable names one.
Named NamedCompiler(const Scene& scene) {
  for (const char* name : {"NVCC_APPEND_FLAGS", "NVCC_PREPEND_FLAGS"}) {
    if (Named named = InFlags(name, scene.Variable(name)); !named.value.empty()) return named;
  }
  return {.variable = "NVCC_CCBIN", .value = std::string(scene.Variable("NVCC_CCBIN")), .rest = ""};
}

enum class There { kYes, kNo, kUnknown };
There IsThere(const Scene& scene, const std::string& name) {
  std::vector<std::string> paths = {name};
  if (name.find('/') == std::string::npos) {
    paths.clear();
    for (const std::string& directory : base::SplitWords(scene.Variable("PATH"), ":"))
      paths.push_back(base::JoinPath(directory, name));
  }
  There there = paths.empty() ? There::kUnknown : There::kNo;
  for (const std::string& path : paths) {
    if (!path.starts_with('/')) return There::kUnknown;
    const base::PathError error = scene.view.Open(base::CleanPath(path)).error;
    if (error == base::PathError::kNone || error == base::PathError::kAccess) return There::kYes;
    if (error == base::PathError::kNotRecorded) there = There::kUnknown;
  }
  return there;
}

void FireNamed(const Scene& scene, const Named& named, Ruling& ruling) {
  const bool flags = named.variable != "NVCC_CCBIN";
  const std::string setting =
      flags ? "-ccbin " + named.value + " in " + named.variable : named.variable + "=" + named.value;
  report::Finding& finding =
      ruling.Fire(setting + ": there is no such compiler", named.variable, {named.value});
  finding.affects.push_back("builds");
  finding.evidence.push_back({setting, "environment"});
  finding.evidence.push_back({"there is no " + named.value, named.value});
  finding.fix = SetOrUnset(scene, named.variable, named.rest,
                           flags ? "remove -ccbin from " + named.variable + ", or install that compiler"
                                 : "unset NVCC_CCBIN, or install that compiler");
}

void Check(const Scene& scene, Ruling& ruling) {
  const BuildChoice chosen = ChosenToolkit(scene);
  if (chosen.toolkit == nullptr || chosen.toolkit->nvcc.empty()) return ruling.NotApplicable();
  const Named named = NamedCompiler(scene);
  const There there = IsThere(scene, named.value.empty() ? "gcc" : named.value);
  if (there == There::kUnknown)
    return ruling.NotEnoughFacts("the host compiler of nvcc", "PATH is not known");
  if (there == There::kYes) return;
  if (!named.value.empty()) return FireNamed(scene, named, ruling);
  if (!scene.stack().toolkits->host_compilers.empty()) return;  // Debian's nvcc has a PATH of its own
  report::Finding& finding =
      ruling.Fire(chosen.toolkit->nvcc + " finds no gcc on PATH", chosen.toolkit->nvcc, {"gcc"});
  finding.affects.push_back("builds");
  finding.evidence.push_back({"a build uses " + chosen.toolkit->root, chosen.because});
  finding.evidence.push_back({"no directory of PATH has a gcc, and NVCC_CCBIN is not set", "PATH"});
  finding.fix = {.text = "install gcc and g++, or set NVCC_CCBIN to the compiler that you have",
                 .commands = {},
                 .risk = report::Risk::kLow};
  if (PackageManagerOf(scene) == PackageManager::kDpkg)
    finding.fix.commands = {"sudo apt-get install build-essential"};
  if (PackageManagerOf(scene) == PackageManager::kRpm)
    finding.fix.commands = {"sudo dnf install gcc gcc-c++"};
  report::PutLibrary gcc{.path = "/usr/bin/gcc"};
  gcc.program = true;
  finding.fix.changes = {gcc};
}

}  // namespace

extern const Rule kRule = {.code = "CUL8014",
                           .name = "host_compiler_missing",
                           .family = Family::kBuilding,
                           .explains = Explains::kHostCompiler,
                           .cause = "host-compiler",
                           .severity = report::Severity::kWarning,
                           .where = Where::kLinux,
                           .since = "0.9.0",
                           .title = "the host compiler that nvcc calls is not installed",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::host_compiler_missing
