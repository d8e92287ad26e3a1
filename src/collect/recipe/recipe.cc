#include "collect/recipe/recipe.h"

#include <algorithm>
#include <cctype>

#include "base/path_error.h"
#include "base/text.h"
#include "base/windows/path.h"

namespace culprit::collect {
namespace {

using snapshot::Recipe;
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

base::Result<Recipe> ParseYamlRecipe(std::string_view bytes, const std::string& path) {
  auto documents = tree::ParseYamlDocuments(bytes, path);
  if (!documents) {
    const bool helm = bytes.find("{{") != std::string_view::npos;
    return base::Fail(
        documents.error().code,
        documents.error().message +
            (helm ? "; a template of Helm? Render it first: helm template CHART | culprit check needs a file"
                  : ""));
  }
  for (const Node& document : *documents) {
    const Node* services = document.Find("services");
    if (services != nullptr && services->IsTable() && document.Find("apiVersion") == nullptr)
      return ReadCompose(document, path);
  }
  if (!std::ranges::any_of(*documents, [](const Node& document) {
        return document.Find("apiVersion") != nullptr && document.Find("kind") != nullptr;
      })) {
    return base::Fail(
        base::ErrorCode::kBadFormat,
        base::Printable(path) +
            ": YAML, but neither a compose file (no services) nor a Kubernetes manifest (no kind)");
  }
  return ReadManifests(*documents, path);
}

base::Result<Recipe> ReadRecipe(const Surroundings& around, const std::string& path) {
  const std::string whole = around.system.platform() == base::Platform::kWindows
                                ? base::FromWindowsPath(path, around.working_directory)
                                : base::JoinPath(around.working_directory, path);
  const auto bytes = system::ReadWholeFile(around.system, whole, kRecipeLimit);
  if (!bytes)
    return base::Fail(base::ErrorCode::kNotReadable,
                      base::Printable(path) + ": " + std::string(base::Strerror(bytes.error())));
  return ParseRecipe(*bytes, path);
}

}  // namespace

bool LooksLikeRecipe(std::string_view path, std::string_view head) {
  if (head.find('\0') != std::string_view::npos) return false;
  if (head.starts_with('{'))
    return base::Contains(head, "\"apiVersion\"") && base::Contains(head, "\"kind\"");
  return IsDockerfileName(path) || IsYaml(path) || BeginsLikeDockerfile(head);
}

base::Result<Recipe> ParseRecipe(std::string_view bytes, const std::string& path) {
  const bool yaml = IsYaml(path) || base::Trim(bytes.substr(0, 64)).starts_with('{');
  return yaml && !IsDockerfileName(path) ? ParseYamlRecipe(bytes, path) : ParseDockerfile(bytes, path);
}

snapshot::Fact<std::vector<Recipe>> CollectRecipes(const Surroundings& around) {
  std::vector<Recipe> recipes;
  std::vector<std::string> unread;
  const auto has = [&](const std::string& path) {
    return std::ranges::find(recipes, path, &Recipe::path) != recipes.end();
  };
  for (const std::string& path : around.recipes) {
    auto recipe = ReadRecipe(around, path);
    if (!recipe)
      return snapshot::Fact<std::vector<Recipe>>::Unreadable(recipe.error().message, base::Printable(path));
    recipes.push_back(*std::move(recipe));
  }
  for (size_t i = 0; i < recipes.size(); ++i) {
    for (size_t k = 0; k < recipes[i].parts.size(); ++k) {
      const std::string path = recipes[i].parts[k].build;
      if (path.empty() || has(path)) continue;
      if (auto recipe = ReadRecipe(around, path))
        recipes.push_back(*std::move(recipe));
      else
        recipes[i].unread.push_back(recipe.error().message);
    }
  }
  return snapshot::Fact<std::vector<Recipe>>::Of(std::move(recipes), "the files that were named");
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
