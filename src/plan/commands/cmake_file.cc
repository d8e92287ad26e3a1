// A file for CMake: the toolkit and cuDNN that the plan names, and GPU code for the host's GPUs.
#include <algorithm>
#include <set>
#include <string>

#include "base/version.h"
#include "plan/commands/command_parts.h"

namespace culprit::plan {
namespace {

using report::PlannedPackage;

const PlannedPackage* WithRole(const report::Plan& plan, report::PackageRole role) {
  const auto found = std::ranges::find(plan.packages, role, &PlannedPackage::role);
  return found == plan.packages.end() ? nullptr : &*found;
}

// "12.4.1" -> "12.4"
std::string Short(const std::string& text) {
  const auto version = base::Version::Parse(text);
  if (!version) return text;
  return std::to_string(version->part(0)) + "." + std::to_string(version->part(1));
}

std::string Architectures(const Host& host) {
  std::set<base::Version> gpus(host.gpus.begin(), host.gpus.end());
  std::string list;
  for (const base::Version& gpu : gpus)
    list += (list.empty() ? "" : ";") + std::to_string(gpu.part(0)) + std::to_string(gpu.part(1)) + "-real";
  return list;
}

std::string CudnnLines(const std::string& version) {
  const auto parsed = base::Version::Parse(version);
  const std::string major = std::to_string(parsed ? parsed->part(0) : 0);
  return "\n# cuDNN ships no CMake package file; the version comes from its header.\n"
         "find_path(CUDNN_INCLUDE_DIR cudnn_version.h HINTS ${CUDNN_ROOT} ${CUDAToolkit_INCLUDE_DIRS}\n"
         "          PATH_SUFFIXES include REQUIRED)\n"
         "find_library(CUDNN_LIBRARY cudnn HINTS ${CUDNN_ROOT} ${CUDAToolkit_LIBRARY_DIR}\n"
         "             PATH_SUFFIXES lib64 lib lib/x64 REQUIRED)\n"
         "set(CUDNN_VERSION \"\")\n"
         "foreach(part MAJOR MINOR PATCHLEVEL)\n"
         "  file(STRINGS ${CUDNN_INCLUDE_DIR}/cudnn_version.h line REGEX \"^#define CUDNN_${part} "
         "+[0-9]+\")\n"
         "  string(REGEX MATCH \"[0-9]+$\" number \"${line}\")\n"
         "  string(APPEND CUDNN_VERSION \".${number}\")\n"
         "endforeach()\n"
         "string(SUBSTRING \"${CUDNN_VERSION}\" 1 -1 CUDNN_VERSION)\n"
         "if(CUDNN_VERSION VERSION_LESS " +
         major + " OR CUDNN_VERSION VERSION_GREATER_EQUAL " +
         std::to_string(parsed ? parsed->part(0) + 1 : 1) +
         ")\n"
         "  message(FATAL_ERROR \"cuDNN " +
         version +
         " is planned, ${CUDNN_INCLUDE_DIR} has ${CUDNN_VERSION}\")\n"
         "elseif(CUDNN_VERSION VERSION_LESS " +
         version +
         ")\n"
         "  message(WARNING \"cuDNN " +
         version +
         " is planned, ${CUDNN_INCLUDE_DIR} has ${CUDNN_VERSION}\")\n"
         "endif()\n"
         "if(NOT TARGET cudnn)\n"
         "  add_library(cudnn UNKNOWN IMPORTED)\n"
         "  set_target_properties(cudnn PROPERTIES IMPORTED_LOCATION ${CUDNN_LIBRARY}\n"
         "                        INTERFACE_INCLUDE_DIRECTORIES ${CUDNN_INCLUDE_DIR})\n"
         "endif()\n";
}

}  // namespace

void WriteCmake(report::Plan& plan, const Question& question) {
  const PlannedPackage* toolkit = WithRole(plan, report::PackageRole::kToolkit);
  const PlannedPackage* cudnn = WithRole(plan, report::PackageRole::kCudnn);
  std::string file = FileHeader(plan) +
                     "# Include this after project(). It enables CUDA after setting the GPU architectures.\n";
  if (const std::string list = Architectures(question.host); !list.empty()) {
    file += "if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)\n  set(CMAKE_CUDA_ARCHITECTURES \"" + list +
            "\")\nendif()\n";
  } else {
    file += "# No GPU known (pass --host gpu=sm_90), so set CMAKE_CUDA_ARCHITECTURES yourself.\n";
  }
  if (toolkit != nullptr) {
    const auto version = base::Version::Parse(toolkit->version);
    file += "enable_language(CUDA)\nfind_package(CUDAToolkit " + Short(toolkit->version) + " REQUIRED)\n";
    if (version) {
      const std::string next = std::to_string(version->part(0) + 1);
      file += "if(CUDAToolkit_VERSION VERSION_GREATER_EQUAL " + next + ")\n  message(FATAL_ERROR \"CUDA " +
              Short(toolkit->version) +
              " is planned, ${CUDAToolkit_BIN_DIR} has ${CUDAToolkit_VERSION}\")\nendif()\n";
    }
  } else {
    plan.notes.push_back("this plan has no CUDA toolkit; add it: culprit plan cuda ... --as cmake");
  }
  if (cudnn != nullptr) file += CudnnLines(Short(cudnn->version));
  plan.document = std::move(file);
  const Parts parts = PartsOf(plan, true);
  AddDriver(plan, parts, question);
  AddSystemLibraries(plan, parts, question);
  plan.steps.push_back(
      {.title = "verify",
       .why = "builds and runs a test program with this toolkit, host compiler and libraries",
       .commands = {"culprit probe --compile"}});
}

}  // namespace culprit::plan
