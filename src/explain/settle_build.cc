// What a build did not find: libraries for the linker, headers, nvcc, a host compiler that nvcc accepts. The
// machine knows whether they are there and only not searched.
#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>

#include "base/text.h"
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

bool IsOneOf(std::string_view kind, std::initializer_list<std::string_view> kinds) {
  return std::ranges::find(kinds, kind) != kinds.end();
}

report::Fix ByVariable(std::string text, report::Command command) {
  return {.text = std::move(text), .commands = {std::move(command)}, .risk = report::Risk::kLow};
}

// "libcudnn.so" for -lcudnn; "" if the symptom is about something else.
std::string LinkName(const Symptom& symptom) {
  if (symptom.kind() == "linker-cannot-find-cudnn") return "libcudnn.so";
  if (symptom.kind() != "linker-cannot-find-cuda") return "";
  const std::string_view library = symptom.attribute("library");
  return library.empty() ? "" : fmt::format("lib{}.so", library);
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

// "cuda_runtime.h"; "" if the symptom is about something else, or names what is not a file.
std::string HeaderName(const Symptom& symptom) {
  const std::string_view kind = symptom.kind(), header = symptom.attribute("header");
  if (kind == "cudnn-header-missing") return "cudnn.h";
  if (!IsOneOf(kind, {"cudnn-part-header-missing", "cuda-header-missing", "cuda-header-newer",
                      "tensorrt-header-missing"}))
    return "";
  return header.starts_with('/') || base::Contains(header, "..") ? "" : std::string(header);
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
    if (!IsOneOf(base::BaseName(parent), {"lib", "lib64"})) continue;
    const std::string include = base::JoinPath(std::string(base::DirName(parent)), "include");
    add(base::JoinPath(include, std::string(base::BaseName(directory))));
    add(include);
  }
  add("/usr/include");
  return places;
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

// The other way round, check has said it (CUL8002, CUL8001).
void ByNvccHere(const Symptom& symptom, const rules::Scene& scene, Settlements& settlements) {
  const snapshot::Toolkit* toolkit = rules::ChosenToolkit(scene).toolkit;
  if (toolkit == nullptr) return;
  const std::string release =
      rules::Release(toolkit->nvcc_version.empty() ? toolkit->version : toolkit->nvcc_version);
  const auto cuda = base::Version::Parse(release);
  if (symptom.kind() == "nvcc-arch-unsupported") {
    const std::string_view arch = symptom.attribute("arch");
    const size_t digits = arch.find_first_of("0123456789");
    if (digits == std::string_view::npos) return;
    const std::string number(arch.substr(digits, arch.find_first_not_of("0123456789", digits) - digits));
    if (number.size() < 2) return;
    const auto capability = base::Version::Parse(number.substr(0, number.size() - 1) + "." + number.back());
    const auto answer = knowledge::ToolkitTargets(release, *capability);
    if (answer.verdict == knowledge::Verdict::kUnknown) return;
    const bool targets = answer.verdict == knowledge::Verdict::kYes;
    return settlements.push_back({"arch-unsupported-by-compiler", !targets,
                                  fmt::format("{} is CUDA {}, which {} {}", toolkit->nvcc, release,
                                              targets ? "compiles for" : "does not know", arch)});
  }
  if (!cuda || scene.stack().toolkits->host_compilers.empty()) return;
  const snapshot::Compiler& compiler = scene.stack().toolkits->host_compilers.front();
  const auto version = base::Version::Parse(compiler.version);
  if (!version) return;
  const auto fits =
      compiler.name == "clang" ? knowledge::ClangFits(*cuda, *version) : knowledge::GccFits(*cuda, *version);
  if (fits.verdict != knowledge::Verdict::kYes) return;
  settlements.push_back({"host-compiler", false,
                         fmt::format("{} of CUDA {} accepts {}, {} {}", toolkit->nvcc, release, compiler.path,
                                     compiler.name, compiler.version)});
}

}  // namespace

void SettleByBuild(std::span<const Symptom> symptoms, const rules::Scene& scene, Settlements& settlements) {
  if (scene.OnWindows()) return;
  const std::vector<std::string> libraries = loader::LibraryDirectories(scene.snapshot, scene.view);
  for (const Symptom& symptom : symptoms) {
    if (const std::string name = LinkName(symptom); !name.empty()) {
      ByLinkName(name, libraries, scene, settlements);
    } else if (const std::string header = HeaderName(symptom); !header.empty()) {
      ByHeader(header, HeaderPlaces(libraries), scene, settlements);
    } else if (IsOneOf(symptom.kind(), {"nvcc-missing", "cuda-home-missing", "cmake-cuda-not-found"})) {
      ByNvcc(scene, settlements);
    } else if (IsOneOf(symptom.kind(), {"nvcc-arch-unsupported", "host-compiler-unsupported"})) {
      ByNvccHere(symptom, scene, settlements);
    }
  }
}

}  // namespace culprit::explain
