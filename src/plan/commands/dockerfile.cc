// A whole Dockerfile. Wheels bring CUDA themselves, so an image with Python is enough for them; libcuda.so.1
// is the host's, put in by NVIDIA's container runtime, which two variables ask for. Where the plan takes CUDA
// from the system, the image is an Ubuntu with NVIDIA's packages, and Python is uv's, which has every version
// of it.
#include "plan/commands/apt_names.h"
#include "plan/commands/command_parts.h"

namespace culprit::plan {
namespace {

constexpr const char* kRuntime =
    "ENV NVIDIA_VISIBLE_DEVICES=all NVIDIA_DRIVER_CAPABILITIES=compute,utility\n";
constexpr const char* kVenv = "/opt/venv";

// Names of our tables; nothing of the machine goes into a new image.
std::string InFile(const Command& command) { return command.Text().value_or(""); }

// What is passed through, and the files that it needs in the image.
std::string Passed(const Parts& parts, const Question& question, const std::string& install) {
  std::string text, file;
  bool local = false;
  for (const report::PassedThrough* passed : parts.passed) {
    const std::string word = InFile(PassedWord(*passed, false));
    if (!word.empty()) text += " \\\n     " + word;
    local |= passed->kind == report::RequirementKind::kPath;
  }
  if (text.empty()) return "";
  for (const PipOption& option : question.pip_options) local |= option.is_file;
  if (const std::string options = InFile(PassedOptions(question)); !options.empty())
    text += " \\\n     " + options;
  for (const PipGroup& group : parts.pip) {
    if (group.channel.kind == report::ChannelKind::kPypi) continue;
    for (const report::PlannedPackage* package : group.packages)
      text += " \\\n      " + InFile(PinnedWord(*package));
  }
  if (local) file = "WORKDIR /app\nCOPY . .\n";
  return file + "RUN " + install + text + "\n";
}

// Packages that are compiled in the image, after everything else.
std::string Built(const report::Plan& plan, const Parts& parts, const Question& question,
                  const std::string& install) {
  if (parts.built.empty()) return "";
  std::string file;
  if (const std::string tools = InFile(BuildTools(parts)); !tools.empty())
    file += "RUN " + install + tools + "\n";
  for (const report::PlannedPackage* package : parts.built) {
    std::string variables;
    for (const std::string& variable : BuildVariables(*package, plan, question)) {
      const size_t sign = variable.find('=') + 1;
      variables += variable.substr(0, sign) + "\"" + variable.substr(sign) + "\" ";
    }
    file += "RUN " + variables + install + InFile(BuildWords(*package)) + "\n";
  }
  return file;
}

std::string Pins(const PipGroup& group, bool uv) {
  std::string text;
  for (const report::PlannedPackage* package : group.packages)
    text += " \\\n      " + InFile(PinnedWord(*package));
  const Command options = IndexOptions(group, uv);
  if (!options.empty()) text += " \\\n      " + InFile(options);
  return text + "\n";
}

std::string WheelsAlone(const report::Plan& plan, const Parts& parts, const Question& question) {
  std::string file = "FROM python:" + (parts.python.empty() ? "3" : parts.python) + "-slim\n" + kRuntime;
  for (const PipGroup& group : parts.pip) {
    if (const Command names = NeededBefore(group); !names.empty())
      file += "RUN python -m pip install --no-cache-dir " + InFile(names) + "\n";
    file += "RUN python -m pip install --no-cache-dir" + Pins(group, false);
  }
  const std::string install = "python -m pip install --no-cache-dir";
  return file + Passed(parts, question, install) + Built(plan, parts, question, install);
}

std::string WithSystemCuda(const report::Plan& plan, const Parts& parts, const Question& question) {
  const std::string ubuntu = UbuntuWith(parts.toolkit == nullptr ? "" : parts.toolkit->version);
  std::string repository = "ubuntu" + ubuntu;
  std::erase(repository, '.');
  std::vector<std::string> packages =
      parts.toolkit == nullptr ? std::vector<std::string>() : AptToolkit(parts.toolkit->version);
  for (std::string& name : AptCudnn(plan)) packages.push_back(std::move(name));
  std::string file = "FROM ubuntu:" + ubuntu + "\n" + kRuntime;
  file +=
      "RUN apt-get update && apt-get install -y --no-install-recommends ca-certificates wget python3-pip" +
      std::string(parts.built.empty() ? "" : " build-essential git") +
      " \\\n"
      "    && wget -q " +
      AptRepository(repository, question.host.machine) + "/" + kKeyring + " \\\n    && dpkg -i " + kKeyring +
      " && rm " + kKeyring + " && apt-get update \\\n    && apt-get install -y --no-install-recommends";
  for (const std::string& name : packages) file += " \\\n      " + InFile(Word(name));
  file += " \\\n    && rm -rf /var/lib/apt/lists/*\n";
  if (!parts.HasPip()) return file;
  file += "RUN python3 -m pip install uv && uv venv" +
          (parts.python.empty() ? "" : " --python " + parts.python) + " " + kVenv + "\nENV PATH=" + kVenv +
          "/bin:$PATH\n";
  for (const PipGroup& group : parts.pip)
    file += std::string("RUN uv pip install --no-cache --python ") + kVenv + Pins(group, true);
  const std::string install = std::string("uv pip install --no-cache --python ") + kVenv;
  return file + Passed(parts, question, install) + Built(plan, parts, question, install);
}

}  // namespace

void WriteDockerfile(report::Plan& plan, const Question& question) {
  const Parts parts = PartsOf(plan, true);
  const bool system = parts.toolkit != nullptr || parts.cudnn != nullptr;
  std::string file = FileHeader(plan);
  if (!parts.conda.empty()) NoteConda(parts, plan);
  if (parts.driver != nullptr) file += "# The host needs driver " + parts.driver->version + " or newer.\n";
  file += system ? WithSystemCuda(plan, parts, question) : WheelsAlone(plan, parts, question);
  if (NeedsLibraryPath(plan) && !system) {
    file +=
        "# Some packages load the libraries of the wheels by bare name.\n"
        "RUN ls -d /usr/local/lib/python3*/site-packages/nvidia/*/lib > /etc/ld.so.conf.d/nvidia-wheels.conf "
        "\\\n"
        "    && ldconfig\n";
  }
  plan.document = std::move(file);
  AddDriver(plan, parts, question);
  plan.steps.push_back({.title = "environment",
                        .why = "the image uses the driver of the host, but not its CUDA or cuDNN",
                        .commands = {"docker build -t culprit-plan ."}});
  plan.steps.push_back(
      {.title = "verify",
       .why = "tests the host driver inside the container",
       .commands = {"docker run --rm --gpus all -v \"$(command -v culprit)\":/usr/local/bin/culprit:ro "
                    "culprit-plan sh -c \"culprit check && culprit probe\""}});
}

}  // namespace culprit::plan
