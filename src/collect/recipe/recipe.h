// Dockerfiles, compose files and Kubernetes manifests -> what they say (snapshot/stack_recipe.h). The bytes
// are untrusted: everything is bounded, and anything unknown is an error with its line or a line of `unread`.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "collect/recipe/shell.h"
#include "collect/stack.h"
#include "snapshot/stack_recipe.h"
#include "tree/tree.h"

namespace culprit::collect {

constexpr uint64_t kRecipeLimit = uint64_t{4} << 20;

// By the name and the first bytes of a file: "Dockerfile.gpu", "compose.yaml".
bool LooksLikeRecipe(std::string_view path, std::string_view head);

// The parsers of each kind.
// `arguments`: of the build, as --build-arg gives them.
base::Result<snapshot::Recipe> ParseDockerfile(std::string_view bytes, const std::string& path,
                                               const Variables& arguments = {});
// `arguments`: those of the build of each part that has some.
using BuildArguments = std::map<size_t, Variables>;
snapshot::Recipe ReadCompose(const tree::Node& root, const std::string& path,
                             BuildArguments* arguments = nullptr);
snapshot::Recipe ReadManifests(const std::vector<tree::Node>& documents, const std::string& path);

// By what the name and the bytes look like. `arguments`: see ReadCompose.
base::Result<snapshot::Recipe> ParseRecipe(std::string_view bytes, const std::string& path,
                                           BuildArguments* arguments = nullptr);

// The recipes that were named, and the Dockerfiles that their services are built from.
snapshot::Fact<std::vector<snapshot::Recipe>> CollectRecipes(const Surroundings& around);
// All facts where recipes are looked at instead of a machine.
snapshot::Stack StackOfRecipes(const Surroundings& around);

}  // namespace culprit::collect
