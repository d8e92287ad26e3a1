#include "plan/universe/universe.h"

#include <algorithm>
#include <cctype>
#include <numeric>

#include "base/python/package_name.h"
#include "base/python/pep440.h"
#include "knowledge/packages/distributions.h"
#include "knowledge/packages/pins.h"
#include "knowledge/packages/project_releases.h"
#include "knowledge/packages/release.h"
#include "plan/commands/in_order.h"
#include "plan/universe/making.h"

namespace culprit::plan {
namespace {

using knowledge::Verdict;

// "==2.4.1+cu118" asks for that build.
std::string LocalPart(const std::string& specifiers) {
  const size_t plus = specifiers.find('+');
  return plus == std::string::npos ? "" : specifiers.substr(plus + 1, specifiers.find(',', plus) - plus - 1);
}

}  // namespace

bool Fits(const Want& want, const Candidate& candidate) {
  if (!candidate.before.empty()) return knowledge::AdmitsBefore(candidate.before, want.specifiers);
  if (candidate.row == nullptr) {  // 0.8.5.post1 is not 0.8.5
    const auto met = base::Meets(candidate.version, want.specifiers);
    return want.specifiers.empty() ||
           (met ? *met : knowledge::Meets(candidate.number, want.specifiers) == Verdict::kYes);
  }
  if (!want.specifiers.empty() && knowledge::Meets(candidate.number, want.specifiers) != Verdict::kYes)
    return false;
  if (candidate.without_extra && !want.extra.empty()) return false;
  if (!want.variant.empty() && candidate.variant != want.variant) return false;
  const std::string local = LocalPart(want.specifiers);
  if (!local.empty() && candidate.variant != local) return false;
  // jax[cuda12], cupy-cuda12x: the extra chooses the build; tensorflow[and-cuda] is what is planned anyway.
  const bool chooses = want.extra.starts_with("cuda") && !candidate.variant.empty();
  return !chooses || want.extra.starts_with(candidate.variant) || candidate.variant.starts_with(want.extra);
}

std::vector<size_t> AllOf(const Package& package) {
  std::vector<size_t> all(package.candidates.size());
  std::iota(all.begin(), all.end(), 0U);
  return all;
}

std::vector<size_t> FittingTo(const Want& want, const std::vector<Candidate>& candidates) {
  std::vector<size_t> fitting;
  for (size_t i = 0; i < candidates.size(); ++i) {
    if (Fits(want, candidates[i])) fitting.push_back(i);
  }
  return fitting;
}

namespace {

std::string PackageName(const std::string& name) { return name == "cuda" ? "cuda-toolkit" : name; }

// Distribution of an installed package -> the name in the tables.
std::string TableNameOf(const std::string& distribution) {
  std::string name;
  for (const char c : distribution)
    name += c == '_' ? '-' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (name == "onnxruntime") return "";  // the one for the CPU
  const knowledge::TableEntry entry = knowledge::FindEntry(name);
  return entry.framework.empty() ? name : std::string(entry.framework);
}

// Whether a build is that of another package of the index than the installed one, which then is another
// build: mxnet-cu112 and mxnet-cu101, tensorflow-gpu 1.14 and tensorflow 1.14.
bool IsOfOtherPackage(const Candidate& candidate, const std::string& installed) {
  if (candidate.row == nullptr || candidate.distribution == installed) return false;
  const bool by_variant =
      !candidate.variant.empty() && candidate.distribution.ends_with("-" + candidate.variant);
  return by_variant ||
         (!candidate.row->package.empty() && candidate.distribution != candidate.row->framework);
}

size_t FindInstalled(const Package& package, const Installed& installed) {
  const size_t plus = installed.version.find('+');
  const std::string plain = installed.version.substr(0, plus);
  const std::string local = plus == std::string::npos ? "" : installed.version.substr(plus + 1);
  for (size_t i = 0; i < package.candidates.size(); ++i) {
    const Candidate& candidate = package.candidates[i];
    if (IsOfOtherPackage(candidate, base::NormalName(installed.package))) continue;
    if (candidate.version == installed.version) return i;
    if (candidate.version.substr(0, candidate.version.find('+')) != plain) continue;
    if (local.empty() ? candidate.is_default : candidate.variant == local) return i;
  }
  return kNone;
}

// What must stay, and what must be there in some version.
void AddInstalledRoots(const Question& question, const std::vector<size_t>& asked, Width width,
                       Universe& universe) {
  for (size_t i = 0; i < universe.installed.size(); ++i) {
    const Package& package = universe.packages[universe.installed[i]];
    const auto kept = std::ranges::find_if(question.keep, [&](const std::string& keep) {
      return TableNameOf(keep) == package.name || keep == package.name;
    });
    if (kept != question.keep.end()) {
      Root root{.package = universe.installed[i],
                .words = "--keep " + package.name,
                .of = Requirement::Kind::kKeep};
      root.index = static_cast<size_t>(kept - question.keep.begin());
      if (universe.here[i] != kNone) root.accepts = {universe.here[i]};
      universe.roots.push_back(std::move(root));
      if (width == Width::kExact) continue;
    }
    if (question.repair && package.role != PackageRole::kLibrary) {
      universe.roots.push_back({.package = universe.installed[i],
                                .accepts = AllOf(package),
                                .words = package.name + " (installed)",
                                .of = Requirement::Kind::kInstalled,
                                .index = asked[i]});
    }
  }
}

int Weight(const Package& package) {
  return package.role == PackageRole::kFramework ? 0 : package.role == PackageRole::kCompanion ? 1 : 2;
}

// Returns the place in the question of each.
std::vector<size_t> AddInstalled(const Question& question, Making& making) {
  Universe& universe = making.universe();
  struct Found {
    size_t package, here, asked;
  };
  std::vector<Found> found;
  for (size_t i = 0; i < question.installed.size(); ++i) {
    const Installed& installed = question.installed[i];
    const std::string name = TableNameOf(installed.package);
    const bool framework = !knowledge::FrameworkName(name).empty() && name != "triton";
    const bool companion =
        name == "torchvision" || name == "torchaudio" || name == "xformers" || name == "vllm";
    if (name.empty() || (!framework && !companion && knowledge::DistributionsOf(name).empty())) continue;
    const size_t package = making.PackageNamed(name == "cuda-toolkit" ? "pypi:cuda-toolkit" : name);
    if (package == kNone) continue;
    found.push_back({package, FindInstalled(universe.packages[package], installed), i});
  }
  SortInOrder(found, [&](const Found& a, const Found& b) {
    return Weight(universe.packages[a.package]) < Weight(universe.packages[b.package]);
  });
  std::vector<size_t> asked;
  for (const Found& one : found) {
    universe.installed.push_back(one.package);
    universe.here.push_back(one.here);
    asked.push_back(one.asked);
  }
  return asked;
}

}  // namespace

Making::Making(const Question& question, BuildTable& builds, Width width)
    : question_(question), builds_(builds), width_(width) {
  AddMachine();
}

size_t Making::PackageNamed(const std::string& name) {
  const auto made = made_.find(name);
  if (made != made_.end()) return made->second;
  if (name == "cuda-toolkit") return AddToolkit();
  if (name == "cudnn") return AddSystemCudnn();
  if (name == "pypi:cuda-toolkit") return AddLibrary("cuda-toolkit", name);
  const bool framework = name != "triton" && PlannedFramework(name) == name;
  if (framework) return AddFramework(name);
  return knowledge::DistributionsOf(name).empty() ? AddProject(name) : AddLibrary(name, name);
}

Universe MakeUniverse(const Question& question, BuildTable& builds, Width width) {
  Making making(question, builds, width);
  Universe& universe = making.universe();
  for (size_t w = 0; w < question.wants.size(); ++w) {
    const Want& want = question.wants[w];
    Root root{.words = want.text, .of = Requirement::Kind::kWant, .index = w};
    root.package = making.PackageNamed(PackageName(want.name));
    if (root.package == kNone) {  // nothing of it is for this machine
      universe.packages.push_back({want.name, PackageRole::kFramework, {}});
      root.package = universe.packages.size() - 1;
    }
    const auto& candidates = universe.packages[root.package].candidates;
    root.accepts = FittingTo(want, candidates);
    universe.wants.push_back(root.package);
    universe.roots.push_back(std::move(root));
  }
  if (!question.passed_through.empty()) {  // they are installed into an environment too
    const size_t python = making.PackageNamed("python");
    universe.roots.push_back(
        {.package = python, .accepts = AllOf(universe.packages[python]), .words = "Python"});
  }
  AddInstalledRoots(question, AddInstalled(question, making), width, universe);
  return std::move(universe);
}

}  // namespace culprit::plan
