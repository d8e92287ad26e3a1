#include "change/whatif/planned.h"

#include <algorithm>

#include "base/text.h"
#include "base/version.h"
#include "binfmt/elf/constants.h"
#include "binfmt/elf/write.h"
#include "change/whatif/carry_out.h"
#include "change/whatif/claims.h"
#include "change/whatif/install.h"
#include "knowledge/host_compilers.h"
#include "knowledge/packages/projects.h"
#include "knowledge/packages/release.h"
#include "system/memory.h"

namespace culprit::whatif {
namespace {

using base::JoinPath;
using report::PlannedPackage;
using system::MemorySystem;

// "3.11" of "3.11.4"; a plan that says nothing has the usual one.
std::string PythonOf(const report::Plan& plan) {
  for (const PlannedPackage& package : plan.packages) {
    if (package.role != report::PackageRole::kPython && package.name != "python") continue;
    const auto parts = base::Split(package.version, '.');
    if (parts.size() > 1) return parts[0] + "." + parts[1];
  }
  return "3.12";
}

// What was compiled into a loader stands in it as text: its directories and its version.
std::string LoaderBytes(const PlannedHost& host) {
  const bool arm = host.cpu == "aarch64";
  const std::string triplet = host.cpu + "-linux-gnu";
  std::string bytes = binfmt::BuildElf({.machine = static_cast<uint16_t>(arm ? EM_AARCH64 : EM_X86_64),
                                        .soname = arm ? "ld-linux-aarch64.so.1" : "ld-linux-x86-64.so.2",
                                        .version_defs = {"GLIBC_2.3"}});
  for (const std::string& text : {std::string(), "/lib/" + triplet + "/", "/usr/lib/" + triplet + "/",
                                  std::string("/lib/"), std::string("/usr/lib/"), "lib/" + triplet,
                                  "ld.so (planned) stable release version " + host.glibc + ".\n"}) {
    bytes += text + '\0';
  }
  return bytes;
}

void AddLinux(const PlannedHost& host, const std::string& python, MemorySystem& machine) {
  const bool arm = host.cpu == "aarch64";
  machine.SetCpu({.machine = host.cpu, .platform = host.cpu});
  const std::string libraries = "/usr/lib/" + host.cpu + "-linux-gnu";
  machine.AddDirectory(libraries);
  machine.AddLink("/lib", "usr/lib");
  machine.AddLink("/bin", "usr/bin");
  machine.AddFile(arm ? "/usr/lib/ld-linux-aarch64.so.1" : "/lib64/ld-linux-x86-64.so.2", LoaderBytes(host),
                  0755);
  const auto library = [&](const std::string& name, std::vector<std::string> versions) {
    const std::string path = JoinPath(libraries, name);
    machine.AddFile(path, FileBytes(machine, path, {.soname = name, .version_defs = std::move(versions)}),
                    0755);
  };
  library("libc.so.6", {"GLIBC_2.2.5", "GLIBC_2.17", "GLIBC_" + host.glibc});
  library("libz.so.1", {});
  library("libstdc++.so.6", {"GLIBCXX_3.4"});
  const std::string program = "/usr/bin/python" + python;
  machine.AddFile(program, FileBytes(machine, program, {.needed = {"libc.so.6"}, .program = true}), 0755);
  const std::string prefix = PlannedPrefix(host.platform);
  machine.AddLink(prefix + "/bin/python3", program);
  machine.AddLink(prefix + "/bin/python", "python3");
  machine.AddFile(prefix + "/pyvenv.cfg",
                  "home = /usr/bin\ninclude-system-site-packages = false\nversion = " + python + ".0\n");
  machine.AddDirectory(prefix + "/lib/python" + python + "/site-packages");
  machine.SetEnvironment({{"PATH", prefix + "/bin:/usr/bin:/bin"}, {"VIRTUAL_ENV", prefix}});
}

void AddWindows(const std::string& python, MemorySystem& machine) {
  machine.SetPlatform(base::Platform::kWindows);
  machine.SetCpu({.machine = "x86_64", .platform = "x86_64"});
  std::string tag = python;
  std::erase(tag, '.');
  const auto file = [&](const std::string& path, const std::string& version, bool program) {
    Claims claims{.program = program};
    claims.resource =
        binfmt::PeVersionInfo{.file_version = version, .product_version = version, .strings = {}};
    machine.AddFile(path, FileBytes(machine, path, claims), 0755);
  };
  // One as new as the newest wheels ask for.
  for (const char* name : {"vcruntime140.dll", "vcruntime140_1.dll", "msvcp140.dll", "msvcp140_1.dll"})
    file(std::string("/C:/Windows/System32/") + name, "14.44.35211.0", false);
  file("/C:/Windows/System32/kernel32.dll", "10.0.22631.1", false);
  const std::string home = "/C:/Python" + tag;
  file(home + "/python.exe", python + ".0.0", true);
  file(home + "/python" + tag + ".dll", python + ".0.0", false);
  machine.AddFile(home + "/Lib/os.py", "");
  const std::string prefix = PlannedPrefix(base::Platform::kWindows);
  file(prefix + "/Scripts/python.exe", python + ".0.0", true);
  machine.AddFile(prefix + "/pyvenv.cfg",
                  "home = C:\\Python" + tag +
                      "\r\ninclude-system-site-packages = false\r\nversion = " + python + ".0\r\n");
  machine.AddDirectory(prefix + "/Lib/site-packages");
  machine.SetEnvironment({{"SYSTEMROOT", "C:\\Windows"},
                          {"PATH", "C:\\planned\\Scripts;C:\\Windows\\System32;C:\\Windows"},
                          {"VIRTUAL_ENV", "C:\\planned"}});
}

// Who installs a toolkit to build with has a compiler that every update of it takes. Of a release that is not
// in the table, nothing is said about compilers.
void AddHostCompiler(const std::string& cuda, std::vector<report::Change>& changes) {
  const auto version = base::Version::Parse(cuda);
  const knowledge::NvccRow* row = version ? knowledge::FindNvcc(knowledge::MinorOf(*version)) : nullptr;
  const std::string_view newest = row == nullptr || row->gcc_max.empty() ? "12" : row->gcc_max;
  const std::string name = "gcc-" + base::Split(newest, '.').front();
  report::PutLibrary gcc{.path = "/usr/bin/" + name};
  gcc.program = true;
  changes.push_back(gcc);
  changes.push_back(report::PutLink{"/usr/bin/gcc", name});
}

// Toolkit and cuDNN as NVIDIA's packages and installers put them.
std::vector<report::Change> OutsideOfPython(const PlannedHost& host, const report::Plan& plan) {
  std::vector<report::Change> changes;
  std::string cuda;
  for (const PlannedPackage& package : plan.packages) {
    if (!package.channel.OfNvidia() || package.role != report::PackageRole::kToolkit) continue;
    cuda = package.version;
    changes.push_back(report::InstallToolkit{.version = cuda, .root = ""});
  }
  const bool windows = host.platform == base::Platform::kWindows;
  for (const PlannedPackage& package : plan.packages) {
    if (!package.channel.OfNvidia() || package.role != report::PackageRole::kCudnn) continue;
    const auto parts = base::Split(package.version + ".0", '.');
    const std::string release = cuda.empty() ? "12" : cuda.substr(0, cuda.find('.', cuda.find('.') + 1));
    // Until cuDNN 8 an archive is unpacked over the toolkit, from 9 on an installer has a place of its own.
    const std::string directory =
        !windows ? "/usr/lib/" + host.cpu + "-linux-gnu"
        : parts[0] == "8" || parts[0] == "7"
            ? "/C:/Program Files/NVIDIA GPU Computing Toolkit/CUDA/v" + release + "/bin"
            : "/C:/Program Files/NVIDIA/CUDNN/v" + parts[0] + "." + parts[1] + "/bin/" + release;
    changes.emplace_back(
        report::InstallCudnn{.version = package.version, .cuda = cuda, .directory = directory});
  }
  if (changes.empty() || windows) return changes;
  changes.push_back(report::PutText{"/etc/ld.so.conf", "include /etc/ld.so.conf.d/*.conf\n"});
  if (!cuda.empty()) {
    AddHostCompiler(cuda, changes);
    changes.push_back(report::PutText{"/etc/ld.so.conf.d/000_cuda.conf", "/usr/local/cuda/lib64\n"});
  }
  changes.push_back(report::RefreshCache{});
  return changes;
}

// Requirements of others come first, so that nothing is installed twice.
int Turn(const PlannedPackage& package) {
  if (package.role == report::PackageRole::kFramework) return 1;
  return package.role == report::PackageRole::kCompanion ? 2 : 0;
}

}  // namespace

std::string PlannedPrefix(base::Platform platform) {
  return platform == base::Platform::kWindows ? "/C:/planned" : "/planned";
}

base::Result<std::shared_ptr<const system::System>> PlannedMachine(const PlannedHost& host,
                                                                   const report::Plan& plan) {
  auto bare = std::make_shared<MemorySystem>();
  const std::string python = PythonOf(plan);
  if (host.platform == base::Platform::kWindows) {
    AddWindows(python, *bare);
  } else {
    AddLinux(host, python, *bare);
  }
  std::shared_ptr<const system::System> machine = bare;
  std::vector<const PlannedPackage*> inside;
  for (const PlannedPackage& package : plan.packages) {
    // What packages beside the frameworks install is not in the tables.
    if (!package.channel.OfPip() || !knowledge::WheelsOf(package.name).empty() || package.version.empty())
      continue;
    if (package.name == "jax" && package.channel.kind != report::ChannelKind::kPypi) {
      return base::Fail(
          base::ErrorCode::kUnsupported,
          "the tables do not list the files of a jaxlib with bundled CUDA: jax " + package.version);
    }
    // Builds for several CUDA under one version; which one it is, its page of links alone tells.
    if (package.name == "onnxruntime-gpu" && package.channel.kind != report::ChannelKind::kPypi) {
      return base::Fail(base::ErrorCode::kUnsupported,
                        "the CUDA version of onnxruntime-gpu " + package.version + " from " +
                            package.channel.text() + " cannot be told from its version");
    }
    inside.push_back(&package);
  }
  auto with_host = CarryOut(machine, OutsideOfPython(host, plan));
  if (!with_host) return with_host;
  auto environment = FindEnvironment(**with_host, PlannedPrefix(host.platform));
  if (!environment) return std::unexpected(environment.error());
  Installer installer(*with_host, std::move(*environment));
  std::ranges::sort(inside, {}, [&](const PlannedPackage* package) {
    return std::pair(Turn(*package), package - plan.packages.data());
  });
  for (const PlannedPackage* package : inside) {
    const std::string name =
        package->extra.empty() ? package->name : package->name + "[" + package->extra + "]";
    if (const auto done = installer.Install(name, package->version); !done)
      return std::unexpected(done.error());
  }
  return installer.machine();
}

}  // namespace culprit::whatif
