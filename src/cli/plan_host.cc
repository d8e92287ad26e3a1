#include "cli/plan_host.h"

#include <algorithm>

#include "base/text.h"
#include "cli/subject.h"
#include "collect/linux/host.h"
#include "collect/target.h"

namespace culprit::cli {
namespace {

using base::Version;

// The machine that a word of --platform means.
void SetPlatform(const std::string& word, plan::Host& host) {
  host.wsl = word == "wsl";
  host.machine = word == "windows-x86_64"  ? plan::Machine::kWindows
                 : word == "linux-aarch64" ? plan::Machine::kLinuxArm
                                           : plan::Machine::kLinuxX86;
}

// Of a machine that is not this one. On Windows people plan for Windows.
std::string PlatformElsewhere(const std::string& own) {
  return own == "windows-x86_64" ? own : "linux-x86_64";
}

std::string PlatformOf(const system::System& machine) {
  if (machine.platform() == base::Platform::kWindows) return "windows-x86_64";
  return machine.HostCpu().machine == "aarch64" ? "linux-aarch64" : "linux-x86_64";
}

// The kernel side tells its version; below WSL there is none, and the libraries of Windows do.
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
  // Of the system's Python nothing but its version counts: an environment of its own is made beside it.
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

// That of this shell: only it is looked into, though others may lie about.
std::string ActiveEnvironment(const Subject& subject, const std::map<std::string, std::string>& variables) {
  for (const char* name : {"VIRTUAL_ENV", "CONDA_PREFIX"}) {
    const auto variable = variables.find(name);
    if (variable == variables.end() || variable->second.empty()) continue;
    const std::string path = PathOnMachine(*subject.machine, variable->second);
    if (subject.machine->Stat(path)) return path;
  }
  return "";
}

}  // namespace

const std::vector<std::string>& PlatformWords() {
  static const std::vector<std::string> words = {"linux-x86_64", "linux-aarch64", "windows-x86_64", "wsl"};
  return words;
}

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
    const auto host = collect::ParseHost(options.host);
    if (!host) return std::unexpected(host.error());
    if (host->driver) question.host.driver = Version::Parse(*host->driver);
    for (const std::string& gpu : host->gpus) {
      if (const auto capability = Version::Parse(gpu)) question.host.gpus.push_back(*capability);
    }
    question.host.seen = false;
  }
  if ((!options.host.empty() || elsewhere) && !named) return HostAnswer{};

  if (!options.environment.empty()) {
    auto path = NamedEnvironment(*subject.machine, options.environment);
    if (!path) return std::unexpected(path.error());
    subject.environments = {*path};
  } else {
    const auto given = ReadEnvironment(options.common);
    if (!given) return std::unexpected(given.error());
    const std::string active = ActiveEnvironment(subject, *given ? **given : subject.machine->Environment());
    if (!active.empty()) subject.environments = {active};
  }
  const auto diagnosis = LookAt(subject, {.common = options.common, .seconds = options.seconds});
  if (!diagnosis) return std::unexpected(diagnosis.error());
  const snapshot::Stack& stack = diagnosis->snapshot().stack;
  if (options.host.empty() && !elsewhere) TakeHost(diagnosis->snapshot(), question.host);
  const auto wanted = [&](const snapshot::PythonEnvironment& environment) {
    return environment.why == snapshot::EnvironmentWhy::kActive ||
           environment.why == snapshot::EnvironmentWhy::kGiven;
  };
  HostAnswer answer;
  if (stack.environments) {
    const auto found = std::ranges::find_if(*stack.environments, wanted);
    if (found != stack.environments->end()) answer.place = TakeEnvironment(*found, question);
  }
  if (!answer.place.environment.empty()) return answer;
  if (options.repair) {
    return base::Fail(base::ErrorCode::kNotFound,
                      "--repair: no environment is active; name one: culprit plan --repair .venv");
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
