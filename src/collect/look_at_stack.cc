#include "collect/look_at_stack.h"

#include "base/parallel/in_time.h"
#include "collect/environment.h"
#include "collect/linux/loader_facts.h"
#include "collect/look.h"
#include "collect/windows/host.h"

namespace culprit::collect {
namespace {

bool IsNative(const snapshot::Snapshot& snapshot, const std::string& loader) {
  const bool arm = loader.find("aarch64") != std::string::npos;
  return arm == (snapshot.cpu.machine == "aarch64");
}

// The loaders of the machine, that of its own CPU first, and of everything that will be started.
void AddLoaders(const system::System& system, std::vector<std::string> started,
                snapshot::Snapshot& snapshot) {
  for (const bool native : {true, false}) {
    for (const char* loader : kUsualLoaders) {
      if (IsNative(snapshot, loader) == native) AddLoader(system, loader, snapshot);
    }
  }
  if (snapshot.stack.environments) {
    for (const auto& environment : *snapshot.stack.environments) started.push_back(environment.interpreter);
  }
  LiveFileView view(system);
  for (const std::string& program : started) {
    if (program.empty()) continue;
    const snapshot::FileFacts& file = view.Open(program);
    if (file.elf != nullptr && file.elf->interpreter) AddLoader(system, *file.elf->interpreter, snapshot);
  }
  if (!snapshot.loaders.empty()) AdaptCpu(snapshot, view, snapshot.loaders.front());
}

void AddHosts(const system::System& system, const std::vector<std::string>& programs,
              snapshot::Snapshot& snapshot) {
  for (const std::string& program : programs) {
    const std::string host = HostProgram(system, snapshot.environment, program);
    if (!host.empty() && snapshot.stack.windows) snapshot.stack.windows.value->hosts[program] = host;
  }
}

}  // namespace

StackLook LookAtStack(const Surroundings& around, const std::vector<std::string>& programs,
                      std::chrono::milliseconds limit,
                      const std::function<void(std::shared_ptr<const snapshot::Snapshot>)>& loads_known) {
  const system::System& system = around.system;
  const bool windows = system.platform() == base::Platform::kWindows;
  auto machine = base::StartAside([&system, owner = around.owner] { return LookAtMachine(system); });
  Surroundings with_programs = around;
  with_programs.programs = programs;
  StackLook look;
  const bool early = !windows && around.builds.empty();  // the programs in a build folder are not known yet
  const auto known = std::make_shared<snapshot::Snapshot>();
  auto stack = CollectStack(with_programs, limit, &look.codes, [&](Environments environments) {
    *known = machine.get();
    known->environment = EnvironmentOf(system.platform(), around.environment);
    known->working_directory = around.working_directory;
    known->stack.environments = std::move(environments);
    if (early) AddLoaders(system, programs, *known);
    if (around.host) Assume(*around.host, known->stack);
    if (early && loads_known) loads_known(known);
    return std::shared_ptr<const Environments>(known, &known->stack.environments);
  });
  snapshot::Snapshot& snapshot = look.snapshot;
  snapshot = *known;                                                      // whoever got it still reads it
  if (!stack.windows) stack.windows = std::move(snapshot.stack.windows);  // in time there is some answer
  snapshot.stack = std::move(stack);
  if (windows) AddHosts(system, programs, snapshot);  // its one loader is known without reading it
  if (windows || early) return look;
  std::vector<std::string> started = programs;
  for (const std::string& built : snapshot.stack.BuiltPrograms()) started.push_back(built);
  AddLoaders(system, std::move(started), snapshot);
  return look;
}

}  // namespace culprit::collect
