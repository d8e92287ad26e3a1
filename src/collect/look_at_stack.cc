#include "collect/look_at_stack.h"

#include "base/in_time.h"
#include "collect/environment.h"
#include "collect/linux/loader_facts.h"
#include "collect/look.h"
#include "collect/windows/host.h"

namespace culprit::collect {
namespace {

// Programs of a machine mostly run under one of these; that of the machine's own CPU goes first.
constexpr const char* kUsualLoaders[] = {"/lib64/ld-linux-x86-64.so.2", "/lib/ld-linux-aarch64.so.1",
                                         "/lib/ld-linux.so.2", "/lib/ld-musl-x86_64.so.1",
                                         "/lib/ld-musl-aarch64.so.1"};

bool IsNative(const snapshot::Snapshot& snapshot, const std::string& loader) {
  const bool arm = loader.find("aarch64") != std::string::npos;
  return arm == (snapshot.cpu.machine == "aarch64");
}

}  // namespace

StackLook LookAtStack(const Surroundings& around, const std::vector<std::string>& programs,
                      std::chrono::milliseconds limit) {
  const system::System& system = around.system;
  const bool windows = system.platform() == base::Platform::kWindows;
  auto machine = base::StartAside([&system, owner = around.owner] { return LookAtMachine(system); });
  Surroundings with_programs = around;
  with_programs.programs = programs;
  std::future<GpuCodes> codes;
  auto stack = CollectStack(with_programs, limit, &codes);
  StackLook look{.snapshot = machine.get(), .view = std::make_unique<LiveFileView>(system)};
  snapshot::Snapshot& snapshot = look.snapshot;
  snapshot.environment = EnvironmentOf(system.platform(), around.environment);
  snapshot.working_directory = around.working_directory;
  look.view->Expect(std::move(codes));
  if (!stack.windows) stack.windows = std::move(snapshot.stack.windows);  // in time there is some answer
  snapshot.stack = std::move(stack);
  if (windows) {  // its one loader is known without reading it
    for (const std::string& program : programs) {
      const std::string host = HostProgram(system, snapshot.environment, program);
      if (!host.empty() && snapshot.stack.windows) snapshot.stack.windows.value->hosts[program] = host;
    }
    return look;
  }
  for (const bool native : {true, false}) {
    for (const char* loader : kUsualLoaders) {
      if (IsNative(snapshot, loader) == native) AddLoader(system, loader, snapshot);
    }
  }
  std::vector<std::string> started = programs;
  for (const std::string& built : snapshot.stack.BuiltPrograms()) started.push_back(built);
  if (snapshot.stack.environments) {
    for (const auto& environment : *snapshot.stack.environments) started.push_back(environment.interpreter);
  }
  for (const std::string& program : started) {
    if (program.empty()) continue;
    const snapshot::FileFacts& file = look.view->Open(program);
    if (file.elf != nullptr && file.elf->interpreter) AddLoader(system, *file.elf->interpreter, snapshot);
  }
  if (!snapshot.loaders.empty()) AdaptCpu(snapshot, *look.view, snapshot.loaders.front());
  return look;
}

}  // namespace culprit::collect
