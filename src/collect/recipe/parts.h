// What the readers of compose files and Kubernetes manifests share.
#pragma once

#include <string>
#include <vector>

#include "collect/recipe/shell.h"
#include "snapshot/stack_recipe.h"
#include "tree/tree.h"

namespace culprit::collect {

constexpr size_t kMostParts = 1000;

// A text, or the texts of a list.
inline std::vector<std::string> TextsOf(const tree::Node* node) {
  std::vector<std::string> texts;
  if (node == nullptr) return texts;
  if (node->IsText()) texts.push_back(node->text);
  for (const tree::Node& item : node->items) {
    if (item.IsText()) texts.push_back(item.text);
  }
  return texts;
}

// What a container starts, or its health check runs: a list of words. The commands of a shell in it are
// steps of their own.
inline void AddStart(const std::vector<std::string>& words, uint64_t line, snapshot::RecipePart& part,
                     snapshot::StepKind kind = snapshot::StepKind::kStart) {
  if (words.empty()) return;
  LinedText shell;
  shell.Add(Quoted(words), line);
  std::vector<snapshot::RecipeStep> commands;
  AddCommands(shell, commands);
  for (snapshot::RecipeStep& command : commands) {
    command.kind = kind;
    part.steps.push_back(std::move(command));
  }
}

}  // namespace culprit::collect
