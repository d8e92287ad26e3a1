#include "compat/chosen_release.h"

#include <algorithm>

#include "base/parallel/in_order.h"
#include "base/python/pep440.h"
#include "compat/words.h"
#include "knowledge/packages/pins.h"
#include "knowledge/packages/project_fit.h"
#include "knowledge/packages/release.h"

namespace culprit::compat {
namespace {

using base::Version;
using knowledge::Answer;
using knowledge::Build;
using knowledge::ProjectRelease;
using knowledge::ReleaseFit;
using knowledge::Required;
using knowledge::Verdict;

constexpr size_t kDeepest = 3;  // cuml-cu12 requires cudf-cu12, which requires libcudf-cu12

std::string NameOf(const ProjectRelease& release) {
  return std::string(release.package) + " " + std::string(release.version);
}

// How to find out what the tables do not say.
std::string HowToTell(const ProjectRelease& release) {
  return "; to find out, run `pip download --no-deps " + std::string(release.package) +
         "==" + std::string(release.version) + "` and `culprit inspect` on the file";
}

class Judging {
 public:
  explicit Judging(const CompatQuestion& question) : question_(question) {}

  std::vector<BuildPair> Pairs(const ProjectRelease& release) {
    std::vector<BuildPair> pairs = Own(release);
    path_.push_back(release.package);
    const Version* python = question_.python ? &*question_.python : nullptr;
    for (const Required& required : knowledge::RequirementsOf(release, python)) {
      for (BuildPair& pair : BestOf(release, required)) {
        pair.answer.why =
            NameOf(release) + " requires " + required.name + required.specifiers + "; " + pair.answer.why;
        Merge(std::move(pair), pairs);
      }
    }
    path_.pop_back();
    return pairs;
  }

 private:
  static void Merge(BuildPair pair, std::vector<BuildPair>& pairs) {
    const auto at = std::ranges::find(pairs, pair.other, &BuildPair::other);
    if (at == pairs.end()) {
      pairs.push_back(std::move(pair));
    } else if (DistanceOf({pair}) > DistanceOf({*at})) {
      *at = std::move(pair);
    }
  }

  static Answer AsAnswer(const ProjectRelease& release, const ReleaseFit& fit) {
    return {fit.verdict, NameOf(release) + ": " + fit.words + (fit.no_row ? HowToTell(release) : ""),
            fit.source};
  }

  std::vector<BuildPair> Own(const ProjectRelease& release) const {
    std::vector<BuildPair> pairs;
    const auto add = [&](std::string other, const std::optional<ReleaseFit>& fit) {
      if (fit) pairs.push_back({std::move(other), AsAnswer(release, *fit)});
    };
    if (question_.platform_given) add(WhereWords(question_), knowledge::ReleaseOnMachine(release));
    const bool of_driver = !knowledge::CudaOfName(release).empty() || knowledge::DriverBound(release);
    if (question_.driver && of_driver) {
      pairs.push_back(
          {DriverWords(question_), OfDriver(question_, DriverHalf::kLibraries, [&](const Version& driver) {
             return AsAnswer(release,
                             *knowledge::ReleaseOnDriver(release, driver, question_.DriverPlatform()));
           })});
    }
    if (question_.cc) add(GpuWords(question_), knowledge::ReleaseOnGpu(release, *question_.cc));
    AddToolkits(release, pairs);
    if (question_.cuda) add(CudaWords(question_), knowledge::ReleaseWithCuda(release, *question_.cuda));
    if (question_.python)
      add("Python " + question_.python->ToString(), knowledge::ReleaseOnPython(release, *question_.python));
    return pairs;
  }

  // Of what is built where it is installed: with a toolkit that the driver runs, and that knows the GPU.
  void AddToolkits(const ProjectRelease& release, std::vector<BuildPair>& pairs) const {
    const auto ask = [&](const Version* driver, const Version* cc) {
      return knowledge::ToolkitForRelease(release, driver, cc, question_.DriverPlatform());
    };
    if (!ask(nullptr, nullptr)) return;
    const auto on = [&](const Version* cc) {
      return OfDriver(question_, DriverHalf::kLibraries,
                      [&](const Version& driver) { return AsAnswer(release, *ask(&driver, cc)); });
    };
    if (question_.driver) Merge({DriverWords(question_), on(nullptr)}, pairs);
    if (question_.cc) {
      Merge({GpuWords(question_),
             question_.driver ? on(&*question_.cc) : AsAnswer(release, *ask(nullptr, &*question_.cc))},
            pairs);
    }
  }

  // The release of another package in the question: then only that release counts.
  bool IsAsked(std::string_view framework, const Build& build) const {
    return std::ranges::all_of(question_.packages, [&](const CompatPackage& package) {
      if (package.framework != framework) return true;
      const bool variant = package.variant.empty() || package.variant == build.row.variant;
      return variant && knowledge::BeginsWith(build.number, knowledge::NumberOf(package.version));
    });
  }

  // Of what it requires the release that fits best; empty if the tables do not have any that it accepts, or
  // if no GPU depends on it.
  std::vector<BuildPair> BestOf(const ProjectRelease& release, const Required& required) {
    const knowledge::TableEntry entry = knowledge::FindEntry(required.name);
    const bool no_gpu = required.name == "onnxruntime" || required.name == "triton";
    if (no_gpu || entry.package.empty()) return {};
    return entry.framework.empty() ? BestRelease(required) : BestBuild(release, required, entry);
  }

  // Of the framework that it was built against: what is recorded; of one release of it, the default build.
  std::vector<uint32_t> MajorsOf(const ProjectRelease& release, const Required& required,
                                 const std::vector<Version>& gpus) const {
    std::vector<uint32_t> majors = knowledge::CudaMajorsOf(release, gpus);
    const bool own = release.project != nullptr && release.project->gpu == knowledge::GpuUse::kOwn;
    if (!majors.empty() || !own || !required.specifiers.starts_with("==")) return majors;
    for (const Build& build : knowledge::BuildsOf("torch", question_.machine)) {
      const bool the_one = build.row.is_default && !build.row.cuda.empty() &&
                           base::Meets(build.version, required.specifiers) == true;
      if (the_one) return {knowledge::Known(build.row.cuda).part(0)};
    }
    return majors;
  }

  std::vector<BuildPair> BestBuild(const ProjectRelease& release, const Required& required,
                                   const knowledge::TableEntry& entry) const {
    std::vector<Version> gpus;
    if (question_.cc) gpus.push_back(*question_.cc);
    std::vector<uint32_t> majors;
    if (entry.framework == "torch") majors = MajorsOf(release, required, gpus);
    const auto accepted = [&](const Build& build) {
      const bool variant = entry.variant.empty() || build.row.variant == entry.variant;
      const bool major = majors.empty() || build.row.cuda.empty() ||
                         std::ranges::find(majors, knowledge::Known(build.row.cuda).part(0)) != majors.end();
      const bool opens = release.opened == nullptr || build.row.cuda.empty() ||
                         knowledge::GoesWithCuda(release, knowledge::Known(build.row.cuda), gpus);
      return variant && major && opens && IsAsked(entry.framework, build) &&
             base::Meets(build.version, required.specifiers) == true;
    };
    std::vector<BuildPair> best;
    for (const Build& build : knowledge::BuildsOf(entry.framework, question_.machine)) {
      if (!accepted(build)) continue;
      std::vector<BuildPair> pairs = compat::PairsOf(question_, build);
      if (best.empty() || DistanceOf(pairs) < DistanceOf(best)) best = std::move(pairs);
      if (DistanceOf(best) == 0) break;
    }
    return best;
  }

  // A package with GPU code of its own, or for one CUDA.
  std::vector<BuildPair> BestRelease(const Required& required) {
    const knowledge::Project* project = knowledge::FindProject(required.name);
    const bool counts =
        project != nullptr && (project->gpu != knowledge::GpuUse::kNone || !project->cuda.empty());
    const bool again = std::ranges::find(path_, required.name) != path_.end();
    if (!counts || again || path_.size() > kDeepest) return {};
    std::vector<BuildPair> best;
    for (const ProjectRelease& other : knowledge::ReleasesOfProject(required.name, question_.machine)) {
      const bool accepted = other.version.empty() || base::Meets(other.version, required.specifiers) == true;
      if (!accepted) continue;
      std::vector<BuildPair> pairs = Pairs(other);
      if (best.empty() || DistanceOf(pairs) < DistanceOf(best)) best = std::move(pairs);
      if (DistanceOf(best) == 0) break;
    }
    return best;
  }

  const CompatQuestion& question_;
  std::vector<std::string_view> path_;  // packages on the way to this one
};

}  // namespace

std::vector<BuildPair> PairsOf(const CompatQuestion& question, const ProjectRelease& release) {
  std::vector<std::string> order;
  if (question.platform_given) order.push_back(WhereWords(question));
  if (question.driver) order.push_back(DriverWords(question));
  if (question.cuda) order.push_back(CudaWords(question));
  if (question.cudnn) order.push_back(CudnnWords(question));
  if (question.cc) order.push_back(GpuWords(question));
  std::vector<BuildPair> pairs = Judging(question).Pairs(release);
  base::SortInOrder(pairs, [&](const BuildPair& a, const BuildPair& b) {
    return std::ranges::find(order, a.other) < std::ranges::find(order, b.other);
  });
  return pairs;
}

}  // namespace culprit::compat
