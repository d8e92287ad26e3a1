// CUL8002: nvcc does not support the host compiler.
#include "base/text.h"
#include "base/version.h"
#include "knowledge/host_compilers.h"
#include "rules/kit/building/build_facts.h"
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
The compiler that nvcc would call (NVCC_CCBIN, -ccbin, gcc on PATH; for a build folder, CMAKE_CUDA_HOST_COMPILER and
its -ccbin), its version from the names of its symlinks, and the table in data/host_compilers.toml.
## Fix
Install an older compiler too and select it with NVCC_CCBIN. You do not need to change the system default.

## When this is not your problem
You only run programs that are already built.

## Sources
crt/host_config.h of each toolkit; data/host_compilers.toml.
)md";

// An nvcc with the compiler that it calls.
struct Pair {
  std::string nvcc;
  std::string release;  // of that nvcc
  snapshot::Compiler compiler;
  report::Evidence because;
  const BuildFolder* folder = nullptr;  // that chose them; nullptr: this shell
};

std::vector<Pair> PairsOf(const Scene& scene) {
  std::vector<Pair> pairs;
  const BuildChoice chosen = ChosenToolkit(scene);
  if (chosen.toolkit != nullptr && !chosen.toolkit->nvcc.empty() &&
      !scene.stack().toolkits->host_compilers.empty()) {
    const snapshot::Toolkit& toolkit = *chosen.toolkit;
    pairs.push_back({toolkit.nvcc,
                     Release(toolkit.nvcc_version.empty() ? toolkit.version : toolkit.nvcc_version),
                     scene.stack().toolkits->host_compilers.front(),
                     {"a build uses " + toolkit.root, chosen.because}});
  }
  for (const BuildFolder& folder : Builds(scene)) {
    const BuildSetting* nvcc = SettingOf(folder, BuildItem::kNvcc);
    if (nvcc == nullptr || folder.host_compiler.path.empty()) continue;
    pairs.push_back({nvcc->value, CudaOfBuild(folder), folder.host_compiler, AsEvidence(*nvcc), &folder});
  }
  return pairs;
}

// NVCC_APPEND_FLAGS or NVCC_PREPEND_FLAGS with a -ccbin, which counts more than NVCC_CCBIN; "" if there is
// none.
std::string VariableWithCcbin(const Scene& scene) {
  for (const char* name : {"NVCC_APPEND_FLAGS", "NVCC_PREPEND_FLAGS"}) {
    for (const std::string& word : base::SplitWords(scene.Variable(name), " \t")) {
      if (word.starts_with("-ccbin") || word.starts_with("--compiler-bindir")) return name;
    }
  }
  return "";
}

// The same flags with another host compiler.
std::string WithCcbin(std::string_view flags, const std::string& compiler) {
  std::string changed;
  bool skip = false;
  for (const std::string& word : base::SplitWords(flags, " \t")) {
    const bool bare = word == "-ccbin" || word == "--compiler-bindir";
    const bool joined = word.starts_with("-ccbin=") || word.starts_with("--compiler-bindir=");
    if (!skip && !bare && !joined) changed += word + " ";
    skip = bare;
  }
  return changed + "-ccbin=" + compiler;
}

// Installs the newest gcc that this nvcc supports and selects it.
report::Fix OlderCompiler(const Scene& scene, const Pair& pair, const base::Version& cuda) {
  report::Fix fix{.text = "install an older compiler too and select it for nvcc",
                  .commands = {},
                  .risk = report::Risk::kLow};
  const knowledge::NvccRow* row = knowledge::FindNvcc(cuda);
  if (row == nullptr || row->gcc_max.empty()) return fix;
  const std::string major = base::Split(row->gcc_max, '.').front();
  const std::string text = "install gcc " + major + " too and select it for nvcc";
  std::string chosen, value;  // the variable that decides in this shell
  if (pair.folder != nullptr) {
    fix = ConfigureAgain(*pair.folder, text, {{"CMAKE_CUDA_HOST_COMPILER", "g++-" + major}}, /*fresh=*/true);
  } else {
    fix.text = text;
    chosen = VariableWithCcbin(scene);
    value = "g++-" + major;
    if (!chosen.empty()) value = WithCcbin(scene.Variable(chosen), value);
    if (chosen.empty()) chosen = "NVCC_CCBIN";
    fix.commands = {"export " + Plain(chosen) + "=" + Word(value)};
  }
  report::PutLibrary older;
  older.path = "/usr/bin/g++-" + major;
  older.like = pair.compiler.path;
  older.program = true;
  // No need to install one that exists.
  if (scene.view.Open(older.path).error != base::PathError::kNone) {
    if (PackageManagerOf(scene) == PackageManager::kDpkg)
      fix.commands.insert(fix.commands.begin(), "sudo apt-get install g++-" + Plain(major));
    fix.changes.emplace_back(older);
  }
  if (pair.folder == nullptr) fix.changes.push_back(report::SetVariable{chosen, value});
  return fix;
}

void CheckPair(const Scene& scene, const Pair& pair, Ruling& ruling) {
  const auto cuda = base::Version::Parse(pair.release);
  const snapshot::Compiler& compiler = pair.compiler;
  const auto version = base::Version::Parse(compiler.version);
  if (!cuda) return;
  if (!version || compiler.name.empty()) {
    return ruling.NotEnoughFacts("whether " + pair.nvcc + " supports " + compiler.path,
                                 "the compiler's version is unknown");
  }
  const bool clang = compiler.name == "clang";
  const auto answer = clang ? knowledge::ClangFits(*cuda, *version) : knowledge::GccFits(*cuda, *version);
  if (answer.verdict != knowledge::Verdict::kNo) return;
  report::Finding& finding =
      ruling.Fire("nvcc of CUDA " + cuda->ToString() + " does not support " + compiler.name + " " +
                      compiler.version + " (" + compiler.path + ")",
                  compiler.path);
  finding.affects.push_back(pair.folder == nullptr ? "builds" : pair.folder->path);
  finding.evidence.push_back({answer.why, std::string(answer.source)});
  finding.evidence.push_back(
      {compiler.path + " is " + compiler.name + " " + compiler.version, compiler.source});
  finding.evidence.push_back(pair.because);
  finding.fix = OlderCompiler(scene, pair, *cuda);
}

void Check(const Scene& scene, Ruling& ruling) {
  for (const Pair& pair : PairsOf(scene)) CheckPair(scene, pair, ruling);
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
