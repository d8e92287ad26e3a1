#include "plan/universe/builds.h"

#include "knowledge/cudnn.h"
#include "knowledge/packages/pins.h"
#include "knowledge/packages/release.h"
#include "plan/commands/in_order.h"

namespace culprit::plan {

using base::Version;
using knowledge::Distribution;

std::string_view PlannedFramework(std::string_view name) {
  const std::string_view framework = knowledge::FrameworkName(name);
  return framework.empty() || knowledge::HasBuilds(framework) ? framework : "";
}

Machine DriverMachine(const Host& host) { return host.wsl ? Machine::kWindows : host.machine; }

report::Channel ChannelOf(const Build& build) {
  switch (build.published) {
    case knowledge::PublishedOn::kUnknown:
      break;
    case knowledge::PublishedOn::kPackageIndex:
      return report::ChannelKind::kPypi;
    case knowledge::PublishedOn::kIndex:
      return {report::ChannelKind::kIndex, build.address};
    case knowledge::PublishedOn::kTorchIndex:
      return {report::ChannelKind::kTorchIndex, build.address};
    case knowledge::PublishedOn::kFeed:
      return {report::ChannelKind::kFeed, build.address};
    case knowledge::PublishedOn::kPage:
      return {report::ChannelKind::kPage, build.address};
  }
  return {};
}

knowledge::Answer BuildTable::DriverRuns(const Version& driver, const std::string& cuda, Machine machine) {
  const base::Platform platform = PlatformOf(machine);
  const auto [at, fresh] = drivers_.try_emplace({driver.parts, cuda, platform});
  if (fresh) at->second = knowledge::DriverForCuda(driver, knowledge::Known(cuda), platform);
  return at->second;
}

BuildTable::PythonAnswer BuildTable::OnPython(const Build& build, const Version& python) {
  const knowledge::FrameworkRelease& row = build.row;
  const auto [at, fresh] =
      build_on_python_.try_emplace({build.distribution, build.version, build.machine, build.published,
                                    row.python, row.python_until, python.parts});
  PythonAnswer& answer = at->second;
  if (fresh) {
    const knowledge::Answer asked = knowledge::BuildOnPython(build, python);
    answer = {asked.verdict, asked.source.data() == row.source.data() ? "" : asked.source};
  }
  return {answer.verdict, answer.source.empty() ? row.source : answer.source};
}

const knowledge::Answer& BuildTable::OnGpu(const Build& build, const Version& cc) {
  const auto [at, fresh] = build_on_gpu_.try_emplace({&build, cc.parts});
  if (fresh) at->second = knowledge::BuildOnGpu(build, cc, nullptr);
  return at->second;
}

bool BuildTable::CudnnForbids(const Build& build, const Version& cc) {
  const auto [at, fresh] = cudnn_forbids_.try_emplace({&build, cc.parts}, false);
  if (fresh) at->second = knowledge::CudnnOfBuildOnGpu(build, cc).verdict == knowledge::Verdict::kNo;
  return at->second;
}

bool BuildTable::CudnnHasBuild(std::string_view cudnn, uint32_t cuda_major) {
  const auto [at, fresh] = cudnns_.try_emplace({cudnn, cuda_major}, false);
  if (fresh) {
    at->second = knowledge::CudnnForCuda(knowledge::Known(cudnn), Version{{cuda_major}}).verdict ==
                 knowledge::Verdict::kYes;
  }
  return at->second;
}

const knowledge::Answer& BuildTable::CudnnOnGpu(const Version& cudnn, uint32_t cuda_major,
                                                const Version& cc) {
  const auto [at, fresh] = on_gpu_.try_emplace({cudnn.parts, cuda_major, cc.parts});
  if (fresh) at->second = knowledge::CudnnForGpu(cudnn, Version{{cuda_major}}, cc);
  return at->second;
}

bool BuildTable::IsNative(const Version& driver, std::string_view cuda, Machine machine) {
  const auto [at, fresh] = native_.try_emplace({driver.parts, machine}, Version{{0}});
  if (fresh) at->second = knowledge::Known(knowledge::CudaOfDriver(driver, PlatformOf(machine)).cuda);
  return at->second >= knowledge::MinorOf(knowledge::Known(cuda));
}

const std::vector<Wheel>& BuildTable::WheelsOf(std::string_view distribution, Machine machine) {
  const auto [at, fresh] = wheels_.try_emplace({std::string(distribution), machine});
  if (!fresh) return at->second;
  for (const Distribution& row : knowledge::DistributionsOf(distribution)) {
    if (row.platform == PlatformTag(machine) || row.platform == "any")
      at->second.push_back({&row, NumberOf(row.version)});
  }
  SortInOrder(at->second, [](const Wheel& a, const Wheel& b) { return a.number > b.number; });
  return at->second;
}

const std::vector<ProjectRelease>& BuildTable::ReleasesOf(const std::string& project, Machine machine) {
  const auto [at, fresh] = projects_.try_emplace({project, machine});
  if (fresh) at->second = knowledge::ReleasesOfProject(at->first.first, machine);
  return at->second;
}

const std::vector<size_t>& BuildTable::Meeting(std::string_view distribution, Machine machine,
                                               const std::string& specifiers) {
  const auto [at, fresh] = meeting_.try_emplace({std::string(distribution), machine, specifiers});
  if (!fresh) return at->second;
  const std::vector<Wheel>& wheels = WheelsOf(distribution, machine);
  const knowledge::Specifiers asked(specifiers);
  for (size_t i = 0; i < wheels.size(); ++i) {
    const bool met = specifiers.empty() || asked.Meets(wheels[i].number) == knowledge::Verdict::kYes;
    if (met) at->second.push_back(i);
  }
  return at->second;
}

const std::vector<knowledge::Verdict>& BuildTable::BuildsMeeting(std::string_view framework, Machine machine,
                                                                 std::string_view specifiers) {
  const auto [at, fresh] =
      builds_meeting_.try_emplace({std::string(framework), machine, std::string(specifiers)});
  if (!fresh) return at->second;
  const std::vector<Build>& builds = Of(framework, machine);
  const knowledge::Specifiers asked(specifiers);
  for (size_t i = 0; i < builds.size(); ++i) {
    const bool again = i > 0 && builds[i].number == builds[i - 1].number;
    at->second.push_back(again ? at->second.back() : asked.Meets(builds[i].number));
  }
  return at->second;
}

const std::vector<Build>& BuildTable::Of(std::string_view framework, Machine machine) {
  const auto [at, fresh] = made_.try_emplace({std::string(framework), machine});
  if (fresh) at->second = knowledge::BuildsOf(at->first.first, machine);
  return at->second;
}

}  // namespace culprit::plan
