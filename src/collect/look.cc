#include "collect/look.h"

#include "base/text.h"
#include "binfmt/elf/constants.h"
#include "collect/environment.h"
#include "collect/linux/loader_facts.h"
#include "collect/live_file_view.h"
#include "collect/windows/look.h"
#include "snapshot/recorded_file_view.h"
#include "system/loader_conf.h"

namespace culprit::collect {
namespace {

using base::PathError;
using snapshot::Fact;

constexpr uint64_t kPreloadLimit = 1 << 20;

Fact<binfmt::LdCache> ReadCache(const system::System& system) {
  const std::string path = "/etc/ld.so.cache";
  const auto file = system.Open(path);
  if (!file && file.error() == PathError::kNoEntry) return Fact<binfmt::LdCache>::Absent(path);
  if (!file) return Fact<binfmt::LdCache>::Unreadable(std::string(base::Strerror(file.error())), path);
  if (!file->bytes) return Fact<binfmt::LdCache>::Unreadable("not a regular file", path);
  auto cache = binfmt::ReadLdCache(*file->bytes);
  if (!cache) {
    system.NoteUnread(path, base::Unread::kNotUnderstood);
    return Fact<binfmt::LdCache>::Unreadable(cache.error().message, path);
  }
  return Fact<binfmt::LdCache>::Of(std::move(*cache), path);
}

Fact<std::string> ReadPreload(const system::System& system) {
  const std::string path = "/etc/ld.so.preload";
  auto text = system::ReadWholeFile(system, path, kPreloadLimit);
  if (text) return Fact<std::string>::Of(std::move(*text), path);
  if (text.error() == PathError::kNoEntry) return Fact<std::string>::Absent(path);
  return Fact<std::string>::Unreadable(std::string(base::Strerror(text.error())), path);
}

Fact<std::vector<std::string>> ReadConf(const system::System& system) {
  using Names = Fact<std::vector<std::string>>;
  system::LoaderConf conf = system::ReadLoaderConf(system);
  if (conf.files.empty()) return Names::Absent(system::kLoaderConf);
  return Names::Of(std::move(conf.directories), system::kLoaderConf);
}

std::string MachineOf(uint16_t machine) {
  switch (machine) {
    case EM_X86_64:
      return "x86_64";
    case EM_AARCH64:
      return "aarch64";
    default:
      return binfmt::MachineName(machine);
  }
}

// The CPU that will run it is not this one: only what every such CPU has can be counted on.
base::Cpu BaselineCpu(const std::string& machine) {
  return {.machine = machine, .platform = machine, .isa_levels = {}, .legacy_caps = {}, .page_size = 4096};
}

}  // namespace

void AdaptCpu(snapshot::Snapshot& snapshot, snapshot::FileView& view, snapshot::LoaderFacts& loader) {
  const std::string machine = MachineOf(loader.machine);
  if (snapshot.cpu.machine == machine) return;
  snapshot.cpu = BaselineCpu(machine);
  for (const std::string& directory : loader.system_dirs) {
    if (view.Directory(base::JoinPath(directory, "glibc-hwcaps")) != PathError::kNone) continue;
    loader.assumptions.push_back("the target CPU is not known, so " + directory +
                                 "glibc-hwcaps is not searched");
    return;
  }
}

void AddLoader(const system::System& system, const std::string& path, snapshot::Snapshot& snapshot) {
  if (snapshot.FindLoader(path) != nullptr) return;
  const auto file = system.Open(path);
  if (!file || !file->bytes) return;
  snapshot.loaders.push_back(ReadLoaderFacts(system, path, binfmt::ReadElf(*file->bytes)));
}

namespace {

snapshot::Snapshot LookAtProcess(const system::System& system) {
  snapshot::Snapshot snapshot;
  snapshot.environment = EnvironmentOf(system.platform(), system.Environment());
  snapshot.working_directory = system.WorkingDirectory();
  snapshot.cpu = system.HostCpu();
  return snapshot;
}

void LookAtConfiguration(const system::System& system, snapshot::Snapshot& snapshot) {
  snapshot.ld_cache = ReadCache(system);
  snapshot.ld_so_preload = ReadPreload(system);
}

}  // namespace

void UseEnvironment(const system::System* system, Variables variables, Look& look) {
  const bool windows = look.snapshot.windows() != nullptr;
  const base::Platform platform = windows ? base::Platform::kWindows : base::Platform::kLinux;
  look.snapshot.environment = EnvironmentOf(platform, std::move(variables));
  if (windows && system != nullptr) AddWindows(*system, look.snapshot);  // PATH and SystemRoot decide there
}

snapshot::Snapshot LookAtMachine(const system::System& system) {
  snapshot::Snapshot snapshot = LookAtProcess(system);
  if (system.platform() == base::Platform::kWindows) {
    AddWindows(system, snapshot);
  } else {
    LookAtConfiguration(system, snapshot);
    snapshot.ld_so_conf = ReadConf(system);
  }
  return snapshot;
}

namespace {

// "Any program" of a machine: of its CPU, or, for files whose CPU nobody named, of the loader or else the
// libc that is among them.
binfmt::ElfFile AnyProgramOf(Look& look) {
  binfmt::ElfFile program;
  program.ident[EI_CLASS] = ELFCLASS64;
  program.machine = look.snapshot.cpu.machine == "aarch64" ? EM_AARCH64 : EM_X86_64;
  if (!look.snapshot.cpu.machine.empty()) return program;
  const auto like = [&](const char* path) {
    const snapshot::FileFacts& facts = look.view->Open(path);
    if (facts.elf == nullptr || facts.elf->bits() == 0) return false;
    program.ident = facts.elf->ident;
    program.machine = facts.elf->machine;
    return true;
  };
  for (const char* loader : kUsualLoaders) {
    if (!like(loader)) continue;
    if (look.interpreter.empty()) look.interpreter = loader;
    return program;
  }
  for (const char* libc : {"/usr/lib/x86_64-linux-gnu/libc.so.6", "/usr/lib/aarch64-linux-gnu/libc.so.6",
                           "/lib/x86_64-linux-gnu/libc.so.6", "/lib/aarch64-linux-gnu/libc.so.6",
                           "/usr/lib64/libc.so.6", "/lib64/libc.so.6", "/usr/lib/libc.so.6"}) {
    if (like(libc)) return program;
  }
  return program;
}

// Fills in target and interpreter; gives the target's ELF facts (made up when there is no target).
base::Result<binfmt::ElfFile> ChooseTarget(Look& look, const std::string& target) {
  binfmt::ElfFile elf;
  if (target.empty()) {
    elf = AnyProgramOf(look);
  } else {
    look.target = base::CleanPath(base::JoinPath(look.snapshot.working_directory, target));
    const snapshot::FileFacts& facts = look.view->Open(look.target);
    if (facts.error == PathError::kNoEntry) {
      return base::Fail(base::ErrorCode::kNotFound,
                        target + (facts.dangling ? ": dangling symlink" : ": no such file"));
    }
    if (facts.error != PathError::kNone) {
      return base::Fail(base::ErrorCode::kNotReadable,
                        target + ": " + std::string(base::Strerror(facts.error)));
    }
    if (facts.kind != snapshot::FileKind::kRegular) {
      return base::Fail(base::ErrorCode::kBadFormat, target + ": not a regular file");
    }
    if (facts.elf == nullptr) {
      return base::Fail(base::ErrorCode::kNotReadable,
                        target + ": its contents are not recorded in the snapshot");
    }
    elf = *facts.elf;
    if (elf.bits() == 0 || elf.problem == binfmt::ElfProblem::kNotElf) {
      return base::Fail(base::ErrorCode::kBadFormat, target + ": not an ELF file");
    }
    if (elf.problem == binfmt::ElfProblem::kHeadersCut || elf.problem == binfmt::ElfProblem::kDynamicCut) {
      return base::Fail(base::ErrorCode::kBadFormat, target + ": the file is truncated");
    }
  }
  if (look.interpreter.empty()) look.interpreter = elf.interpreter.value_or(UsualInterpreter(elf));
  if (look.interpreter.empty()) {
    return base::Fail(base::ErrorCode::kUnsupported,
                      target + ": no known loader for " + binfmt::MachineName(elf.machine));
  }
  return elf;
}

}  // namespace

base::Result<Look> LookAt(const system::System& system, const std::string& target,
                          const std::string& interpreter) {
  if (system.platform() == base::Platform::kWindows) return LookAtWindows(system, target);
  Look look{.snapshot = LookAtProcess(system), .view = std::make_unique<LiveFileView>(system)};
  look.interpreter = interpreter;
  const auto elf = ChooseTarget(look, target);
  if (!elf) return std::unexpected(elf.error());
  snapshot::LoaderFacts loader = ReadLoaderFacts(system, look.interpreter, *elf);
  AdaptCpu(look.snapshot, *look.view, loader);
  if (loader.flavor != snapshot::LoaderFlavor::kMusl) LookAtConfiguration(system, look.snapshot);
  look.snapshot.loaders.push_back(std::move(loader));
  return look;
}

base::Result<Look> LookInto(const snapshot::Snapshot& recorded, const std::string& target,
                            const std::string& interpreter) {
  if (recorded.windows() != nullptr) return LookIntoWindows(recorded, target);
  Look look{.snapshot = {.tool_version = recorded.tool_version,
                         .environment = recorded.environment,
                         .working_directory = recorded.working_directory,
                         .cpu = recorded.cpu,
                         .ld_cache = recorded.ld_cache,
                         .ld_so_preload = recorded.ld_so_preload,
                         .ld_so_conf = recorded.ld_so_conf},
            .view = std::make_unique<snapshot::RecordedFileView>(recorded.files)};
  look.interpreter = interpreter;
  const auto elf = ChooseTarget(look, target);
  if (!elf) return std::unexpected(elf.error());
  const snapshot::LoaderFacts* found = recorded.FindLoader(look.interpreter);
  if (found == nullptr) {
    return base::Fail(base::ErrorCode::kNotFound,
                      target + ": the snapshot has no data about its loader " + look.interpreter);
  }
  snapshot::LoaderFacts loader = *found;
  AdaptCpu(look.snapshot, *look.view, loader);
  look.snapshot.loaders.push_back(std::move(loader));
  return look;
}

}  // namespace culprit::collect
