// A brief snapshot in short lines, for launchers that mix the output of many nodes: no line is ever split,
// and each has the node and its place.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace culprit::fleet {

// "culprit-brief n001 3/17 ...": all of them, with their line ends.
std::string InPieces(std::string_view line, std::string_view node);

class Pieces {
 public:
  // False if the line is not a piece. An engine may have put a label in front of it ("12: ", "n001: ").
  bool Add(std::string_view line);

  struct Whole {
    std::string node;
    std::string line;  // "" if pieces are missing
  };
  std::vector<Whole> Take();

 private:
  struct Parts {
    size_t count = 0;
    std::map<size_t, std::string> parts{};
  };
  std::map<std::string, Parts, std::less<>> nodes_;
};

}  // namespace culprit::fleet
