// CUL1013: the driver does not support this CUDA release.
#include <algorithm>

#include "base/text.h"
#include "knowledge/driver.h"
#include "rules/kit/driver/driver_choice.h"
#include "rules/kit/driver/driver_facts.h"
#include "rules/kit/driver/driver_need.h"
#include "rules/kit/gpu_code/gpu_code_facts.h"
#include "rules/kit/recipe/package_cuda.h"
#include "rules/kit/recipe/recipe_builds.h"
#include "rules/kit/recipe/recipe_gpu.h"
#include "rules/rule.h"

namespace culprit::rules::driver_too_old {

extern const Rule kRule;

namespace {

constexpr std::string_view kPage = R"md(
## What it means
A framework or program was built for a CUDA release that this driver does not support.

## Why it breaks
Each CUDA release requires a minimum driver: "CUDA driver version is insufficient for CUDA runtime version" (35),
"The NVIDIA driver on your system is too old". From CUDA 11 on, any driver of the same major release line is enough
(minor-version compatibility), and the rule takes that into account.

## How culprit knows
The CUDA that the framework was built for, or the version of the libcudart that the process loads or is statically
linked with; the version of the loaded module (or of the cuda-compat libcuda that programs load); NVIDIA's table of
minimum drivers (data/drivers.toml).
## Fix
Update the driver, or install a build of the framework for an older CUDA. The toolkit does not matter here: do not install
another one.

## When this is not your problem
You do not use the framework with the GPU. If it has no code for any GPU of the machine, no driver helps; CUL7001 or
CUL7002 says what does.
## Sources
CUDA Toolkit Release Notes, table of driver versions; NVIDIA, CUDA Compatibility.
)md";

// Whether the framework or program has no code for any GPU here, whatever the driver.
bool HasNoCode(const Scene& scene, const loader::Scenario& scenario) {
  const snapshot::Framework* framework = scene.FrameworkOf(scenario);
  Ruling aside(kRule);
  bool none = false;
  for (const GpuFit& fit : GpuFits(scene, Role::kLeads, aside)) {
    if (framework == nullptr ? fit.program != &scenario : fit.framework != framework) continue;
    if (fit.fit != Fit::kNone) return false;
    none = true;
  }
  return none;
}

// "CUDA 12.9 or older"; or with what minor-version compatibility adds. "" if the tables do not know the
// driver.
std::string RunningBuilds(const base::Version& driver, base::Platform platform) {
  const auto own = knowledge::CudaOfDriver(driver, platform);
  const auto release = base::Version::Parse(own.cuda);
  if (!release) return "";
  const std::string words = "CUDA " + std::string(own.cuda) + " or older";
  for (const knowledge::ToolkitRow& row : knowledge::Toolkits()) {
    const auto other = base::Version::Parse(row.cuda);
    if (!other || other->part(0) != release->part(0) || other->part(1) <= release->part(1)) continue;
    if (knowledge::DriverRunsCuda(driver, row.cuda, platform).support ==
        knowledge::DriverSupport::kByMinorCompatibility)
      return words + " (a newer CUDA " + std::to_string(release->part(0)) +
             " runs too if it has machine code for this GPU: the driver does not compile newer PTX)";
  }
  return words;
}

std::string InsteadOf(CudaUser::Kind kind) {
  switch (kind) {
    case CudaUser::Kind::kBuild:
      return ", or install a build for ";
    case CudaUser::Kind::kImage:
      return ", or use an image for ";
    case CudaUser::Kind::kToolkit:
      return ", or use ";
  }
  return "";
}

// `title` needs `wanted`. Where there is no code for the GPU, no driver helps.
void Compare(const Scene& scene, const CudaUser& user, const DriverInUse& driver, bool has_no_code,
             Ruling& ruling) {
  const auto& [title, wanted, scenario, compat, place, kind] = user;
  const std::string release = ReleaseOf(wanted.cuda);
  const std::string& driver_text = driver.version;
  const std::string& driver_source = driver.source;
  const auto version = base::Version::Parse(driver_text);
  if (!version) {
    ruling.NotEnoughFacts("whether the driver supports CUDA " + release,
                          "its version is \"" + driver_text + "\"");
    return;
  }
  const auto answer = knowledge::DriverRunsCuda(*version, FirstRelease(release), scene.platform());
  if (answer.support == knowledge::DriverSupport::kUnknown) {
    ruling.NotEnoughFacts("whether driver " + driver_text + " supports CUDA " + release, answer.why);
    return;
  }
  if (answer.support != knowledge::DriverSupport::kNo || has_no_code) return;
  if (!compat.empty()) {  // the container runtime puts the libcuda of the image in front, where the GPU takes
                          // it
    const auto forward = ForwardCompatOf(scene, *version, ReleaseOf(compat));
    if (forward.verdict == knowledge::Verdict::kYes) return;
    if (forward.verdict == knowledge::Verdict::kUnknown)
      return ruling.NotEnoughFacts(
          "whether driver " + driver_text + " supports CUDA " + release + " of " + title,
          "only with the cuda-compat in the image, which works only on data-centre GPUs: " + forward.why);
  }
  const std::string floor(knowledge::LowestCompatibleDriver(FirstRelease(release), scene.platform()));
  report::Finding& finding =
      ruling.Fire("driver " + driver_text + " is too old for CUDA " + release + ", which needs " +
                      (floor.empty() ? "a newer one" : floor + " or newer"),
                  "NVIDIA driver " + driver_text, {release});
  finding.affects.push_back(title);
  finding.place = place;
  finding.evidence.push_back({"the driver is " + driver_text, driver_source});
  finding.evidence.push_back({title + " needs CUDA " + wanted.cuda, wanted.source});
  finding.evidence.push_back({answer.why, std::string(answer.source)});
  const std::string builds = RunningBuilds(*version, scene.platform());
  finding.fix = {.text = "update the driver to " + (floor.empty() ? "a newer one" : floor + " or newer") +
                         (builds.empty() ? "" : InsteadOf(kind) + builds) +
                         (kind == CudaUser::Kind::kBuild ? "; another toolkit does not help" : "") +
                         (HasVirtualGpu(scene)
                              ? "; this is a vGPU: its driver must be of a release that the host supports"
                              : ""),
                 .commands = {},
                 .risk = report::Risk::kMedium,
                 .changes = {}};
  if (const std::string choice = ChooseDriver(scene).version; !choice.empty())
    finding.fix.changes = {report::InstallDriver{choice}};
}

// Why nobody can tell which CUDA it brings.
std::string WhyOpen(const RecipeInstall& install) {
  if (install.step->conditional) return "it is installed conditionally; check the built image";
  if (install.vague) return "it depends on a variable or on the build machine; check the built image";
  if (install.manager == Manager::kConda && IsFrameworkOfConda(install))
    return "conda chooses it during the build; pin it: cuda-version=VERSION";
  if (!install.version.empty()) return "culprit has no data for " + install.name + " " + install.version;
  if (install.manager != Manager::kPip) return "it is not pinned; pin a version";
  return "it is not pinned, so pip installs the newest version; pin it: " + install.name + "==VERSION";
}

// What stands in requirement files decides where nothing else names a CUDA. An image with CUDA in it does:
// what is installed there is meant for it.
void NameUnreadInstalls(const PartView& view, bool hosted, Ruling& ruling) {
  const std::vector<PartView::Step> unread = UnreadInstallsOf(view);
  if (unread.empty()) return;
  const std::string what = "what " + PlaceOf(*unread.front().recipe, unread.front()->line) + " installs";
  const std::string why = "culprit does not read requirement files here; check the built image";
  if (hosted && BuildsOf(view).empty())
    ruling.NotEnoughFacts(what, why);
  else
    ruling.Remark(what, why);
}

void NameScripts(const PartView& view, Ruling& ruling) {
  const std::vector<PartView::Step> scripts = ScriptsOf(view);
  if (scripts.empty()) return;
  ruling.Remark("what " + PlaceOf(*scripts.front().recipe, scripts.front()->line) + " does",
                "culprit does not read scripts here; check the built image");
}

// What is copied from another stage, where nothing else names a CUDA.
void NameDoubtfulCopies(const PartView& view, Ruling& ruling) {
  const std::vector<PartView::Step> copies = DoubtfulCopiesOf(view);
  if (copies.empty() || !BuildsOf(view).empty()) return;
  ruling.NotEnoughFacts("what " + PlaceOf(*copies.front().recipe, copies.front()->line) + " copies",
                        "it may include a framework of that stage; check the built image");
}

// A program from a stage with CUDA, in an image without.
void NameLinkedCopies(const PartView& view, bool hosted, Ruling& ruling) {
  if (view.linked.empty() || view.image.has != knowledge::ImageHas::kNothing || !BuildsOf(view).empty())
    return;
  const PartView::Step& copy = view.linked.front();
  const std::string what = "what " + PlaceOf(*copy.recipe, copy->line) + " copies";
  const std::string why =
      "its stage has CUDA, but " + view.base->image +
      " does not: a program linked to CUDA would lack its libraries; check the built image";
  if (hosted)
    ruling.NotEnoughFacts(what, why);
  else
    ruling.Remark(what, why);
}

// An image whose name does not tell its CUDA.
void NameUnknownImage(const PartView& view, Ruling& ruling) {
  const bool told = view.image_told && view.image.has != knowledge::ImageHas::kUnknown &&
                    view.image.has != knowledge::ImageHas::kGpu;
  const bool asked =
      view.recipe->kind == snapshot::RecipeKind::kDockerfile || IsGivenGpu(view) || !WantsGpu(view).empty();
  if (told || !asked || view.base == nullptr) return;
  const std::string& image = view.base->image;
  ruling.NotEnoughFacts(
      "the CUDA of " + (image.empty() ? view.part->name : image),
      view.image_told
          ? "its name does not tell; check the image itself: docker save IMAGE | culprit check - --host ..."
          : "culprit does not know this image; check the image itself: docker save IMAGE | culprit check - "
            "--host ...");
}

// What of recipes does not tell its CUDA; where a host is there to be judged, nobody can tell whether it
// runs.
void NameUnknown(const Scene& scene, Ruling& ruling) {
  if (!scene.stack().recipes) return;
  const bool hosted = static_cast<bool>(scene.stack().driver);
  for (const PartView& view : Started(scene)) {
    NameUnreadInstalls(view, hosted, ruling);
    NameScripts(view, ruling);
    NameLinkedCopies(view, hosted, ruling);
    if (!hosted) continue;
    if (view.open) {
      ruling.NotEnoughFacts("the CUDA of " + view.part->name,
                            "what it is built from depends on build arguments or on a file that was not "
                            "read; check the built image");
      continue;
    }
    for (const RecipeInstall& install : OpenInstallsOf(view))
      ruling.NotEnoughFacts("the CUDA of the " + install.name + " that " +
                                PlaceOf(*install.step.recipe, install.step->line) + " installs",
                            WhyOpen(install));
    NameDoubtfulCopies(view, ruling);
    NameUnknownImage(view, ruling);
  }
}

void Check(const Scene& scene, Ruling& ruling) {
  const auto& driver = scene.stack().driver;
  const std::vector<CudaUser> all = CudaUsers(scene);
  NameUnknown(scene, ruling);
  if (all.empty()) return ruling.NotApplicable();
  if (Circumstances(scene).wsl && !(driver && driver->assumed)) {
    return ruling.Remark("whether the driver is new enough",
                         "WSL does not report the version of the Windows driver; "
                         "pass --host driver=VERSION");
  }
  if (!Circumstances(scene).jetson.empty() && !(driver && driver->assumed)) return ruling.NotApplicable();
  if (!driver || !driver->kernel_version) {
    const bool nothing_there = driver && driver->kernel_version.state == snapshot::FactState::kAbsent;
    if (nothing_there) return ruling.NotApplicable();  // no driver, so no version to check
    if (driver.state == snapshot::FactState::kNotApplicable) {
      return ruling.Remark("whether the driver is new enough", driver.why);
    }
    if (driver && driver->kernel_version.state == snapshot::FactState::kNotApplicable) {
      return ruling.Remark("whether the driver is new enough", driver->kernel_version.why);
    }
    return ruling.NotEnoughFacts("whether the driver is new enough",
                                 driver ? driver->kernel_version.why : "the driver was not checked");
  }
  for (const CudaUser& user : all) {
    const loader::Scenario* scenario = user.scenario;
    const DriverInUse in_use = DriverOf(scene, scenario, *driver);
    if (in_use.compat != nullptr && driver->assumed && !SupportForwardCompatibility(scene))
      ruling.Remark("whether the GPU supports the libcuda in " + std::string(base::DirName(in_use.source)),
                    "forward compatibility works only on data-centre GPUs; the host's GPU is unknown");
    Compare(scene, user, in_use, scenario != nullptr && HasNoCode(scene, *scenario), ruling);
  }
}

}  // namespace

extern const Rule kRule = {.code = "CUL1013",
                           .name = "driver_too_old",
                           .family = Family::kDriver,
                           .explains = Explains::kOldDriver | Explains::kFramework,
                           .cause = "driver-too-old",
                           .severity = report::Severity::kError,
                           .looks_at = LooksAt::kBoth,
                           .since = "0.2.0",
                           .title = "the driver is too old for the CUDA release of a program or framework",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::driver_too_old
