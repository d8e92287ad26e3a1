// environment.yml: Python, CUDA and cuDNN from conda-forge, the rest by pip inside it, because the tables
// know the wheels of the package index and not the builds of conda's channels.
#include <algorithm>
#include <cctype>

#include "base/text.h"
#include "plan/commands/command_parts.h"

namespace culprit::plan {
namespace {

// A scalar: plain if YAML reads it so, otherwise in quotes.
std::string YamlText(const std::string& text) {
  const bool plain =
      !text.empty() &&
      std::ranges::all_of(text,
                          [](char c) {
                            return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
                                   std::string_view("._+-/=:").find(c) != std::string_view::npos;
                          }) &&
      std::isalnum(static_cast<unsigned char>(text.front())) != 0 && !text.ends_with(':');
  return plain ? text : base::InDoubleQuotes(text);
}

}  // namespace

void WriteConda(report::Plan& plan, const Question& question) {
  const Parts parts = PartsOf(plan, true);
  std::string file = FileHeader(plan);
  file += "name: culprit-plan\nchannels:\n";
  const std::vector<std::string> usual = {"conda-forge", "nodefaults"};
  for (const std::string& channel : question.channels.empty() ? usual : question.channels)
    file += "  - " + YamlText(channel) + "\n";
  file += "dependencies:\n  - python" + (parts.python.empty() ? "" : "=" + parts.python) + "\n";
  for (const report::PassedThrough* passed : parts.conda) file += "  - " + YamlText(passed->text) + "\n";
  file += "  - pip\n";
  const std::vector<std::string> cuda = CondaCuda(plan, question);
  for (const std::string& name : cuda) file += "  - \"" + name + "\"\n";
  if (parts.HasPip()) file += "  - pip:\n";
  for (const PipOption& option : question.pip_options)
    file += "      - " + YamlText(option.name + (option.value.empty() ? "" : " " + option.value)) + "\n";
  for (const PipGroup& group : parts.pip) {
    if (group.channel.kind == report::ChannelKind::kPypi) continue;
    // Options hold for the whole list; the pins say which index is meant (2.4.1+cu118).
    file += std::string("      - ") + (group.channel.IsPage() ? "--find-links " : "--extra-index-url ") +
            group.channel.address + "\n";
  }
  for (const PipGroup& group : parts.pip) {
    for (const report::PlannedPackage* package : group.packages) {
      const std::string pin = Pinned(*package);
      file +=
          "      - " + (package->extra.empty() && package->range.empty() ? pin : "\"" + pin + "\"") + "\n";
    }
  }
  for (const report::PassedThrough* passed : parts.passed)
    file += "      - " + YamlText((passed->editable ? "-e " : "") + passed->text) + "\n";
  for (const report::PlannedPackage* package : parts.built)
    file += "      # after the rest: pip install" + BuildWords(*package).Text().value_or("") + "\n";
  plan.document = std::move(file);
  AddDriver(plan, parts, question);
  if (cuda.empty()) AddSystemLibraries(plan, parts, question);
  plan.steps.push_back({.title = "environment",
                        .why = "uses conda's Python; save the file as environment.yml",
                        .commands = {"conda env create -p ./env -f environment.yml"}});
  if (!cuda.empty() && !parts.pip.empty() && question.host.machine != Machine::kWindows) {
    plan.steps.push_back(
        {.title = "libraries",
         .why = "pip packages do not search the environment's lib directory on their own",
         .commands = {"conda env config vars set -p ./env LD_LIBRARY_PATH=\"$PWD/env/lib\""}});
  }
  AddBuilds(plan, parts, question, "conda run -p ./env pip install");
  AddLibraryPath(plan, "env", question, parts.python);
  AddVerification(plan, question.host.machine == Machine::kWindows ? ".\\env" : "./env", question);
}

}  // namespace culprit::plan
