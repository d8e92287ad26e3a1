#include "knowledge/packages/builds.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "base/parallel/in_order.h"
#include "knowledge/packages/packages.h"
#include "knowledge/packages/pins.h"
#include "knowledge/packages/release.h"

namespace culprit::knowledge {
namespace {

using base::Version;

constexpr std::string_view kTorchIndex = "https://download.pytorch.org/whl/";
constexpr std::string_view kJaxWheels = "https://storage.googleapis.com/jax-releases/jax_cuda_releases.html";
constexpr std::string_view kOnnxFeed =
    "https://aiinfra.pkgs.visualstudio.com/PublicPackages/_packaging/onnxruntime-cuda-";
constexpr std::string_view kPaddleIndex = "https://www.paddlepaddle.org.cn/packages/stable/";

std::vector<std::string_view> UsualDistributions(std::string_view framework) {
  if (framework == "onnxruntime") return {"onnxruntime-gpu"};
  if (framework == "paddle") return {"paddlepaddle-gpu"};
  if (framework == "cupy")
    return {"cupy-cuda13x", "cupy-cuda12x", "cupy-cuda11x", "cupy-cuda111", "cupy-cuda110", "cupy-cuda102"};
  return {framework};
}

// The package of the index that holds the builds of a row: tensorflow-gpu until 2.0, mxnet-cu112.
std::string_view DistributionOf(const FrameworkRelease& row) {
  if (!row.package.empty()) return row.package;
  if (row.framework == "mxnet") {
    const auto own = DistributionsOf("mxnet-" + std::string(row.variant));
    if (!own.empty()) return own.front().package;
  }
  return UsualDistributions(row.framework).front();
}

// All of them, the usual ones first.
const std::vector<std::string_view>& DistributionsNamed(std::string_view framework) {
  static const auto kAll = [] {
    std::map<std::string_view, std::vector<std::string_view>> all;
    for (const FrameworkRelease& row : FrameworkReleases()) {
      std::vector<std::string_view>& names = all[row.framework];
      if (names.empty()) names = UsualDistributions(row.framework);
      const std::string_view own = DistributionOf(row);
      if (std::ranges::find(names, own) == names.end()) names.push_back(own);
    }
    return all;
  }();
  static const std::vector<std::string_view> kNone;
  const auto found = kAll.find(framework);
  return found == kAll.end() ? kNone : found->second;
}

// Rows for a release; of an older one where it has none.
struct Rows {
  std::vector<const FrameworkRelease*> rows;
  bool own = true;
};
Rows RowsOf(std::string_view framework, const Version& version) {
  Rows found{FindFramework(framework, version), true};
  if (!found.rows.empty()) return found;
  // The nearest older patch release; of jax, whose extras name the CUDA, any older one.
  const FrameworkRelease* nearest = nullptr;
  for (const FrameworkRelease& row : FrameworkReleases()) {
    const Version number = Known(row.version);
    if (row.framework != framework || number > version) continue;
    if (framework != "jax" && MinorOf(number) != MinorOf(version)) continue;
    if (nearest == nullptr || number >= Known(nearest->version)) nearest = &row;
  }
  if (nearest == nullptr) return {};
  return {FindFramework(framework, Known(nearest->version)), false};
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

// Whether an extra of a jax from before 0.4.30 brings CUDA as a plugin of the package index: jax[cuda12].
bool HasPlugin(const FrameworkRelease& row, const Version& number) {
  const std::string name = "jax-" + std::string(row.variant);
  const Pin* pin = FindPin("jax", number.ToString(), row.variant);
  if (pin == nullptr || Requirement(*pin, name + "-plugin").empty()) return false;
  const auto listed = [&](const std::string& distribution) {
    return std::ranges::any_of(DistributionsOf(distribution),
                               [&](const Distribution& one) { return NumberOf(one.version) == number; });
  };
  return listed(name + "-plugin") && listed(name + "-pjrt");
}

// PyTorch's index of a CUDA, or its page of links for releases from before there was one.
std::string TorchAddress(const Version& number, const std::string& variant) {
  const WheelIndex* index = FindWheelIndex("torch", number);
  if (index == nullptr) return std::string(kTorchIndex) + variant;
  return FillIn(index->address, {.version = number, .cuda = {}, .variant = variant});
}

struct Place {
  PublishedOn on = PublishedOn::kUnknown;
  std::string address{};
};
Place PlaceOf(const FrameworkRelease& row, const Version& number, Machine machine) {
  const std::string variant(row.variant);
  const bool on_index = IsDefault(row, machine);
  if (row.framework == "torch" && !on_index) return {PublishedOn::kTorchIndex, TorchAddress(number, variant)};
  if (row.framework == "onnxruntime" && !row.is_default) {
    if (row.index_unknown) return {};
    return {PublishedOn::kFeed,
            std::string(kOnnxFeed) + variant.substr(variant.size() - 2) + "/pypi/simple/"};
  }
  // Wheels with CUDA inside the jaxlib until 0.4.29, unless the index has its plugin.
  if (row.framework == "jax" && number < Version{{0, 4, 30}} && !HasPlugin(row, number))
    return {PublishedOn::kPage, std::string(kJaxWheels)};
  if (row.framework == "paddle" && !on_index) {
    if (number.part(0) < 3) return {};
    return {PublishedOn::kIndex, std::string(kPaddleIndex) + variant + "/"};
  }
  return {PublishedOn::kPackageIndex};
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

Build MakeBuild(const FrameworkRelease& row, std::string_view version, std::string_view distribution,
                Machine machine) {
  Build build{.row = row,
              .version = version,
              .number = NumberOf(version),
              .distribution = distribution == row.framework ? row.framework : distribution,
              .machine = machine};
  build.row.version = version;
  if (machine == Machine::kLinuxArm) build.row.code = row.code_aarch64;
  if (row.framework == "cupy" && distribution != row.framework) {
    if (row.variant.empty()) {
      build.row.cuda = CupyCuda(distribution);
      build.row.cuda_until = CupyCudaUntil(distribution);
    }
    build.row.variant = distribution.substr(distribution.find('-') + 1);
    build.row.is_default = true;
  }
  build.release = DistributionsOf(distribution, version);
  build.wheel = WheelFor(distribution, version, machine);
  Place place = PlaceOf(row, build.number, machine);
  build.published = place.on;
  build.address = std::move(place.address);
  build.extra = LibrariesOf(row, machine) == LibrariesFrom::kExtra ? ExtraOf(row) : "";
  if (row.framework == "jax" && build.published == PublishedOn::kPackageIndex && !build.extra.empty())
    build.extra = row.variant;
  const bool local = build.published == PublishedOn::kTorchIndex;
  build.shown = std::string(version) + (local ? "+" + std::string(row.variant) : "");
  return build;
}

bool Before(const Build& a, const Build& b) {
  if (a.number != b.number) return a.number > b.number;
  const bool plain_a = a.published == PublishedOn::kPackageIndex;
  const bool plain_b = b.published == PublishedOn::kPackageIndex;
  if (plain_a != plain_b) return plain_a;
  if (a.row.is_default != b.row.is_default) return a.row.is_default;
  return Known(a.row.cuda) > Known(b.row.cuda);
}

// PyTorch publishes a release for three CUDA releases at least, since 2.4. Of a release with fewer in the
// table the others are not known, which is not the same as that there are none: one of each is made after the
// newest older release with all of them. `first` is where the builds of this one begin.
void AddMissingBuilds(size_t first, std::vector<Build>& builds) {
  constexpr size_t kFewest = 3;
  if (builds.size() == first || builds.size() - first >= kFewest || builds[first].number < Version{{2, 4}})
    return;
  std::map<Version, std::vector<const FrameworkRelease*>> releases;
  for (const FrameworkRelease& row : FrameworkReleases()) {
    if (row.framework == "torch") releases[Known(row.version)].push_back(&row);
  }
  auto whole = releases.lower_bound(builds[first].number);
  while (whole != releases.begin() && (--whole)->second.size() < kFewest) continue;
  if (whole == releases.end() || whole->second.size() < kFewest) return;
  for (const FrameworkRelease* like : whole->second) {
    const bool there = std::any_of(builds.begin() + static_cast<std::ptrdiff_t>(first), builds.end(),
                                   [&](const Build& build) { return build.row.variant == like->variant; });
    if (there) continue;
    FrameworkRelease row = *like;
    row.is_default = row.default_windows = row.default_aarch64 = false;
    builds.push_back(
        MakeBuild(row, builds[first].version, builds[first].distribution, builds[first].machine));
    builds.back().in_table = false;
  }
}

// The builds of a release in one distribution. Of cupy and mxnet each distribution is a build of its own,
// with a row of its own or, of cupy, that of all; under the plain name all rows of the release count.
void AddBuilds(std::string_view framework, std::string_view distribution, std::string_view version,
               Machine machine, std::vector<Build>& builds) {
  const size_t first = builds.size();
  const Rows found = RowsOf(framework, NumberOf(version));
  const bool cupy = framework == "cupy";
  const bool whole = distribution == framework;
  const std::string_view suffix = cupy && !whole ? distribution.substr(sizeof("cupy-") - 1) : "";
  const bool own_variant =
      std::ranges::any_of(found.rows, [&](const FrameworkRelease* row) { return row->variant == suffix; });
  for (const FrameworkRelease* row : found.rows) {
    if (cupy && !whole && row->variant != (own_variant ? suffix : "")) continue;
    if (!cupy && DistributionOf(*row) != distribution) continue;
    builds.push_back(MakeBuild(*row, version, distribution, machine));
    builds.back().own_row = found.own;
  }
  if (framework == "torch") AddMissingBuilds(first, builds);
}

}  // namespace

Platform PlatformOf(Machine machine) {
  return machine == Machine::kWindows ? Platform::kWindows : Platform::kLinux;
}

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
  return Known(version);
}

LibrariesFrom LibrariesOf(const FrameworkRelease& row, Machine machine) {
  if (machine == Machine::kWindows) return row.libraries_windows;
  const bool looked_at = row.libraries_aarch64 != LibrariesFrom::kUnknown;
  return machine == Machine::kLinuxArm && looked_at ? row.libraries_aarch64 : row.libraries;
}

std::string_view CudnnOf(const FrameworkRelease& row, Machine machine) {
  if (row.framework == "cupy") return "none";  // optional: only cupy.cudnn loads it
  return machine == Machine::kWindows && !row.cudnn_windows.empty() ? row.cudnn_windows : row.cudnn;
}

const Distribution* WheelFor(std::string_view distribution, std::string_view version, Machine machine) {
  for (const Distribution& row : DistributionsOf(distribution, version)) {
    if (row.platform == PlatformTag(machine) || row.platform == "any") return &row;
  }
  return nullptr;
}

bool HasBuilds(std::string_view framework) {
  const auto& names = DistributionsNamed(framework);
  const auto listed = [](std::string_view name) { return !DistributionsOf(name).empty(); };
  const auto has_python = [&](const FrameworkRelease& row) {
    return row.framework == framework && !row.python_until.empty();
  };
  return std::ranges::any_of(names, listed) || std::ranges::any_of(FrameworkReleases(), has_python);
}

bool IsBuildOf(std::string_view framework, std::string_view distribution) {
  const auto& names = DistributionsNamed(framework);
  return std::ranges::find(names, distribution) != names.end();
}

std::vector<Build> BuildsOf(std::string_view framework, Machine machine) {
  std::vector<Build> builds;
  std::set<std::pair<std::string_view, std::string_view>> seen;
  const auto add = [&](std::string_view distribution, std::string_view version) {
    if (seen.emplace(distribution, version).second)
      AddBuilds(framework, distribution, version, machine, builds);
  };
  for (const std::string_view distribution : DistributionsNamed(framework)) {
    for (const Distribution& row : DistributionsOf(distribution)) add(distribution, row.version);
  }
  // Releases that the index no longer has, or never had: a row names the one that it is for, or the first and
  // the last one.
  for (const FrameworkRelease& row : FrameworkReleases()) {
    if (row.framework != framework) continue;
    const std::string_view own = DistributionOf(row);
    for (const std::string_view version : {row.version, row.until}) {
      const bool has_python = !row.python_until.empty() || FindPin(own, version) != nullptr;
      if (Known(version).parts.size() > 2 && has_python) add(own, version);
    }
  }
  base::SortInOrder(builds, Before);
  return builds;
}

std::vector<Build> BuildsOfRelease(std::string_view framework, std::string_view version, Machine machine) {
  std::vector<Build> builds;
  const std::vector<std::string_view>& distributions = DistributionsNamed(framework);
  for (const std::string_view distribution : distributions) {
    const auto listed = DistributionsOf(distribution);
    const bool there =
        std::ranges::any_of(listed, [&](const Distribution& row) { return row.version == version; });
    if (there) AddBuilds(framework, distribution, version, machine, builds);
  }
  // A package of cupy that is not listed is not made up: the release as a whole answers.
  if (builds.empty() && framework == "cupy") {
    AddBuilds(framework, framework, version, machine, builds);
  } else if (builds.empty()) {
    for (const std::string_view distribution : distributions)
      AddBuilds(framework, distribution, version, machine, builds);
  }
  base::SortInOrder(builds, Before);
  return builds;
}

std::string ReleaseMeant(std::string_view framework, std::string_view version) {
  const Version asked = NumberOf(version);
  std::string_view newest;
  const auto consider = [&](std::string_view release) {
    const Version number = NumberOf(release);
    if (!BeginsWith(number, asked) || (!newest.empty() && number <= NumberOf(newest))) return;
    if (!FindFramework(framework, number).empty()) newest = release;
  };
  for (const std::string_view distribution : DistributionsNamed(framework)) {
    for (const Distribution& row : DistributionsOf(distribution)) {
      if (row.version == version) return std::string(version);
      consider(row.version);
    }
  }
  for (const FrameworkRelease& row : FrameworkReleases()) {
    if (row.framework == framework && newest.empty() && Known(row.version) == asked)
      return std::string(version);
  }
  if (newest.empty()) {
    for (const FrameworkRelease& row : FrameworkReleases()) {
      if (row.framework == framework) consider(row.version);
    }
  }
  if (newest.empty() && !RowsOf(framework, asked).rows.empty()) return std::string(version);
  return std::string(newest);
}

}  // namespace culprit::knowledge
