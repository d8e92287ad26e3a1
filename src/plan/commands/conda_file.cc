// environment.yml: Python, CUDA and cuDNN from conda-forge, the rest by pip inside it, because the tables
// know the wheels of the package index and not the builds of conda's channels.
#include "plan/commands/command_parts.h"

namespace culprit::plan {

void WriteConda(report::Plan& plan, const Question& question) {
  const Parts parts = PartsOf(plan, true);
  std::string file = FileHeader(plan);
  file += "name: culprit-plan\nchannels:\n  - conda-forge\n  - nodefaults\ndependencies:\n";
  file += "  - python" + (parts.python.empty() ? "" : "=" + parts.python) + "\n  - pip\n";
  const std::vector<std::string> cuda = CondaCuda(plan, question);
  for (const std::string& name : cuda) file += "  - \"" + name + "\"\n";
  if (!parts.pip.empty()) file += "  - pip:\n";
  for (const PipGroup& group : parts.pip) {
    if (group.channel.kind == report::ChannelKind::kPypi) continue;
    // Options hold for the whole list; the pins say which index is meant (2.4.1+cu118).
    const bool page = group.channel.kind == report::ChannelKind::kPage;
    file += std::string("      - ") + (page ? "--find-links " : "--extra-index-url ") +
            group.channel.address + "\n";
  }
  for (const PipGroup& group : parts.pip) {
    for (const report::PlannedPackage* package : group.packages) {
      const std::string pin = Pinned(*package);
      file += "      - " + (package->extra.empty() ? pin : "\"" + pin + "\"") + "\n";
    }
  }
  plan.document = std::move(file);
  AddDriver(plan, parts, question);
  if (cuda.empty()) AddSystemLibraries(plan, parts, question);
  plan.steps.push_back({.title = "environment",
                        .why = "uses conda's Python; save the file as environment.yml",
                        .commands = {"conda env create -p ./env -f environment.yml"}});
  if (!cuda.empty() && !parts.pip.empty() && question.host.machine != Machine::kWindows) {
    plan.steps.push_back(
        {.title = "libraries",
         .why = "packages of pip do not search the environment's lib directory by themselves",
         .commands = {"conda env config vars set -p ./env LD_LIBRARY_PATH=\"$PWD/env/lib\""}});
  }
  AddLibraryPath(plan, "env", question, parts.python);
  AddVerification(plan, question.host.machine == Machine::kWindows ? ".\\env" : "./env", question);
}

}  // namespace culprit::plan
