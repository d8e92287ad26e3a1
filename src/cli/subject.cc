#include "cli/subject.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/product_version.h"
#include "base/text.h"
#include "base/windows/path.h"
#include "cli/recorded_machine.h"
#include "collect/linux/container.h"
#include "collect/linux/host.h"
#include "collect/target.h"
#include "collect/wheel.h"

namespace culprit::cli {
namespace {

// A file in a wheel has to be inflated from its beginning, so reading it takes longer.
constexpr int kWheelPatience = 30;

// The environment that a module for Python is installed in: only Python can load the module, and it imports
// other packages of the environment before.
void AddEnvironmentOf(const std::string& path, Subject& subject) {
  const std::string_view name = base::BaseName(path);
  const size_t library = path.rfind("/lib/python3");
  if (!name.ends_with(".so") || name.starts_with("lib") || library == std::string::npos) return;
  const std::string prefix = path.substr(0, library);
  const auto environment = collect::ClassifyTarget(*subject.machine, prefix);
  if (!environment || environment->kind != collect::TargetKind::kEnvironment) return;
  if (std::ranges::find(subject.environments, environment->path) == subject.environments.end())
    subject.environments.push_back(environment->path);
}

}  // namespace

base::Result<Subject> ChooseSubject(const Options& options, const std::vector<std::string>& targets) {
  auto opened = OpenMachine(options);
  if (!opened) return std::unexpected(opened.error());
  Subject subject{.machine = std::move(*opened), .rooted = !options.root.empty(), .root = options.root};
  for (const std::string& name : targets) {
    const std::string path = PathOnMachine(*subject.machine, name, options.root);
    if (name == "-")
      return base::Fail(base::ErrorCode::kUnsupported,
                        "-: standard input works only as the single target of `culprit check`");
    if (image::MayBeImage(*subject.machine, path))
      return base::Fail(base::ErrorCode::kUnsupported,
                        name + ": an image works only as the single target of `culprit check`");
    const auto target = collect::ClassifyTarget(*subject.machine, path);
    if (!target) return std::unexpected(target.error());
    switch (target->kind) {
      case collect::TargetKind::kProgram:
        subject.programs.push_back(target->path);
        AddEnvironmentOf(target->path, subject);
        break;
      case collect::TargetKind::kEnvironment:
        subject.environments.push_back(target->path);
        break;
      case collect::TargetKind::kBuildFolder:
        subject.builds.push_back(target->path);
        break;
      case collect::TargetKind::kRecipe:
        subject.recipes.push_back(name);
        break;
      case collect::TargetKind::kSnapshot:
      case collect::TargetKind::kRootFileSystem: {
        if (targets.size() > 1 || subject.rooted) {
          return base::Fail(
              base::ErrorCode::kUnsupported,
              name + ": a root file system must be the only target; to combine it with others, use --root");
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
  if (!subject.recipes.empty() && subject.recipes.size() < targets.size())
    return base::Fail(base::ErrorCode::kUnsupported,
                      subject.recipes.front() + ": a recipe cannot be checked together with other targets");
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

std::string MistakeInHost(const std::string& host) {
  if (host.empty()) return "";
  const auto parsed = collect::ParseHost(host);
  return parsed ? "" : parsed.error().message;
}

base::Result<engine::Subject> ForEngine(const Subject& subject, const LookOptions& options) {
  engine::Subject looked_at{.machine = subject.machine,
                            .environments = subject.environments,
                            .programs = subject.programs,
                            .builds = subject.builds,
                            .recipes = subject.recipes,
                            .names_only = options.names_only,
                            .verify = options.verify,
                            .process = subject.process,
                            .host = options.host,
                            .limit = std::chrono::seconds(options.seconds * subject.patience)};
  if (!subject.snapshot_file.empty()) {
    auto recorded = ReadRecordedMachine(subject.snapshot_file);
    if (!recorded) return std::unexpected(recorded.error());
    recorded->snapshot.tool_version = base::ProductVersion();
    looked_at.known = std::make_shared<const snapshot::Snapshot>(std::move(recorded->snapshot));
    return looked_at;
  }
  auto environment = ReadEnvironment(options.common);
  if (!environment) return std::unexpected(environment.error());
  looked_at.environment = std::move(*environment);
  if (!options.python.empty())
    looked_at.python = PathOnMachine(*subject.machine, options.python, options.common.root);
  looked_at.no_python = !(subject.programs.empty() && subject.builds.empty()) &&
                        subject.environments.empty() && options.python.empty() && subject.image == nullptr;
  looked_at.host_unseen = subject.rooted && !collect::ShowsItsKernel(*subject.machine);
  looked_at.image = looked_at.host_unseen &&
                    (subject.image != nullptr || !collect::BringsKernel(*subject.machine)) &&
                    subject.machine->platform() == base::Platform::kLinux;
  const bool named = !subject.programs.empty() || !subject.builds.empty() || !subject.environments.empty();
  looked_at.find_programs = looked_at.image && (subject.image != nullptr || !named);
  return looked_at;
}

base::Result<engine::Diagnosis> LookAt(const Subject& subject, const LookOptions& options) {
  auto looked_at = ForEngine(subject, options);
  if (!looked_at) return std::unexpected(looked_at.error());
  engine::Diagnosis diagnosis(std::move(*looked_at));
  if (auto looked = diagnosis.Look(); !looked) return std::unexpected(looked.error());
  return diagnosis;
}

}  // namespace culprit::cli
