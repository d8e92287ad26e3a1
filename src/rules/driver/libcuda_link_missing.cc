// CUL1024: the versioned libcuda is there, the name that programs ask for is not.
#include "base/text.h"
#include "rules/kit/driver/driver_facts.h"
#include "rules/kit/driver/driver_links.h"
#include "rules/rule.h"

namespace culprit::rules::libcuda_link_missing {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
A file libcuda.so.NNN is there, but libcuda.so.1, the name that programs ask for, is missing or leads nowhere.

## Why it breaks
ldconfig makes the link after an installation. Where it did not run (read-only images, files mounted by hand, an update that
was cut off), the driver is on disk and nobody finds it: `libcuda.so.1: cannot open shared object file`.

## How culprit knows
All copies of libcuda by name; none called libcuda.so.1 leads to a file, or the one that leads nowhere stands where programs
look and the others do not.

## Fix
Run ldconfig; where Debian's alternatives make the link, choose the installed driver with update-alternatives. Do not make the
link point to a stub.

## When this is not your problem
Jetson and WSL name their files differently.

## Sources
ldconfig(8); nvidia-container-toolkit runs it inside the container.
)md";

void Check(const Scene& scene, Ruling& ruling) {
  const auto& driver = scene.stack().driver;
  if (!driver || driver->assumed) return ruling.NotApplicable();
  const snapshot::DriverLibrary* file = nullptr;
  const snapshot::DriverLibrary* dangling = nullptr;
  bool whole = false;  // one that leads to a file
  for (const snapshot::DriverLibrary& library : driver->libraries) {
    if (library.kind != "driver" && library.kind != "container") continue;
    if (library.name == "libcuda.so.1" && library.real_path.empty()) dangling = &library;
    whole |= library.name == "libcuda.so.1" && !library.real_path.empty();
    if (library.name.starts_with("libcuda.so.") && !library.version.empty() && library.size > 0)
      file = &library;
  }
  if (whole) dangling = DanglingLibcuda(scene, *driver);
  if (whole && dangling == nullptr) return;
  if (file == nullptr) return;
  const std::string directory(base::DirName(file->path));
  report::Finding& finding = ruling.Fire(
      file->path + " is installed, but " +
          (dangling != nullptr ? dangling->path + " leads nowhere" : "there is no link libcuda.so.1 to it"),
      dangling != nullptr ? dangling->path : directory + "/libcuda.so.1");
  finding.evidence.push_back({"libcuda of driver " + file->version, file->real_path});
  finding.evidence.push_back({"no libcuda.so.1 leads to a file", directory});
  finding.fix = {.text = "let ldconfig make the link; do not link a stub to that name",
                 .commands = {"sudo ldconfig", "ls -l " + directory + "/libcuda.so.1"},
                 .risk = "low",
                 .changes = {report::RefreshCache{}}};
  if (dangling != nullptr && (whole || IsAlternative(scene, dangling->path)))
    finding.fix = LeadToTheRight(scene, dangling->path, "", *file);
}

}  // namespace

extern const Rule kRule = {.code = "CUL1024",
                           .name = "libcuda_link_missing",
                           .cause = "broken-symlink",
                           .severity = report::Severity::kError,
                           .where = Where::kLinux,
                           .since = "0.2.0",
                           .title = "libcuda is installed, its link libcuda.so.1 is missing",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::libcuda_link_missing
