#include "plan/universe/builds.h"

#include <algorithm>
#include <optional>
#include <set>

#include "knowledge/cudnn.h"
#include "knowledge/packages/pins.h"
#include "knowledge/packages/release.h"
#include "plan/commands/in_order.h"

namespace culprit::plan {
namespace {

using base::Platform;
using base::Version;
using knowledge::Distribution;
using knowledge::FrameworkRelease;
using knowledge::LibrariesFrom;
using report::ChannelKind;

constexpr std::string_view kTorchIndex = "https://download.pytorch.org/whl/";
constexpr std::string_view kJaxWheels = "https://storage.googleapis.com/jax-releases/jax_cuda_releases.html";
constexpr std::string_view kOnnxFeed =
    "https://aiinfra.pkgs.visualstudio.com/PublicPackages/_packaging/onnxruntime-cuda-";
constexpr std::string_view kPaddleIndex = "https://www.paddlepaddle.org.cn/packages/stable/";

std::vector<std::string_view> DistributionsNamed(std::string_view framework) {
  if (framework == "onnxruntime") return {"onnxruntime-gpu"};
  if (framework == "paddle") return {"paddlepaddle-gpu"};
  if (framework == "cupy")
    return {"cupy-cuda13x", "cupy-cuda12x", "cupy-cuda11x", "cupy-cuda111", "cupy-cuda110", "cupy-cuda102"};
  return {framework};
}

// Rows for a release; of an older one where it has none.
struct Rows {
  std::vector<const FrameworkRelease*> rows;
  bool own = true;
};
Rows RowsOf(std::string_view framework, const Version& version) {
  Rows found{knowledge::FindFramework(framework, version), true};
  if (!found.rows.empty()) return found;
  // 2.18.1 has the build of 2.18.0: a framework does not change its CUDA in a patch release.
  const FrameworkRelease* nearest = nullptr;
  const FrameworkRelease* older = nullptr;
  for (const FrameworkRelease& row : knowledge::FrameworkReleases()) {
    if (row.framework != framework || knowledge::Known(row.version) > version) continue;
    if (knowledge::MinorOf(knowledge::Known(row.version)) == knowledge::MinorOf(version)) nearest = &row;
    if (older == nullptr || knowledge::Known(row.version) >= knowledge::Known(older->version)) older = &row;
  }
  found.own = nearest != nullptr && framework != "jax";
  // jax names the CUDA of its wheels in the extra, so a newer release is known but for its GPU code.
  if (nearest == nullptr && framework == "jax") nearest = older;
  if (nearest == nullptr) return {};
  found.rows = knowledge::FindFramework(framework, knowledge::Known(nearest->version));
  return found;
}

bool IsDefault(const FrameworkRelease& row, Machine machine) {
  switch (machine) {
    case Machine::kLinuxX86:
      return row.is_default;
    case Machine::kLinuxArm:
      return row.default_aarch64;
    case Machine::kWindows:
      break;
  }
  return row.default_windows;
}

report::Channel ChannelOf(const FrameworkRelease& row, const Version& number, Machine machine) {
  const std::string variant(row.variant);
  const bool on_index = IsDefault(row, machine);
  if (row.framework == "torch" && !on_index)
    return {ChannelKind::kTorchIndex, std::string(kTorchIndex) + variant};
  if (row.framework == "onnxruntime" && !row.is_default) {
    if (row.index_unknown) return {};
    return {ChannelKind::kFeed,
            std::string(kOnnxFeed) + variant.substr(variant.size() - 2) + "/pypi/simple/"};
  }
  // Wheels with CUDA inside the jaxlib until 0.4.29.
  if (row.framework == "jax" && number < Version{{0, 4, 30}})
    return {ChannelKind::kPage, std::string(kJaxWheels)};
  if (row.framework == "paddle" && !on_index) {
    if (number.part(0) < 3) return {};
    return {ChannelKind::kIndex, std::string(kPaddleIndex) + variant + "/"};
  }
  return ChannelKind::kPypi;
}

// "tensorflow[and-cuda]" -> "and-cuda"
std::string ExtraOf(const FrameworkRelease& row) {
  const size_t open = row.extra.find('[');
  if (open == std::string_view::npos) return "";
  return std::string(row.extra.substr(open + 1, row.extra.size() - open - 2));
}

// "cupy-cuda12x" -> "12", "cupy-cuda102" -> "10.2"
std::string_view CupyCuda(std::string_view distribution) {
  if (distribution.ends_with("13x")) return "13.0";
  if (distribution.ends_with("12x")) return "12.0";
  if (distribution.ends_with("11x")) return "11.2";
  if (distribution.ends_with("111")) return "11.1";
  if (distribution.ends_with("110")) return "11.0";
  return "10.2";
}
std::string_view CupyCudaUntil(std::string_view distribution) {
  if (distribution.ends_with("13x")) return "13";
  if (distribution.ends_with("12x")) return "12";
  if (distribution.ends_with("11x")) return "11";
  return CupyCuda(distribution);
}

Build MakeBuild(const FrameworkRelease& row, const Version& number, std::string_view version,
                std::string_view distribution, Machine machine) {
  Build build{
      .row = row, .version = version, .number = number, .distribution = distribution, .wheel = nullptr};
  build.row.version = version;
  if (machine == Machine::kLinuxArm) build.row.code = row.code_aarch64;
  if (row.framework == "cupy") {
    if (row.variant.empty()) {
      build.row.cuda = CupyCuda(distribution);
      build.row.cuda_until = CupyCudaUntil(distribution);
    }
    build.row.variant = distribution.substr(distribution.find('-') + 1);
    build.row.is_default = true;
  }
  const auto listed = knowledge::DistributionsOf(distribution);
  build.listed = std::ranges::any_of(listed, [&](const Distribution& d) { return d.version == version; });
  build.wheel = WheelFor(distribution, version, machine);
  build.channel = ChannelOf(row, number, machine);
  build.extra = LibrariesOf(row, machine) == LibrariesFrom::kExtra ? ExtraOf(row) : "";
  const bool local = build.channel.kind == ChannelKind::kTorchIndex;
  build.shown = std::string(version) + (local ? "+" + std::string(row.variant) : "");
  return build;
}

// PyTorch publishes a release for three CUDA releases at least, since 2.4. Of a release with fewer in the
// table the others are not known, which is not the same as that there are none: one of each is made after the
// newest release with all of them.
void AddMissingBuilds(std::vector<Build>& builds, Machine machine) {
  constexpr size_t kFewest = 3;
  std::map<Version, std::vector<Build>> releases;
  for (const Build& build : builds) releases[build.number].push_back(build);
  const std::vector<Build>* whole = nullptr;
  for (const auto& [number, own] : releases) {
    if (number < Version{{2, 4}}) continue;
    if (own.size() >= kFewest) {
      whole = &own;
      continue;
    }
    if (whole == nullptr) continue;
    for (const Build& like : *whole) {
      const bool there =
          std::ranges::any_of(own, [&](const Build& build) { return build.row.variant == like.row.variant; });
      if (there) continue;
      FrameworkRelease row = like.row;
      row.is_default = row.default_windows = row.default_aarch64 = false;
      Build missing = MakeBuild(row, number, own.front().version, own.front().distribution, machine);
      missing.in_table = false;
      builds.push_back(std::move(missing));
    }
  }
}

bool Before(const Build& a, const Build& b) {
  if (a.number != b.number) return a.number > b.number;
  const bool plain_a = a.channel.kind == ChannelKind::kPypi, plain_b = b.channel.kind == ChannelKind::kPypi;
  if (plain_a != plain_b) return plain_a;
  if (a.row.is_default != b.row.is_default) return a.row.is_default;
  return knowledge::Known(a.row.cuda) > knowledge::Known(b.row.cuda);
}

}  // namespace

Platform PlatformOf(Machine machine) {
  return machine == Machine::kWindows ? Platform::kWindows : Platform::kLinux;
}

Machine DriverMachine(const Host& host) { return host.wsl ? Machine::kWindows : host.machine; }

std::string_view PlatformTag(Machine machine) {
  switch (machine) {
    case Machine::kLinuxX86:
      return "linux-x86_64";
    case Machine::kLinuxArm:
      return "linux-aarch64";
    case Machine::kWindows:
      break;
  }
  return "windows-x86_64";
}

std::string MachineWords(Machine machine) {
  switch (machine) {
    case Machine::kLinuxX86:
      return "Linux x86-64";
    case Machine::kLinuxArm:
      return "Linux aarch64";
    case Machine::kWindows:
      break;
  }
  return "Windows";
}

Version NumberOf(std::string_view version) {
  version = version.substr(0, version.find('+'));
  version = version.substr(0, version.find(".post"));
  return knowledge::Known(version);
}

LibrariesFrom LibrariesOf(const FrameworkRelease& row, Machine machine) {
  if (machine == Machine::kWindows) return row.libraries_windows;
  const bool looked_at = row.libraries_aarch64 != LibrariesFrom::kUnknown;
  return machine == Machine::kLinuxArm && looked_at ? row.libraries_aarch64 : row.libraries;
}

std::string_view CudnnOf(const FrameworkRelease& row, Machine machine) {
  return machine == Machine::kWindows && !row.cudnn_windows.empty() ? row.cudnn_windows : row.cudnn;
}

const Distribution* WheelFor(std::string_view distribution, std::string_view version, Machine machine) {
  for (const Distribution& row : knowledge::DistributionsOf(distribution)) {
    if (row.version == version && (row.platform == PlatformTag(machine) || row.platform == "any"))
      return &row;
  }
  return nullptr;
}

knowledge::Answer BuildTable::DriverRuns(const Version& driver, const std::string& cuda, Machine machine) {
  const auto [at, fresh] = drivers_.try_emplace({driver.parts, cuda, machine});
  if (fresh) at->second = knowledge::DriverForCuda(driver, knowledge::Known(cuda), PlatformOf(machine));
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
  if (fresh) at->second = ReleasesOfProject(project, machine);
  return at->second;
}

const std::vector<size_t>& BuildTable::Meeting(std::string_view distribution, Machine machine,
                                               const std::string& specifiers) {
  const auto [at, fresh] = meeting_.try_emplace({std::string(distribution), machine, specifiers});
  if (!fresh) return at->second;
  const std::vector<Wheel>& wheels = WheelsOf(distribution, machine);
  for (size_t i = 0; i < wheels.size(); ++i) {
    const bool met =
        specifiers.empty() || knowledge::Meets(wheels[i].number, specifiers) == knowledge::Verdict::kYes;
    if (met) at->second.push_back(i);
  }
  return at->second;
}

const std::vector<Build>& BuildTable::Of(std::string_view framework, Machine machine) {
  const auto [at, fresh] = made_.try_emplace({std::string(framework), machine});
  if (!fresh) return at->second;
  framework = at->first.first;  // which stays, as the builds point at it
  std::vector<Build>& builds = at->second;
  std::set<std::pair<std::string_view, std::string_view>> seen;
  const auto add = [&](std::string_view distribution, std::string_view version) {
    if (!seen.emplace(distribution, version).second) return;
    const Version number = NumberOf(version);
    const Rows found = RowsOf(framework, number);
    // Of cupy each distribution is a build of its own, with a row of its own or that of all.
    const std::string_view suffix = framework == "cupy" ? distribution.substr(sizeof("cupy-") - 1) : "";
    const bool own_variant =
        std::ranges::any_of(found.rows, [&](const FrameworkRelease* row) { return row->variant == suffix; });
    for (const FrameworkRelease* row : found.rows) {
      if (framework == "cupy" && row->variant != (own_variant ? suffix : "")) continue;
      Build build = MakeBuild(*row, number, version, distribution, machine);
      build.own_row = found.own;
      if (!found.own) build.row.code = {};
      builds.push_back(std::move(build));
    }
  };
  for (const std::string_view distribution : DistributionsNamed(framework)) {
    for (const Distribution& row : knowledge::DistributionsOf(distribution)) add(distribution, row.version);
  }
  // Releases that the index no longer has, or never had. A row for many releases names none.
  const std::string_view usual = DistributionsNamed(framework).front();
  for (const FrameworkRelease& row : knowledge::FrameworkReleases()) {
    const bool one = row.until.empty() && knowledge::Known(row.version).parts.size() > 2;
    const bool has_python = !row.python_until.empty() || knowledge::FindPin(usual, row.version) != nullptr;
    if (row.framework == framework && one && has_python) add(usual, row.version);
  }
  if (framework == "torch") AddMissingBuilds(builds, machine);
  SortInOrder(builds, Before);
  return builds;
}

}  // namespace culprit::plan
