// One run of --apply and its undo: steps in order, undone in reverse order.
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <ranges>

#include "base/text.h"
#include "change/apply/command.h"
#include "change/apply/steps.h"

namespace culprit::apply {
namespace {

using report::StepState;

using base::ErrorCode;
using base::Fail;
using report::AppliedStep;

base::Result<bool> Carry(Work& work, const Intent& intent) {
  switch (intent.kind) {
    case Intent::Kind::kFile:
    case Intent::Kind::kLink:
    case Intent::Kind::kRemove:
      return Put(work, intent);
    case Intent::Kind::kMode:
      return ChangeMode(work, intent);
    case Intent::Kind::kCache:
      return RefreshCache(work, intent);
    case Intent::Kind::kPackages:
      return ChangePackages(work, intent);
  }
  return false;
}

// Packages of one environment are swapped together, so that they never match only in part.
void AddIntent(std::vector<Intent>& intents, Intent intent) {
  if (intent.kind == Intent::Kind::kPackages && !intents.empty() &&
      intents.back().kind == Intent::Kind::kPackages && intents.back().path == intent.path) {
    Intent& last = intents.back();
    last.text += ", " + intent.text;
    std::ranges::move(intent.remove, std::back_inserter(last.remove));
    std::ranges::move(intent.install, std::back_inserter(last.install));
    std::ranges::move(intent.fetch, std::back_inserter(last.fetch));
    return;
  }
  intents.push_back(std::move(intent));
}

class OneRun final : public Applying {
 public:
  OneRun(Place place, Lock lock, Journal journal)
      : place_(std::move(place)),
        lock_(std::move(lock)),
        journal_(std::move(journal)),
        work_{place_, journal_, {}} {}

  std::vector<AppliedStep> Make(std::span<const report::Change> changes, bool& failed) override {
    const size_t first = work_.steps.size();
    std::vector<AppliedStep> said;
    failed = false;
    // Change by change: what one has made, the next one finds.
    for (size_t i = 0; i < changes.size() && !failed;) {
      std::vector<Intent> intents;
      do {
        auto more = IntentsOf(changes[i], place_);
        if (!more) {
          said.push_back({report::InWords(changes[i]), StepState::kFailed, more.error().message});
          failed = true;
          break;
        }
        for (Intent& intent : *more) AddIntent(intents, std::move(intent));
        if (more->empty()) said.push_back({report::InWords(changes[i]), StepState::kSkipped, "already done"});
        ++i;
      } while (i < changes.size() && ArePackages(changes[i - 1]) && ArePackages(changes[i]));
      for (const Intent& intent : intents) {
        if (failed) break;
        const auto done = Carry(work_, intent);
        failed = !done;
        const auto state = !done ? StepState::kFailed : *done ? StepState::kDone : StepState::kSkipped;
        std::string detail = !done ? done.error().message : *done ? "" : "already done";
        if (done && *done && intent.outside && place_.environment_file.empty())
          detail = "takes effect in new shells";
        said.push_back({intent.text, state, std::move(detail)});
      }
    }
    if (failed) GoBack(first, said);
    return said;
  }

  base::Result<void> End() override { return journal_.Write("end"); }
  std::string journal() const override { return journal_.folder(); }

 private:
  static bool ArePackages(const report::Change& change) {
    return change.As<report::InstallPackage>() != nullptr || change.As<report::RemovePackage>() != nullptr;
  }

  void GoBack(size_t first, std::vector<AppliedStep>& said) {
    for (size_t i = work_.steps.size(); i > first; --i) {
      const Step& step = work_.steps[i - 1];
      const auto back = TakeBack(step, place_, journal_);
      if (back) RestoreTimes(step, place_);
      const auto row = std::ranges::find(said, step.text, &AppliedStep::text);
      if (!back) {
        said.push_back({step.text, StepState::kFailed, "could not be undone: " + back.error().message});
      } else if (row != said.end() && row->state == StepState::kDone) {
        row->state = StepState::kUndone;
      }
    }
  }

  Place place_;
  Lock lock_;
  Journal journal_;
  Work work_;
};

// The same place in steps of one run counts once: what was there first comes back, and any of the states that
// the run went through is its own.
std::vector<std::vector<const Step*>> ByPlace(const Run& run) {
  std::vector<std::vector<const Step*>> places;
  for (const Step& step : run.steps) {
    const auto same = std::ranges::find_if(places, [&](const auto& chain) {
      return step.kind == StepKind::kPut && chain.front()->kind == step.kind &&
             chain.front()->path == step.path && chain.front()->outside == step.outside;
    });
    if (same == places.end())
      places.push_back({&step});
    else
      same->push_back(&step);
  }
  return places;
}

bool Changed(const std::vector<const Step*>& chain, const Place& place, const Journal& journal) {
  const Step& first = *chain.front();
  if (first.kind == StepKind::kCache) return CacheChangedSince(first, place, journal);
  if (first.kind == StepKind::kSwap) return PackagesChangedSince(first);
  return std::ranges::all_of(chain, [&](const Step* step) { return ChangedSince(*step, place); });
}

// Temporaries of later steps at the same place.
void Clean(const Step& step, const Place& place) {
  if (step.before.kind == Standing::Kind::kDirectory) return;
  if (const auto spot = FindSpot(RootOf(step.outside, place), step.path))
    static_cast<void>(RemoveAll(spot->directory.get(), step.temporary));
}

// With --force: removes what something else put there, but keeps a copy.
void KeepChanged(const Step& step, const Place& place, Journal& journal) {
  const auto spot = FindSpot(RootOf(step.outside, place), step.path);
  if (!spot) return;
  if (auto now = LookAt(spot->directory.get(), spot->name))
    static_cast<void>(journal.Keep(*spot, std::to_string(step.number) + "-changed", *now));
}

}  // namespace

std::string NotHere() { return ""; }

std::string StateFolder(const std::map<std::string, std::string>& variables, const std::string& root) {
  const auto variable = [&](const char* name) {
    const auto found = variables.find(name);
    return found == variables.end() || !found->second.starts_with('/') ? "" : found->second;
  };
  std::string state = variable("CULPRIT_STATE");
  if (state.empty() && geteuid() == 0) state = "/var/lib/culprit";
  if (state.empty() && !variable("XDG_STATE_HOME").empty()) state = variable("XDG_STATE_HOME") + "/culprit";
  if (state.empty() && !variable("HOME").empty()) state = variable("HOME") + "/.local/state/culprit";
  if (state.empty() || root.empty()) return state;
  char* real = realpath(root.c_str(), nullptr);
  const std::string key = real == nullptr ? root : real;
  free(real);
  return state + "/roots/" + HashOf(key).substr(0, 16);
}

report::Action Describe(const report::Change& change, const Place& place) {
  report::Action action{.text = report::InWords(change)};
  if (place.windows) {
    action.why_not = "culprit cannot apply fixes on Windows yet";
    return action;
  }
  const auto intents = IntentsOf(change, place);
  if (!intents) {
    action.why_not = intents.error().message;
    return action;
  }
  action.automatic = true;
  if (intents->size() == 1) action.text = intents->front().text;
  for (const Intent& intent : *intents) {
    action.root = action.root || intent.root;
    if (intents->size() > 1)
      action.text += (&intent == &intents->front() ? ": " : ", ") + std::string(base::BaseName(intent.path));
    for (std::vector<std::string> command : intent.fetch) {
      command.insert(command.end() - 1, {"--target", "STAGE"});
      action.commands.push_back(AsTyped(command));
    }
    action.settings.insert(action.settings.end(), intent.settings.begin(), intent.settings.end());
    if (intent.kind == Intent::Kind::kCache)
      action.commands.push_back(place.root.empty() ? "ldconfig" : AsTyped({"ldconfig", "-r", place.root}));
  }
  return action;
}

std::string KilledRun(const Place& place) {
  const auto folders = Folders(place.state);
  if (!folders || folders->empty()) return "";
  // One that holds the lock is alive.
  if (!Lock::Take(place.state)) return "";
  const auto run = LastRun(place.state);
  return run && *run && !(*run)->ended ? (*run)->folder : "";
}

base::Result<std::unique_ptr<Applying>> Applying::Begin(const Place& place) {
  if (place.state.empty())
    return Fail(
        ErrorCode::kNotFound,
        "HOME is not set, so there is no directory for the undo journal; set CULPRIT_STATE to a directory");
  auto lock = Lock::Take(place.state);
  if (!lock) return std::unexpected(lock.error());
  const auto last = LastRun(place.state);
  if (!last) return std::unexpected(last.error());
  if (*last && !(*last)->ended)
    return Fail(ErrorCode::kUnsupported, "an earlier `culprit fix` was killed before it finished (" +
                                             (*last)->folder + "); run `culprit fix --undo` first");
  auto journal = Journal::Begin(place.state, place.root);
  if (!journal) return std::unexpected(journal.error());
  return std::make_unique<OneRun>(place, std::move(*lock), std::move(*journal));
}

base::Result<report::FixReport> Undo(const Place& place, bool force) {
  report::FixReport report;
  const auto folders = Folders(place.state);
  if (!folders) return std::unexpected(folders.error());
  if (place.state.empty() || folders->empty()) return report;
  const auto lock = Lock::Take(place.state);
  if (!lock) return std::unexpected(lock.error());
  const auto run = LastRun(place.state);
  if (!run) return std::unexpected(run.error());
  if (!*run) return report;
  auto journal = Journal::Open((*run)->folder);
  if (!journal) return std::unexpected(journal.error());
  report.journal = (*run)->folder;
  const auto places = ByPlace(**run);
  std::string changed;
  for (const auto& chain : places) {
    if (!Changed(chain, place, *journal)) continue;
    changed += (changed.empty() ? "" : ", ") + chain.front()->path;
    if (force) KeepChanged(*chain.front(), place, *journal);
  }
  if (!changed.empty() && !force)
    return Fail(
        ErrorCode::kUnsupported,
        changed + ": changed since then by something else; nothing was undone (--force undoes it anyway)");
  for (const auto& chain : places | std::views::reverse) {
    for (const Step* step : chain | std::views::drop(1)) Clean(*step, place);
    const Step& step = *chain.front();
    if (auto back = TakeBack(step, place, *journal); !back) {
      report.steps.push_back({step.text, StepState::kFailed, back.error().message});
      return report;
    }
    for (const Step* each : chain) report.steps.push_back({each->text, StepState::kUndone, ""});
  }
  for (const Step& step : (*run)->steps | std::views::reverse) RestoreTimes(step, place);
  if (auto said = journal->Write("undone"); !said) return std::unexpected(said.error());
  if (changed.empty()) journal->Forget();
  report.undone = true;
  return report;
}

}  // namespace culprit::apply
