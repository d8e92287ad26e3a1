// CUL8006: a build folder compiles nothing that runs on this GPU.
#include <algorithm>
#include <optional>

#include "base/text.h"
#include "base/version.h"
#include "knowledge/arch.h"
#include "rules/kit/building/build_facts.h"
#include "rules/kit/driver/driver_facts.h"
#include "rules/kit/gpu_code/gpu_code_facts.h"

namespace culprit::rules::build_lacks_gpu {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
The architectures that this build compiles for do not include the GPU, and no PTX is built that the driver could compile for it.

## Why it breaks
The build succeeds, and the program fails with "no kernel image is available for execution on the device" (209). If
only PTX would fit, and it is newer than the driver: "the provided PTX was compiled with an unsupported toolchain"
(222).
## How culprit knows
It reads CMAKE_CUDA_ARCHITECTURES, and the -gencode and -arch flags of compile_commands.json, build.ninja and
flags.make. Machine code runs on GPUs of the same major version with the same or a later minor version, sm_90a only on
sm_90, PTX on everything later.
## Fix
Configure the build for this GPU and build again.

## When this is not your problem
You build for other machines. Tell culprit about one with `--host gpu=sm_90`.

## Sources
nvcc documentation, GPU compilation; CMake manual, CUDA_ARCHITECTURES; data/architectures.toml.
)md";

// "9.0a" for "sm_90a", "PTX 8.0" for "compute_80"; "" for anything else.
std::string AsCode(std::string_view word) {
  const bool ptx = word.starts_with("compute_");
  if (!ptx && !word.starts_with("sm_")) return "";
  std::string_view number = word.substr(ptx ? 8 : 3);
  std::string suffix;
  if (number.ends_with('a') || number.ends_with('f')) {
    suffix = number.back();
    number.remove_suffix(1);
  }
  if (number.size() < 2 || number.size() > 3 || !base::IsNumber(number)) return "";
  return (ptx ? "PTX " : "") + std::string(number.substr(0, number.size() - 1)) + "." + number.back() +
         suffix;
}

// What the list means for a GPU. Words that mean "what fits here", or that are not understood, are unknown.
knowledge::CodeFit FitOf(const BuildSetting& setting, const base::Version& capability) {
  std::vector<std::string> codes;
  for (const std::string& word : base::SplitWords(setting.value, " ")) {
    codes.push_back(AsCode(word));
    if (codes.back().empty()) return knowledge::CodeFit::kUnknown;
  }
  const std::vector<std::string_view> views(codes.begin(), codes.end());
  return knowledge::CodeRunsOn(views, capability);
}

// Whether the PTX of this build is newer than the driver compiles.
bool PtxIsTooNew(const Scene& scene, const BuildFolder& folder) {
  const auto driver = base::Version::Parse(DriverVersion(scene));
  const knowledge::PtxIsa* written = knowledge::PtxOfCuda(CudaOfBuild(folder));
  const knowledge::PtxIsa* compiled = driver ? knowledge::NewestPtxOfDriver(*driver) : nullptr;
  return written != nullptr && compiled != nullptr &&
         base::Version::Parse(written->isa) > base::Version::Parse(compiled->isa);
}

report::Fix ForGpu(const BuildFolder& folder, const snapshot::Gpu& gpu) {
  std::string number = gpu.compute_capability;
  std::erase(number, '.');
  report::Fix fix =
      ConfigureAgain(folder, "build for sm_" + number + " too", {{"CMAKE_CUDA_ARCHITECTURES", number}});
  if (folder.system == snapshot::BuildSystem::kSetuptools) {
    fix.text += ": torch's extensions take the list from TORCH_CUDA_ARCH_LIST; then build again";
    fix.commands = {"export TORCH_CUDA_ARCH_LIST=" + Plain(gpu.compute_capability)};
  } else if (fix.commands.empty()) {
    fix.text += ": pass -gencode arch=compute_" + number + ",code=sm_" + number + " to nvcc";
  }
  return fix;
}

void CheckList(const Scene& scene, const BuildFolder& folder, const BuildSetting& setting,
               const snapshot::Gpu& gpu, Ruling& ruling) {
  const auto capability = base::Version::Parse(gpu.compute_capability);
  if (!capability) return;
  const knowledge::CodeFit fit = FitOf(setting, *capability);
  const bool too_new = fit == knowledge::CodeFit::kPtx && PtxIsTooNew(scene, folder);
  if (fit != knowledge::CodeFit::kNo && !too_new) return;
  std::string codes;
  for (const std::string& word : base::SplitWords(setting.value, " "))
    codes += (codes.empty() ? "" : ", ") + word;
  report::Finding& finding = ruling.Fire(
      too_new ? folder.path + " builds only PTX for " + DisplayName(gpu) + ", and driver " +
                    DriverVersion(scene) + " cannot compile PTX from CUDA " + CudaOfBuild(folder)
              : folder.path + " builds for " + codes + ", which does not run on " + DisplayName(gpu),
      folder.path, {gpu.compute_capability});
  if (too_new) finding.cause = "driver-too-old";
  finding.affects.push_back("builds");
  finding.evidence.push_back({setting.name + " builds " + codes, setting.source});
  finding.evidence.push_back({DisplayName(gpu), gpu.assumed ? "--host" : gpu.source});
  finding.fix = ForGpu(folder, gpu);
}

void Check(const Scene& scene, Ruling& ruling) {
  const bool any = std::ranges::any_of(Builds(scene), [](const BuildFolder& folder) {
    return SettingOf(folder, BuildItem::kArchitectures) != nullptr;
  });
  if (!any) return ruling.NotApplicable();
  const Presence gpus = GpuPresence(scene);
  if (gpus == Presence::kUnknown) return LacksGpus(scene, ruling);
  if (gpus == Presence::kNo) return ruling.NotApplicable();
  for (const BuildFolder& folder : Builds(scene)) {
    for (const snapshot::Gpu& gpu : *scene.stack().gpus) {
      for (const BuildSetting& setting : folder.settings) {
        if (setting.item != BuildItem::kArchitectures) continue;
        const size_t before = ruling.findings().size();
        CheckList(scene, folder, setting, gpu, ruling);
        if (ruling.findings().size() > before) break;  // one list that does not fit is enough
      }
    }
  }
}

}  // namespace

extern const Rule kRule = {.code = "CUL8006",
                           .name = "build_lacks_gpu",
                           .family = Family::kBuilding,
                           .explains = Explains::kNothing,
                           .cause = "arch-unsupported",
                           .severity = report::Severity::kError,
                           .where = Where::kLinux,
                           .since = "0.9.0",
                           .title = "a build folder compiles nothing that runs on this GPU",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::build_lacks_gpu
