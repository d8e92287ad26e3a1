// The toolkit and the cuDNN that a plan would take from the system, from conda-forge instead. A framework of
// the package index loads them by name, like those of the system.
#include <algorithm>

#include "knowledge/packages/frameworks.h"
#include "knowledge/packages/packages.h"
#include "knowledge/packages/release.h"
#include "plan/commands/command_parts.h"

namespace culprit::plan {
namespace {

using base::Version;

const report::PlannedPackage* OfRole(const report::Plan& plan, report::PackageRole role) {
  const auto at = std::ranges::find(plan.packages, role, &report::PlannedPackage::role);
  return at == plan.packages.end() ? nullptr : &*at;
}

// "cudatoolkit=11.2"; "" if conda-forge has no such thing.
std::string Named(std::string_view what, const Version& version) {
  const knowledge::PackageName* row = knowledge::FindPackageName("conda", what, version, "conda-forge");
  if (row == nullptr) return "";
  const knowledge::Blanks blanks{.version = version, .cuda = version, .variant = ""};
  const std::string pin = row->version.empty() ? "" : "=" + knowledge::FillIn(row->version, blanks);
  return knowledge::FillIn(row->name, blanks) + pin;
}

// The oldest cuDNN that the frameworks of a plan accept; "" = any of the major.
std::string OldestCudnn(const report::Plan& plan, uint32_t major) {
  Version oldest{{major}};
  for (const report::PlannedPackage& package : plan.packages) {
    const auto version = Version::Parse(package.version.substr(0, package.version.find('+')));
    const std::string_view framework = knowledge::FrameworkName(package.name);
    if (package.role != report::PackageRole::kFramework || framework.empty() || !version) continue;
    for (const knowledge::FrameworkRelease* row : knowledge::FindFramework(framework, *version)) {
      const auto cudnn = Version::Parse(row->cudnn);
      if (cudnn && cudnn->part(0) == major) oldest = std::max(oldest, *cudnn);
    }
  }
  return oldest.ToString();
}

// conda-forge has not every release of cuDNN, so the file asks for one that serves.
std::string CudnnRange(const report::Plan& plan, const Question& question, const Version& cudnn) {
  const knowledge::PackageName* row = knowledge::FindPackageName("conda", "cudnn", cudnn, "conda-forge");
  if (row == nullptr) return "";
  const auto want = std::ranges::find(question.wants, "cudnn", &Want::name);
  if (want != question.wants.end() && !want->specifiers.empty())
    return std::string(row->name) + " " + want->specifiers;
  return std::string(row->name) + " >=" + OldestCudnn(plan, cudnn.part(0)) + ",<" +
         std::to_string(cudnn.part(0) + 1);
}

}  // namespace

std::vector<std::string> CondaCuda(const report::Plan& plan, const Question& question) {
  const report::PlannedPackage* toolkit = OfRole(plan, report::PackageRole::kToolkit);
  const report::PlannedPackage* cudnn = OfRole(plan, report::PackageRole::kCudnn);
  if (toolkit == nullptr) return {};
  const Version cuda = knowledge::Known(toolkit->version);
  std::vector<std::string> names = {Named("cuda-version", knowledge::MinorOf(cuda)), Named("cuda", cuda)};
  if (cudnn != nullptr) names.push_back(CudnnRange(plan, question, knowledge::Known(cudnn->version)));
  const bool all = std::ranges::none_of(names, [](const std::string& name) { return name.empty(); });
  return all ? names : std::vector<std::string>();
}

}  // namespace culprit::plan
