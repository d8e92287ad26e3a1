// The one sequence of every answer about a machine: Look() collects the facts, Play() works out what programs
// and frameworks load, Judge() lets the rules speak. Files are read all the way, and a file on a dead mount
// never answers; so each step has a limit, and the thread that hangs is abandoned with everything it reads:
// the machine, the facts and the view of the files are shared by those threads and change no more. After that
// the diagnosis goes on with the facts alone and a view of its own that knows no file.
#pragma once

#include <algorithm>
#include <chrono>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/parallel/in_time.h"
#include "collect/live_file_view.h"
#include "collect/process/process.h"
#include "engine/check.h"
#include "loader/scenario.h"
#include "rules/rule.h"
#include "snapshot/record/run.h"
#include "snapshot/snapshot.h"
#include "system/noted.h"
#include "system/system.h"

namespace culprit::engine {

// What is looked at, and with which eyes.
struct Subject {
  std::shared_ptr<const system::System> machine;    // null: `known` has the files too
  std::shared_ptr<const snapshot::Snapshot> known;  // recorded, or looked at before: nothing is collected
  std::optional<std::map<std::string, std::string>> environment{};  // instead of the machine's own
  std::string python{};                                             // an interpreter, absolute
  std::vector<std::string> environments{};                          // prefixes that were named, absolute
  std::vector<std::string> programs{};                              // that were named, absolute
  std::vector<std::string> builds{};                                // build folders that were named, absolute
  std::vector<std::string> recipes{};                     // looked at instead of the machine, as named
  bool find_programs = false;                             // those that use CUDA are programs too
  bool no_python = false;                                 // look for no environment
  bool names_only = false;                                // of packages only names and versions (a plan)
  bool verify = false;                                    // compare the hashes of installed files
  bool host_unseen = false;                               // files of another system
  bool image = false;                                     // ... that start as a container
  std::shared_ptr<const collect::ProcessLook> process{};  // as which the machine is looked at, and judged
  std::string host{};                                     // assume "driver=535.104.05,gpu=sm_90"
  std::vector<report::Ignored> ignored{};                 // findings that nobody wants to hear of
  std::shared_ptr<const policy::Policy> policy{};         // the site's own rules; null: it has none
  std::chrono::milliseconds limit{10'000};                // of each step; 0: nothing here can hang
};

class Diagnosis {
 public:
  explicit Diagnosis(Subject subject);

  // An error when the machine does not answer, or the assumed host is not one.
  base::Result<void> Look();
  // Look() and Play(): begins to play while the rest of the facts is still being collected.
  base::Result<void> LookAndPlay();
  // The same machine below another host: what was looked at, and where the loads do not depend on the host
  // what was played, is kept. An error if it is not a host.
  base::Result<void> AssumeHost(const std::string& host);
  // The facts with a change. Who reads them already keeps those that he has.
  void Revise(const std::function<void(snapshot::Snapshot&)>& change);

  // Begins to play the programs of the subject and the frameworks that were found; or, of a process, what it
  // has loaded.
  void Play();
  // Beside those programs what the processes of a run did load.
  void Play(const std::shared_ptr<const record::Run>& run);
  // What somebody else wants to have played. It begins when what was begun before has ended.
  using Player = std::function<std::vector<loader::Scenario>(const snapshot::Snapshot&, snapshot::FileView&)>;
  void Play(Player player);
  // What a probe saw; copies of cuDNN that failed there are played too.
  void AddProbe(snapshot::ProbeFacts facts, const std::vector<std::string>& failed);

  // What `ask` makes of the scene; nullopt when `limit` is over first. `ask` may be abandoned: it must own
  // what it reads.
  template <typename Ask>
  auto AskInTime(std::chrono::milliseconds limit, Ask ask)
      -> std::optional<std::invoke_result_t<const Ask&, const rules::Scene&>>;

  // What the rules say; when time is over, what they say of the facts alone.
  report::CheckReport Judge() {
    return Judge([](const rules::Scene&, const report::CheckReport& report) { return report; });
  }
  // The same, and what `then` makes of it. It may be abandoned, and called again with the facts alone: it
  // must own what it reads and change none of it.
  template <typename Then>
  auto Judge(Then then) -> std::invoke_result_t<const Then&, const rules::Scene&, const report::CheckReport&>;

  const Subject& subject() const { return subject_; }
  const snapshot::Snapshot& snapshot() const { return *snapshot_; }
  std::shared_ptr<const snapshot::Snapshot> shared_snapshot() const { return snapshot_; }
  // What was judged last.
  const rules::Scene& scene() const { return *scene_; }
  // "no answer within 10 s from /mnt/dead/lib; ...", with what is waited for where that is known.
  std::string NoAnswer(std::chrono::milliseconds limit) const;
  // Whether everything answered until now.
  bool in_time() const { return in_time_; }
  // The files that were asked for; null for a recorded machine and when somebody may still be asking.
  std::shared_ptr<collect::LiveFileView> live_files() const { return live_files_; }

 private:
  using Scenarios = std::vector<loader::Scenario>;

  enum class Playing { kLater, kMeanwhile };
  base::Result<void> Look(Playing playing);
  base::Result<void> LookAtMachine(Playing playing);
  base::Result<void> LookAtRecipes();
  base::Result<void> LookAtHost(const std::string& words);
  // Whether the container runtime of an assumed host decides what is loaded.
  bool IsStarted() const { return subject_.image && !subject_.host.empty(); }
  // What is waited for since `age`, by whoever looks or plays.
  std::vector<std::string> Waiting(std::chrono::milliseconds age) const;
  // Work on many files may have a long limit; none of them may take longer than a step to answer.
  template <typename Answer>
  std::optional<Answer> Await(std::chrono::milliseconds limit, std::future<Answer> answer) const {
    const auto until = std::chrono::steady_clock::now() + limit;
    const auto slice = std::max(std::min(limit, subject_.limit) / 4, std::chrono::milliseconds(1));
    while (answer.wait_for(slice) != std::future_status::ready) {
      if (!Waiting(subject_.limit).empty() || std::chrono::steady_clock::now() >= until) return std::nullopt;
    }
    return answer.get();
  }
  // Nobody shares a view with a thread that was abandoned.
  void GoOnBlind();

  // The machine of the subject, as it is looked at, and as the loads are played, whose notes are of no
  // interest; null when there is none.
  std::shared_ptr<const system::NotedSystem> noted_, played_on_;
  Subject subject_;
  std::shared_ptr<const snapshot::Snapshot> snapshot_, without_host_;
  std::shared_ptr<snapshot::FileView> view_;  // holds what it refers to
  std::shared_ptr<collect::LiveFileView> live_files_;
  std::shared_future<Scenarios> played_;
  std::shared_ptr<rules::Memo> memo_ = std::make_shared<rules::Memo>();  // of these facts and loads
  struct PlayedLoads {
    std::shared_future<Scenarios> scenarios;
    std::shared_ptr<rules::Memo> memo;
  };
  std::map<std::string, PlayedLoads> played_before_;  // for other hosts, by LoadsKey()
  std::optional<rules::Scene> scene_;
  bool in_time_ = true;
};

template <typename Ask>
auto Diagnosis::AskInTime(std::chrono::milliseconds limit, Ask ask)
    -> std::optional<std::invoke_result_t<const Ask&, const rules::Scene&>> {
  const auto asking = [snapshot = snapshot_, view = view_, played = played_, memo = memo_,
                       ask = std::move(ask)] {
    const rules::Scene scene{*snapshot, *view,
                             played.valid() ? played.get() : std::span<const loader::Scenario>(), memo};
    auto answer = ask(scene);
    return std::pair(scene, std::move(answer));
  };
  auto answer = limit.count() == 0 ? std::optional(asking()) : Await(limit, base::StartAside(asking));
  if (!answer) {
    GoOnBlind();
    return std::nullopt;
  }
  scene_.emplace(answer->first);
  return std::move(answer->second);
}

template <typename Then>
auto Diagnosis::Judge(Then then)
    -> std::invoke_result_t<const Then&, const rules::Scene&, const report::CheckReport&> {
  if (!in_time_) {  // nobody knows more of the files than before
    scene_.emplace(rules::Scene{*snapshot_, *view_, {}});
    return then(*scene_,
                CheckFactsAlone(*scene_, subject_.ignored, NoAnswer(subject_.limit), subject_.policy.get()));
  }
  auto answer = AskInTime(subject_.limit, [then, ignored = subject_.ignored,
                                           policy = subject_.policy](const rules::Scene& scene) {
    return then(scene, Check(scene, ignored, rules::AllRules(), policy.get()));
  });
  if (answer) return std::move(*answer);
  return then(*scene_,
              CheckFactsAlone(*scene_, subject_.ignored, NoAnswer(subject_.limit), subject_.policy.get()));
}

}  // namespace culprit::engine
