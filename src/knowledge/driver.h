// data/drivers.toml: which driver runs which CUDA release.
//
// A driver runs every release up to the one it belongs to. From CUDA 11 on, it also runs newer releases of
// the same major ("minor-version compatibility"), but does not compile their PTX and lacks their new
// features.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/platform.h"
#include "base/version.h"
#include "knowledge/answer.h"

namespace culprit::knowledge {

using base::Platform;

struct ToolkitRow {
  std::string_view cuda;                // "12.4.1"
  std::string_view label;               // "12.4 Update 1"
  bool preview;                         // a release candidate or developer preview
  std::string_view min_driver_linux;    // supports it natively
  std::string_view min_driver_windows;  // "" = NVIDIA gives none
  std::string_view compat_min_linux;    // runs it through minor-version compatibility
  std::string_view compat_min_windows;
  std::string_view bundled_driver_linux;  // inside the runfile; "" = none or unknown
  std::string_view source;
};
std::span<const ToolkitRow> Toolkits();  // oldest first

struct DriverBranch {
  uint32_t branch;          // 535
  std::string_view cuda;    // newest release that the branch supports natively
  std::string_view status;  // "Production, EOL 2027-03"; "" = not one that is maintained for long
  std::string_view source;
};
std::span<const DriverBranch> DriverBranches();  // oldest first

// Kernel driver branches that work with the cuda-compat package of a release.
struct ForwardCompatRow {
  std::string_view cuda;  // "12.8"
  std::span<const std::string_view> branches;
  std::string_view source;
};
std::span<const ForwardCompatRow> ForwardCompats();

// A name that the CUDA runtime has from this release on.
struct RuntimeRow {
  std::string_view cuda;  // "12.5"
  std::string_view name;  // "cudaGetDriverEntryPointByVersion"
  std::string_view source;
};
std::span<const RuntimeRow> Runtimes();  // oldest first
// The newest of them among the sorted names in a file (binfmt::RuntimeNames); nullptr if these are not the
// runtime's: a program may name some of them too.
const RuntimeRow* RuntimeWith(std::span<const std::string> names);

// Facts in words; those about cuda-compat packages start with "forward-compat-".
std::span<const Rule> DriverRules();
const Rule* FindDriverRule(std::string_view id);

// As NVIDIA writes it, with two digits after the first number: 535.104.05.
std::string DriverText(const base::Version& driver);

// "12.4.1" -> that row; "12.4", or an update without a row ("12.4.127"), -> the first of 12.4, which has the
// lowest minimum driver; nullptr for a release that is not in the table.
const ToolkitRow* FindToolkit(std::string_view cuda);

// The newest CUDA release (major.minor) that a driver supports natively.
struct DriverCuda {
  std::string_view cuda;  // "" = older than every row
  bool at_least;          // the driver is newer than every branch in the table: it supports at least this
  std::string_view source;
};
DriverCuda CudaOfDriver(const base::Version& driver, Platform platform = Platform::kLinux);

// Whether a driver is of a branch newer than every one in the table.
bool IsNewerThanTable(const base::Version& driver, Platform platform);

// Minimum driver for a release: natively, and through minor-version compatibility; "" if NVIDIA gives none or
// the release is not in the table.
std::string_view LowestDriver(std::string_view cuda, Platform platform = Platform::kLinux);
std::string_view LowestCompatibleDriver(std::string_view cuda, Platform platform = Platform::kLinux);

// The lowest and the newest driver of a branch in the tables; empty if there is none.
struct BranchRange {
  std::string_view lowest;
  std::string_view newest;
};
std::optional<BranchRange> DriversOfBranch(uint32_t branch);

enum class DriverSupport {
  kYes,
  kByMinorCompatibility,  // machine code runs; the driver does not compile PTX of that release, its new
                          // features fail
  kNo,
  kUnknown,
};
struct DriverAnswer {
  DriverSupport support = DriverSupport::kUnknown;
  const ToolkitRow* row = nullptr;  // the row that decides
  std::string why;
  std::string_view source;
};
DriverAnswer DriverRunsCuda(const base::Version& driver, std::string_view cuda, Platform platform);

// The same as yes, no or unknown; "12" means every 12.x.
Answer DriverForCuda(const base::Version& driver, const base::Version& cuda, Platform platform);

// Yes for capabilities that only GPUs for data centers have; nothing where there are others too.
std::optional<bool> AreDataCentreGpus(std::span<const base::Version> capabilities);

// Whether a cuda-compat package of `cuda` (libcuda of a newer driver) works with this kernel driver. Only for
// data-center GPUs on Linux; `data_centre_gpu` is empty if the GPU is unknown.
Answer ForwardCompat(const base::Version& driver, std::string_view cuda, std::optional<bool> data_centre_gpu,
                     Platform platform);

}  // namespace culprit::knowledge
