// The result of `culprit run` for all ranks of a job: which failed first and why, how the others ended, in
// which collective they wait, and in what they differ. run/ranks fills it, render/ranks writes it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/words.h"
#include "report/check.h"

namespace culprit::report {

using Ranks = std::vector<uint64_t>;  // sorted

// How a rank ended, seen from the whole job.
enum class RankEnd {
  kUnheard,     // there is no record of it
  kNoEnd,       // it began; it still runs, or it was killed together with culprit
  kSucceeded,   //
  kFailed,      // by itself
  kLostOthers,  // because another rank did not answer any more
  kStopped,     // somebody asked it to end: SIGTERM, SIGINT
};
constexpr std::array<std::string_view, 6> WordsOf(RankEnd) {
  return {"unheard", "no-end", "succeeded", "failed", "lost-others", "stopped"};
}

// What a rank says about its failure.
struct RankFinding {
  std::string headline;
  std::string cause, code;  // "" none on the list
  std::string because;
  std::vector<std::string> evidence;
  std::string fix;
  std::vector<std::string> commands;
  std::string last_words;  // of the program
  bool operator==(const RankFinding&) const = default;
};

struct FirstRank {
  uint64_t rank = 0;
  std::string node;
  RankEnd end = RankEnd::kFailed;
  std::string ended;      // "exit status 1"
  std::string at;         // "2026-11-18T15:04:07.123Z", by the clock of its node; "" not known
  double seconds = 0;     // since its start
  RankFinding finding{};  // empty where nothing of it is known
  // How long before the next one that failed; nullopt: no other did.
  std::optional<double> before_next = {};
  // On other nodes, and so close in time that their clocks may hide that they were first.
  Ranks maybe_before{};
};

struct RankEnds {
  RankEnd end = RankEnd::kUnheard;
  std::string ended;  // "exit status 1", "SIGTERM"; "" nothing more to say
  Ranks ranks{};
};

// What a rank was waiting in.
enum class WaitKind {
  kTimedOut,  // a collective that PyTorch's watchdog gave up on
  kBegun,     // the last collective that NCCL's log shows
  kCall,      // a CUDA call that had not returned when the rank was stopped
  kThread,    // what the main thread was doing then
};
constexpr std::array<std::string_view, 4> WordsOf(WaitKind) {
  return {"collective", "last-collective", "cuda-call", "thread"};
}
struct RankWait {
  WaitKind kind = WaitKind::kThread;
  std::string what;       // "ALLREDUCE", "cudaStreamSynchronize"
  uint64_t sequence = 0;  // of a collective, where it is numbered
  std::string group;      // the process group, as PyTorch calls it
  double seconds = 0;     // the longest
  Ranks ranks{};
};

enum class RankFactKind { kLibrary, kSetting, kNccl };
constexpr std::array<std::string_view, 3> WordsOf(RankFactKind) { return {"library", "setting", "nccl"}; }

// One fact that is not the same in all ranks.
struct RankDifference {
  RankFactKind kind = RankFactKind::kLibrary;
  std::string what;  // "NCCL", "NCCL_SOCKET_IFNAME"
  struct Value {
    std::string value;  // "2.21.5"; "" none
    std::string where;  // of a library its path
    Ranks ranks{};
  };
  std::vector<Value> values{};  // that of most ranks first
};

struct SharedDevice {
  std::string node, device;  // "18000" of NCCL's lines, or a UUID
  Ranks ranks{};
};

struct NotRead {
  std::string what, why;
};

struct RanksReport {
  Verdict verdict = Verdict::kUnknown;
  std::string headline;
  std::string job;
  uint64_t ranks = 0;  // that the job has
  uint64_t heard = 0;  // that have a record
  std::optional<FirstRank> first;
  std::vector<RankEnds> ends;
  std::vector<RankWait> waits;              // of most ranks first
  Ranks not_waiting;                        // where most ranks wait in one collective: those that never came
  std::vector<RankDifference> differences;  //
  std::vector<SharedDevice> shared;
  std::vector<NotRead> not_read;
  std::string place;  // where the records are; "" nowhere
};

}  // namespace culprit::report
