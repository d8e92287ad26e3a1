// CUL8001: the toolkit that a build uses cannot compile for this GPU.
#include <algorithm>
#include <functional>
#include <set>

#include "base/text.h"
#include "base/version.h"
#include "base/windows/path.h"
#include "knowledge/arch.h"
#include "knowledge/host_compilers.h"
#include "knowledge/packages/packages.h"
#include "knowledge/packages/release.h"
#include "rules/kit/building/build_facts.h"
#include "rules/kit/file_fixes.h"
#include "rules/kit/gpu_code/gpu_code_facts.h"
#include "rules/kit/python/package_changes.h"
#include "rules/kit/toolkit/toolkit_facts.h"
#include "rules/kit/toolkit/tools.h"
#include "rules/rule.h"

namespace culprit::rules::nvcc_cannot_target_gpu {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
The CUDA toolkit on this machine is too old for the GPU, or so new that it dropped support for it. The same applies to
a compiler that a package uses at run time: `ptxas` for JAX, NVVM for Numba.
## Why it breaks
"nvcc fatal: Unsupported gpu architecture `compute_120`", or the build targets older GPUs and the program does not start here.

## How culprit knows
culprit looks up the release of the toolkit that a build uses (CUDA_HOME, PATH, /usr/local/cuda) and the GPU's compute
capability in data/architectures.toml. data/tools.toml lists which compiler a package uses.
## Fix
Install a toolkit that supports it.

## When this is not your problem
You only run programs that are already built: they contain their own code. The driver can still compile PTX of an older
architecture.

## Sources
data/architectures.toml, each row with its source.
)md";

// The toolkit nearest to this one that supports every GPU, the driver and the host compiler of this machine.
const knowledge::ToolkitRow* Nearest(const Scene& scene, const std::string& release) {
  const auto driver = base::Version::Parse(DriverVersion(scene));
  const auto here = knowledge::Known(release);
  const auto suits = [&](const knowledge::ToolkitRow& row) {
    const auto cuda = knowledge::MinorOf(knowledge::Known(row.cuda));
    for (const snapshot::Gpu& gpu : *scene.stack().gpus) {
      const auto capability = base::Version::Parse(gpu.compute_capability);
      if (capability &&
          knowledge::ToolkitTargets(cuda.ToString(), *capability).verdict != knowledge::Verdict::kYes)
        return false;
    }
    if (driver &&
        knowledge::DriverForCuda(*driver, cuda, scene.platform()).verdict != knowledge::Verdict::kYes)
      return false;
    if (scene.stack().toolkits->host_compilers.empty()) return true;
    const snapshot::Compiler& compiler = scene.stack().toolkits->host_compilers.front();
    const auto version = base::Version::Parse(compiler.version);
    return !version || compiler.name != "gcc" ||
           knowledge::GccFits(cuda, *version).verdict != knowledge::Verdict::kNo;
  };
  const knowledge::ToolkitRow* before = nullptr;
  for (const knowledge::ToolkitRow& row : knowledge::Toolkits()) {  // oldest first
    if (row.preview || !suits(row)) continue;
    if (knowledge::MinorOf(knowledge::Known(row.cuda)) > here) return before != nullptr ? before : &row;
    before = &row;
  }
  return before;
}

report::Fix ToolkitFor(const Scene& scene, const snapshot::Toolkit& toolkit, const std::string& release,
                       const base::Version& capability) {
  report::Fix fix{.text = "install a toolkit that supports compute capability " + capability.ToString(),
                  .commands = {},
                  .risk = report::Risk::kLow};
  const knowledge::ToolkitRow* row = Nearest(scene, release);
  if (row == nullptr) {
    if (const auto* known = knowledge::FindCapability(capability)) {
      fix.text += ": CUDA " + std::string(known->first_cuda) +
                  (known->last_cuda.empty() ? " or newer" : " to " + std::string(known->last_cuda)) +
                  "; culprit knows none that also supports this driver and compiler";
    }
    fix.commands = {"culprit plan cuda"};
    return fix;
  }
  const std::string cuda = Release(std::string(row->cuda));
  const bool windows = scene.OnWindows();
  const std::string root =
      windows ? std::string(base::DirName(toolkit.root)) + "/v" + cuda : "/usr/local/cuda-" + cuda;
  fix.text = "also install CUDA " + cuda + ", which supports compute capability " + capability.ToString() +
             " and this driver, and build with it";
  if (windows) {
    const std::string spelled = base::ToWindowsPath(root);
    fix.commands = {"set \"CUDA_PATH=" + InQuotes(spelled) + "\"",
                    "set \"PATH=" + InQuotes(spelled) + "\\bin;%PATH%\""};
    fix.changes = {report::InstallToolkit{std::string(row->cuda), root},
                   report::SetVariable{"CUDA_PATH", spelled}, report::AddToList{"PATH", spelled + "\\bin"}};
    return fix;
  }
  if (PackageManagerOf(scene) == PackageManager::kDpkg) {
    const base::Version version = knowledge::Known(row->cuda);
    if (const auto* name = knowledge::FindPackageName("apt", "cuda", version, "nvidia")) {
      fix.commands = {
          "sudo apt-get install " +
          Plain(knowledge::FillIn(name->name, {.version = version, .cuda = version, .variant = {}}))};
    }
  }
  fix.commands.insert(fix.commands.end(),
                      {"export CUDA_HOME=" + Word(root), "export PATH=" + Word(root) + "/bin:$PATH"});
  fix.changes = {report::InstallToolkit{std::string(row->cuda), root}, report::SetVariable{"CUDA_HOME", root},
                 report::AddToList{"PATH", root + "/bin"}};
  return fix;
}

struct Compiler {
  std::string path, release;
  std::string used_by;  // "" for builds
  report::Evidence because;
  report::Severity severity = report::Severity::kWarning;
};

// One finding for each GPU that the compiler cannot compile for; `mend` gives the fix.
void CheckCompiler(const Scene& scene, const Compiler& compiler, Ruling& ruling,
                   const std::function<report::Fix(const base::Version&)>& mend) {
  for (const snapshot::Gpu& gpu : *scene.stack().gpus) {
    const auto capability = base::Version::Parse(gpu.compute_capability);
    if (!capability || compiler.release.empty()) continue;
    const auto answer = knowledge::ToolkitTargets(compiler.release, *capability);
    if (answer.verdict != knowledge::Verdict::kNo) continue;
    const std::string name = gpu.name.empty() ? "this GPU" : gpu.name;
    report::Finding& finding = ruling.Fire(
        compiler.path + " (CUDA " + compiler.release + ")" +
            (compiler.used_by.empty() ? "" : ", which " + compiler.used_by + " uses,") +
            " cannot compile for " + name + " (compute capability " + gpu.compute_capability + ")",
        compiler.path, {name, gpu.compute_capability});
    finding.affects.push_back(compiler.used_by.empty() ? "builds" : compiler.used_by);
    finding.evidence.push_back({answer.why, std::string(answer.source)});
    finding.evidence.push_back(compiler.because);
    finding.evidence.push_back({name + " has compute capability " + gpu.compute_capability,
                                gpu.source.empty() ? "--host" : gpu.source});
    finding.severity = compiler.severity;
    finding.fix = mend(*capability);
  }
}

void CheckToolkit(const Scene& scene, const snapshot::Toolkit& toolkit, const report::Evidence& because,
                  Ruling& ruling) {
  const std::string release = Release(toolkit.nvcc_version.empty() ? toolkit.version : toolkit.nvcc_version);
  CheckCompiler(scene, {toolkit.nvcc, release, "", because}, ruling, [&](const base::Version& capability) {
    return ToolkitFor(scene, toolkit, release, capability);
  });
}

report::Fix PackageFor(const ToolUse& use, const base::Version& capability) {
  const auto* known = knowledge::FindCapability(capability);
  const std::string last(known != nullptr ? known->last_cuda : "");
  report::Fix fix{.text = "use a release of CUDA that supports compute capability " + capability.ToString(),
                  .commands = {},
                  .risk = report::Risk::kMedium,
                  .changes = {report::NotInFiles{"a release of CUDA that supports the GPU",
                                                 "the user chooses which packages provide it"}}};
  if (known != nullptr)
    fix.text +=
        ": CUDA " + (last.empty() ? std::string(known->first_cuda) + " or newer" : last + " or older");
  if (use.row->packages.empty() || use.environment == nullptr) return fix;
  const bool cuda13 = use.row->packages.size() > 1 && (last.empty() || last.starts_with("13"));
  const std::string package(use.row->packages[cuda13 ? 1 : 0]);
  fix.text += ", for instance with the package " + package;
  fix.commands = {PipOf(*use.environment) + " install " + Plain(package)};
  return fix;
}

// The compiler that a package starts or loads.
void CheckTool(const Scene& scene, const ToolUse& use, Ruling& ruling) {
  const report::Evidence effect{std::string(use.row->effect), std::string(use.row->source)};
  const auto severity = use.row->always ? report::Severity::kError : report::Severity::kWarning;
  CheckCompiler(scene, {use.path, Release(CudaOfTool(scene, use)), use.user, effect, severity}, ruling,
                [&](const base::Version& capability) { return PackageFor(use, capability); });
}

void CheckTools(const Scene& scene, Ruling& ruling) {
  std::set<std::string> told;  // one tool of each user is enough
  for (const ToolUse& use : ToolUses(scene)) {
    if (use.package == nullptr || use.path.empty() || use.trouble != ToolTrouble::kNone) continue;
    if (use.row->kind == knowledge::ToolKind::kData || use.row->seldom || told.contains(use.user)) continue;
    const auto framework =
        std::ranges::find(use.environment->frameworks, use.package->name, &snapshot::Framework::package);
    if (framework != use.environment->frameworks.end() && !framework->libraries.empty())
      continue;  // its own code tells more
    const size_t before = ruling.findings().size();
    CheckTool(scene, use, ruling);
    if (ruling.findings().size() > before) told.insert(use.user);
  }
}

void Check(const Scene& scene, Ruling& ruling) {
  if (!scene.stack().gpus) return;
  CheckTools(scene, ruling);
  const BuildChoice chosen = ChosenToolkit(scene);
  if (chosen.toolkit != nullptr && !chosen.toolkit->nvcc.empty())
    CheckToolkit(scene, *chosen.toolkit, {"a build uses " + chosen.toolkit->root, chosen.because}, ruling);
  for (const BuildFolder& folder : Builds(scene)) {
    const BuildSetting* nvcc = SettingOf(folder, BuildItem::kNvcc);
    if (nvcc == nullptr || ToolkitOfNvcc(scene, nvcc->value) == chosen.toolkit) continue;
    CheckToolkit(scene,
                 {.root = std::string(base::DirName(base::DirName(nvcc->value))),
                  .version = nvcc->version,
                  .nvcc = nvcc->value},
                 AsEvidence(*nvcc), ruling);
  }
}

}  // namespace

extern const Rule kRule = {.code = "CUL8001",
                           .name = "nvcc_cannot_target_gpu",
                           .family = Family::kBuilding,
                           .explains = Explains::kArchitecture,
                           .cause = "arch-unsupported-by-compiler",
                           .severity = report::Severity::kWarning,
                           .since = "0.2.0",
                           .title = "the toolkit that a build uses cannot compile for this GPU",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::nvcc_cannot_target_gpu
