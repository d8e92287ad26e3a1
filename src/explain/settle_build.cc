// What a build did not find: libraries for the linker, headers, nvcc, a host compiler that nvcc accepts. The
// machine knows whether they are there and only not searched.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "explain/known_facts.h"
#include "explain/settle.h"
#include "knowledge/arch.h"
#include "knowledge/host_compilers.h"
#include "loader/library_copies.h"
#include "rules/kit/toolkit/toolkit_facts.h"

namespace culprit::explain {
namespace {

using logs::Symptom;
using report::Word;
using Settlements = std::vector<Settlement>;

report::Fix ByVariable(std::string text, report::Command command) {
  return {.text = std::move(text), .commands = {std::move(command)}, .risk = report::Risk::kLow};
}

// The linker searches its own directories and those of -L and LIBRARY_PATH, for the name without a number.
void ByLinkName(const std::string& name, const std::vector<std::string>& directories,
                const rules::Scene& scene, Settlements& settlements) {
  const auto copies = loader::FindCopies(directories, scene.view, name);
  if (copies.empty()) return;  // missing, as the log says
  const auto link = std::ranges::find_if(
      copies, [&](const loader::LibraryCopy& copy) { return base::BaseName(copy.path) == name; });
  const std::string& path = link == copies.end() ? copies.front().path : link->path;
  const std::string directory(base::DirName(path));
  settlements.push_back({name == "libcudnn.so" ? "cudnn-missing" : "cuda-library-missing", false,
                         fmt::format("{} is on this machine: {}", name, path)});
  if (link != copies.end()) {
    settlements.push_back(
        {.cause = "build-config",
         .confirms = true,
         .says =
             fmt::format("{} is on this machine, in {}, which the linker did not search", name, directory),
         .fix = ByVariable(
             fmt::format("pass -L{} to the linker, or add the directory to LIBRARY_PATH", directory),
             "export LIBRARY_PATH=" + Word(directory) + "${LIBRARY_PATH:+:$LIBRARY_PATH}")});
    settlements.push_back({"broken-symlink", false, fmt::format("{} exists", path)});
    return;
  }
  settlements.push_back(
      {.cause = "broken-symlink",
       .confirms = true,
       .says = fmt::format("only {} is on this machine; the linker needs the name {}", path, name),
       .fix = {.text = fmt::format("install the development package, or link with {} itself", path),
               .commands = {},
               .risk = report::Risk::kLow}});
}

// Headers lie beside their libraries: <root>/include for <root>/lib64, <root>/include and
// <root>/include/<triplet> for <root>/lib/<triplet>.
std::vector<std::string> HeaderPlaces(const std::vector<std::string>& libraries) {
  std::vector<std::string> places;
  const auto add = [&](std::string place) {
    if (std::ranges::find(places, place) == places.end()) places.push_back(std::move(place));
  };
  for (const std::string& directory : libraries) {
    const std::string parent(base::DirName(directory));
    add(base::JoinPath(parent, "include"));
    const std::string_view name = base::BaseName(parent);
    if (name != "lib" && name != "lib64") continue;
    const std::string include = base::JoinPath(std::string(base::DirName(parent)), "include");
    add(base::JoinPath(include, std::string(base::BaseName(directory))));
    add(include);
  }
  add("/usr/include");
  return places;
}

// "cuda_runtime.h", "crt/host_config.h"; nothing that leads elsewhere.
bool IsBelow(std::string_view header) {
  return !header.empty() && header.front() != '/' && !base::Contains(header, "..");
}

// What is missing if a header is nowhere.
Settlement NoHeader(const std::string& name, const rules::Scene& scene) {
  const std::string says = fmt::format("no {} beside any library directory of this machine", name);
  if (name.starts_with("cudnn")) {
    const auto& cudnn = scene.stack().cudnn;
    if (!cudnn || cudnn->empty()) return {"cudnn-missing", true, says + ", and no cuDNN"};
    return {"header-library-mismatch", true,
            fmt::format("cuDNN {} is installed in {}, without {}", cudnn->front().version,
                        cudnn->front().directory, name)};
  }
  if (name.starts_with("Nv")) return {"dependent-missing", true, says};
  return {"toolkit-missing", true, says};
}

void ByHeader(const std::string& name, const std::vector<std::string>& places, const rules::Scene& scene,
              Settlements& settlements) {
  using enum base::PathError;
  bool all_seen = true;  // a snapshot may not know of a directory
  const auto place = std::ranges::find_if(places, [&](const std::string& directory) {
    const auto error = scene.view.Open(base::JoinPath(directory, name)).error;
    all_seen = all_seen && (error == kNoEntry || error == kNotDirectory);
    return error == kNone;
  });
  if (place == places.end()) {
    if (all_seen) settlements.push_back(NoHeader(name, scene));
    return;
  }
  const std::string path = base::JoinPath(*place, name);
  for (const char* cause : {"cudnn-missing", "toolkit-missing", "header-library-mismatch"})
    settlements.push_back({cause, false, fmt::format("{} is on this machine", path)});
  settlements.push_back(
      {.cause = "build-config",
       .confirms = true,
       .says = fmt::format("{} is on this machine, in {}, which the compiler did not search", name, *place),
       .fix = ByVariable(fmt::format("pass -I{} to the compiler, or add the directory to CPATH", *place),
                         "export CPATH=" + Word(*place) + "${CPATH:+:$CPATH}")});
}

void ByNvcc(const rules::Scene& scene, Settlements& settlements) {
  if (!scene.stack().toolkits) return;
  const auto compilers = rules::Compilers(scene);
  if (compilers.empty())
    return settlements.push_back({"toolkit-missing", true, "no toolkit with nvcc is on this machine"});
  const std::string& nvcc = compilers.front()->nvcc;
  settlements.push_back({"toolkit-missing", false, fmt::format("{} is on this machine", nvcc)});
  if (!scene.stack().toolkits->nvcc_on_path.empty()) return;
  const std::string directory(base::DirName(nvcc));
  settlements.push_back({.cause = "search-path",
                         .confirms = true,
                         .says = fmt::format("{} is on this machine, and its directory is not in PATH", nvcc),
                         .fix = ByVariable(fmt::format("add {} to PATH, and set CUDA_HOME to {}", directory,
                                                       base::DirName(directory)),
                                           "export PATH=" + Word(directory) + ":$PATH")});
}

std::string ReleaseOf(const snapshot::Toolkit& toolkit) {
  return rules::Release(toolkit.nvcc_version.empty() ? toolkit.version : toolkit.nvcc_version);
}

void ByArchitecture(std::string_view arch, const rules::Scene& scene, Settlements& settlements) {
  const snapshot::Toolkit* toolkit = rules::ChosenToolkit(scene).toolkit;
  const auto capability = CapabilityOf(arch);
  if (toolkit == nullptr || !capability) return;
  const std::string release = ReleaseOf(*toolkit);
  const auto answer = knowledge::ToolkitTargets(release, *capability);
  if (answer.verdict == knowledge::Verdict::kUnknown) return;
  const bool targets = answer.verdict == knowledge::Verdict::kYes;
  settlements.push_back({"arch-unsupported-by-compiler", !targets,
                         fmt::format("{} is CUDA {}, which {} {}", toolkit->nvcc, release,
                                     targets ? "compiles for" : "does not know", arch)});
}

// If nvcc does not support it, check has said so (CUL8002).
void ByHostCompiler(const rules::Scene& scene, Settlements& settlements) {
  const snapshot::Toolkit* toolkit = rules::ChosenToolkit(scene).toolkit;
  if (toolkit == nullptr || scene.stack().toolkits->host_compilers.empty()) return;
  const snapshot::Compiler& compiler = scene.stack().toolkits->host_compilers.front();
  const auto cuda = base::Version::Parse(ReleaseOf(*toolkit)),
             version = base::Version::Parse(compiler.version);
  if (!cuda || !version) return;
  const auto fits =
      compiler.name == "clang" ? knowledge::ClangFits(*cuda, *version) : knowledge::GccFits(*cuda, *version);
  if (fits.verdict != knowledge::Verdict::kYes) return;
  settlements.push_back({"host-compiler", false,
                         fmt::format("{} of CUDA {} supports {}, {} {}", toolkit->nvcc, cuda->ToString(),
                                     compiler.path, compiler.name, compiler.version)});
}

}  // namespace

void SettleByBuild(std::span<const Symptom> symptoms, const rules::Scene& scene, Settlements& settlements) {
  using enum knowledge::Lacks;
  if (scene.OnWindows()) return;
  const std::vector<std::string> libraries = loader::LibraryDirectories(scene.snapshot, scene.view);
  for (const Symptom& symptom : symptoms) {
    const std::string library(symptom.attribute("library")), header(symptom.attribute("header"));
    switch (symptom.signature->lacks) {
      case kNothing:
        break;
      case kLinkName:
        if (!library.empty()) ByLinkName("lib" + library + ".so", libraries, scene, settlements);
        break;
      case kHeader:
        if (IsBelow(header)) ByHeader(header, HeaderPlaces(libraries), scene, settlements);
        break;
      case kNvcc:
        ByNvcc(scene, settlements);
        break;
      case kArchitecture:
        ByArchitecture(symptom.attribute("arch"), scene, settlements);
        break;
      case kHostCompiler:
        ByHostCompiler(scene, settlements);
        break;
    }
  }
}

}  // namespace culprit::explain
