// Commands that install packages, by their words alone: which manager it is, where its packages begin, and
// whether they stand in a file.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rules/kit/recipe/recipe_facts.h"

namespace culprit::rules {

struct InstallCommand {
  Manager manager;
  size_t first;  // the place of the first word after "install"
};
// "pip install", "uv add", "conda run -n base pip install", "apt-get install", "dnf install"; none if it is
// something else.
std::optional<InstallCommand> InstallCommandOf(const std::vector<std::string>& words);

// Whether the next word is the value of the option.
bool TakesValue(Manager manager, std::string_view option);

// Whether a command that has no packages of its own installs those of a file: uv sync, poetry install, conda
// env create.
bool InstallsFromProject(const std::vector<std::string>& words);

// Which build pip chooses where a framework has several.
struct IndexChoice {
  std::string variant{};  // "cu121", "cpu"; "" if nothing says
  bool vague = false;     // a variable, or the machine that builds it, decides
};
// The index in a value: "https://download.pytorch.org/whl/cu121", "cu126" of --torch-backend.
IndexChoice ChoiceOfIndex(std::string_view address);
IndexChoice ChoiceOfBackend(std::string_view backend);

// The variables that tell pip or uv an index, as the steps set them one after another.
class IndexVariables {
 public:
  void Set(std::string_view name, std::string_view value);
  // What the command takes: its own words, else the variables before it, else those of the container.
  IndexChoice Of(const RecipeStep& step) const;

 private:
  struct Value {
    std::string_view name, value;
  };
  std::vector<Value> values_;  // of the names that matter, each once
};

}  // namespace culprit::rules
