// The machine as packages: a known fact is the only candidate, a free one has many.
#include <algorithm>
#include <array>

#include "knowledge/arch.h"
#include "knowledge/driver.h"
#include "knowledge/packages/release.h"
#include "plan/universe/making.h"

namespace culprit::plan {
namespace {

using base::Version;
using knowledge::Answer;
using knowledge::Verdict;

// Where any would do: one that systems have and that is maintained for years, then its neighbours.
constexpr std::array<uint32_t, 10> kPythonMinors = {12, 13, 11, 14, 10, 15, 9, 8, 7, 6};
constexpr uint32_t kFirstMinorCompatible = 11;  // minor-version compatibility begins with CUDA 11

Candidate Fact(std::string version, Version number) {
  return {.version = std::move(version), .number = std::move(number), .channel = report::ChannelKind::kHost};
}

// Every driver at which something begins to work.
std::vector<Version> DriverFloors(base::Platform platform) {
  std::vector<Version> floors;
  for (const knowledge::ToolkitRow& row : knowledge::Toolkits()) {
    const bool windows = platform == base::Platform::kWindows;
    for (const std::string_view text : {windows ? row.min_driver_windows : row.min_driver_linux,
                                        windows ? row.compat_min_windows : row.compat_min_linux}) {
      if (!text.empty()) floors.push_back(knowledge::Known(text));
    }
  }
  std::ranges::sort(floors);
  floors.erase(std::unique(floors.begin(), floors.end()), floors.end());
  return floors;
}

std::string CudaWords(const std::string& cuda) {
  const Version version = knowledge::Known(cuda);
  if (version.part(0) >= kFirstMinorCompatible) return "CUDA " + std::to_string(version.part(0));
  return "CUDA " + knowledge::MinorOf(version).ToString();
}

}  // namespace

std::string LastBranchWords(const std::vector<Version>& gpus) {
  uint32_t last = 0;
  for (const Version& gpu : gpus) {
    const knowledge::Capability* row = knowledge::FindCapability(gpu);
    if (row == nullptr || row->last_driver_branch == 0) continue;
    last = last == 0 ? row->last_driver_branch : std::min(last, row->last_driver_branch);
  }
  return last == 0 ? "" : ", at most branch " + std::to_string(last);
}

std::string PythonRange(const std::vector<Version>& rising) {
  std::string text;
  for (size_t i = 0; i < rising.size();) {
    size_t last = i;
    while (last + 1 < rising.size() && rising[last + 1].part(1) == rising[last].part(1) + 1) ++last;
    text += (text.empty() ? "" : ", ") + rising[i].ToString() +
            (last == i ? "" : " to " + rising[last].ToString());
    i = last + 1;
  }
  return text;
}

size_t Making::AddFact(const std::string& name, PackageRole role, std::vector<Candidate> candidates) {
  universe_.packages.push_back({name, role, std::move(candidates)});
  return made_[name] = universe_.packages.size() - 1;
}

void Making::AddMachine() {
  const Host& host = question_.host;
  machine_ = AddFact("machine", PackageRole::kNone, {Fact(MachineWords(host.machine), Version{{1}})});
  Facts& facts = universe_.facts;
  if (host.glibc) {
    glibc_ = AddFact("glibc", PackageRole::kNone, {Fact(host.glibc->ToString(), *host.glibc)});
    facts.glibc = glibc_;
  }
  for (const Version& cc : host.gpus) {
    const auto made = made_.find("gpu " + GpuName(cc));
    if (made == made_.end())
      gpus_.push_back(AddFact("gpu " + GpuName(cc), PackageRole::kNone, {Fact(GpuName(cc), cc)}));
    facts.gpus.push_back(made == made_.end() ? gpus_.back() : made->second);
  }
  for (const Limit& limit : question_.limits)
    facts.limits.push_back(
        AddFact("limit " + limit.words, PackageRole::kNone, {Fact(limit.words, Version{{1}})}));
  if (question_.wants.size() + question_.installed.size() > 1)
    facts.several = several_ = AddFact("several", PackageRole::kNone, {Fact("", Version{{1}})});
  if (question_.cuda) {
    cuda_asked_ = AddFact("--cuda", PackageRole::kNone, {Fact(question_.cuda->ToString(), *question_.cuda)});
    facts.cuda = cuda_asked_;
  }
  AddDriver();
  AddPython();
  AddMajors();
}

void Making::AddDriver() {
  const Host& host = question_.host;
  const bool wide = width_ == Width::kWide;
  std::vector<Candidate> candidates;  // rising
  if (!host.driver || question_.allow_driver_upgrade || wide) {
    for (const Version& floor : DriverFloors(PlatformOf(DriverMachine(host)))) {
      if (host.driver && (wide ? floor == *host.driver : floor <= *host.driver)) continue;
      candidates.push_back(Fact(knowledge::DriverText(floor), floor));
    }
  }
  size_t& here = universe_.facts.driver_here;
  if (host.driver) {
    while (here < candidates.size() && candidates[here].number < *host.driver) ++here;
    candidates.insert(candidates.begin() + static_cast<std::ptrdiff_t>(here),
                      Fact(knowledge::DriverText(*host.driver), *host.driver));
  }
  for (size_t i = 0; i < candidates.size(); ++i) {
    // If this driver is seen to run the GPU, no table is needed.
    const bool seen = host.driver && i == here && host.seen;
    for (const size_t gpu : gpus_) {
      const Version& cc = universe_.at(gpu, 0).number;
      Answer answer = knowledge::DriverDrives(candidates[i].number, cc, PlatformOf(DriverMachine(host)));
      if (answer.verdict == Verdict::kUnknown && seen) answer.verdict = Verdict::kYes;
      const knowledge::Capability* row = knowledge::FindCapability(cc);
      std::string words = "supports " + GpuName(cc);
      const bool newer = knowledge::IsNewerThanTable(candidates[i].number, PlatformOf(DriverMachine(host)));
      std::string fails =
          (newer ? "is newer than the tables and may not support " : "may not support ") + GpuName(cc);
      const bool older = row != nullptr && candidates[i].number.part(0) < row->first_driver_branch;
      if (answer.verdict == Verdict::kNo && row != nullptr) {
        fails = "does not support " + GpuName(cc) + "; the last branch that does is " +
                std::to_string(row->last_driver_branch);
      } else if (older) {
        fails = "is older than the first branch known to support " + GpuName(cc) + ", " +
                std::to_string(row->first_driver_branch);
        // Nobody who says "--allow unknown" means a driver from before the GPU.
        if (answer.verdict == Verdict::kUnknown) answer.verdict = Verdict::kNo;
      }
      candidates[i].needs.push_back(FactNeed(gpu, answer, std::move(words), std::move(fails)));
    }
  }
  universe_.facts.driver = driver_ = AddFact("driver", PackageRole::kDriver, std::move(candidates));
}

void Making::AddPython() {
  const Host& host = question_.host;
  std::vector<Candidate> candidates;
  const auto add = [&](const Version& python) {
    const Version minor = knowledge::MinorOf(python);
    const bool there = std::ranges::any_of(candidates, [&](const Candidate& c) { return c.number == minor; });
    if (!there) candidates.push_back(Fact(minor.ToString(), minor));
  };
  if (host.python) add(*host.python);
  if (!host.python || width_ == Width::kWide) {
    if (host.python_here) add(*host.python_here);
    for (const uint32_t minor : kPythonMinors) add(Version{{3, minor}});
  }
  ApplyLimits("python", candidates);
  universe_.facts.python = python_ = AddFact("python", PackageRole::kPython, std::move(candidates));
}

void Making::ApplyLimits(const std::string& name, std::vector<Candidate>& candidates) {
  for (size_t i = 0; i < question_.limits.size(); ++i) {
    const Limit& limit = question_.limits[i];
    if (limit.package != name) continue;
    for (Candidate& candidate : candidates) {
      const bool met = candidate.before.empty()
                           ? knowledge::Meets(candidate.number, limit.specifiers) == Verdict::kYes
                           : knowledge::AdmitsBefore(candidate.before, limit.specifiers);
      const bool built = limit.variant.empty() || candidate.variant == limit.variant;
      if (built && (limit.specifiers.empty() || met)) continue;
      candidate.needs.push_back(
          FactNeed(universe_.facts.limits[i], knowledge::No("", ""), "", "not " + limit.words));
    }
  }
}

void Making::AddMajors() {
  std::vector<Candidate> cuda, cudnn;
  for (uint32_t major = 14; major >= 7; --major)
    cuda.push_back(Fact(std::to_string(major), Version{{major}}));
  for (uint32_t major = 10; major >= 5; --major)
    cudnn.push_back(Fact(std::to_string(major), Version{{major}}));
  cuda_major_ = AddFact("cuda-major", PackageRole::kNone, std::move(cuda));
  cudnn_major_ = AddFact("cudnn-major", PackageRole::kNone, std::move(cudnn));
}

Need Making::FactNeed(size_t package, const Answer& answer, std::string words, std::string fails) {
  Need need{.package = package, .words = std::move(words), .fails = std::move(fails)};
  need.source = answer.source;
  need.unknown = answer.verdict == Verdict::kUnknown;
  const bool met = answer.verdict == Verdict::kYes || (need.unknown && question_.allow_unknown);
  if (met) need.accepts = {0};
  return need;
}

SharedNeed Making::DriverNeed(const std::string& cuda) {
  const auto made = driver_needs_.find(cuda);
  if (made != driver_needs_.end()) return made->second;
  const base::Platform platform = PlatformOf(DriverMachine(question_.host));
  const Version version = knowledge::Known(cuda);
  const std::string release = cuda + (version.parts.size() == 1 ? ".0" : "");
  const std::string_view floor = version.part(0) >= kFirstMinorCompatible
                                     ? knowledge::LowestCompatibleDriver(release, platform)
                                     : knowledge::LowestDriver(release, platform);
  Need need{.package = driver_};
  const auto& candidates = universe_.packages[driver_].candidates;
  const auto ask = [&](size_t i) {
    const Answer answer = builds_.DriverRuns(candidates[i].number, cuda, DriverMachine(question_.host));
    need.source = answer.source;
    need.unknown |= answer.verdict == Verdict::kUnknown;
    return answer.verdict == Verdict::kYes ||
           (answer.verdict == Verdict::kUnknown && question_.allow_unknown);
  };
  // Drivers rise, and what one runs the newer ones run.
  size_t first = 0, end = candidates.size();
  while (first < end) {
    const size_t middle = first + (end - first) / 2;
    if (ask(middle)) {
      end = middle;
    } else {
      first = middle + 1;
    }
  }
  for (size_t i = first; i < candidates.size(); ++i) need.accepts.push_back(i);
  need.words = floor.empty() ? CudaWords(cuda) + " needs its matching driver or a newer one"
                             : CudaWords(cuda) + " needs driver >= " + std::string(floor);
  need.fails = need.words;
  return driver_needs_[cuda] = std::make_shared<const Need>(std::move(need));
}

bool Making::NativeOn(std::string_view cuda) const {
  if (!question_.host.driver || question_.allow_driver_upgrade) return true;
  return builds_.IsNative(*question_.host.driver, cuda, DriverMachine(question_.host));
}

Need Making::PythonNeed(const std::vector<std::string_view>& pythons, std::string_view requires_python,
                        std::string_view source) {
  Need need{.package = python_, .source = std::string(source)};
  const auto& candidates = universe_.packages[python_].candidates;
  std::vector<Version> rising;
  for (const std::string_view text : pythons) rising.push_back(knowledge::Known(text));
  for (size_t i = 0; i < candidates.size(); ++i) {
    const Version& python = candidates[i].number;
    const bool met = pythons.empty() ? knowledge::AdmitsMinor(requires_python, python) == Verdict::kYes
                                     : std::ranges::find(rising, python) != rising.end();
    if (met) need.accepts.push_back(i);
  }
  std::ranges::sort(rising);
  rising.erase(std::unique(rising.begin(), rising.end()), rising.end());
  need.words =
      pythons.empty() ? "Python " + std::string(requires_python) : "wheels for Python " + PythonRange(rising);
  need.fails = question_.host.python
                   ? "no wheel for Python " + knowledge::MinorOf(*question_.host.python).ToString()
                   : need.words;
  return need;
}

SharedNeed Making::WheelPythonNeed(const knowledge::Distribution& wheel) {
  if (wheel.pythons.empty() && (wheel.python.empty() || wheel.python == ">=3")) return nullptr;
  std::string key;
  for (const std::string_view python : wheel.pythons) key += std::string(python) + " ";
  if (key.empty()) key = wheel.python;
  const auto made = python_needs_.find(key);
  if (made != python_needs_.end()) return made->second;
  return python_needs_[key] = std::make_shared<const Need>(
             PythonNeed({wheel.pythons.begin(), wheel.pythons.end()}, wheel.python, wheel.source));
}

SharedNeed Making::MajorNeed(size_t package, uint32_t major, const std::string& what,
                             std::string_view source) {
  SharedNeed& made = major_needs_[{package, major, source.data()}];
  if (made != nullptr) return made;
  Need need{.package = package, .words = "uses " + what + " " + std::to_string(major)};
  need.fails = need.words;
  need.source = source;
  const auto& candidates = universe_.packages[package].candidates;
  for (size_t i = 0; i < candidates.size(); ++i) {
    if (candidates[i].number.part(0) == major) need.accepts.push_back(i);
  }
  return made = std::make_shared<const Need>(std::move(need));
}

}  // namespace culprit::plan
