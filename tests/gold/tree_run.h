// The common loop of gold_trees and gold_musl: generate a tree, build it, run the real loader, run the model,
// compare; count, and print differences in a form that can be replayed.
#pragma once

#include <functional>
#include <string>

#include "options.h"
#include "transcript.h"

namespace culprit::gold {

struct TreeRun {
  std::string program;  // name of the gold program, for the replay command
  Templates templates;
  RealLoader loader;
  std::function<Truth(const RealLoader&, const Tree&, const std::string& root)> ask_real;
  std::function<Transcript(const loader::LoadGraph&, const Tree&, const std::string& root)> read;
};

// 0 if all agree, 1 otherwise. Prints the last line "N trees agree, N differ".
int CompareTrees(const TreeRun& run, const Options& options, const std::string& work_directory);

// Our side: runs the model live on the program of a built tree; then makes a snapshot of everything that was
// used, writes it, reads it back and runs the model again. Both answers must be right.
struct Answers {
  loader::LoadGraph live, recorded;
};
Answers AskModel(const Tree& tree, const std::vector<Call>& calls, bool with_snapshot);

}  // namespace culprit::gold
