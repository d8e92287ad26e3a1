// What the commands of a recipe install: pip, uv, conda, apt and the like.
#include <algorithm>
#include <iterator>

#include "base/python/package_name.h"
#include "base/text.h"
#include "rules/kit/recipe/install_commands.h"

namespace culprit::rules {
namespace {

void SetVersion(std::string_view version, RecipeInstall& install) {
  install.version = version;
  if (const size_t plus = install.version.find('+');
      install.manager == Manager::kPip && plus != std::string::npos) {
    install.variant = install.version.substr(plus + 1);
    install.version.resize(plus);
  }
}

// "https://download.pytorch.org/whl/cu130/torch-2.9.0%2Bcu130-cp311-cp311-linux_x86_64.whl"
RecipeInstall OfWheel(const std::string& word) {
  RecipeInstall install{.manager = Manager::kPip, .text = word};
  std::string_view file = base::BaseName(word);
  file = file.substr(0, file.find('#'));
  const size_t name = std::min(file.find('-'), file.size());
  install.name = base::NormalName(file.substr(0, name));
  std::string_view rest = file.substr(std::min(name + 1, file.size()));
  std::string version(rest.substr(0, rest.find('-')));
  for (const std::string_view code : {"%2B", "%2b"}) {
    if (const size_t at = version.find(code); at != std::string::npos) version.replace(at, code.size(), "+");
  }
  if (version.find('$') == std::string::npos) SetVersion(version, install);
  const IndexChoice index = ChoiceOfIndex(word);
  if (install.variant.empty()) install.variant = index.variant;
  install.vague = index.vague || install.version.empty();
  return install;
}

// "torch==2.4.0+cu121", "jax[cuda12]>=0.4", "libcudnn8=8.9.7.29-1+cuda12.2", "pytorch::pytorch=2.1"
RecipeInstall TakenApart(Manager manager, const std::string& word) {
  if (manager == Manager::kPip && base::Contains(word, ".whl")) return OfWheel(word);
  RecipeInstall install{.manager = manager, .text = word};
  std::string_view text = word;
  std::string_view channel;
  if (const size_t at = text.find("::"); manager == Manager::kConda && at != std::string_view::npos) {
    channel = text.substr(0, at);
    text = text.substr(at + 2);
  }
  const size_t end = std::min(text.find_first_of("[=<>!~; @"), text.size());
  install.name =
      manager == Manager::kPip ? base::NormalName(text.substr(0, end)) : std::string(text.substr(0, end));
  std::string_view rest = text.substr(end);
  if (rest.starts_with('[')) {
    const size_t close = std::min(rest.find(']'), rest.size() - 1);
    install.extra = rest.substr(1, close - 1);
    rest = rest.substr(close + 1);
  }
  install.vague = rest.find('$') != std::string_view::npos;
  if (const size_t label = channel.find("/label/cuda-"); label != std::string_view::npos && rest.empty())
    install.version = channel.substr(label + 12);
  if (!rest.starts_with('=') || rest.find_first_of("*,$") != std::string_view::npos) return install;
  rest.remove_prefix(std::min(rest.find_first_not_of('='), rest.size()));
  rest = rest.substr(0, rest.find_first_of("; "));
  if (const size_t build = rest.find('='); manager == Manager::kConda && build != std::string_view::npos) {
    install.variant = rest.substr(build + 1);
    rest = rest.substr(0, build);
  }
  SetVersion(rest, install);
  return install;
}

// Whether pip is told a folder, an archive or a variable, whose requirements stand elsewhere.
bool StandsElsewhere(const std::string& word) {
  return !base::Contains(word, ".whl") && !base::Contains(word, "::") &&
         (word.find('/') != std::string::npos || word.starts_with('.') || word.starts_with('$'));
}

void AddInstalls(const PartView::Step& step, const InstallCommand& command, const IndexVariables& variables,
                 std::vector<RecipeInstall>& installs) {
  const std::vector<std::string>& words = step->words;
  const Manager manager = command.manager;
  const IndexChoice index = manager == Manager::kPip ? variables.Of(*step.step) : IndexChoice{};
  const bool upgrades = HasWord(*step.step, "-U") || HasWord(*step.step, "--upgrade") ||
                        HasWord(*step.step, "--force-reinstall");
  const bool held_too = HasWord(*step.step, "--allow-change-held-packages");
  const bool alone = HasWord(*step.step, "--no-deps");
  for (size_t i = command.first; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (word == ">" || word == ">>") break;
    if (word.starts_with('-')) {
      if (TakesValue(manager, word)) ++i;
      continue;
    }
    if (word.empty() || StandsElsewhere(word)) continue;
    RecipeInstall install = TakenApart(manager, word);
    if (install.name.empty()) continue;
    if (install.variant.empty()) {
      install.variant = index.variant;
      install.vague |= index.vague;
    }
    install.step = step;
    install.upgrades = upgrades;
    install.held_too = held_too;
    install.alone = alone;
    installs.push_back(std::move(install));
  }
}

// Whether a command installs what stands in a file.
bool InstallsUnread(const RecipeStep& step) {
  if (InstallsFromProject(step.words)) return true;
  const auto command = InstallCommandOf(step.words);
  if (!command || command->manager == Manager::kApt || HasWord(step, "--no-deps")) return false;
  for (size_t i = command->first; i < step.words.size(); ++i) {
    const std::string& word = step.words[i];
    if (word == ">" || word == ">>") break;
    if (word.starts_with("-r") || word.starts_with("--requirement") || word.starts_with("--file") ||
        word == "--group" || (word == "-f" && command->manager == Manager::kConda))
      return true;
    if (word.starts_with('-')) {
      if (TakesValue(command->manager, word)) ++i;
    } else if (command->manager == Manager::kPip && !word.empty() && StandsElsewhere(word)) {
      return true;
    }
  }
  return false;
}

}  // namespace

std::vector<RecipeInstall> InstallsIn(std::span<const PartView::Step> steps) {
  std::vector<RecipeInstall> installs;
  IndexVariables variables;
  for (const PartView::Step& step : steps) {
    if (step->kind == StepKind::kSet) variables.Set(step->words.front(), step->words.back());
    if (step->kind != StepKind::kRun) continue;
    if (const auto command = InstallCommandOf(step->words)) AddInstalls(step, *command, variables, installs);
  }
  return installs;
}

std::vector<RecipeInstall> InstallsOf(const PartView& view) {
  std::vector<RecipeInstall> installs;
  for (const PartView::Brought& brought : view.brought) {
    if (!brought.sure) continue;
    for (RecipeInstall& install : InstallsIn(brought.steps)) {
      if (install.manager != Manager::kApt) installs.push_back(std::move(install));
    }
  }
  std::ranges::move(InstallsIn(view.steps), std::back_inserter(installs));
  return installs;
}

std::vector<PartView::Step> UnreadInstallsIn(std::span<const PartView::Step> steps) {
  std::vector<PartView::Step> unread;
  std::ranges::copy_if(steps, std::back_inserter(unread), [](const PartView::Step& step) {
    return step->kind == StepKind::kRun && InstallsUnread(*step.step);
  });
  return unread;
}

std::vector<PartView::Step> ScriptsOf(const PartView& view) {
  std::vector<PartView::Step> scripts;
  std::ranges::copy_if(view.steps, std::back_inserter(scripts), [](const PartView::Step& step) {
    if (step->kind != StepKind::kRun || step->words.empty()) return false;
    const bool shell = Calls(*step.step, "bash") || Calls(*step.step, "sh");
    const bool reads = shell && !HasWord(*step.step, "-c") && !HasWord(*step.step, "--version");
    return reads || base::Contains(step->words.front(), ".sh") || step->words.front().starts_with("./");
  });
  return scripts;
}

std::vector<PartView::Step> UnreadInstallsOf(const PartView& view) {
  std::vector<PartView::Step> unread;
  for (const PartView::Brought& brought : view.brought) {
    if (brought.sure) std::ranges::move(UnreadInstallsIn(brought.steps), std::back_inserter(unread));
  }
  std::ranges::move(UnreadInstallsIn(view.steps), std::back_inserter(unread));
  return unread;
}

}  // namespace culprit::rules
