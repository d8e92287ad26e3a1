// Looking things up in a tree.
#include "tree/tree.h"

#include <algorithm>

namespace culprit::tree {

const Node* Node::Find(std::string_view name) const {
  for (const auto& [key, value] : members) {
    if (key == name) return &value;
  }
  return nullptr;
}

const Node* Node::At(std::string_view path) const {
  const Node* at = this;
  while (at != nullptr && !path.empty()) {
    const std::string_view name = path.substr(0, path.find('.'));
    path.remove_prefix(std::min(path.size(), name.size() + 1));
    at = at->Find(name);
  }
  return at;
}

std::string Node::TextOf(std::string_view name) const {
  const Node* member = Find(name);
  return member != nullptr && member->IsText() ? member->text : "";
}

}  // namespace culprit::tree
