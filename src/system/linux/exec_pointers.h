// Words as exec() takes them: pointers with a null behind the last.
#pragma once

#include <string>
#include <vector>

namespace culprit::system {

inline std::vector<char*> Pointers(std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

}  // namespace culprit::system
