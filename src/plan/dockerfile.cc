// A whole Dockerfile. Wheels bring CUDA themselves, so an image with Python is enough for them; libcuda.so.1
// is the host's, put in by NVIDIA's container runtime, which two variables ask for.
#include "plan/command_parts.h"

namespace culprit::plan {

void WriteDockerfile(report::Plan& plan, const Question& question) {
  const Parts parts = PartsOf(plan, true);
  std::string file = FileHeader(plan);
  if (parts.driver != nullptr) file += "# The host needs driver " + parts.driver->version + " or newer.\n";
  file += "FROM python:" + (parts.python.empty() ? "3" : parts.python) + "-slim\n";
  file += "ENV NVIDIA_VISIBLE_DEVICES=all NVIDIA_DRIVER_CAPABILITIES=compute,utility\n";
  for (const PipGroup& group : parts.pip) {
    if (const std::string names = NeededBefore(group); !names.empty())
      file += "RUN python -m pip install --no-cache-dir " + names + "\n";
    file += "RUN python -m pip install --no-cache-dir";
    for (const report::PlannedPackage* package : group.packages)
      file += " \\\n      " + Word(Pinned(*package), false);
    const std::string options = IndexOptions(group, false);
    if (!options.empty()) file += " \\\n      " + options;
    file += "\n";
  }
  if (NeedsLibraryPath(plan, question)) {
    file +=
        "# Some open the libraries of the wheels by their bare names.\n"
        "RUN ls -d /usr/local/lib/python3*/site-packages/nvidia/*/lib > /etc/ld.so.conf.d/nvidia-wheels.conf "
        "\\\n"
        "    && ldconfig\n";
  }
  plan.document = std::move(file);
  AddDriver(plan, parts, question);
  plan.steps.push_back({.title = "environment",
                        .why = "an image: CUDA and cuDNN of the host do not matter to it, its driver does",
                        .commands = {"docker build -t culprit-plan ."}});
  plan.steps.push_back(
      {.title = "verify",
       .why = "the host's driver inside the container",
       .commands = {"docker run --rm --gpus all -v \"$(command -v culprit)\":/usr/local/bin/culprit:ro "
                    "culprit-plan sh -c \"culprit check && culprit probe\""}});
}

}  // namespace culprit::plan
