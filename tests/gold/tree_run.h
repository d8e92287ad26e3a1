// The loop that gold_trees and gold_musl share: generate a tree, build it, ask the real loader, ask the
// model, compare; count, and print what differs in a form that can be replayed.
#pragma once

#include <functional>
#include <string>

#include "options.h"
#include "transcript.h"

namespace culprit::gold {

struct TreeRun {
  std::string program;  // name of the gold program, for the line that says how to replay
  Templates templates;
  RealLoader loader;
  std::function<Truth(const RealLoader&, const Tree&, const std::string& root)> ask_real;
  std::function<Transcript(const loader::LoadGraph&, const Tree&, const std::string& root)> read;
};

// 0 when all agree, 1 otherwise. Prints the last line "N trees agree, N differ".
int CompareTrees(const TreeRun& run, const Options& options, const std::string& work_directory);

// Our side: looks at the program of a built tree live and asks the model; then makes a snapshot of all that
// was asked, writes it, reads it back and asks the model again. Both answers must be the truth.
struct Answers {
  loader::LoadGraph live, recorded;
};
Answers AskModel(const Tree& tree, const std::vector<Call>& calls, bool with_snapshot);

}  // namespace culprit::gold
