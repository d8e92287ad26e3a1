// What the commands of a recipe install: pip, uv, conda, apt.
#include <algorithm>
#include <array>
#include <cctype>

#include "base/python/package_name.h"
#include "base/text.h"
#include "rules/kit/recipe/recipe_facts.h"

namespace culprit::rules {
namespace {

using CommandWords = std::vector<std::string>;

// The place of the first word after "pip install"; 0 if the command is none.
size_t AfterPip(const CommandWords& words) {
  size_t at = 0;
  const std::string_view program = base::BaseName(words.front());
  if (program.starts_with("python") && words.size() > 2 && words[1] == "-m" && words[2].starts_with("pip")) {
    at = 3;
  } else if (program == "uv" && words.size() > 1 && words[1] == "pip") {
    at = 2;
  } else if (program.starts_with("pip") && program != "pipx" && program != "pipenv") {
    at = 1;
  } else {
    return 0;
  }
  while (at < words.size() && words[at].starts_with('-')) ++at;
  return at < words.size() && words[at] == "install" ? at + 1 : 0;
}

size_t AfterApt(const CommandWords& words) {
  const std::string_view program = base::BaseName(words.front());
  if (program != "apt-get" && program != "apt" && program != "aptitude") return 0;
  const auto install = std::ranges::find(words, "install");
  return install == words.end() ? 0 : static_cast<size_t>(install - words.begin()) + 1;
}

size_t AfterConda(const CommandWords& words) {
  const std::string_view program = base::BaseName(words.front());
  if (program != "conda" && program != "mamba" && program != "micromamba") return 0;
  const auto install = std::ranges::find(words, "install");
  return install == words.end() ? 0 : static_cast<size_t>(install - words.begin()) + 1;
}

// Options with a value of their own.
bool TakesValue(std::string_view option) {
  static constexpr std::array<std::string_view, 18> kOptions = {"-i",
                                                                "--index-url",
                                                                "--extra-index-url",
                                                                "-f",
                                                                "--find-links",
                                                                "-r",
                                                                "--requirement",
                                                                "-c",
                                                                "--constraint",
                                                                "-t",
                                                                "--target",
                                                                "--prefix",
                                                                "--root",
                                                                "--python",
                                                                "-n",
                                                                "--name",
                                                                "-p",
                                                                "--channel"};
  return std::ranges::find(kOptions, option) != kOptions.end();
}

// "cu121" of "https://download.pytorch.org/whl/cu121"; "" if the address does not say.
std::string VariantOf(std::string_view address) {
  const size_t at = address.find("/whl/");
  if (at == std::string_view::npos) return "";
  std::string_view last = address.substr(at + 5);
  if (last.starts_with("nightly/") || last.starts_with("test/")) return "";
  last = last.substr(0, last.find('/'));
  const bool cuda =
      last.size() > 2 && last.starts_with("cu") && std::isdigit(static_cast<unsigned char>(last[2])) != 0;
  return cuda || last == "cpu" ? std::string(last) : "";
}

// The index of a whole command.
std::string VariantOf(const CommandWords& words) {
  for (size_t i = 0; i < words.size(); ++i) {
    const bool option = words[i].starts_with("--index-url") || words[i] == "-i" ||
                        words[i].starts_with("--extra-index-url") || words[i].starts_with("--find-links") ||
                        words[i] == "-f";
    if (!option) continue;
    const size_t equals = words[i].find('=');
    if (equals == std::string::npos && i + 1 >= words.size()) continue;
    std::string variant = VariantOf(equals == std::string::npos ? words[i + 1] : words[i].substr(equals + 1));
    if (!variant.empty()) return variant;
  }
  return "";
}

// "torch==2.4.0+cu121", "jax[cuda12]>=0.4", "libcudnn8=8.9.7.29-1+cuda12.2", "pytorch::pytorch=2.1"
RecipeInstall TakenApart(Manager manager, const std::string& word) {
  RecipeInstall install{.manager = manager, .text = word};
  std::string_view text = word;
  if (const size_t channel = text.find("::"); manager == Manager::kConda && channel != std::string_view::npos)
    text = text.substr(channel + 2);
  const size_t end = std::min(text.find_first_of("[=<>!~; @"), text.size());
  install.name =
      manager == Manager::kPip ? base::NormalName(text.substr(0, end)) : std::string(text.substr(0, end));
  std::string_view rest = text.substr(end);
  if (rest.starts_with('[')) rest = rest.substr(std::min(rest.find(']') + 1, rest.size()));
  if (!rest.starts_with('=') || rest.find_first_of("*,$") != std::string_view::npos) return install;
  rest.remove_prefix(std::min(rest.find_first_not_of('='), rest.size()));
  rest = rest.substr(0, rest.find_first_of("; "));
  if (manager == Manager::kConda) rest = rest.substr(0, rest.find('='));
  install.version = rest;
  if (const size_t plus = install.version.find('+'); manager == Manager::kPip && plus != std::string::npos) {
    install.variant = install.version.substr(plus + 1);
    install.version.resize(plus);
  }
  return install;
}

void AddInstalls(const PartView::Step& step, Manager manager, size_t from,
                 std::vector<RecipeInstall>& installs) {
  const CommandWords& words = step->words;
  const std::string index = manager == Manager::kPip ? VariantOf(words) : "";
  for (size_t i = from; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (word == ">" || word == ">>") break;
    if (word.starts_with('-')) {
      if (TakesValue(word) || (manager == Manager::kConda && word == "-c")) ++i;
      continue;
    }
    if (word.empty() || word.find('/') != std::string::npos || word.front() == '.' || word.front() == '$')
      continue;
    RecipeInstall install = TakenApart(manager, word);
    if (install.name.empty()) continue;
    if (install.variant.empty()) install.variant = index;
    install.step = step;
    install.upgrades = HasWord(*step.step, "-U") || HasWord(*step.step, "--upgrade") ||
                       HasWord(*step.step, "--force-reinstall");
    install.held_too = HasWord(*step.step, "--allow-change-held-packages");
    installs.push_back(std::move(install));
  }
}

}  // namespace

std::vector<RecipeInstall> InstallsOf(const PartView& view) {
  std::vector<RecipeInstall> installs;
  for (const PartView::Step& step : view.steps) {
    if (step->kind != StepKind::kRun || step->words.empty()) continue;
    if (const size_t pip = AfterPip(step->words); pip != 0) AddInstalls(step, Manager::kPip, pip, installs);
    if (const size_t apt = AfterApt(step->words); apt != 0) AddInstalls(step, Manager::kApt, apt, installs);
    if (const size_t conda = AfterConda(step->words); conda != 0)
      AddInstalls(step, Manager::kConda, conda, installs);
  }
  return installs;
}

}  // namespace culprit::rules
