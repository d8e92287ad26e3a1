#include "render/ranks/words.h"

#include <fmt/format.h>

#include "base/node_set.h"

namespace culprit::render {

using report::RankEnd;
using report::WaitKind;

std::string RanksInWords(const report::Ranks& ranks) {
  return (ranks.size() == 1 ? "rank " : "ranks ") + base::FoldNumbers(ranks);
}

std::string EndInWords(const report::RankEnds& ends) {
  switch (ends.end) {
    case RankEnd::kFailed:
      return "failed: " + ends.ended;
    case RankEnd::kLostOthers:
      return "failed because another rank did not answer: " + ends.ended;
    case RankEnd::kStopped:
      return "stopped by " + ends.ended;
    case RankEnd::kNoEnd:
      return "end unknown: still running, or killed together with culprit (SIGKILL, out of memory, node "
             "lost)";
    case RankEnd::kUnheard:
      return "no record: not started, or on a node that does not share the folder";
    case RankEnd::kSucceeded:
      return "finished with status 0";
  }
  return "";
}

std::string WaitInWords(const report::RankWait& wait) {
  std::string words;
  switch (wait.kind) {
    case WaitKind::kTimedOut:
      words = "the collective " + wait.what;
      break;
    case WaitKind::kBegun:
      words = "began last: " + wait.what;
      break;
    case WaitKind::kCall:
    case WaitKind::kThread:
      words = wait.what;
      break;
  }
  if (wait.sequence > 0) words += fmt::format(", number {}", wait.sequence);
  if (!wait.group.empty()) words += ", process group " + wait.group;
  if (wait.seconds > 0) words += fmt::format(", for {:.0f} s", wait.seconds);
  if (wait.kind == WaitKind::kTimedOut) words += ", then PyTorch's watchdog gave up";
  if (wait.kind == WaitKind::kCall) words += ", had not returned";
  return words;
}

std::string ValueInWords(const report::RankDifference& difference,
                         const report::RankDifference::Value& value) {
  if (difference.kind == report::RankFactKind::kSetting) return value.value.empty() ? "not set" : value.value;
  const std::string version = value.value.empty() ? "version unknown" : value.value;
  return value.where.empty() ? version : version + " (" + value.where + ")";
}

std::string SharedInWords(const report::SharedDevice& shared) {
  const bool named = shared.device.starts_with("GPU-") || shared.device.starts_with("MIG-");
  return fmt::format("{} on {}: {}{}", RanksInWords(shared.ranks), shared.node,
                     named ? "" : "GPU with bus ID ", shared.device);
}

std::string WhenInWords(const report::FirstRank& first) {
  std::string words;
  if (!first.ended.empty()) words = first.ended + fmt::format(" after {:.1f} s", first.seconds);
  if (!first.at.empty()) words += (words.empty() ? "at " : ", at ") + first.at;
  if (first.before_next) words += fmt::format(", {:.3f} s before the next", *first.before_next);
  if (!first.maybe_before.empty())
    words += fmt::format("; {} failed within a second of it on other nodes, whose clocks may differ",
                         RanksInWords(first.maybe_before));
  return words;
}

}  // namespace culprit::render
