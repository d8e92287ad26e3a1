#include "rules/kit/recipe/copied.h"

#include <algorithm>
#include <array>
#include <set>

#include "base/text.h"
#include "rules/kit/recipe/install_commands.h"

namespace culprit::rules {
namespace {

using Sources = std::span<const std::string>;

// The last word is the target.
Sources SourcesOf(const RecipeStep& copy) {
  return Sources(copy.words).first(copy.words.empty() ? 0 : copy.words.size() - 1);
}

// "/src/dist/app.whl", "/usr/bin/tini", "/web/dist"
bool IsFile(std::string_view path) {
  static constexpr std::array<std::string_view, 4> kBuilt = {"dist", "bin", "node_modules", "static"};
  const std::string_view name = base::BaseName(path);
  const size_t point = name.rfind('.');
  if (point != std::string_view::npos && point > 0) return true;
  return base::Contains(path, "/bin/") || std::ranges::find(kBuilt, name) != kBuilt.end();
}

// Where environments are by custom.
bool IsEnvironmentName(const std::string& path) {
  static constexpr std::array<std::string_view, 5> kParts = {"site-packages", "dist-packages", "venv",
                                                             "conda", "mamba"};
  static constexpr std::array<std::string_view, 9> kWhole = {
      "/", "/usr", "/usr/local", "/usr/local/lib", "/usr/lib", "/opt", "/root", "/root/.local", "/install"};
  return std::ranges::any_of(kParts, [&](std::string_view part) { return base::Contains(path, part); }) ||
         std::ranges::find(kWhole, path) != kWhole.end() || path.ends_with("/.local") ||
         base::Contains(path, "/lib/python");
}

// "/opt/venv" of "/opt/venv/bin/pip".
std::string PrefixOfProgram(const std::string& program) {
  const size_t at = program.rfind("/bin/");
  const bool python =
      base::BaseName(program).starts_with("python") || base::BaseName(program).starts_with("pip");
  return python && at != std::string::npos && at > 0 ? program.substr(0, at) : "";
}

// Where a command makes or fills an environment: `python -m venv /opt/v`, `pip install --prefix=/opt/v`.
void AddPlaces(const RecipeStep& step, std::set<std::string>& places) {
  static constexpr std::array<std::string_view, 5> kOptions = {"--prefix", "--target", "-t", "-p", "--root"};
  if (const std::string prefix = PrefixOfProgram(step.words.front()); !prefix.empty()) places.insert(prefix);
  const bool makes = HasWord(step, "venv") || Calls(step, "virtualenv");
  if (!makes && !InstallCommandOf(step.words)) return;
  for (size_t i = 1; i < step.words.size(); ++i) {
    const std::string& word = step.words[i];
    const size_t equals = word.find('=');
    const bool option = std::ranges::find(kOptions, word.substr(0, equals)) != kOptions.end();
    if (option && equals != std::string::npos) places.insert(base::CleanPath(word.substr(equals + 1)));
    if (option && equals == std::string::npos && i + 1 < step.words.size())
      places.insert(base::CleanPath(step.words[i + 1]));
    if (makes && word.starts_with('/')) places.insert(base::CleanPath(word));
  }
}

bool IsBelow(const std::string& path, const std::string& folder) {
  return path == folder || path.starts_with(folder == "/" ? folder : folder + "/");
}

}  // namespace

bool MayBeProgram(const RecipeStep& copy) {
  return std::ranges::any_of(SourcesOf(copy), [](const std::string& path) {
    const std::string_view name = base::BaseName(path);
    return name.find('.') == std::string_view::npos || base::Contains(name, ".so");
  });
}

bool AreFiles(const RecipeStep& copy) { return std::ranges::all_of(SourcesOf(copy), IsFile); }

bool CopiesEnvironment(const RecipeStep& copy, std::span<const PartView::Step> stage) {
  std::set<std::string> places;
  bool beside = false;  // uv sync: .venv in the folder of the project
  for (const PartView::Step& step : stage) {
    if (step->kind == StepKind::kSet &&
        (step->words.front() == "VIRTUAL_ENV" || step->words.front() == "UV_PROJECT_ENVIRONMENT"))
      places.insert(base::CleanPath(step->words.back()));
    if (step->kind != StepKind::kRun || step->words.empty()) continue;
    beside |= InstallsFromProject(step->words);
    AddPlaces(*step.step, places);
  }
  return std::ranges::any_of(SourcesOf(copy), [&](const std::string& source) {
    const std::string path = base::CleanPath(source);
    if (IsFile(path) && !IsEnvironmentName(path)) return false;
    return beside || IsEnvironmentName(path) || std::ranges::any_of(places, [&](const std::string& place) {
             return IsBelow(place, path) || IsBelow(path, place);
           });
  });
}

}  // namespace culprit::rules
