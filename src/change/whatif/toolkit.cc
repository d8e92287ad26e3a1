// A CUDA toolkit: compiler, headers, the libraries that the tables name for this release, stubs, and the link
// /usr/local/cuda or the variables that its installer sets.
#include <algorithm>

#include "base/text.h"
#include "base/version.h"
#include "base/windows/path.h"
#include "change/whatif/claims.h"
#include "change/whatif/make.h"
#include "knowledge/packages/sonames.h"

namespace culprit::whatif {
namespace {

using base::JoinPath;
using system::FileType;
using system::System;
using system::SystemChanges;

struct Toolkit {
  base::Version version;
  std::string release;  // "12.4"
  std::string root;
};

bool ShipsWith(const knowledge::SonameRow& row, const Toolkit& toolkit) {
  const std::string major = std::to_string(toolkit.version.part(0));
  return std::ranges::any_of(row.cuda,
                             [&](std::string_view cuda) { return cuda == major || cuda == toolkit.release; });
}

void PutProgram(const System& machine, const std::string& path, const std::string& text,
                SystemChanges& made) {
  Claims claims;
  claims.program = true;
  claims.text = text;
  made.put[path] = {.bytes = FileBytes(machine, path, claims), .target = {}, .mode = 0755};
}

void PutLibraries(const System& machine, const Toolkit& toolkit, const std::string& directory,
                  SystemChanges& made) {
  const bool windows = machine.platform() == base::Platform::kWindows;
  const auto put = [&](const std::string& name, std::vector<std::string> needed) {
    Claims claims;
    if (!windows) {
      claims.soname = name;
      claims.version_defs = {name};
      claims.needed = std::move(needed);
      claims.runpath = "$ORIGIN";
    }
    const std::string path = JoinPath(directory, name);
    made.put[path] = {.bytes = FileBytes(machine, path, claims), .target = {}, .mode = 0755};
    // The name by which compilers find it; cuDNN 8 opens libnvrtc by it, too.
    const size_t number = name.find(".so.");
    if (!windows && number != std::string::npos) {
      made.put[JoinPath(directory, name.substr(0, number + 3))] = {
          .type = FileType::kLink, .bytes = {}, .target = name};
    }
  };
  const knowledge::SonameRow* lt =
      knowledge::FindSoname("libcublasLt.so." + std::to_string(toolkit.version.part(0)));
  for (const knowledge::SonameRow& row : knowledge::SonameRows()) {
    const bool dll = row.name.ends_with(".dll");
    if (dll != windows || !ShipsWith(row, toolkit)) continue;
    const bool with_lt = row.library == "cublas" && !windows && lt != nullptr && ShipsWith(*lt, toolkit);
    put(std::string(row.name), with_lt ? std::vector{std::string(lt->name)} : std::vector<std::string>());
  }
  if (windows) return;
  put("libnvrtc-builtins.so." + toolkit.release, {});
  Claims stub;
  stub.soname = "libcuda.so.1";
  const std::string path = JoinPath(directory, "stubs/libcuda.so");
  made.put[path] = {.bytes = FileBytes(machine, path, stub), .target = {}, .mode = 0755};
}

void PutVersion(const Toolkit& toolkit, const std::string& include, SystemChanges& made) {
  made.put[JoinPath(toolkit.root, "version.json")] = {
      .bytes = R"({ "cuda" : { "name" : "CUDA SDK", "version" : ")" + toolkit.version.ToString() + "\" } }\n",
      .target = {}};
  const uint32_t number = toolkit.version.part(0) * 1000 + toolkit.version.part(1) * 10;
  made.put[JoinPath(include, "cuda.h")] = {.bytes = "#define CUDA_VERSION " + std::to_string(number) + "\n",
                                           .target = {}};
}

SystemChanges OnWindows(const System& machine, const Toolkit& toolkit) {
  SystemChanges made;
  const std::string bin = JoinPath(toolkit.root, "bin");
  PutProgram(machine, JoinPath(bin, "nvcc.exe"), "Cuda compilation tools, release " + toolkit.release, made);
  PutLibraries(machine, toolkit, bin, made);
  PutVersion(toolkit, JoinPath(toolkit.root, "include"), made);
  const std::string spelled = base::ToWindowsPath(toolkit.root);
  std::string variable = "CUDA_PATH_V" + toolkit.release;
  std::ranges::replace(variable, '.', '_');
  made.variables["CUDA_PATH"] = made.variables[variable] = spelled;
  for (const auto& [name, value] : machine.Environment()) {
    if (base::SameName(name, "PATH")) made.variables[name] = spelled + "\\bin;" + value;
  }
  return made;
}

SystemChanges OnLinux(const System& machine, const Toolkit& toolkit) {
  SystemChanges made;
  const std::string target =
      machine.HostCpu().machine == "aarch64" ? "targets/sbsa-linux" : "targets/x86_64-linux";
  const std::string files = JoinPath(toolkit.root, target);
  PutProgram(machine, JoinPath(toolkit.root, "bin/nvcc"),
             "Cuda compilation tools, release " + toolkit.release + ", V" + toolkit.version.ToString(), made);
  PutLibraries(machine, toolkit, JoinPath(files, "lib"), made);
  PutVersion(toolkit, JoinPath(files, "include"), made);
  const auto link = [&](const std::string& path, const std::string& to) {
    if (!machine.LinkStat(path)) made.put[path] = {.type = FileType::kLink, .bytes = {}, .target = to};
  };
  link(JoinPath(toolkit.root, "lib64"), target + "/lib");
  link(JoinPath(toolkit.root, "include"), target + "/include");
  if (toolkit.root.starts_with("/usr/local/cuda-"))
    link("/usr/local/cuda", std::string(base::BaseName(toolkit.root)));
  return made;
}

}  // namespace

Changes Make(const System& machine, const report::InstallToolkit& change) {
  const auto version = base::Version::Parse(change.version);
  if (!version || version->parts.size() < 2) {
    return base::Fail(base::ErrorCode::kUnsupported,
                      "CUDA \"" + base::Printable(change.version) + "\": unknown release");
  }
  const std::string release = std::to_string(version->part(0)) + "." + std::to_string(version->part(1));
  const bool windows = machine.platform() == base::Platform::kWindows;
  const std::string usual = windows ? "/C:/Program Files/NVIDIA GPU Computing Toolkit/CUDA/v" + release
                                    : "/usr/local/cuda-" + release;
  const Toolkit toolkit{*version, release, change.root.empty() ? usual : change.root};
  return windows ? OnWindows(machine, toolkit) : OnLinux(machine, toolkit);
}

}  // namespace culprit::whatif
