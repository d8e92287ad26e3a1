#include "knowledge/driver.h"

#include <algorithm>
#include <string>

#include "knowledge/arch.h"
#include "knowledge/packages/release.h"

namespace culprit::knowledge {
namespace {

using base::Version;

constexpr uint32_t kFirstMajorWithMinorCompatibility = 11;

std::string_view NativeFloor(const ToolkitRow& row, Platform platform) {
  return platform == Platform::kWindows ? row.min_driver_windows : row.min_driver_linux;
}

std::string_view CompatFloor(const ToolkitRow& row, Platform platform) {
  return platform == Platform::kWindows ? row.compat_min_windows : row.compat_min_linux;
}

// The branch of a driver. Windows drivers of a branch have higher numbers (536.25 belongs to 535).
const DriverBranch* BranchOf(const Version& driver, Platform platform) {
  const DriverBranch* found = nullptr;
  for (const DriverBranch& row : DriverBranches()) {
    if (row.branch == driver.part(0)) return &row;
    if (row.branch < driver.part(0) && platform == Platform::kWindows) found = &row;
  }
  return found;
}

// "12.4.1" of a row -> "12.4", as a part of the row's own text.
std::string_view MinorText(std::string_view cuda) {
  const size_t dot = cuda.find('.');
  return cuda.substr(0, dot == std::string_view::npos ? dot : cuda.find('.', dot + 1));
}

// Rows with their versions as numbers: a plan asks about them thousands of times.
struct ReadToolkit {
  const ToolkitRow* row;
  Version cuda;
  std::optional<Version> native_linux, native_windows;
};
const std::vector<ReadToolkit>& ReadToolkits() {
  static const auto kAll = [] {
    std::vector<ReadToolkit> all;
    for (const ToolkitRow& row : Toolkits()) {
      all.push_back({&row, Known(row.cuda), Version::Parse(NativeFloor(row, Platform::kLinux)),
                     Version::Parse(NativeFloor(row, Platform::kWindows))});
    }
    return all;
  }();
  return kAll;
}

DriverAnswer Decide(DriverSupport support, const ToolkitRow* row, std::string why, std::string_view source) {
  return {support, row, std::move(why), source};
}

DriverAnswer WithoutRow(const Version& driver, const Version& cuda) {
  const ToolkitRow& oldest = Toolkits().front();
  if (const Rule* rule = FindDriverRule("no-cuda-12.7"); MinorOf(cuda) == Version{{12, 7}}) {
    return Decide(DriverSupport::kUnknown, nullptr, "there was never a public CUDA 12.7 toolkit",
                  rule->source);
  }
  if (cuda < Known(oldest.cuda) && driver >= Known(oldest.min_driver_linux)) {
    const Rule* rule = FindDriverRule("driver-backward-compatible");
    return Decide(DriverSupport::kYes, nullptr,
                  "driver " + DriverText(driver) + " is newer than CUDA " + cuda.ToString() +
                      ", and drivers run every older release",
                  rule->source);
  }
  return Decide(DriverSupport::kUnknown, nullptr, "CUDA " + cuda.ToString() + " is not in the table", "");
}

}  // namespace

const Rule* FindDriverRule(std::string_view id) {
  const auto rules = DriverRules();
  const auto at = std::ranges::find(rules, id, &Rule::id);
  return at == rules.end() ? nullptr : &*at;
}

std::string DriverText(const Version& driver) {
  std::string text;
  for (const uint32_t part : driver.parts) {
    const std::string number = std::to_string(part);
    if (!text.empty()) text += number.size() < 2 ? ".0" : ".";
    text += number;
  }
  return text;
}

const ToolkitRow* FindToolkit(std::string_view cuda) {
  const auto written = std::ranges::find(Toolkits(), cuda, &ToolkitRow::cuda);
  if (written != Toolkits().end()) return &*written;
  const auto wanted = Version::Parse(cuda);
  if (!wanted) return nullptr;
  const ToolkitRow* first = nullptr;
  for (const ReadToolkit& one : ReadToolkits()) {
    if (one.cuda.parts == wanted->parts) return one.row;
    if (first == nullptr && !one.row->preview && wanted->parts.size() > 1 &&
        MinorOf(one.cuda) == MinorOf(*wanted)) {
      first = one.row;
    }
  }
  return first;
}

DriverCuda CudaOfDriver(const Version& driver, Platform platform) {
  DriverCuda found{"", false, ""};
  for (const ReadToolkit& one : ReadToolkits()) {
    const auto& floor = platform == Platform::kWindows ? one.native_windows : one.native_linux;
    if (floor && driver >= *floor) found = {MinorText(one.row->cuda), false, one.row->source};
  }
  // A branch may belong to a release that was never published (565: 12.7), and Windows has no minimum
  // versions after 12.9. For drivers before the first minimum of a branch (betas), the minimum versions
  // decide.
  const DriverBranch* branch = BranchOf(driver, platform);
  const bool without_floor =
      branch != nullptr && (platform == Platform::kWindows || FindToolkit(branch->cuda) == nullptr);
  if (without_floor && (found.cuda.empty() || Known(branch->cuda) > Known(found.cuda))) {
    found = {branch->cuda, false, branch->source};
  }
  found.at_least = IsNewerThanTable(driver, platform);
  return found;
}

bool IsNewerThanTable(const Version& driver, Platform platform) {
  // Branches are at least five apart, and Windows counts on between them (536.25 belongs to 535).
  constexpr uint32_t kWithinBranch = 4;
  const uint32_t newest = DriverBranches().back().branch;
  return driver.part(0) > (platform == Platform::kWindows ? newest + kWithinBranch : newest);
}

std::string_view LowestDriver(std::string_view cuda, Platform platform) {
  const ToolkitRow* row = FindToolkit(cuda);
  return row == nullptr ? "" : NativeFloor(*row, platform);
}

std::string_view LowestCompatibleDriver(std::string_view cuda, Platform platform) {
  const ToolkitRow* row = FindToolkit(cuda);
  return row == nullptr ? "" : CompatFloor(*row, platform);
}

std::optional<BranchRange> DriversOfBranch(uint32_t branch) {
  std::optional<BranchRange> range;
  for (const ToolkitRow& row : Toolkits()) {
    for (const std::string_view text : {row.min_driver_linux, row.bundled_driver_linux}) {
      const auto driver = Version::Parse(text);
      if (!driver || driver->part(0) != branch || driver->parts.size() < 2) continue;
      if (!range) range = {text, text};
      if (*driver < Known(range->lowest)) range->lowest = text;
      if (*driver > Known(range->newest)) range->newest = text;
    }
  }
  return range;
}

DriverAnswer DriverRunsCuda(const Version& driver, std::string_view cuda, Platform platform) {
  const auto wanted = Version::Parse(cuda);
  if (!wanted) return {DriverSupport::kUnknown, nullptr, Text(cuda) + " is not a version", ""};
  const ToolkitRow* row = FindToolkit(cuda);
  if (row == nullptr) return WithoutRow(driver, *wanted);
  const std::string release = "CUDA " + Text(row->label);
  const std::string_view native = NativeFloor(*row, platform);
  const std::string_view compatible = CompatFloor(*row, platform);
  if (!native.empty() && driver >= Known(native)) {
    return Decide(DriverSupport::kYes, row, release + " needs driver " + Text(native) + " or newer",
                  row->source);
  }
  const DriverCuda own = native.empty() ? CudaOfDriver(driver, platform) : DriverCuda{};
  if (!own.cuda.empty() && Known(own.cuda) > MinorOf(Known(row->cuda))) {
    return Decide(DriverSupport::kYes, row,
                  "the driver belongs to CUDA " + Text(own.cuda) + ", which is newer than " + release,
                  own.source);
  }
  if (driver < Known(compatible)) {
    return Decide(DriverSupport::kNo, row, release + " needs driver " + Text(compatible) + " or newer",
                  row->source);
  }
  if (Known(row->cuda).part(0) < kFirstMajorWithMinorCompatibility) {
    return Decide(DriverSupport::kNo, row, release + " needs driver " + Text(native) + " or newer",
                  row->source);
  }
  std::string why = release + (native.empty() ? "" : " belongs to driver " + Text(native) + ";") +
                    " drivers from " + Text(compatible) +
                    " on run its machine code through minor-version compatibility, but cannot compile its "
                    "PTX and lack its new features";
  return Decide(DriverSupport::kByMinorCompatibility, row, std::move(why), row->source);
}

Answer DriverForCuda(const Version& driver, const Version& cuda, Platform platform) {
  // The first release of a major has the lowest minimum; from 11 on, its driver runs the whole major.
  const std::string release = cuda.ToString() + (cuda.parts.size() == 1 ? ".0" : "");
  const DriverAnswer answer = DriverRunsCuda(driver, release, platform);
  switch (answer.support) {
    case DriverSupport::kYes:
      if (cuda.parts.size() > 1 || cuda.part(0) >= kFirstMajorWithMinorCompatibility) {
        return Yes(answer.why, answer.source);
      }
      return Unknown("it depends on which CUDA " + cuda.ToString() + ".x you mean", answer.source);
    case DriverSupport::kByMinorCompatibility:
      return Yes(answer.why, answer.source);
    case DriverSupport::kNo:
      return No(answer.why, answer.source);
    case DriverSupport::kUnknown:
      break;
  }
  return Unknown(answer.why, answer.source);
}

std::optional<bool> AreDataCentreGpus(std::span<const Version> capabilities) {
  if (capabilities.empty()) return std::nullopt;
  const bool all =
      std::ranges::all_of(capabilities, [](const Version& gpu) { return IsDataCentreGpu(gpu, "") == true; });
  return all ? std::optional(true) : std::nullopt;
}

Answer ForwardCompat(const Version& driver, std::string_view cuda, std::optional<bool> data_centre_gpu,
                     Platform platform) {
  if (platform == Platform::kWindows) {
    const Rule* rule = FindDriverRule("forward-compat-linux-only");
    return No("cuda-compat packages are for Linux", rule->source);
  }
  const Rule* gpus = FindDriverRule("forward-compat-gpu-classes");
  if (data_centre_gpu == false) {
    return No("a cuda-compat package works on data-centre GPUs, not on this one (error 804)", gpus->source);
  }
  const auto wanted = Version::Parse(cuda);
  const DriverCuda own = CudaOfDriver(driver, platform);
  if (wanted && !own.cuda.empty() && Known(own.cuda) >= MinorOf(*wanted)) {
    return No("driver " + DriverText(driver) + " belongs to CUDA " + Text(own.cuda) +
                  " and does not need cuda-compat for " + Text(cuda),
              own.source);
  }
  for (const ForwardCompatRow& row : ForwardCompats()) {
    if (!wanted || Known(row.cuda) != MinorOf(*wanted)) continue;
    std::string list;
    for (const std::string_view branch : row.branches) list += (list.empty() ? "" : ", ") + Text(branch);
    const std::string why =
        "the cuda-compat package of CUDA " + Text(row.cuda) + " is for driver branches " + list;
    const bool listed = std::ranges::any_of(
        row.branches, [&](std::string_view branch) { return Known(branch).part(0) == driver.part(0); });
    if (!listed) return No(why, row.source);
    return data_centre_gpu ? Yes(why, row.source) : Unknown(why + ", on data-centre GPUs only", row.source);
  }
  return Unknown(
      "which drivers a cuda-compat package of CUDA " + Text(cuda) + " supports is not in the table",
      gpus->source);
}

const RuntimeRow* RuntimeWith(std::span<const std::string> names) {
  constexpr size_t kFewest = 200;  // CUDA 9.0 has more
  if (names.size() < kFewest) return nullptr;
  const auto rows = Runtimes();
  const auto newest = std::find_if(rows.rbegin(), rows.rend(), [&](const RuntimeRow& row) {
    return std::ranges::binary_search(names, row.name);
  });
  return newest == rows.rend() ? nullptr : &*newest;
}

}  // namespace culprit::knowledge
