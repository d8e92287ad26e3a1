#include "cli/plan/plan_host.h"

#include "base/text.h"
#include "cli/subject.h"
#include "collect/linux/host.h"
#include "collect/target.h"

namespace culprit::cli {
namespace {

using base::Version;

// `word`: a value of --platform.
void SetPlatform(const std::string& word, plan::Host& host) {
  host.wsl = word == "wsl";
  host.machine = word == "windows-x86_64"  ? plan::Machine::kWindows
                 : word == "linux-aarch64" ? plan::Machine::kLinuxArm
                                           : plan::Machine::kLinuxX86;
}

// For a machine that is not this one. On Windows people plan for Windows.
std::string PlatformElsewhere(const std::string& own) {
  return own == "windows-x86_64" ? own : "linux-x86_64";
}

std::string PlatformOf(const system::System& machine) {
  if (machine.platform() == base::Platform::kWindows) return "windows-x86_64";
  return machine.HostCpu().machine == "aarch64" ? "linux-aarch64" : "linux-x86_64";
}

// From the kernel module. WSL has none; there the libraries of the Windows driver tell.
std::optional<Version> DriverVersion(const snapshot::Driver& driver) {
  if (driver.kernel_version) return Version::Parse(*driver.kernel_version);
  for (const snapshot::DriverLibrary& library : driver.libraries) {
    if (library.kind == snapshot::DriverLibraryKind::kWsl ||
        library.kind == snapshot::DriverLibraryKind::kDriver) {
      if (const auto version = Version::Parse(library.version)) return version;
    }
  }
  return std::nullopt;
}

void TakeHost(const snapshot::Snapshot& snapshot, plan::Host& host) {
  const snapshot::Stack& stack = snapshot.stack;
  if (stack.driver) host.driver = DriverVersion(*stack.driver);
  if (stack.gpus) {
    for (const snapshot::Gpu& gpu : *stack.gpus) {
      if (const auto capability = Version::Parse(gpu.compute_capability)) host.gpus.push_back(*capability);
    }
  }
  if (stack.toolkits) {
    for (const snapshot::Toolkit& toolkit : stack.toolkits->copies) {
      if (toolkit.kind != snapshot::ToolkitKind::kToolkit &&
          toolkit.kind != snapshot::ToolkitKind::kDistribution)
        continue;
      if (const auto version = Version::Parse(toolkit.version)) host.toolkits.push_back(*version);
    }
  }
  if (stack.context && stack.context->wsl) host.wsl = true;
  if (!snapshot.loaders.empty() && snapshot.loaders.front().flavor == snapshot::LoaderFlavor::kGlibc)
    host.glibc = Version::Parse(snapshot.loaders.front().version);
  host.seen = true;
}

plan::Place TakeEnvironment(const snapshot::PythonEnvironment& environment, plan::Question& question) {
  question.host.python_here = Version::Parse(environment.python);
  // Only the version of the system's Python counts: the plan creates a new environment for it.
  if (environment.kind == snapshot::EnvironmentKind::kSystem ||
      environment.kind == snapshot::EnvironmentKind::kStore)
    return {};
  for (const snapshot::PythonPackage& package : environment.packages)
    question.installed.push_back({package.name, package.version});
  return {environment.prefix, environment.kind == snapshot::EnvironmentKind::kConda};
}

base::Result<std::string> NamedEnvironment(const system::System& machine, const std::string& name) {
  const auto target = collect::ClassifyTarget(machine, PathOnMachine(machine, name));
  if (!target) return std::unexpected(target.error());
  if (target->kind != collect::TargetKind::kEnvironment)
    return base::Fail(base::ErrorCode::kUnsupported, name + ": not a Python environment");
  return target->path;
}

// The environment that is active in this shell; "" if none is.
base::Result<std::string> ActiveEnvironment(const system::System& machine, const Options& options) {
  const auto given = ReadEnvironment(options);
  if (!given) return std::unexpected(given.error());
  const auto variables = *given ? **given : machine.Environment();
  for (const char* name : {"VIRTUAL_ENV", "CONDA_PREFIX"}) {
    const std::string value = base::ValueOf(variables, name);
    if (value.empty()) continue;
    if (std::string path = PathOnMachine(machine, value); machine.Stat(path)) return path;
  }
  return "";
}

// Takes driver and GPUs from --host.
base::Result<void> AssumeHost(const std::string& words, plan::Host& host) {
  const auto assumed = collect::ParseHost(words);
  if (!assumed) return std::unexpected(assumed.error());
  if (assumed->driver) host.driver = Version::Parse(*assumed->driver);
  for (const collect::HostGpu& gpu : assumed->gpus) {
    if (const auto capability = Version::Parse(gpu.capability)) host.gpus.push_back(*capability);
  }
  host.seen = false;
  return {};
}

// The active or the named environment, if there is one that the plan may change.
plan::Place PlaceToChange(const snapshot::Stack& stack, plan::Question& question) {
  if (!stack.environments) return {};
  for (const snapshot::PythonEnvironment& environment : *stack.environments) {
    if (environment.why == snapshot::EnvironmentWhy::kActive ||
        environment.why == snapshot::EnvironmentWhy::kGiven)
      return TakeEnvironment(environment, question);
  }
  return {};
}

}  // namespace

base::Result<HostAnswer> AskMachine(const HostOptions& options, plan::Question& question) {
  auto opened = OpenMachine(options.common);
  if (!opened) return std::unexpected(opened.error());
  Subject subject{.machine = std::move(*opened), .rooted = !options.common.root.empty()};
  const std::string own = PlatformOf(*subject.machine);
  const bool named = !options.environment.empty() || options.repair;
  const bool elsewhere = !options.platform.empty() && options.platform != own &&
                         !(options.platform == "wsl" && own == "linux-x86_64");
  SetPlatform(!options.platform.empty()         ? options.platform
              : !options.host.empty() && !named ? PlatformElsewhere(own)
                                                : own,
              question.host);
  if (!options.host.empty()) {
    if (auto assumed = AssumeHost(options.host, question.host); !assumed)
      return std::unexpected(assumed.error());
  }
  if ((!options.host.empty() || elsewhere) && !named) return HostAnswer{};

  const auto path = options.environment.empty() ? ActiveEnvironment(*subject.machine, options.common)
                                                : NamedEnvironment(*subject.machine, options.environment);
  if (!path) return std::unexpected(path.error());
  if (!path->empty()) subject.environments = {*path};
  const auto diagnosis =
      LookAt(subject, {.common = options.common, .seconds = options.seconds, .names_only = true});
  if (!diagnosis) return std::unexpected(diagnosis.error());
  if (options.host.empty() && !elsewhere) TakeHost(diagnosis->snapshot(), question.host);
  HostAnswer answer{.place = PlaceToChange(diagnosis->snapshot().stack, question), .note = ""};
  if (!answer.place.environment.empty()) return answer;
  if (options.repair) {
    return base::Fail(
        base::ErrorCode::kNotFound,
        "--repair: no environment is active; name one, for example culprit plan --repair .venv");
  }
  const std::string other = PlatformElsewhere(own);
  if (options.platform.empty() && other != own && !question.host.driver && question.host.gpus.empty()) {
    question.host = {.python = question.host.python};
    SetPlatform(other, question.host);
    answer.note = "this machine (" + own + ") has no NVIDIA GPU, so this plan is for " + other +
                  "; pass --platform " + own + " to plan for this platform";
  }
  return answer;
}

}  // namespace culprit::cli
