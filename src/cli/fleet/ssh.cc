// Asks over ssh, a connection for each node.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>

#include "base/shell_word.h"
#include "cli/fleet/engines.h"
#include "cli/progress.h"

namespace culprit::cli {

void AskEach(const FleetRun& run, const std::vector<std::string>& nodes,
             const std::function<base::Result<Heard>(const std::string& node)>& ask, Answers& answers) {
  Progress progress(!run.common.quiet);
  std::mutex mutex;
  std::atomic<size_t> next = 0;
  const auto work = [&] {
    for (size_t i = next++; i < nodes.size() && !run.stop.stop_requested(); i = next++) {
      const auto heard = ask(nodes[i]);
      const std::lock_guard lock(mutex);
      if (!heard) {
        answers.Say(nodes[i], heard.error().message);
      } else if (!answers.TakeOutput(heard->output, nodes[i]) && !run.stop.stop_requested()) {
        answers.Say(nodes[i], ReasonOf(*heard, run.seconds));
      }
      progress.Show(fmt::format("{} of {} nodes answered", answers.answered(), nodes.size()));
    }
  };
  std::vector<std::jthread> threads;
  for (size_t i = 0; i < std::min(kAtOnce, nodes.size()); ++i) threads.emplace_back(work);
}

void AskOverSsh(const FleetRun& run, const std::vector<std::string>& nodes, const Carried& carried,
                Answers& answers) {
  const auto ask = [&](const std::string& node) {
    std::vector<std::string> words = {"ssh", "-o", "BatchMode=yes", "-o", "ConnectTimeout=10"};
    words.insert(words.end(), run.words.begin(), run.words.end());
    // The login shell there is unknown and may print messages; `sh` always exists.
    const std::string more = "--pieces --node node " + base::ShellWords(run.ask);
    words.insert(
        words.end(),
        {"--", node, "exec sh -c " + base::ShellWord(carried.OnTheNode(more, Supply::kEither, run.seconds))});
    return RunTool("sh", {"-c", carried.Feeding(words)}, run.seconds, run.stop, kMostOfNode);
  };
  AskEach(run, nodes, ask, answers);
}

}  // namespace culprit::cli
