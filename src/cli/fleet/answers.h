// The answers of the nodes in one `culprit fleet run`, and their files.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "fleet/brief.h"

namespace culprit::cli {

class Answers {
 public:
  Answers(std::string folder, const std::vector<std::string>& nodes) : folder_(std::move(folder)) {
    for (const std::string& node : nodes) missing_.try_emplace(node);
  }

  // False if the line is not a brief snapshot. `node`: where it came from; "" = the node that it names.
  bool Take(std::string_view line, const std::string& node);
  // The same for the whole output of a node: only its brief snapshot, or pieces of it between messages of its
  // shell.
  bool TakeOutput(std::string_view output, const std::string& node);
  // Why a node did not answer.
  void Say(const std::string& node, const std::string& why) { missing_[node] = why; }
  // The engine chose this node: without an answer it gets a row.
  void Expect(const std::string& node);
  // As Say(), unless a reason is known already.
  void SayFirst(const std::string& node, const std::string& why);

  // Writes the files of those that did not answer. Returns how many there are.
  size_t Finish(const std::string& otherwise);
  size_t answered() const { return answered_.size(); }
  bool written() const { return written_; }
  bool Waits(const std::string& node) const { return missing_.contains(node); }
  // Files in the folder that are not of this run.
  size_t CountOlder() const;

 private:
  void Write(const fleet::Brief& brief);

  std::string folder_;
  std::map<std::string, std::string> missing_;  // and why
  std::set<std::string> files_;
  std::set<std::string> answered_;
  bool written_ = true;
};

}  // namespace culprit::cli
