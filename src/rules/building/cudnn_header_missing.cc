// CUL8004: a toolkit has cuDNN to link with, and not its headers.
#include "base/text.h"
#include "base/version.h"
#include "knowledge/packages/packages.h"
#include "rules/kit/toolkit/toolkit_facts.h"
#include "rules/rule.h"

namespace culprit::rules::cudnn_header_missing {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
Beside a toolkit lies cuDNN with the name for linking (libcudnn.so), and no cudnn.h.

## Why it breaks
Builds that look for cuDNN find the library and fail at "cudnn.h: No such file or directory".

## How culprit knows
The include directory beside the copy was looked at.

## Fix
Install the development package, or give the build the include directory of another copy of the same version.

## When this is not your problem
Programs that are already built need no headers.

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
        ruling.Fire(link + " (cuDNN " + copy.version + ") has no cudnn.h beside it", link);
    finding.evidence.push_back(
        {"no cudnn_version.h and no cudnn.h in the include directory beside " + copy.directory,
         copy.directory});
    const std::string cuda = copy.cuda.substr(0, copy.cuda.find('.'));
    finding.fix = {.text = "install the development package of this cuDNN if you mean to build with it",
                   .commands = {},
                   .risk = "low",
                   .changes = {report::InstallCudnn{copy.version, cuda, copy.directory}}};
    const auto version = base::Version::Parse(copy.version), cuda_version = base::Version::Parse(cuda);
    const auto* package =
        version ? knowledge::FindPackageName("apt", "cudnn-dev", *version, "nvidia") : nullptr;
    if (copy.owner.starts_with("dpkg libcudnn") && package != nullptr && cuda_version) {
      finding.fix.commands = {
          "sudo apt-get install " +
          knowledge::FillIn(package->name, {.version = *version, .cuda = *cuda_version, .variant = {}})};
    }
  }
}

}  // namespace

extern const Rule kRule = {.code = "CUL8004",
                           .name = "cudnn_header_missing",
                           .cause = "header-library-mismatch",
                           .severity = report::Severity::kNote,
                           .where = Where::kLinux,
                           .since = "0.2.0",
                           .title = "a toolkit has cuDNN to link with, and not its headers",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::cudnn_header_missing
