// The record of one rank for the report of all: a line of JSON of at most 16 kB. It is written when the rank
// begins, so that a killed rank is noticed; again when its program has ended, and a third time when the
// failure is explained. Secrets are hidden.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "report/ranks.h"
#include "report/run.h"
#include "run/ranks/job.h"
#include "run/ranks/nccl_lines.h"
#include "snapshot/file_view.h"
#include "snapshot/record/run.h"

namespace culprit::ranks {

inline constexpr std::string_view kSchema = "culprit.rank/1";
inline constexpr size_t kMostBytes = 16 * 1024;

// How far a rank is.
enum class State { kBegun, kEnded, kDone };
constexpr std::array<std::string_view, 3> WordsOf(State) { return {"begun", "ended", "done"}; }

struct Fact {
  report::RankFactKind kind = report::RankFactKind::kLibrary;
  std::string what, value, where;

  template <typename Self, typename Visit>
  static void Fields(Self& self, Visit& visit) {
    visit.Always("kind", self.kind);
    visit("what", self.what);
    visit("value", self.value);
    visit("where", self.where);
  }
  auto operator<=>(const Fact&) const = default;
};

struct Rank {
  std::string job, node, version;  // of culprit
  uint64_t rank = 0, size = 0;
  State state = State::kBegun;
  uint64_t began = 0, ended = 0;  // milliseconds since 1970, by the clock of the node
  int64_t exit_status = 0;
  std::string signal, interrupted;  // "SIGKILL"; by whom it was stopped: "SIGTERM"
  bool lost_others = false;         // its failure is that another rank did not answer
  report::RankFinding finding;
  std::vector<Wait> waits;
  std::vector<std::string> devices;  // by which GPUs of one node can be compared
  std::vector<Fact> facts;           // sorted
  uint64_t left_out = 0;             // facts for which there was no room

  template <typename Self, typename Visit>
  static void Fields(Self& self, Visit& visit) {
    visit("job", self.job);
    visit("node", self.node);
    visit("version", self.version);
    visit.Always("rank", self.rank);
    visit("size", self.size);
    visit.Always("state", self.state);
    visit("began", self.began);
    visit("ended", self.ended);
    visit("exit_status", self.exit_status);
    visit("signal", self.signal);
    visit("interrupted", self.interrupted);
    visit("lost_others", self.lost_others);
    visit("finding", self.finding);
    visit("waits", self.waits);
    visit("devices", self.devices);
    visit("facts", self.facts);
    visit("left_out", self.left_out);
  }
  bool operator==(const Rank&) const = default;
};

// The rank at its beginning.
Rank BeginRank(const Job& job, std::string node, const std::map<std::string, std::string>& variables,
               uint64_t began);
// What is known as soon as its program has ended; `done`: nothing will be added.
void NoteEnd(const record::Run& run, uint64_t ended, bool done, snapshot::FileView& view, Rank& rank);
// Adds the explanation of its failure.
void NoteReport(const report::RunReport& report, Rank& rank);

// One line of JSON, without its end.
std::string ToLine(Rank rank);
// Reads such a line. It is untrusted: at most kMostBytes are read.
base::Result<Rank> ReadRank(std::string_view text);

}  // namespace culprit::ranks
