// Requirements that are passed through, in the words of pip.
#include <algorithm>
#include <cctype>

#include "base/text.h"
#include "plan/commands/command_parts.h"

namespace culprit::plan {
namespace {

// A foreign word: as it is or in double quotes; where some shell would read something inside of these, in
// single ones, which only POSIX shells know.
Command Foreign(const std::string& text, bool windows) {
  if (const Command word = Word(text); word.Text()) return word;
  const Command quoted = report::Quoted(text);
  return windows || !quoted.Text() ? Command() : quoted;
}

}  // namespace

Command PassedWord(const report::PassedThrough& passed, bool windows) {
  const Command word = Foreign(passed.text, windows);
  if (word.empty()) return word;
  return passed.editable ? " -e " + word : " " + word;
}

Command PassedOptions(const Question& question) {
  Command options;
  for (const PipOption& option : question.pip_options) {
    const Command value = Foreign(option.value, question.host.machine == Machine::kWindows);
    if (!option.value.empty() && value.empty()) continue;
    options += " " + report::FromTable(option.name);  // one of those that requirements_file.cc knows
    if (!option.value.empty()) options += " " + value;
  }
  return options;
}

Command PassedWords(const Parts& parts, const Question& question) {
  Command words;
  for (const report::PassedThrough* passed : parts.passed)
    words += PassedWord(*passed, question.host.machine == Machine::kWindows);
  if (words.empty()) return words;
  words += PassedOptions(question);
  // They are installed already; named again, pip does not replace them with others of PyPI.
  for (const PipGroup& group : parts.pip) {
    if (group.channel.kind == report::ChannelKind::kPypi) continue;
    for (const report::PlannedPackage* package : group.packages) words += " " + PinnedWord(*package);
  }
  return words;
}

void WriteRequirements(report::Plan& plan, const Question& question) {
  const Parts parts = PartsOf(plan, true);
  std::string file = FileHeader(plan);
  if (!parts.python.empty()) file += "# for Python " + parts.python + "\n";
  for (const PipOption& option : question.pip_options)
    file += option.name + (option.value.empty() ? "" : " " + base::Printable(option.value)) + "\n";
  for (const PipGroup& group : parts.pip) {
    if (group.channel.kind == report::ChannelKind::kPypi) continue;
    // It holds for the whole file; the pins say which index is meant (2.4.1+cu118).
    file += (group.channel.IsPage() ? "--find-links " : "--extra-index-url ") + group.channel.address + "\n";
  }
  for (const PipGroup& group : parts.pip) {
    for (const report::PlannedPackage* package : group.packages) file += Pinned(*package) + "\n";
  }
  for (const report::PassedThrough* passed : parts.passed)
    file += (passed->editable ? "-e " : "") + base::Printable(passed->text) + "\n";
  if (!parts.built.empty()) {
    file += "# built after the rest, with a toolkit and " + CompilerWords(plan, false) + ":\n";
    if (const Command tools = BuildTools(parts); !tools.empty())
      file += "#   pip install" + tools.Text().value_or("") + "\n";
    for (const report::PlannedPackage* package : parts.built) {
      file += "#   ";
      for (const std::string& variable : BuildVariables(*package, plan, question)) file += variable + " ";
      file += "pip install" + BuildWords(*package).Text().value_or("") + "\n";
    }
  }
  plan.document = std::move(file);
  if (!parts.conda.empty()) NoteConda(parts, plan);
  AddDriver(plan, parts, question);
  AddSystemLibraries(plan, parts, question);
  plan.steps.push_back({.title = "install",
                        .why = "save the file as requirements.txt",
                        .commands = {"python -m pip install -r requirements.txt"}});
  AddLibraryPath(plan, ".venv", question, parts.python);
  AddVerification(plan, "", question);
}

void NoteConda(const Parts& parts, report::Plan& plan) {
  std::string names;
  for (const report::PassedThrough* passed : parts.conda)
    names += (names.empty() ? "" : ", ") + base::Printable(passed->text);
  plan.notes.push_back("conda packages, which pip cannot install (use --as conda): " + names);
}

}  // namespace culprit::plan
