// CUL1024: the versioned libcuda is installed, the symlink libcuda.so.1 is missing or dangling.
#include "base/text.h"
#include "rules/kit/driver/driver_facts.h"
#include "rules/kit/driver/driver_links.h"
#include "rules/rule.h"

namespace culprit::rules::libcuda_link_missing {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
libcuda.so.NNN is installed, but libcuda.so.1, the name that programs ask for, is missing or a dangling symlink.

## Why it breaks
ldconfig creates the symlink after an installation. If it did not run (read-only images, files mounted by hand, an interrupted
update), the driver is on disk but programs do not find it: `libcuda.so.1: cannot open shared object file`.

## How culprit knows
All copies of libcuda by name. None called libcuda.so.1 resolves to a file, or only the dangling one is on the search path.

## Fix
Run ldconfig. If Debian's alternatives manage the symlink, choose the installed driver with update-alternatives. Do not point
the symlink to a stub.

## When this is not your problem
Jetson and WSL use other file names.

## Sources
ldconfig(8); nvidia-container-toolkit runs it inside the container.
)md";

void Check(const Scene& scene, Ruling& ruling) {
  const auto& driver = scene.stack().driver;
  if (!driver || driver->assumed) return ruling.NotApplicable();
  const snapshot::DriverLibrary* file = nullptr;
  const snapshot::DriverLibrary* dangling = nullptr;
  bool whole = false;  // one resolves to a file
  for (const snapshot::DriverLibrary& library : driver->libraries) {
    if (library.kind != snapshot::DriverLibraryKind::kDriver &&
        library.kind != snapshot::DriverLibraryKind::kContainer)
      continue;
    if (library.name == "libcuda.so.1" && library.real_path.empty()) dangling = &library;
    whole |= library.name == "libcuda.so.1" && !library.real_path.empty();
    if (library.name.starts_with("libcuda.so.") && !library.version.empty() && library.size > 0)
      file = &library;
  }
  if (whole) dangling = DanglingLibcuda(scene, *driver);
  if (whole && dangling == nullptr) return;
  if (file == nullptr) return;
  const std::string directory(base::DirName(file->path));
  report::Finding& finding =
      ruling.Fire(file->path + " is installed, but " +
                      (dangling != nullptr ? dangling->path + " is a dangling symlink"
                                           : "the symlink libcuda.so.1 to it is missing"),
                  dangling != nullptr ? dangling->path : directory + "/libcuda.so.1");
  finding.evidence.push_back({"libcuda of driver " + file->version, file->real_path});
  finding.evidence.push_back({"no libcuda.so.1 resolves to a file", directory});
  finding.fix = {.text = "let ldconfig create the symlink; do not point it to a stub",
                 .commands = {"sudo ldconfig", "ls -l " + Word(directory) + "/libcuda.so.1"},
                 .risk = report::Risk::kLow,
                 .changes = {report::RefreshCache{}}};
  if (dangling != nullptr && (whole || IsAlternative(scene, dangling->path)))
    finding.fix = PointToRightDriver(scene, dangling->path, "", *file);
}

}  // namespace

extern const Rule kRule = {.code = "CUL1024",
                           .name = "libcuda_link_missing",
                           .family = Family::kDriver,
                           .cause = "broken-symlink",
                           .severity = report::Severity::kError,
                           .where = Where::kLinux,
                           .since = "0.2.0",
                           .title = "libcuda is installed, but the symlink libcuda.so.1 is missing",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::libcuda_link_missing
