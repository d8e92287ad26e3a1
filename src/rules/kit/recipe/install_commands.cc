#include "rules/kit/recipe/install_commands.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <span>

#include "base/text.h"

namespace culprit::rules {
namespace {

using ShellWords = std::span<const std::string>;

bool IsOneOf(std::string_view word, std::initializer_list<std::string_view> list) {
  return std::ranges::find(list, word) != list.end();
}

bool IsConda(std::string_view program) { return IsOneOf(program, {"conda", "mamba", "micromamba"}); }

// How many words stand before the command that is run: "conda run -n base".
size_t Wrapping(ShellWords words) {
  if (words.size() < 3 || !IsConda(base::BaseName(words.front())) || words[1] != "run") return 0;
  size_t at = 2;
  while (at < words.size() && words[at].starts_with('-'))
    at += IsOneOf(words[at], {"-n", "--name", "-p", "--prefix"}) ? 2 : 1;
  return at < words.size() ? at : 0;
}

// The place after "install"; 0 if the command is none.
size_t AfterPip(ShellWords words) {
  const std::string_view program = base::BaseName(words.front());
  size_t at = 0;
  std::string_view module = program;
  if (program.starts_with("python") && words.size() > 2 && words[1] == "-m") {
    module = words[2];
    at = 2;
  }
  const bool other = IsOneOf(module, {"uv", "poetry", "pdm", "pipenv"});
  if (!other && (!module.starts_with("pip") || module == "pipx")) return 0;
  ++at;
  while (at < words.size() && words[at].starts_with('-')) ++at;
  if (module == "uv" && at < words.size() && words[at] == "pip") {
    const size_t inner = AfterPip(words.subspan(at));
    return inner == 0 ? 0 : at + inner;
  }
  const std::string_view wanted = other && module != "pipenv" ? "add" : "install";
  return at < words.size() && words[at] == wanted ? at + 1 : 0;
}

size_t AfterSystem(ShellWords words) {
  const std::string_view program = base::BaseName(words.front());
  if (!IsOneOf(program, {"apt-get", "apt", "aptitude", "dnf", "dnf5", "yum", "microdnf", "tdnf", "zypper"}))
    return 0;
  const auto install = std::ranges::find_if(words, [&](const std::string& word) {
    return word == "install" || (program == "zypper" && word == "in");
  });
  return install == words.end() ? 0 : static_cast<size_t>(install - words.begin()) + 1;
}

size_t AfterConda(ShellWords words) {
  if (!IsConda(base::BaseName(words.front())) || words.size() < 2 || IsOneOf(words[1], {"run", "env"}))
    return 0;
  const auto install = std::ranges::find_if(
      words, [](const std::string& word) { return IsOneOf(word, {"install", "create", "update"}); });
  return install == words.end() ? 0 : static_cast<size_t>(install - words.begin()) + 1;
}

bool IsVariant(std::string_view text) {
  return text == "cpu" || text == "xpu" || text.starts_with("rocm") ||
         (text.size() > 2 && text.starts_with("cu") && base::IsNumber(text.substr(2)));
}

bool NamesIndex(std::string_view option) {
  return IsOneOf(
      option, {"-i", "--index-url", "--extra-index-url", "--index", "--default-index", "-f", "--find-links"});
}

constexpr std::array<std::string_view, 9> kIndexVariables = {
    "UV_TORCH_BACKEND",   "PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL",
    "PIP_FIND_LINKS",     "UV_INDEX_URL",  "UV_DEFAULT_INDEX",
    "UV_EXTRA_INDEX_URL", "UV_INDEX",      "UV_FIND_LINKS"};

IndexChoice ChoiceOfVariable(std::string_view name, std::string_view value) {
  if (name == "UV_TORCH_BACKEND") return ChoiceOfBackend(value);
  for (const std::string& address : base::SplitWords(value, " ,\t\n")) {
    if (IndexChoice choice = ChoiceOfIndex(address); choice.vague || !choice.variant.empty()) return choice;
  }
  return {};
}

}  // namespace

std::optional<InstallCommand> InstallCommandOf(const std::vector<std::string>& words) {
  if (words.empty()) return std::nullopt;
  const size_t before = Wrapping(words);
  const ShellWords command = ShellWords(words).subspan(before);
  if (const size_t at = AfterPip(command); at != 0) return InstallCommand{Manager::kPip, before + at};
  if (const size_t at = AfterSystem(command); at != 0) return InstallCommand{Manager::kApt, before + at};
  if (const size_t at = AfterConda(command); at != 0) return InstallCommand{Manager::kConda, before + at};
  return std::nullopt;
}

bool TakesValue(Manager manager, std::string_view option) {
  if (IsOneOf(option,
              {"-c", "-n", "--name", "-p", "--prefix", "--channel", "-t", "--target", "-r", "--file"}))
    return true;
  if (manager == Manager::kConda) return option == "-f";
  return manager == Manager::kPip &&
         (NamesIndex(option) ||
          IsOneOf(option,
                  {"--requirement", "--constraint", "--root", "--python", "--torch-backend", "--group",
                   "--no-binary", "--only-binary", "--platform", "--python-version", "--cache-dir",
                   "--trusted-host", "--timeout", "--retries", "--extra", "--source", "--proxy"}));
}

bool InstallsFromProject(const std::vector<std::string>& words) {
  if (words.size() < 2) return false;
  const ShellWords command = ShellWords(words).subspan(Wrapping(words));
  if (command.size() < 2) return false;
  const std::string_view program = base::BaseName(command.front());
  const std::string& verb = command[1];
  if (IsConda(program))
    return verb == "env" && command.size() > 2 && IsOneOf(command[2], {"create", "update"});
  if (program == "uv") return verb == "sync" || (verb == "pip" && command.size() > 2 && command[2] == "sync");
  if (program == "conda-lock" || program == "pixi") return verb == "install";
  if (program == "pip-sync") return true;
  if (program == "pipenv") return IsOneOf(verb, {"install", "sync"});
  return IsOneOf(program, {"poetry", "pdm"}) && IsOneOf(verb, {"install", "sync"});
}

IndexChoice ChoiceOfIndex(std::string_view address) {
  const size_t at = address.find("/whl/");
  if (at == std::string_view::npos) return {};
  std::string_view last = address.substr(at + 5);
  for (const std::string_view channel : {"nightly/", "test/"}) {
    if (last.starts_with(channel)) last.remove_prefix(channel.size());
  }
  last = last.substr(0, last.find('/'));
  if (last.find('$') != std::string_view::npos) return {.variant = "", .vague = true};
  return {.variant = IsVariant(last) ? std::string(last) : ""};
}

IndexChoice ChoiceOfBackend(std::string_view backend) {
  if (IsVariant(backend)) return {.variant = std::string(backend)};
  return {.variant = "", .vague = !backend.empty()};  // "auto": the driver of the machine that builds it
}

void IndexVariables::Set(std::string_view name, std::string_view value) {
  if (name.empty() || std::ranges::find(kIndexVariables, name) == kIndexVariables.end()) return;
  std::erase_if(values_, [&](const Value& known) { return known.name == name; });
  values_.push_back({name, value});
}

IndexChoice IndexVariables::Of(const RecipeStep& step) const {
  bool own_index = false;
  for (size_t i = 0; i < step.words.size(); ++i) {
    const std::string_view word = step.words[i];
    const size_t equals = word.find('=');
    const std::string_view option = word.substr(0, equals);
    if (option == "--source") return {.variant = "", .vague = true};  // poetry: its address stands elsewhere
    const bool backend = option == "--torch-backend";
    if (!backend && !NamesIndex(option)) continue;
    own_index |= IsOneOf(option, {"-i", "--index-url", "--default-index"});
    const std::string_view value = equals != std::string_view::npos ? word.substr(equals + 1)
                                   : i + 1 < step.words.size()      ? std::string_view(step.words[i + 1])
                                                                    : "";
    IndexChoice choice = backend ? ChoiceOfBackend(value) : ChoiceOfIndex(value);
    if (choice.vague || !choice.variant.empty()) return choice;
  }
  IndexVariables all = *this;
  for (const std::string& variable : step.variables) {
    const std::string_view text = variable;
    const size_t equals = text.find('=');
    if (equals != std::string_view::npos) all.Set(text.substr(0, equals), text.substr(equals + 1));
  }
  for (const Value& known : all.values_) {
    if (own_index && IsOneOf(known.name, {"PIP_INDEX_URL", "UV_INDEX_URL", "UV_DEFAULT_INDEX"})) continue;
    IndexChoice choice = ChoiceOfVariable(known.name, known.value);
    if (choice.vague || !choice.variant.empty()) return choice;
  }
  return {};
}

}  // namespace culprit::rules
