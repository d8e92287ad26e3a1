#include "cli/ranks/ranks.h"

#include <fmt/format.h>

#include <thread>
#include <utility>

#include "base/parallel/in_time.h"
#include "base/shell_word.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/console.h"
#include "cli/fleet/brief.h"
#include "cli/progress.h"
#include "collect/live_file_view.h"
#include "fleet/pieces.h"
#include "render/ranks/ranks.h"
#include "render/redact.h"
#include "system/quiet_thread.h"

namespace culprit::cli {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds kAnswer{10'000};  // of the folder
constexpr milliseconds kStart{1000};     // before the command; on a machine whose files always answer, more
// For others that fail, too: so long after the last one that ended, and so long at all. Slurm and torchrun
// leave 30 s between SIGTERM and SIGKILL.
constexpr milliseconds kNobodyElse{3000}, kGather{10'000};
constexpr milliseconds kForTheReport{20'000};
constexpr uint64_t kMostByDefault = 1024;
constexpr std::string_view kNoRanks = "none", kAsLines = "-";
constexpr const char *kReporter = "reporter", *kTold = "told", *kToldAll = "told-all";

// All ranks of a job together ask the folder some hundred times a second.
milliseconds Pause(uint64_t ranks) { return milliseconds(std::min<uint64_t>(100 + ranks * 5, 5000)); }

uint64_t SinceEpoch(std::chrono::system_clock::time_point time) {
  const auto since = std::chrono::duration_cast<milliseconds>(time.time_since_epoch());
  return since.count() > 0 ? static_cast<uint64_t>(since.count()) : 0;
}

// When the program ended, not when culprit was done with it.
uint64_t EndOfProgram(const system::TerminalEnd& end) {
  const auto now = std::chrono::system_clock::now();
  if (!end.started) return SinceEpoch(now);
  const auto ago = Clock::now() - end.start - std::chrono::microseconds(end.duration);
  return SinceEpoch(now - std::chrono::duration_cast<std::chrono::system_clock::duration>(ago));
}

bool WriteReport(const Options& options, const report::RanksReport& report) {
  const auto variables = system::RealSystem()->Environment();
  const auto redacted = [&](const std::string& text) {
    return options.no_redact
               ? text
               : render::Redact(text, base::ValueOf(variables, "HOME"), base::ValueOf(variables, "USER"));
  };
  return Write(options,
               {.title = "culprit run",
                .text = [&](const auto& style) { return render::ToText(report, style, options.verbose); },
                .json = [&] { return render::ToJson(report); },
                .markdown = [&] { return redacted(render::ToMarkdown(report)); }});
}

}  // namespace

std::unique_ptr<RankHere> RankHere::Join(const Options& options, const std::string& wish,
                                         const watch::Machine& machine, int patience) {
  const auto variables = machine->Environment();
  const auto job = ranks::JobOf(variables);
  // A page has one run.
  const bool possible = machine->platform() == base::Platform::kLinux && options.format != Format::kHtml;
  if (!job || !possible || wish == kNoRanks) return nullptr;
  const bool by_default = wish.empty();
  if (by_default && (job->id.empty() || job->size > kMostByDefault)) return nullptr;
  std::unique_ptr<RankHere> here(new RankHere(options, machine));
  here->rank_ = ranks::BeginRank(*job, NodeName(options, *machine), variables,
                                 SinceEpoch(std::chrono::system_clock::now()));
  here->lines_ = wish == kAsLines;
  if (here->lines_) return here;
  here->own_folder_ = by_default;
  const std::string path = by_default
                               ? base::JoinPath(machine->WorkingDirectory(), "culprit-ranks-" + job->id)
                               : PathOnMachine(*machine, wish);
  here->folder_ = std::make_shared<const RankFolder>(path, job->id);
  const auto why = std::make_shared<std::string>("no response from the file system");
  const bool joined = here->InTime(kStart * patience, [rank = here->rank_, why](const RankFolder& folder) {
    const auto result = folder.Join(rank);
    if (!result) *why = result.error().message;
    return result.has_value();
  });
  if (joined) return here;
  if (!by_default) Say("culprit run: cannot combine the reports of all ranks: {}\n", *why);
  return nullptr;
}

bool RankHere::InTime(milliseconds limit, std::function<bool(const RankFolder&)> action) {
  if (folder_ == nullptr) return false;
  const auto done =
      base::InTime(limit, [folder = folder_, action = std::move(action), here = std::this_thread::get_id()] {
        if (std::this_thread::get_id() != here)
          system::TakeNoSignals();  // here, where no thread could be had
        return action(*folder);
      });
  if (!done) folder_ = nullptr;
  return done.value_or(false);
}

bool RankHere::Save() {
  return InTime(kAnswer, [rank = rank_](const RankFolder& folder) { return folder.Write(rank); });
}

void RankHere::Ended(const watch::Seen& seen, bool explained, const std::string& problem) {
  // From here to the end, so that a launcher that ends the job after the first failure does not end its
  // report.
  system::TakeNoSignals();
  const uint64_t ended = EndOfProgram(seen.end);
  // The file system with the program's files may hang.
  const auto noted =
      base::InTime(kAnswer, [machine = machine_, run = seen.run, rank = rank_, ended, explained]() mutable {
        collect::LiveFileView view(*machine);
        ranks::NoteEnd(run, ended, !explained, view, rank);
        return rank;
      });
  if (noted) {
    rank_ = *noted;
  } else {
    rank_.state = explained ? ranks::State::kEnded : ranks::State::kDone;
    rank_.ended = ended;
    rank_.exit_status = seen.run.exit_status;
    rank_.signal = seen.run.signal;
    rank_.interrupted = seen.run.interrupted;
  }
  rank_.finding.headline = problem;
  if (lines_ && !explained) {
    Say("{}", fleet::InPieces(ranks::ToLine(rank_), fmt::format("rank-{}", rank_.rank)));
  } else {
    Save();
  }
}

bool RankHere::Tell(const report::RunReport& report, bool failed, bool always) {
  ranks::NoteReport(report, rank_);
  if (lines_) {
    Say("{}", fleet::InPieces(ranks::ToLine(rank_), fmt::format("rank-{}", rank_.rank)));
    return true;
  }
  // Before its record: whoever sees that all are done also sees that one of them tells.
  const auto mark = [](const RankFolder& folder) { return folder.Mark(kReporter); };
  const bool reporter = failed && InTime(kAnswer, mark);
  if (!Save()) return false;
  if (!failed) return Leave(always), true;
  if (reporter) {
    const ranks::Merge merge = Gather();
    Write(merge, merge.Count(ranks::State::kDone) == rank_.size);
    return true;
  }
  if (folder_ == nullptr) return false;
  if (!AwaitReport()) Say("culprit run: rank {}: {}\n", rank_.rank, base::Printable(rank_.finding.headline));
  Finish(always);
  return true;
}

bool RankHere::AwaitReport() {
  const auto until = Clock::now() + kForTheReport;
  const auto told = [](const RankFolder& folder) { return folder.Marked(kTold); };
  bool heard = InTime(kAnswer, told);
  while (!heard && Clock::now() < until && folder_ != nullptr) {
    std::this_thread::sleep_for(Pause(rank_.size));
    heard = InTime(kAnswer, told);
  }
  return heard;
}

ranks::Merge RankHere::Gather() {
  struct Seen {
    ranks::Merge merge;
    std::set<std::string> known;
  };
  Seen seen;
  seen.merge.Add(rank_);
  uint64_t done = 0;
  const auto until = Clock::now() + kGather;
  auto last = Clock::now();
  Progress progress(!options_.quiet);
  progress.Show("waiting for the other ranks");
  while (folder_ != nullptr) {
    const auto next = std::make_shared<Seen>(seen);  // a thread that is given up keeps its own
    const auto read = [next](const RankFolder& folder) {
      folder.Read(next->merge, next->known);
      return true;
    };
    if (InTime(kGather, read)) seen = *next;
    const uint64_t now_done = seen.merge.Count(ranks::State::kDone);
    const auto now = Clock::now();
    if (now_done != done) last = now;
    done = now_done;
    const bool quiet = now - last > kNobodyElse && seen.merge.Count(ranks::State::kEnded) == 0;
    if (done >= rank_.size || quiet || now >= until) break;
    std::this_thread::sleep_for(Pause(rank_.size));
  }
  return seen.merge;
}

void RankHere::Write(const ranks::Merge& merge, bool complete) {
  report::RanksReport report = merge.Report();
  if (folder_ != nullptr) report.place = folder_->path();
  WriteReport(options_, report);
  InTime(kAnswer, [complete](const RankFolder& folder) {
    if (complete) folder.Mark(kToldAll);  // first: who waits for the other then looks for this
    return folder.Mark(kTold);
  });
}

void RankHere::Leave(bool always) {
  if (rank_.size > kMostByDefault) return;  // a folder of so many files is not listed by each of them
  const auto last = [size = rank_.size](const RankFolder& folder) { return folder.Done() >= size; };
  if (!InTime(kAnswer, last)) return;
  // The one that tells may not have seen yet that all are done.
  if (InTime(kAnswer, [](const RankFolder& folder) { return folder.Marked(kReporter); })) AwaitReport();
  Finish(always);
}

void RankHere::Finish(bool always) {
  if (rank_.size > kMostByDefault) return;
  const auto last = [size = rank_.size](const RankFolder& folder) {
    return folder.Done() >= size && !folder.Marked(kToldAll);
  };
  if (!InTime(kAnswer, last)) return;
  const auto merge = std::make_shared<ranks::Merge>();
  const bool read = InTime(kAnswer, [merge](const RankFolder& folder) {
    std::set<std::string> known;
    folder.Read(*merge, known);
    return true;
  });
  if (!read || merge->Count(ranks::State::kDone) < rank_.size) return;  // another one has cleaned up
  if (!always && !merge->Report().first) {
    if (own_folder_)
      InTime(kAnswer, [](const RankFolder& folder) {
        folder.Remove();
        return true;
      });
    return;
  }
  if (InTime(kAnswer, [](const RankFolder& folder) { return folder.Mark(kToldAll); })) Write(*merge, false);
}

int MergeRanks(const Options& options, const std::vector<std::string>& places) {
  ranks::Merge merge;
  const auto host = system::RealSystem();
  Progress progress(!options.quiet);
  for (const std::string& place : places) {
    progress.Show("reading " + base::Printable(place));
    if (const auto added = AddRecords(*host, place, merge); !added) return Fail(added.error());
  }
  progress.Clear();
  const report::RanksReport report = merge.Report();
  if (report.ranks == 0 && report.not_read.empty())
    return Fail(
        {base::ErrorCode::kNotReadable, "no rank records found; collect them with culprit run --ranks DIR"});
  return WriteReport(options, report) ? VerdictStatus(report.verdict, false) : kExitCannot;
}

}  // namespace culprit::cli
