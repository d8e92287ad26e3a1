#include "compat/chosen_build.h"

#include <algorithm>
#include <tuple>

#include "compat/words.h"
#include "knowledge/packages/packages.h"
#include "knowledge/packages/project_releases.h"
#include "knowledge/packages/release.h"

namespace culprit::compat {
namespace {

using base::Version;
using knowledge::Answer;
using knowledge::Build;
using knowledge::PublishedOn;
using knowledge::Verdict;

}  // namespace

std::string WhereWords(const CompatQuestion& question) {
  if (question.wsl) return "WSL";
  return question.machine == base::Machine::kLinuxX86 ? "Linux" : knowledge::MachineWords(question.machine);
}

std::vector<BuildPair> PairsOf(const CompatQuestion& question, const Build& build) {
  std::vector<BuildPair> pairs;
  const knowledge::Platform platform = knowledge::PlatformOf(build.machine);
  if (question.platform_given) pairs.push_back({WhereWords(question), knowledge::BuildOnMachine(build)});
  if (question.driver) {
    pairs.push_back(
        {DriverWords(question), OfDriver(question, DriverHalf::kLibraries, [&](const Version& driver) {
           return knowledge::BuildOnDriver(build, driver, question.DriverPlatform());
         })});
  }
  if (question.cuda) {
    pairs.push_back({CudaWords(question), knowledge::FrameworkWithCuda(build.row, *question.cuda, platform)});
  }
  if (question.cudnn) {
    pairs.push_back(
        {CudnnWords(question), knowledge::FrameworkWithCudnn(build.row, *question.cudnn, platform)});
  }
  if (question.cc) {
    const auto ask = [&](const Version* driver) {
      Answer answer = knowledge::BuildOnGpu(build, *question.cc, driver);
      if (answer.verdict != Verdict::kYes) return answer;
      Answer system = knowledge::SystemForBuild(build, *question.cc, driver, question.DriverPlatform());
      return system.verdict == Verdict::kYes ? answer : system;
    };
    pairs.push_back({GpuWords(question), question.driver
                                             ? OfDriver(question, DriverHalf::kLibraries,
                                                        [&](const Version& driver) { return ask(&driver); })
                                             : ask(nullptr)});
  }
  if (question.python) {
    Answer answer = knowledge::BuildOnPython(build, *question.python);
    if (answer.verdict == Verdict::kYes) {
      Answer required = knowledge::RequirementsOnPython(build, *question.python);
      if (required.verdict != Verdict::kYes) answer = std::move(required);
    }
    pairs.push_back({"Python " + question.python->ToString(), std::move(answer)});
  }
  for (BuildPair& pair : pairs) pair.answer = knowledge::IfThereIsOne(build, std::move(pair.answer));
  return pairs;
}

size_t DistanceOf(const std::vector<BuildPair>& pairs) {
  constexpr size_t kMost = 100;
  size_t distance = 0;
  for (const BuildPair& pair : pairs) {
    if (pair.answer.verdict == Verdict::kNo) distance += kMost;
    if (pair.answer.verdict == Verdict::kUnknown) ++distance;
  }
  return distance;
}

namespace {

// Lower is better.
auto RankOf(const CompatQuestion& question, const Build& build, const std::vector<BuildPair>& pairs) {
  // Also if no platform was given: a build that cannot be installed is not meant.
  const Verdict there = knowledge::IfThereIsOne(build, knowledge::BuildOnMachine(build)).verdict;
  const bool of_cuda =
      question.cuda && knowledge::BeginsWith(knowledge::Known(build.row.cuda), *question.cuda);
  return std::tuple(DistanceOf(pairs) + DistanceOf({{"", {there, "", ""}}}), of_cuda ? 0 : 1);
}

}  // namespace

ChosenBuild ChooseBuild(const CompatQuestion& question, CompatPackage& package) {
  ChosenBuild choice;
  const std::string meant = knowledge::ReleaseMeant(package.framework, package.version);
  if (meant.empty()) return choice;
  if (meant != package.version) choice.read_as = package.version = meant;
  choice.builds = knowledge::BuildsOfRelease(package.framework, package.version, question.machine);
  if (!package.variant.empty())
    std::erase_if(choice.builds, [&](const Build& build) { return build.row.variant != package.variant; });
  for (size_t i = 0; i < choice.builds.size(); ++i) {
    std::vector<BuildPair> pairs = PairsOf(question, choice.builds[i]);
    const bool better = i > 0 && RankOf(question, choice.builds[i], pairs) <
                                     RankOf(question, choice.builds[choice.chosen], choice.pairs);
    if (i > 0 && !better) continue;
    choice.chosen = i;
    choice.pairs = std::move(pairs);
  }
  return choice;
}

std::string BuildName(const Build& build) {
  const std::string name = std::string(build.distribution) +
                           (build.extra.empty() ? " " : "[" + build.extra + "] ") +
                           std::string(build.version);
  const std::string variant(build.row.variant);
  const bool named = variant.empty() || build.row.framework == "cupy" || build.extra == variant;
  return name + (named ? "" : "+" + variant);
}

namespace {

bool HasOwnPackage(const Build& build) {
  return build.published == PublishedOn::kPackageIndex && build.extra.empty() && !build.row.is_default &&
         !build.row.variant.empty() && build.distribution == build.row.framework;
}

// As PyTorch's page of older releases names its index: in place of the package index, beside it, as a page of
// links.
report::Command TorchOption(const Build& build) {
  const knowledge::WheelIndex* index = knowledge::FindWheelIndex("torch", build.number);
  return report::FromTable(index == nullptr ? "--index-url" : std::string(index->option));
}

// For frameworks whose index releases are in the tables: TensorRT 8.5.2 was only an archive.
bool IsMissingOnIndex(const Build& build) {
  const std::string framework(build.distribution);
  if (build.published != PublishedOn::kPackageIndex || !knowledge::HasProjectRelease(framework, ""))
    return false;
  const std::string name = framework + (HasOwnPackage(build) ? "-" + std::string(build.row.variant) : "");
  return !knowledge::HasProjectRelease(name, "==" + build.shown);
}

}  // namespace

report::Command InstallCommand(const Build& build) {
  if (build.published == PublishedOn::kUnknown || build.distribution.empty()) return {};
  report::Command command = "pip install \"" + report::Plain(build.distribution);
  // mxnet-cu112, tensorrt-cu12: each build is a package of its own.
  if (HasOwnPackage(build)) command += "-" + report::FromTable(std::string(build.row.variant));
  if (!build.extra.empty()) command += "[" + report::FromTable(build.extra) + "]";
  command += "==" + report::Plain(build.shown) + "\"";
  if (IsMissingOnIndex(build)) return {};
  switch (build.published) {
    case PublishedOn::kUnknown:
    case PublishedOn::kPackageIndex:
      break;
    case PublishedOn::kTorchIndex:
      command += " " + TorchOption(build) + " " + report::Word(build.address);
      break;
    case PublishedOn::kIndex:
      command += " --index-url " + report::Word(build.address);
      break;
    case PublishedOn::kFeed:
      command += " --extra-index-url " + report::Word(build.address);
      break;
    case PublishedOn::kPage:
      command += " --find-links " + report::Word(build.address);
      break;
  }
  return command;
}

}  // namespace culprit::compat
