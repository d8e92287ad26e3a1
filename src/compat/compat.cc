#include "compat/compat.h"

#include <utility>

#include "compat/chosen_build.h"
#include "compat/chosen_release.h"
#include "compat/goes_with/goes_with.h"
#include "compat/words.h"
#include "knowledge/arch.h"
#include "knowledge/cudnn.h"
#include "knowledge/host_compilers.h"
#include "knowledge/packages/builds.h"
#include "knowledge/packages/distributions.h"
#include "knowledge/packages/project_fit.h"
#include "knowledge/packages/release.h"

namespace culprit::compat {
namespace {

using base::Version;
using knowledge::Answer;
using knowledge::Verdict;
using report::Compatible;

// The minimum driver in cuDNN's support matrix; nothing if it does not cover the pair.
std::optional<Answer> CudnnOnDriver(const Version& cudnn, const Version& driver, const Version& cuda,
                                    knowledge::Platform platform) {
  for (const knowledge::CudnnDriverFloor& row : knowledge::CudnnDriverFloors()) {
    const Version first = knowledge::Known(row.cudnn_first), last = knowledge::Known(row.cudnn_last);
    const bool covered = cudnn >= first && (cudnn <= last || knowledge::BeginsWith(cudnn, last));
    if (!covered || !knowledge::BeginsWith(cuda, knowledge::Known(row.cuda))) continue;
    const std::string_view floor = platform == knowledge::Platform::kWindows ? row.windows : row.linux;
    if (floor.empty()) continue;
    const std::string why = "cuDNN " + cudnn.ToString() + " for CUDA " + std::string(row.cuda) +
                            " needs driver " + std::string(floor) + " or newer";
    return driver >= knowledge::Known(floor) ? knowledge::Yes(why, row.source)
                                             : knowledge::No(why, row.source);
  }
  return std::nullopt;
}

class Comparison {
 public:
  explicit Comparison(const CompatQuestion& question) : question_(question), packages_(question.packages) {}

  report::CompatAnswer Run() {
    Drivers();
    Toolkits();
    Gpus();
    for (CompatPackage& package : packages_) Package(package);
    Packages();
    answer_.verdict = Compatible::kYes;
    if (answer_.pairs.empty()) {
      answer_.verdict = Compatible::kUnknown;
      if (question_.things > 1) answer_.notes.emplace_back("these are independent of each other");
    }
    for (const auto& pair : answer_.pairs) {
      if (pair.verdict == Compatible::kNo) answer_.verdict = Compatible::kNo;
      if (pair.verdict == Compatible::kUnknown && answer_.verdict == Compatible::kYes)
        answer_.verdict = Compatible::kUnknown;
    }
    return std::move(answer_);
  }

 private:
  void Add(std::string one, std::string other, const Answer& answer) {
    answer_.pairs.push_back(
        {std::move(one), std::move(other), InReport(answer.verdict), answer.why, std::string(answer.source)});
  }

  void Drivers() {
    if (!question_.driver) return;
    const std::string name = DriverWords(question_);
    const knowledge::Platform platform = question_.DriverPlatform();
    if (question_.cuda_compat) Add(name, CudaCompatWords(question_), CudaCompatFits(question_));
    if (question_.cuda) {
      Add(name, CudaWords(question_), OfDriver(question_, DriverHalf::kLibraries, [&](const Version& driver) {
            return knowledge::DriverForCuda(driver, *question_.cuda, platform);
          }));
    }
    if (question_.cc) {
      Add(name, GpuWords(question_), OfDriver(question_, DriverHalf::kKernel, [&](const Version& driver) {
            return knowledge::DriverDrives(driver, *question_.cc, platform);
          }));
    }
    if (!question_.cudnn || !question_.cuda) return;
    if (CudnnOnDriver(*question_.cudnn, *question_.driver, *question_.cuda, platform)) {
      Add(name, CudnnWords(question_),
          OfDriver(question_, DriverHalf::kLibraries, [&](const Version& driver) {
            return *CudnnOnDriver(*question_.cudnn, driver, *question_.cuda, platform);
          }));
    }
  }

  void Toolkits() {
    if (!question_.cuda) return;
    const Version& cuda = *question_.cuda;
    const std::string name = CudaWords(question_);
    if (question_.cudnn) Add(name, CudnnWords(question_), knowledge::CudnnForCuda(*question_.cudnn, cuda));
    if (question_.cc)
      Add(name, GpuWords(question_), knowledge::ToolkitTargets(cuda.ToString(), *question_.cc));
    if (question_.gcc)
      Add(name, "gcc " + question_.gcc->ToString(), knowledge::GccFits(cuda, *question_.gcc));
    if (question_.clang)
      Add(name, "clang " + question_.clang->ToString(), knowledge::ClangFits(cuda, *question_.clang));
    if (question_.msvc) Add(name, question_.msvc_name, OfCompilers(cuda));
  }

  // For a whole Visual Studio, asks about its first and its last compiler.
  Answer OfCompilers(const Version& cuda) const {
    const Answer first = knowledge::MsvcFits(cuda, *question_.msvc);
    const Answer last = knowledge::MsvcFits(cuda, *question_.msvc_last);
    if (first.verdict == last.verdict) return last;
    return knowledge::Unknown(
        "this depends on the exact compiler version of " + question_.msvc_name + ": " + last.why,
        last.source);
  }

  void Gpus() {
    if (!question_.cc && !question_.gpu_name.empty()) NoSuchGpu();
    if (!question_.cc || !question_.cudnn) return;
    Add(CudnnWords(question_), GpuWords(question_),
        knowledge::CudnnForGpu(*question_.cudnn, question_.cuda.value_or(Version{{0}}), *question_.cc));
  }

  void NoSuchGpu() {
    const Answer answer = knowledge::Unknown("the GPU '" + question_.gpu_name +
                                             "' is not in the table; give its compute capability, gpu=8.9 or "
                                             "gpu=sm_89");
    if (question_.driver) Add(DriverWords(question_), GpuWords(question_), answer);
    if (question_.cuda) Add(CudaWords(question_), GpuWords(question_), answer);
    if (question_.cudnn) Add(CudnnWords(question_), GpuWords(question_), answer);
    for (const CompatPackage& package : packages_) Add(package.shown, GpuWords(question_), answer);
  }

  void Release(CompatPackage& package) {
    const auto releases = knowledge::ReleasesOfProject(package.key, question_.machine);
    const knowledge::ProjectRelease* release = knowledge::ReleaseMeant(releases, package.version);
    if (release == nullptr) {
      NotInTable(package);
      return;
    }
    if (release->version != package.version) {
      package.version = release->version;
      answer_.notes.push_back(package.shown + " is read as " + package.version);
    }
    for (const BuildPair& pair : PairsOf(question_, *release)) Add(package.shown, pair.other, pair.answer);
  }

  void Package(CompatPackage& package) {
    if (package.framework.empty()) return Release(package);
    const ChosenBuild choice = ChooseBuild(question_, package);
    if (choice.builds.empty()) {
      NotInTable(package);
      return;
    }
    if (!choice.read_as.empty()) answer_.notes.push_back(package.shown + " is read as " + choice.read_as);
    OfOtherPackage(package, choice.builds[choice.chosen]);
    for (const BuildPair& pair : choice.pairs) Add(package.shown, pair.other, pair.answer);
    if (choice.builds.size() > 1 || !choice.builds[0].extra.empty()) AddBuild(package, choice);
  }

  // The package of the index that was named is not the one that has the build.
  void OfOtherPackage(const CompatPackage& package, const knowledge::Build& build) {
    if (build.distribution == package.key) return;
    const std::string version(build.version), name(build.distribution);
    const auto listed = knowledge::DistributionsOf(package.key);
    if (!build.row.package.empty() && package.key == package.framework) {
      answer_.notes.push_back(package.key + " " + version + " on the package index is for the CPU only; " +
                              name + " is the build for the GPU");
    } else if (!listed.empty() && knowledge::NumberOf(listed.back().version) < build.number) {
      Add(package.shown, "the package index",
          knowledge::No(package.key + " ended with " + std::string(listed.back().version) + "; " + name +
                            " " + version + " takes its place",
                        listed.back().source));
    }
  }

  void NotInTable(const CompatPackage& package) {
    const Answer answer = knowledge::Unknown(package.shown + " is not in the table");
    if (question_.platform_given) Add(package.shown, knowledge::MachineWords(question_.machine), answer);
    if (question_.driver) Add(package.shown, DriverWords(question_), answer);
    if (question_.cuda) Add(package.shown, CudaWords(question_), answer);
    if (question_.cudnn) Add(package.shown, CudnnWords(question_), answer);
    if (question_.cc) Add(package.shown, GpuWords(question_), answer);
    if (question_.python) Add(package.shown, "Python " + question_.python->ToString(), answer);
  }

  void AddBuild(const CompatPackage& package, const ChosenBuild& choice) {
    const knowledge::Build& build = choice.builds[choice.chosen];
    report::CompatBuild answer{.package = package.shown, .build = BuildName(build)};
    answer.is_default = build.published == knowledge::PublishedOn::kPackageIndex;
    for (const knowledge::Build& other : choice.builds) {
      if (&other != &build) answer.others.push_back(BuildName(other));
    }
    answer.verdict = choice.pairs.empty() ? Compatible::kUnknown : Compatible::kYes;
    for (const BuildPair& pair : choice.pairs) {
      if (pair.answer.verdict == Verdict::kNo) answer.verdict = Compatible::kNo;
      if (pair.answer.verdict == Verdict::kUnknown && answer.verdict == Compatible::kYes)
        answer.verdict = Compatible::kUnknown;
    }
    if (answer.verdict != Compatible::kNo) answer.install = InstallCommand(build);
    answer_.builds.push_back(std::move(answer));
  }

  void Packages() {
    for (size_t i = 0; i < packages_.size(); ++i) {
      for (size_t j = i + 1; j < packages_.size(); ++j) {
        const CompatPackage &one = packages_[i], &other = packages_[j];
        const auto answer =
            knowledge::PackagesTogether(one.key, one.version, other.key, other.version, question_.machine,
                                        question_.python ? &*question_.python : nullptr);
        if (answer) Add(one.shown, other.shown, *answer);
      }
    }
  }

  const CompatQuestion& question_;
  std::vector<CompatPackage> packages_;  // with the release that each means
  report::CompatAnswer answer_;
};

}  // namespace

report::CompatAnswer Compat(const CompatQuestion& question) {
  // A framework and a platform are two things to compare; anything else alone is listed.
  const bool pair = question.platform_given && !question.packages.empty();
  if (question.things != 1 || pair) return Comparison(question).Run();
  report::CompatAnswer answer;
  ListWhatGoesWith(question, answer);
  return answer;
}

}  // namespace culprit::compat
