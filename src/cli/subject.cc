// What a command is asked to look at: names of the command line told apart by what stands there.
#include "base/windows_path.h"
#include "cli/machine_facts.h"
#include "collect/target.h"
#include "collect/wheel.h"

namespace culprit::cli {
namespace {

// Members of a wheel have to be inflated from the front to be read.
constexpr int kWheelPatience = 30;

}  // namespace

base::Result<Subject> ChooseSubject(const Options& options, const std::vector<std::string>& targets) {
  auto opened = OpenMachine(options);
  if (!opened) return std::unexpected(opened.error());
  Subject subject{.machine = std::move(*opened), .rooted = !options.root.empty(), .root = options.root};
  for (const std::string& name : targets) {
    const std::string path = PathOnMachine(*subject.machine, name);
    const auto target = collect::ClassifyTarget(*subject.machine, path);
    if (!target) return std::unexpected(target.error());
    switch (target->kind) {
      case collect::TargetKind::kProgram:
        subject.programs.push_back(target->path);
        break;
      case collect::TargetKind::kEnvironment:
        subject.environments.push_back(target->path);
        break;
      case collect::TargetKind::kSnapshot:
      case collect::TargetKind::kRootFileSystem: {
        if (targets.size() > 1 || subject.rooted) {
          return base::Fail(base::ErrorCode::kUnsupported,
                            name + ": a root file system must be the only target; or use --root");
        }
        if (target->kind == collect::TargetKind::kSnapshot) {
          return Subject{.snapshot_file = target->path};
        }
        Options below = options;
        below.root = base::ToWindowsPath(target->path);
        auto rooted = OpenMachine(below);
        if (!rooted) return std::unexpected(rooted.error());
        return Subject{.machine = std::move(*rooted), .rooted = true, .root = below.root};
      }
      case collect::TargetKind::kWheel: {
        auto wheel = collect::WheelSystem(subject.machine, target->path);
        if (!wheel) return std::unexpected(wheel.error());
        subject.machine = std::move(*wheel);
        subject.environments.push_back(target->path);
        subject.patience = kWheelPatience;
        subject.wheel = true;
        break;
      }
    }
  }
  return subject;
}

base::Result<Subject> ProcessSubject(int64_t pid) {
  Subject subject{.machine = system::RealSystem()};
  auto look = collect::LookAtProcess(*subject.machine, pid);
  if (!look) return std::unexpected(look.error());
  auto machine = collect::MachineOf(subject.machine, *look);
  if (!machine) return std::unexpected(machine.error());
  subject.machine = std::move(*machine);
  if (!look->process.program.empty()) subject.programs.push_back(look->process.program);
  subject.process = std::make_shared<const collect::ProcessLook>(std::move(*look));
  return subject;
}

}  // namespace culprit::cli
