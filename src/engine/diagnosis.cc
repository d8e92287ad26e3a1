#include "engine/diagnosis.h"

#include <algorithm>
#include <tuple>

#include "base/product_version.h"
#include "base/text.h"
#include "collect/gpu_programs.h"
#include "collect/linux/host.h"
#include "collect/look_at_stack.h"
#include "collect/recipe/recipe.h"
#include "container/given.h"
#include "container/ldconfig.h"
#include "loader/observed/observed.h"
#include "snapshot/recorded_file_view.h"

namespace culprit::engine {
namespace {

// A recorded view with the facts that it reads.
std::shared_ptr<snapshot::FileView> ViewOf(std::shared_ptr<const snapshot::Snapshot> record) {
  struct Held {
    explicit Held(std::shared_ptr<const snapshot::Snapshot> held)
        : record(std::move(held)), view(record->files) {}
    std::shared_ptr<const snapshot::Snapshot> record;
    snapshot::RecordedFileView view;
  };
  const auto held = std::make_shared<Held>(std::move(record));
  return {held, &held->view};
}

// A live view with the machine that it asks.
std::shared_ptr<collect::LiveFileView> LiveViewOf(std::shared_ptr<const system::System> machine) {
  struct Held {
    explicit Held(std::shared_ptr<const system::System> held) : machine(std::move(held)), view(*machine) {}
    std::shared_ptr<const system::System> machine;
    collect::LiveFileView view;
  };
  const auto held = std::make_shared<Held>(std::move(machine));
  return {held, &held->view};
}

collect::Surroundings Around(const Subject& subject) {
  const system::System& machine = *subject.machine;
  collect::Surroundings around =
      subject.process != nullptr
          ? collect::AroundProcess(machine, *subject.process)
          : collect::Surroundings{
                .system = machine,
                .environment = subject.environment ? *subject.environment : machine.Environment(),
                .working_directory = machine.WorkingDirectory(),
                .python = subject.python,
                .environments = subject.environments,
                .verify = subject.verify,
                .no_python = subject.no_python,
                .names_only = subject.names_only,
                .host_unseen = subject.host_unseen,
                .image = subject.image};
  around.builds = subject.builds;
  around.recipes = subject.recipes;
  if (const auto host = collect::ParseHost(subject.host); host && !subject.host.empty()) around.host = *host;
  around.owner = subject.machine;
  return around;
}

// The programs that were named, and those that are to be found.
std::vector<std::string> ProgramsOf(const Subject& subject) {
  std::vector<std::string> programs = subject.programs;
  if (!subject.find_programs) return programs;
  for (std::string& found : collect::GpuPrograms(*subject.machine)) {
    if (std::ranges::find(programs, found) == programs.end()) programs.push_back(std::move(found));
  }
  return programs;
}

// The programs that were named, and those in the build folders.
std::vector<std::string> WithBuilt(std::vector<std::string> programs, const snapshot::Snapshot& snapshot) {
  for (std::string& built : snapshot.stack.BuiltPrograms()) programs.push_back(std::move(built));
  return programs;
}

// What refused, and what a collector that was abandoned still waits for.
std::vector<snapshot::UnreadPlace> UnreadPlaces(const system::NotedSystem& machine,
                                                std::chrono::milliseconds limit) {
  auto unread = machine.unread();
  for (const std::string& path : machine.Waiting(limit / 4)) unread.emplace(path, base::Unread::kNoAnswer);
  std::vector<snapshot::UnreadPlace> places;
  for (const auto& [path, why] : unread) {
    const auto names = machine.NamesOf(path);
    places.push_back({path, why, {names.begin(), names.end()}});
  }
  return places;
}

// ld.so.cache as the start of a container makes it; nullopt where nobody reads one.
std::optional<snapshot::Fact<binfmt::LdCache>> StartedCache(const system::System& machine) {
  if (!machine.Stat("/etc/ld.so.cache") && !machine.Stat("/etc/ld.so.conf")) return std::nullopt;
  auto cache = container::CacheAfterLdconfig(machine);
  if (!cache) return std::nullopt;
  return snapshot::Fact<binfmt::LdCache>::Of(*std::move(cache), "ldconfig, when the container starts");
}

}  // namespace

Diagnosis::Diagnosis(Subject subject) : subject_(std::move(subject)) {
  if (subject_.machine == nullptr) return;
  played_on_ = std::make_shared<const system::NotedSystem>(subject_.machine);
  noted_ = std::make_shared<const system::NotedSystem>(subject_.machine);
  subject_.machine = noted_;
}

std::string Diagnosis::NoAnswer(std::chrono::milliseconds limit) const {
  const auto step = std::min(limit, subject_.limit);
  const auto waiting = Waiting(step / 2);
  const auto seconds = std::chrono::ceil<std::chrono::seconds>(waiting.empty() ? limit : step).count();
  return "no answer within " + std::to_string(seconds) + " s" +
         (waiting.empty() ? "" : " from " + base::Printable(waiting.front())) +
         "; a file system may not be responding";
}

std::vector<std::string> Diagnosis::Waiting(std::chrono::milliseconds age) const {
  if (noted_ == nullptr) return {};
  auto waiting = noted_->Waiting(age);
  return waiting.empty() ? played_on_->Waiting(age) : waiting;
}

base::Result<void> Diagnosis::Look() { return Look(Playing::kLater); }

base::Result<void> Diagnosis::LookAndPlay() {
  if (auto looked = Look(Playing::kMeanwhile); !looked) return looked;
  if (!played_.valid()) Play();
  return {};
}

base::Result<void> Diagnosis::Look(Playing playing) {
  if (subject_.known != nullptr) {
    snapshot_ = subject_.known;
    if (subject_.machine != nullptr) {
      live_files_ = LiveViewOf(played_on_);
      view_ = live_files_;
    }
  } else if (auto looked = LookAtMachine(playing); !looked) {
    return looked;
  }
  if (view_ == nullptr) view_ = ViewOf(snapshot_);
  without_host_ = snapshot_;
  return subject_.host.empty() ? base::Result<void>() : LookAtHost(subject_.host);
}

base::Result<void> Diagnosis::LookAtHost(const std::string& words) {
  const auto host = collect::ParseHost(words);
  if (!host) return std::unexpected(host.error());
  subject_.host = words;
  snapshot_ = without_host_;
  Revise([&](snapshot::Snapshot& snapshot) {
    collect::Assume(*host, snapshot.stack);
    container::Give(*without_host_, *view_, snapshot);
  });
  return {};
}

base::Result<void> Diagnosis::AssumeHost(const std::string& host) {
  if (played_.valid()) played_before_.emplace(container::LoadsKey(*snapshot_), PlayedLoads{played_, memo_});
  if (auto assumed = LookAtHost(host); !assumed) return assumed;
  if (!in_time_ || !played_.valid()) return {};
  const auto before = played_before_.find(container::LoadsKey(*snapshot_));
  if (before != played_before_.end()) {
    played_ = before->second.scenarios;
    memo_ = before->second.memo;
  } else {
    Play();
  }
  return {};
}

// Of the machine they lie on nothing is asked.
base::Result<void> Diagnosis::LookAtRecipes() {
  auto stack =
      base::InTime(subject_.limit, [subject = subject_] { return collect::StackOfRecipes(Around(subject)); });
  if (!stack) return base::Fail(base::ErrorCode::kNotReadable, NoAnswer(subject_.limit));
  if (!stack->recipes) return base::Fail(base::ErrorCode::kBadFormat, stack->recipes.why);
  auto snapshot = std::make_shared<snapshot::Snapshot>();
  snapshot->tool_version = base::ProductVersion();
  snapshot->stack = *std::move(stack);
  for (const char* name : {"HOME", "USER"})  // to be left out of what others read
    snapshot->environment[name] = base::ValueOf(subject_.machine->Environment(), name);
  snapshot_ = std::move(snapshot);
  return {};
}

base::Result<void> Diagnosis::LookAtMachine(Playing playing) {
  if (!subject_.recipes.empty()) return LookAtRecipes();
  // The collectors have the limit; a loader or a program that is read after them may hang as well.
  const std::chrono::milliseconds limit = subject_.limit + subject_.limit / 3;
  const auto view = LiveViewOf(played_on_);
  const bool started = IsStarted();
  const bool meanwhile = playing == Playing::kMeanwhile && subject_.process == nullptr && !started;
  auto looked = base::InTime(limit, [subject = subject_, view, meanwhile, started] {
    std::vector<std::string> programs = ProgramsOf(subject);
    std::shared_future<Scenarios> played;
    auto cache = base::StartAside(
        [machine = subject.machine, started] { return started ? StartedCache(*machine) : std::nullopt; });
    auto look = collect::LookAtStack(Around(subject), programs, subject.limit,
                                     [&](const std::shared_ptr<const snapshot::Snapshot>& known) {
                                       if (!meanwhile) return;
                                       played = base::StartAside([known, view, programs] {
                                                  return loader::PlayScenarios(*known, *view, programs);
                                                }).share();
                                     });
    if (auto started_cache = cache.get()) look.snapshot.ld_cache = *std::move(started_cache);
    return std::tuple(std::move(look), std::move(played), std::move(programs));
  });
  if (!looked) return base::Fail(base::ErrorCode::kNotReadable, NoAnswer(limit));
  auto& [look, played, programs] = *looked;
  subject_.programs = std::move(programs);
  look.snapshot.tool_version = base::ProductVersion();
  look.snapshot.unread = UnreadPlaces(*noted_, subject_.limit);
  snapshot_ = std::make_shared<const snapshot::Snapshot>(std::move(look.snapshot));
  view->Expect(std::move(look.codes));  // only the rules ask for them
  live_files_ = view;
  view_ = view;
  played_ = std::move(played);
  return {};
}

void Diagnosis::Revise(const std::function<void(snapshot::Snapshot&)>& change) {
  auto revised = std::make_shared<snapshot::Snapshot>(*snapshot_);
  change(*revised);
  snapshot_ = std::move(revised);
  memo_ = std::make_shared<rules::Memo>();
  scene_.reset();
}

void Diagnosis::Play() {
  Play([process = subject_.process, programs = subject_.programs](const snapshot::Snapshot& snapshot,
                                                                  snapshot::FileView& view) {
    return process != nullptr ? loader::ScenariosAround({process->process}, snapshot, view)
                              : loader::PlayScenarios(snapshot, view, WithBuilt(programs, snapshot));
  });
}

void Diagnosis::Play(const std::shared_ptr<const record::Run>& run) {
  Play([run, programs = subject_.programs](const snapshot::Snapshot& snapshot, snapshot::FileView& view) {
    Scenarios scenarios = loader::PlayScenarios(snapshot, view, WithBuilt(programs, snapshot));
    for (loader::Scenario& seen : loader::ObservedProcesses(*run, snapshot, view))
      scenarios.push_back(std::move(seen));
    loader::DropPlayedThatWasSeen(scenarios);
    return scenarios;
  });
}

void Diagnosis::Play(Player player) {
  played_ =
      base::StartAside([snapshot = snapshot_, view = view_, before = played_, player = std::move(player)] {
        if (before.valid()) before.wait();  // it asks the same view
        return player(*snapshot, *view);
      }).share();
  memo_ = std::make_shared<rules::Memo>();
  scene_.reset();
}

void Diagnosis::AddProbe(snapshot::ProbeFacts facts, const std::vector<std::string>& failed) {
  Revise([&](snapshot::Snapshot& snapshot) {
    snapshot.stack.probe = snapshot::Fact<snapshot::ProbeFacts>::Of(std::move(facts), "culprit-probe");
  });
  if (failed.empty()) return;
  subject_.programs.insert(subject_.programs.end(), failed.begin(), failed.end());
  Play();
}

void Diagnosis::GoOnBlind() {
  in_time_ = false;
  live_files_ = nullptr;
  view_ = ViewOf(std::make_shared<const snapshot::Snapshot>());
  played_ = {};
  scene_.emplace(rules::Scene{*snapshot_, *view_, {}});
}

}  // namespace culprit::engine
