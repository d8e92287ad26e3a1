// CUL8004: libcudnn.so is installed for linking, but cudnn.h is missing.
#include "base/text.h"
#include "base/version.h"
#include "knowledge/packages/packages.h"
#include "rules/kit/toolkit/toolkit_facts.h"
#include "rules/rule.h"

namespace culprit::rules::cudnn_header_missing {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
A machine with a toolkit has libcudnn.so, the name that the linker uses, but no cudnn.h.
## Why it breaks
Builds that look for cuDNN find the library and fail with "cudnn.h: No such file or directory".

## How culprit knows
culprit lists the include directory of the copy.

## Fix
Install the development package, or point the build to the include directory of another copy of the same version.

## When this is not your problem
You only run programs that are already built: they need no headers.

## Sources
File lists of the cuDNN archives.
)md";

void Check(const Scene& scene, Ruling& ruling) {
  if (!scene.stack().cudnn || Compilers(scene).empty()) return;
  for (const snapshot::CudnnCopy& copy : *scene.stack().cudnn) {
    if (!copy.header.empty()) continue;
    const std::string link = base::JoinPath(copy.directory, "libcudnn.so");
    if (scene.view.Open(link).error != base::PathError::kNone) continue;
    report::Finding& finding =
        ruling.Fire(link + " (cuDNN " + copy.version + ") is installed, but its cudnn.h is missing", link,
                    {"cudnn.h", "cudnn_version.h"});
    finding.evidence.push_back(
        {"no cudnn_version.h and no cudnn.h in the include directory for " + copy.directory, copy.directory});
    const std::string cuda = copy.cuda.substr(0, copy.cuda.find('.'));
    finding.fix = {.text = "install the development package of this cuDNN if you want to build with it",
                   .commands = {},
                   .risk = report::Risk::kLow,
                   .changes = {report::InstallCudnn{copy.version, cuda, copy.directory}}};
    const auto version = base::Version::Parse(copy.version), cuda_version = base::Version::Parse(cuda);
    const auto* package =
        version ? knowledge::FindPackageName("apt", "cudnn-dev", *version, "nvidia") : nullptr;
    const bool of_dpkg =
        copy.owner.manager == snapshot::PackageManager::kDpkg && copy.owner.package.starts_with("libcudnn");
    if (of_dpkg && package != nullptr && cuda_version) {
      finding.fix.commands = {
          "sudo apt-get install " +
          Plain(
              knowledge::FillIn(package->name, {.version = *version, .cuda = *cuda_version, .variant = {}}))};
    }
  }
}

}  // namespace

extern const Rule kRule = {.code = "CUL8004",
                           .name = "cudnn_header_missing",
                           .family = Family::kBuilding,
                           .explains = Explains::kHeaders,
                           .cause = "header-library-mismatch",
                           .severity = report::Severity::kNote,
                           .where = Where::kLinux,
                           .since = "0.2.0",
                           .title = "libcudnn.so is installed for linking, but cudnn.h is missing",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::cudnn_header_missing
