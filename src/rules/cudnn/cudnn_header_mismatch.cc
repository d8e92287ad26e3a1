// CUL3008: cuDNN's header and library have different versions.
#include "base/text.h"
#include "base/version.h"
#include "rules/kit/python/package_facts.h"
#include "rules/rule.h"

namespace culprit::rules::cudnn_header_mismatch {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
The header that a compiler finds next to a cuDNN comes from another release than the library that the linker finds there.

## Why it breaks
The program is compiled for one release and runs with another: undefined references when linking, "compiled with cuDNN 9.1
but running 8.9", wrong status codes.

## How culprit knows
culprit compares CUDNN_MAJOR, CUDNN_MINOR and CUDNN_PATCHLEVEL of the header with the exported version of the library that
libcudnn.so points to. Without libcudnn.so nothing links there, and the rule does not fire.

## Fix
Install header and library in the same version (libcudnn9-dev for libcudnn9), or point the build to the other copy.

## When this is not your problem
You only run programs that are already built: they do not use headers.

## Sources
cudnn_version.h; package lists of NVIDIA.
)md";

// libcudnn9-dev-cuda-12 for libcudnn9-cuda-12, libcudnn8-dev for libcudnn8; "" if dpkg does not own the copy.
std::string HeaderPackage(const snapshot::CudnnCopy& copy) {
  if (copy.owner.manager != snapshot::PackageManager::kDpkg) return "";
  const std::string major = std::to_string(copy.major);
  return copy.major < 9 || copy.cuda.empty() ? "libcudnn" + major + "-dev"
                                             : "libcudnn" + major + "-dev-cuda-" + MajorOf(copy.cuda);
}

void Check(const Scene& scene, Ruling& ruling) {
  if (!scene.stack().cudnn) return;
  for (const snapshot::CudnnCopy& copy : *scene.stack().cudnn) {
    auto header = base::Version::Parse(copy.header_version), library = base::Version::Parse(copy.version);
    if (!header || !library) continue;
    header->parts.resize(3);
    library->parts.resize(3);
    if (*header == *library) continue;
    // The linker uses libcudnn.so: header and library are combined only if that points to this copy.
    const std::string link = base::JoinPath(copy.directory, "libcudnn.so");
    const std::string shim = base::JoinPath(copy.directory, "libcudnn.so." + std::to_string(copy.major));
    const snapshot::FileFacts linked = scene.view.Open(link);
    const snapshot::FileFacts& loaded = scene.view.Open(shim);
    if (linked.error != base::PathError::kNone || loaded.error != base::PathError::kNone ||
        !(linked.id == loaded.id))
      continue;
    report::Finding& finding = ruling.Fire(
        copy.header + " is cuDNN " + copy.header_version + ", " + link + " is " + copy.version, copy.header);
    finding.evidence.push_back({copy.header + " says " + copy.header_version, copy.header});
    finding.evidence.push_back({shim + " is " + copy.version, copy.version_source});
    finding.fix = {.text = "install the headers of cuDNN " + copy.version +
                           ", the library's release, before you build anything",
                   .commands = {"grep -E 'define CUDNN_(MAJOR|MINOR|PATCHLEVEL)' " + Word(copy.header)},
                   .risk = report::Risk::kLow,
                   .changes = {report::InstallCudnn{copy.version, MajorOf(copy.cuda), copy.directory}}};
    const std::string package = HeaderPackage(copy);
    if (!package.empty()) finding.fix.commands = {"sudo apt-get install --reinstall " + Plain(package)};
  }
}

}  // namespace

extern const Rule kRule = {.code = "CUL3008",
                           .name = "cudnn_header_mismatch",
                           .family = Family::kCudnn,
                           .explains = Explains::kBuiltCudnn | Explains::kCudnnFiles | Explains::kFramework,
                           .cause = "header-library-mismatch",
                           .severity = report::Severity::kWarning,
                           .where = Where::kLinux,
                           .since = "0.2.0",
                           .title = "cuDNN's header and library have different versions",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::cudnn_header_mismatch
