#include "collect/recipe/recipe.h"

#include <algorithm>
#include <cctype>

#include "base/path_error.h"
#include "base/text.h"
#include "base/windows/path.h"
#include "collect/recipe/shell.h"
#include "snapshot/secrets/hide.h"

namespace culprit::collect {
namespace {

using snapshot::Recipe;
using Recipes = snapshot::Fact<std::vector<Recipe>>;
using tree::Node;

bool IsYaml(std::string_view path) { return path.ends_with(".yml") || path.ends_with(".yaml"); }

bool IsDockerfileName(std::string_view path) {
  std::string name(base::BaseName(path));
  for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return name.starts_with("dockerfile") || name.starts_with("containerfile") ||
         name.ends_with(".dockerfile") || name.ends_with(".containerfile");
}

// Whether the first instruction is one that a Dockerfile begins with.
bool BeginsLikeDockerfile(std::string_view head) {
  while (!head.empty()) {
    const std::string_view line = head.substr(0, head.find('\n'));
    head.remove_prefix(std::min(head.size(), line.size() + 1));
    const std::string_view text = base::Trim(line);
    if (text.empty() || (text.starts_with('#') && !text.starts_with("#!"))) continue;
    return text.starts_with("FROM ") || text.starts_with("ARG ");
  }
  return false;
}

base::Result<Recipe> ParseYamlRecipe(std::string_view bytes, const std::string& path,
                                     BuildArguments* arguments) {
  auto documents = tree::ParseYamlDocuments(bytes, path);
  if (!documents) {
    const bool helm = bytes.find("{{") != std::string_view::npos;
    return base::Fail(
        documents.error().code,
        documents.error().message +
            (helm ? "; for a Helm template, render it first: helm template CHART | culprit check -" : ""));
  }
  for (const Node& document : *documents) {
    const Node* services = document.Find("services");
    if (services != nullptr && services->IsTable() && document.Find("apiVersion") == nullptr)
      return ReadCompose(document, path, arguments);
  }
  if (!std::ranges::any_of(*documents, [](const Node& document) {
        return document.Find("apiVersion") != nullptr && document.Find("kind") != nullptr;
      })) {
    return base::Fail(base::ErrorCode::kBadFormat,
                      base::Printable(path) +
                          (IsYaml(path) ? ": YAML, but neither" : ": neither a Dockerfile (no FROM), nor") +
                          " a compose file (no services) nor a Kubernetes manifest (no kind)");
  }
  return ReadManifests(*documents, path);
}

// What a report may show of it.
void HideSecretsIn(Recipe& recipe) {
  for (snapshot::RecipePart& part : recipe.parts) {
    for (snapshot::RecipeStep& step : part.steps) {
      if (step.kind == snapshot::StepKind::kSet && step.words.size() == 2)
        step.words.back() = snapshot::HideVariable(step.words.front(), std::move(step.words.back()));
      else
        step.words = snapshot::HideSecrets(step.words);
      step.variables = snapshot::HideSecrets(step.variables);
    }
  }
}

void CompleteRecipe(Recipe& recipe) {
  for (const snapshot::RecipePart& part : recipe.parts) {
    if (part.steps.size() >= kMostSteps)
      recipe.CutOff("the commands of " + part.name + " after " + std::to_string(kMostSteps) + " steps");
  }
  HideSecretsIn(recipe);
}

base::Result<std::string> BytesOf(const Surroundings& around, const std::string& path) {
  const std::string whole = around.system.platform() == base::Platform::kWindows
                                ? base::FromWindowsPath(path, around.working_directory)
                                : base::JoinPath(around.working_directory, path);
  auto bytes = system::ReadWholeFile(around.system, whole, kRecipeLimit);
  if (bytes) return *std::move(bytes);
  const auto file = around.system.Open(whole);
  const bool large = file && file->bytes && file->bytes->size() > kRecipeLimit;
  return base::Fail(base::ErrorCode::kNotReadable, base::Printable(path) + ": " +
                                                       (large ? "larger than 4 MiB, too large for a recipe"
                                                              : std::string(base::Strerror(bytes.error()))));
}

// The recipes that were named, and the Dockerfiles of their services with the arguments of the build.
class Gatherer {
 public:
  explicit Gatherer(const Surroundings& around) : around_(around) {}

  Recipes Run() {
    for (const std::string& path : around_.recipes) {
      if (Known(path) != recipes_.size()) continue;
      const auto bytes = BytesOf(around_, path);
      if (!bytes) return Recipes::Unreadable(bytes.error().message, base::Printable(path));
      BuildArguments arguments;
      auto recipe = ParseRecipe(*bytes, path, &arguments);
      if (!recipe) return Recipes::Unreadable(recipe.error().message, base::Printable(path));
      Keep(*std::move(recipe), {});
      builds_.back() = std::move(arguments);
    }
    for (size_t i = 0; i < builds_.size(); ++i) {
      for (size_t k = 0; k < recipes_[i].parts.size(); ++k) {
        if (!recipes_[i].parts[k].build.empty()) Build(i, k);
      }
    }
    return Recipes::Of(std::move(recipes_), "the named files");
  }

 private:
  static constexpr size_t kMostReadAgain = 100;

  size_t Known(const std::string& path) const {
    const auto same = [clean = base::CleanPath(path)](const Recipe& recipe) {
      return base::CleanPath(recipe.path) == clean;
    };
    return static_cast<size_t>(std::ranges::find_if(recipes_, same) - recipes_.begin());
  }
  void Keep(Recipe recipe, Variables arguments) {
    recipes_.push_back(std::move(recipe));
    read_with_.push_back(std::move(arguments));
    builds_.emplace_back();
  }
  // A Dockerfile is kept once; where other arguments make something else of it, the part is open.
  void Build(size_t of, size_t part) {
    const std::string path = recipes_[of].parts[part].build;
    const auto given = builds_[of].find(part);
    const Variables arguments = given == builds_[of].end() ? Variables{} : given->second;
    const size_t known = Known(path);
    if (known < recipes_.size()) {
      recipes_[of].parts[part].build = recipes_[known].path;
      if (read_with_[known] == arguments) return;
      if (++read_again_ > kMostReadAgain) {
        recipes_[of].parts[part].open = true;
        return;
      }
    }
    const auto bytes = BytesOf(around_, path);
    auto recipe = bytes ? ParseDockerfile(*bytes, path, arguments) : std::unexpected(bytes.error());
    if (!recipe) {
      const std::string what = "the build of " + recipes_[of].parts[part].name;
      return recipes_[of].unread.push_back({what, recipe.error().message});
    }
    CompleteRecipe(*recipe);
    if (known == recipes_.size()) return Keep(*std::move(recipe), arguments);
    if (recipe->parts != recipes_[known].parts) recipes_[of].parts[part].open = true;
  }

  const Surroundings& around_;
  std::vector<Recipe> recipes_;
  std::vector<Variables> read_with_;    // of each: the arguments of the build
  std::vector<BuildArguments> builds_;  // of each: what its parts give to theirs
  size_t read_again_ = 0;
};

}  // namespace

bool LooksLikeRecipe(std::string_view path, std::string_view head) {
  if (head.find('\0') != std::string_view::npos) return false;
  if (head.starts_with('{'))
    return base::Contains(head, "\"apiVersion\"") && base::Contains(head, "\"kind\"");
  return IsDockerfileName(path) || IsYaml(path) || BeginsLikeDockerfile(head);
}

base::Result<Recipe> ParseRecipe(std::string_view bytes, const std::string& path, BuildArguments* arguments) {
  const bool docker = IsDockerfileName(path) || (!IsYaml(path) && BeginsLikeDockerfile(bytes));
  auto recipe = docker ? ParseDockerfile(bytes, path) : ParseYamlRecipe(bytes, path, arguments);
  if (recipe) CompleteRecipe(*recipe);
  return recipe;
}

snapshot::Fact<std::vector<Recipe>> CollectRecipes(const Surroundings& around) {
  return Gatherer(around).Run();
}

snapshot::Stack StackOfRecipes(const Surroundings& around) {
  const char* const why = "host unknown from a recipe; pass --host";
  snapshot::Stack stack;
  stack.driver = {snapshot::FactState::kNotApplicable, std::nullopt, why, ""};
  stack.gpus = {snapshot::FactState::kNotApplicable, std::nullopt, why, ""};
  stack.recipes = CollectRecipes(around);
  if (around.host) Assume(*around.host, stack);
  return stack;
}

}  // namespace culprit::collect
