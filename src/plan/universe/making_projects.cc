// Packages that people install beside a framework as candidates: transformers, flash-attn, bitsandbytes. What
// their METADATA asks of packages in the tables, their GPU code, and what those need that are built where
// they are installed: a toolkit with the CUDA of their framework.
#include <algorithm>

#include "base/python/pep440.h"
#include "base/python/pep508.h"
#include "base/text.h"
#include "knowledge/arch.h"
#include "knowledge/packages/project_releases.h"
#include "knowledge/packages/release.h"
#include "plan/project/asking.h"
#include "plan/universe/making.h"

namespace culprit::plan {
namespace {

using base::Version;
using knowledge::Answer;
using knowledge::GpuUse;
using knowledge::Verdict;

// Majors of CUDA for which a framework may have been built that others are built against.
constexpr uint32_t kBuildMajors[] = {13, 12, 11};

constexpr std::string_view kOwnVersion = "{version}";

bool UsesGpu(const std::string& name) {
  const knowledge::Project* project = knowledge::FindProject(name);
  return project != nullptr && project->gpu != GpuUse::kNone;
}

// Without GPU code of its own, but a driver must run its CUDA: tensorrt-cu13.
bool IsForOneCuda(const std::string& name) {
  const knowledge::Project* project = knowledge::FindProject(name);
  return project != nullptr && !project->cuda.empty();
}

bool IsFramework(const std::string& name) { return PlannedFramework(name) == name && name != "triton"; }

}  // namespace

size_t Making::AddProject(const std::string& name) {
  const Machine machine = question_.host.machine;
  const std::vector<ProjectRelease>& releases = builds_.ReleasesOf(name, machine);
  if (releases.empty()) return kNone;
  const bool wanted = std::ranges::find(question_.wants, name, &Want::name) != question_.wants.end();
  const PackageRole role = wanted || UsesGpu(name) ? PackageRole::kCompanion : PackageRole::kLibrary;
  universe_.packages.push_back({name, role, {}});
  const size_t package = made_[name] = universe_.packages.size() - 1;
  std::vector<Candidate> candidates;
  for (const ProjectRelease& release : releases) {
    Candidate candidate;
    candidate.distribution = name;
    candidate.version = release.version;
    candidate.number = release.number;
    candidate.channel = report::ChannelKind::kPypi;
    if (!IsLeftOut(name, candidate)) {
      NeedProjectFiles(release, candidate);
      NeedProjectPins(name, release, candidate);
      NeedProjectCode(release, candidate);
    }
    if (release.build == nullptr || IsLeftOut(name, candidate)) {
      candidates.push_back(std::move(candidate));
    } else {
      AddBuilt(*release.build, candidate, candidates);
    }
  }
  AddBefore(name, candidates);
  ApplyLimits(name, candidates);
  universe_.packages[package].candidates = std::move(candidates);
  return package;
}

// The tables begin with releases of 2023. What is older has no row, and without GPU code of its own it may
// well work: the last resort, left to pip.
void Making::AddBefore(const std::string& name, std::vector<Candidate>& candidates) {
  if (UsesGpu(name) || candidates.empty() || candidates.back().version.empty()) return;
  const std::string oldest = candidates.back().version;
  Candidate older;
  older.distribution = name;
  older.number = Version{{0}};
  older.channel = report::ChannelKind::kPypi;
  older.before = oldest;
  candidates.push_back(std::move(older));
}

// Wheels for the machine and its Python, or the source.
void Making::NeedProjectFiles(const ProjectRelease& release, Candidate& candidate) {
  std::vector<const knowledge::ProjectWheels*> files = release.wheels;
  if (files.empty() && release.archive != nullptr) files = {release.archive};
  if (files.empty()) {
    if (release.version.empty()) return;  // from its repository
    candidate.needs.push_back(FactNeed(machine_, knowledge::No("", ""), "",
                                       "no wheel for " + MachineWords(question_.host.machine)));
    return;
  }
  candidate.source = files.front()->source;
  if (knowledge::IsSourceOfWheels(release)) {
    const knowledge::ReleaseFit fit = knowledge::ReleaseOnMachine(release);
    candidate.needs.push_back(FactNeed(machine_, {fit.verdict, "", fit.source}, "", fit.words));
  }
  if (const SharedNeed python = FilesNeed(files)) candidate.needs.push_back(python);
  NeedGlibc(files, candidate);
}

// The Pythons that one of the files is for; nullptr: all.
SharedNeed Making::FilesNeed(const std::vector<const knowledge::ProjectWheels*>& files) {
  const auto [at, fresh] = file_needs_.try_emplace(files);
  if (!fresh) return at->second;
  std::vector<std::string_view> listed;
  std::vector<Need> each;
  for (const knowledge::ProjectWheels* row : files) {
    if (row->pythons.empty() && (row->python.empty() || row->python == ">=3")) return nullptr;
    each.push_back(PythonNeed({row->pythons.begin(), row->pythons.end()}, row->python, row->source));
    listed.insert(listed.end(), row->pythons.begin(), row->pythons.end());
  }
  const bool all_listed =
      std::ranges::none_of(files, [](const knowledge::ProjectWheels* row) { return row->pythons.empty(); });
  if (all_listed) each = {PythonNeed(listed, "", files.front()->source)};
  Need need = each.front();
  for (const Need& other : each) {
    for (const size_t accepted : other.accepts) {
      if (std::ranges::find(need.accepts, accepted) == need.accepts.end()) need.accepts.push_back(accepted);
    }
  }
  std::ranges::sort(need.accepts);
  return at->second = std::make_shared<const Need>(std::move(need));
}

// The lowest glibc that one of the files takes.
void Making::NeedGlibc(const std::vector<const knowledge::ProjectWheels*>& files, Candidate& candidate) {
  std::string_view glibc;
  for (const knowledge::ProjectWheels* row : files) {
    if (glibc.empty() || row->glibc.empty() || knowledge::Known(row->glibc) < knowledge::Known(glibc))
      glibc = row->glibc;
    if (row->glibc.empty()) break;
  }
  if (glibc_ == kNone || glibc.empty()) return;
  const bool met = *question_.host.glibc >= knowledge::Known(glibc);
  const std::string words = "needs glibc " + std::string(glibc) + " or newer";
  candidate.needs.push_back(
      FactNeed(glibc_, {met ? Verdict::kYes : Verdict::kNo, "", candidate.source}, words, words));
}

// Whether a requirement is worth a package in the universe. What has no GPU code and nobody asked for is left
// to pip, which knows all of it.
bool Making::IsModelled(const std::string& name) const {
  if (question_.provided.contains(name) || question_.overridden.contains(name)) return false;
  if (name == "onnxruntime" || name == "cupy" || name == "tensorflow-cpu")
    return false;  // not the builds for GPUs
  if (IsFramework(name) || name.starts_with("cupy-cuda")) return true;
  if (knowledge::WheelsOf(name).empty()) return !knowledge::DistributionsOf(name).empty();
  const auto asked = [&](const auto& list, auto member) {
    return std::ranges::find(list, name, member) != list.end();
  };
  return UsesGpu(name) || IsForOneCuda(name) || asked(question_.wants, &Want::name) ||
         asked(question_.limits, &Limit::package);
}

void Making::NeedProjectPins(const std::string& name, const ProjectRelease& release, Candidate& candidate) {
  std::string extras;
  for (const Want& want : question_.wants) {
    if (want.name == name && !want.extra.empty()) extras += want.extra + ",";
  }
  const std::vector<std::string> wanted = base::SplitWords(extras, ", ");
  const std::string python = AssumedPython(question_.host).ToString();
  for (const knowledge::ProjectNeeds* row : release.needs) {
    const bool asked = row->extra.empty() || std::ranges::any_of(wanted, [&](const std::string& extra) {
                         return extra == row->extra;
                       });
    if (!asked || (!row->python.empty() && base::Meets(python, row->python) == false)) continue;
    for (const std::string_view text : row->needs) NeedText508(text, release.version, row->source, candidate);
  }
  for (const knowledge::UnstatedNeeds* row : release.unstated) {
    for (const std::string_view text : row->needs) NeedText508(text, release.version, row->source, candidate);
  }
}

void Making::NeedText508(std::string_view text, std::string_view version, std::string_view source,
                         Candidate& candidate) {
  const bool own = text.find(kOwnVersion) != std::string_view::npos;
  const Said said{own ? std::string(text) + " " + std::string(version) : std::string(text), source.data()};
  auto found = text_needs_.find(said);
  if (found == text_needs_.end()) {
    auto made = MadeOf(text, version, source);
    if (!made) return;
    found = text_needs_.emplace(said, *std::move(made)).first;
  }
  if (found->second != nullptr) candidate.needs.push_back(found->second);
}

std::optional<SharedNeed> Making::MadeOf(std::string_view text, std::string_view version,
                                         std::string_view source) {
  const knowledge::Required parts = knowledge::TakeApart(text, version, source);
  if (!IsModelled(parts.name)) return nullptr;
  const bool cupy = parts.name.starts_with("cupy-cuda");
  const size_t package = PackageNamed(cupy                           ? "cupy"
                                      : parts.name == "cuda-toolkit" ? "pypi:cuda-toolkit"
                                                                     : parts.name);
  if (package == kNone) return nullptr;
  // Two that need each other: the one that is being made now is bound by the other.
  if (universe_.packages[package].candidates.empty()) return std::nullopt;
  Need need{.package = package, .source = std::string(source)};
  need.accepts = AcceptedBy(package, parts.specifiers);
  if (cupy) {
    std::erase_if(need.accepts,
                  [&](size_t c) { return universe_.at(package, c).distribution != parts.name; });
  }
  need.words = "requires " + parts.name + parts.specifiers;
  need.fails = need.words;
  if (universe_.packages[package].role != PackageRole::kFramework)
    need.requirement = parts.name + parts.specifiers;
  return std::make_shared<const Need>(std::move(need));
}

// GPU code in its wheels. What was not measured is said to be that, and does not exclude it.
void Making::NeedProjectCode(const ProjectRelease& release, Candidate& candidate) {
  if (release.project != nullptr && !release.project->cuda.empty())
    candidate.needs.push_back(DriverNeed(std::string(release.project->cuda)));
  if (const auto bound = knowledge::DriverBound(release)) {
    Need need{.package = driver_, .words = "needs driver " + bound->specifiers};
    const auto& drivers = universe_.packages[driver_].candidates;
    for (size_t i = 0; i < drivers.size(); ++i) {
      if (knowledge::Meets(drivers[i].number, bound->specifiers) != Verdict::kNo) need.accepts.push_back(i);
    }
    need.fails = need.words;
    need.source = bound->source;
    candidate.needs.push_back(std::move(need));
  }
  NeedCode(release, candidate);
  if (release.build == nullptr) NeedCudaOfTorch(release, candidate);
}

// A root refuses it whatever it needs. Trials give up requirements, so their universe has all needs.
bool Making::IsLeftOut(const std::string& name, const Candidate& candidate) const {
  return width_ == Width::kExact && !IsAsked(name, candidate);
}

bool Making::IsAsked(const std::string& name, const Candidate& candidate) const {
  return std::ranges::all_of(question_.wants,
                             [&](const Want& want) { return want.name != name || Fits(want, candidate); });
}

// A release of which no table tells the GPU code is taken with a remark, but not in the place of a newer one
// that has none for this GPU: whether an older one has is then the question, and nobody here can tell.
void Making::NeedCode(const ProjectRelease& release, Candidate& candidate) {
  const std::string name(release.package);
  for (const size_t gpu : gpus_) {
    const auto fit = knowledge::ReleaseOnGpu(release, universe_.at(gpu, 0).number);
    if (!fit) continue;
    if (fit->no_row && !refused_.contains(name)) {
      candidate.remark = fit->words + "; `culprit inspect` on its wheel shows it";
      candidate.code_unknown = true;
      continue;
    }
    candidate.needs.push_back(FactNeed(gpu, {fit->verdict, "", fit->source}, fit->words, fit->words));
    if (fit->verdict == Verdict::kNo && IsAsked(name, candidate)) refused_.insert(name);
  }
}

// It loads the libraries of the CUDA that torch brings.
void Making::NeedCudaOfTorch(const ProjectRelease& release, Candidate& candidate) {
  const auto torch = made_.find("torch");
  std::vector<Version> gpus;
  for (const size_t gpu : gpus_) gpus.push_back(universe_.at(gpu, 0).number);
  const std::vector<uint32_t> majors = knowledge::CudaMajorsOf(release, gpus);
  const bool needs = torch != made_.end() && std::ranges::any_of(candidate.needs, [&](const Need& need) {
                       return need.package == torch->second;
                     });
  if (needs && release.opened != nullptr) return NeedOpenedLibrary(release, gpus, torch->second, candidate);
  if (!needs || majors.empty() || release.code.empty()) return;  // without rows of code, NeedTorch knows
  Need need{.package = torch->second, .source = std::string(release.code.front()->source)};
  need.accepts = WithCudaMajor(torch->second, majors);
  need.words = "is built for CUDA " + std::to_string(majors.front());
  for (size_t i = 1; i < majors.size(); ++i) {
    if (majors[i] != majors[i - 1]) need.words += ", " + std::to_string(majors[i]);
  }
  need.fails = need.words;
  candidate.needs.push_back(std::move(need));
}

// It has a library for each of several CUDA releases, and opens the one for that of torch.
void Making::NeedOpenedLibrary(const ProjectRelease& release, const std::vector<Version>& gpus, size_t torch,
                               Candidate& candidate) {
  if (release.libraries == nullptr) {
    candidate.remark = "for which CUDA it has libraries is not in the tables";
    candidate.code_unknown = true;
    return;
  }
  SharedNeed& made = opened_needs_[{release.opened, release.libraries, release.code}];
  if (made == nullptr) {
    Need need{.package = torch, .source = std::string(release.libraries->source)};
    const auto& builds = universe_.packages[torch].candidates;
    for (size_t i = 0; i < builds.size(); ++i) {
      const bool known = builds[i].row != nullptr && !builds[i].row->cuda.empty();
      if (known && knowledge::GoesWithCuda(release, knowledge::Known(builds[i].row->cuda), gpus))
        need.accepts.push_back(i);
    }
    need.words = "has libraries for CUDA";
    for (const std::string_view cuda : release.libraries->cuda)
      need.words += (cuda == release.libraries->cuda.front() ? " " : ", ") + std::string(cuda);
    if (release.libraries->cuda.empty()) need.words = "has no library for CUDA";
    need.fails = need.words;
    made = std::make_shared<const Need>(std::move(need));
  }
  candidate.needs.push_back(made);
}

std::vector<size_t> Making::WithCudaMajor(size_t framework, const std::vector<uint32_t>& majors) const {
  std::vector<size_t> found;
  const auto& candidates = universe_.packages[framework].candidates;
  for (size_t i = 0; i < candidates.size(); ++i) {
    const bool known = candidates[i].row != nullptr && !candidates[i].row->cuda.empty();
    const uint32_t major = known ? knowledge::Known(candidates[i].row->cuda).part(0) : 0;
    if (std::ranges::find(majors, major) != majors.end()) found.push_back(i);
  }
  return found;
}

SharedNeed Making::NvccNeed(const knowledge::SourceBuild& build, uint32_t major) {
  SharedNeed& made =
      nvcc_needs_[{std::to_string(major) + " " + std::string(build.cuda), build.source.data()}];
  if (made != nullptr) return made;
  Need nvcc{.package = PackageNamed("cuda-toolkit"), .source = std::string(build.source)};
  const auto& toolkits = universe_.packages[nvcc.package].candidates;
  for (size_t i = 0; i < toolkits.size(); ++i) {
    const bool new_enough = build.cuda.empty() || toolkits[i].number >= knowledge::Known(build.cuda);
    if (toolkits[i].number.part(0) != major || !new_enough) continue;
    nvcc.accepts.push_back(i);
    if (IsHere(question_.host, toolkits[i].number)) nvcc.prefers.push_back(i);
  }
  nvcc.words = "is built with nvcc of CUDA " + std::to_string(major) +
               (build.cuda.empty() ? "" : ", " + std::string(build.cuda) + " or newer");
  nvcc.fails = nvcc.words;
  return made = std::make_shared<const Need>(std::move(nvcc));
}

SharedNeed Making::BuiltAgainst(const knowledge::SourceBuild& build, size_t framework, uint32_t major) {
  const std::string& name = universe_.packages[framework].name;
  SharedNeed& made = nvcc_needs_[{name + " " + std::to_string(major), build.source.data()}];
  if (made != nullptr) return made;
  Need same{.package = framework, .source = std::string(build.source)};
  same.accepts = WithCudaMajor(framework, {major});
  same.words = "is built against " + name + " for CUDA " + std::to_string(major);
  same.fails = same.words;
  return made = std::make_shared<const Need>(std::move(same));
}

// A release that is built where it is installed: one candidate for each major of CUDA, because the toolkit
// must be of the one that its framework was built with.
void Making::AddBuilt(const knowledge::SourceBuild& build, const Candidate& plain,
                      std::vector<Candidate>& candidates) {
  Candidate base = plain;
  base.from_source = true;
  if (base.source.empty()) base.source = build.source;
  std::string framework;
  for (const std::string_view first : build.first) {
    if (first == "torch" || first == "jax") framework = first;
    if (first == "torchvision") NeedText508(first, "", build.source, base);
  }
  if (!build.nvcc) {
    candidates.push_back(std::move(base));
    return;
  }
  const size_t against = framework.empty() ? kNone : PackageNamed(framework);
  for (const uint32_t major : kBuildMajors) {
    Candidate one = base;
    one.needs.push_back(NvccNeed(build, major));
    if (against != kNone) one.needs.push_back(BuiltAgainst(build, against, major));
    candidates.push_back(std::move(one));
  }
}

}  // namespace culprit::plan
