// What was seen of one run of a user's command: its processes, what they loaded and could not load, the CUDA
// calls that failed, its output, how it ended, and the machine it ran on. Plain values, written to and read
// from one JSON file (record_file.h); secrets are gone before anything gets in here (secrets/hide.h). "" and
// 0 mean "not known" where nothing else is said; times are microseconds since the command was started.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/cuda_call.h"
#include "base/loading.h"
#include "snapshot/snapshot.h"

namespace culprit::record {

// One candidate that the loader tried for a name.
struct Attempt {
  std::string path;
  std::optional<base::Via> via;
  std::optional<base::LoadOutcome> outcome;  // as found right after the run; nullopt: not looked at

  template <typename Self, typename Visit>
  static void Fields(Self& self, Visit& visit) {
    visit("path", self.path);
    visit("via", self.via);
    visit("outcome", self.outcome);
  }
  bool operator==(const Attempt&) const = default;
};

// A name that was not loaded yet and was asked for. A name that is loaded already makes no request.
struct Request {
  uint64_t at = 0;
  int64_t thread = 0;
  std::string name;
  std::string requester;          // path of the object whose DT_NEEDED or dlopen it is; "" the program
  bool dlopen = false;            // asked for while running, not needed by an object
  std::vector<Attempt> attempts;  // in order; the last one is the file that was opened, where `object` is set
  std::string object;             // path of what was loaded for it; "" = nothing: the load failed
  std::string error;              // the loader's words, where the output of the program has them
  std::string killed_by;          // the signal that ended the loader itself while it opened the file

  template <typename Self, typename Visit>
  static void Fields(Self& self, Visit& visit) {
    visit("at", self.at);
    visit("thread", self.thread);
    visit("name", self.name);
    visit("requester", self.requester);
    visit("dlopen", self.dlopen);
    visit("attempts", self.attempts);
    visit("object", self.object);
    visit("error", self.error);
    visit("killed_by", self.killed_by);
  }
  bool operator==(const Request&) const = default;
};

// A file that is or was mapped as a library, in load order; [0] is the program.
struct Loaded {
  uint64_t at = 0;
  std::string path;       // as the loader composed it
  std::string real_path;  // links resolved; "" the same
  std::string name;       // asked for by this name
  std::string requester;  // path of who asked first; "" the program
  std::optional<base::Via> via;
  bool dlopen = false;
  bool closed = false;    // unloaded again while the program ran
  bool deleted = false;   // the file was replaced or removed after it was mapped
  bool separate = false;  // in a namespace of its own (dlmopen): it meets nothing of the program
  uint64_t base = 0;      // lowest address, for what crashed where
  uint64_t end = 0;       // first address behind it; 0 not known

  template <typename Self, typename Visit>
  static void Fields(Self& self, Visit& visit) {
    visit("at", self.at);
    visit("path", self.path);
    visit("real_path", self.real_path);
    visit("name", self.name);
    visit("requester", self.requester);
    visit("via", self.via);
    visit("dlopen", self.dlopen);
    visit("closed", self.closed);
    visit("deleted", self.deleted);
    visit("separate", self.separate);
    visit("base", self.base);
    visit("end", self.end);
  }
  bool operator==(const Loaded&) const = default;
};

// A CUDA call that did not return success. What is no failure (not ready, a version that is asked for and not
// there) is left out by the witness.
struct FailedCall {
  uint64_t at = 0;
  int64_t thread = 0;
  base::CudaApi api = base::CudaApi::kUnknown;
  std::string function;  // "cuMemAlloc_v2", "cudaLaunchKernel"
  int64_t code = 0;      // as returned
  std::string status;    // "CUDA_ERROR_OUT_OF_MEMORY"; "" no name known
  std::string detail;    // name of the kernel that it launches; of a call known from a log alone: its words
  std::string
      last_kernel;   // of an error that may come from an earlier launch: the one before, of this thread
  std::string said;  // what the driver's log says of a call that was seen: why it failed
  base::CallSource source = base::CallSource::kUnknown;
  uint64_t count = 1;  // the same call, thread and status again, right after

  template <typename Self, typename Visit>
  static void Fields(Self& self, Visit& visit) {
    visit("at", self.at);
    visit("thread", self.thread);
    visit("api", self.api);
    visit("function", self.function);
    visit("code", self.code);
    visit("status", self.status);
    visit("detail", self.detail);
    visit("last_kernel", self.last_kernel);
    visit("said", self.said);
    visit("source", self.source);
    visit("count", self.count);
    if constexpr (!std::is_const_v<Self>) self.count = std::max<uint64_t>(self.count, 1);  // 0 is not written
  }
  bool operator==(const FailedCall&) const = default;
};

// A CUDA call that had not returned when the program ended.
struct OpenCall {
  uint64_t since = 0;
  int64_t thread = 0;
  base::CudaApi api = base::CudaApi::kUnknown;
  std::string function;

  template <typename Self, typename Visit>
  static void Fields(Self& self, Visit& visit) {
    visit("since", self.since);
    visit("thread", self.thread);
    visit("api", self.api);
    visit("function", self.function);
  }
  bool operator==(const OpenCall&) const = default;
};

struct Frame {
  uint64_t address = 0;
  std::string object;    // path of the library; "" none that is known
  uint64_t offset = 0;   // address in the file, as addr2line takes it
  std::string function;  // whose symbol holds the address; "" none that the file names
  bool guessed = false;  // a word of the stack that looks like a return address

  template <typename Self, typename Visit>
  static void Fields(Self& self, Visit& visit) {
    visit("address", self.address);
    visit("object", self.object);
    visit("offset", self.offset);
    visit("function", self.function);
    visit("guessed", self.guessed);
  }
  bool operator==(const Frame&) const = default;
};

struct Crash {
  uint64_t at = 0;
  int64_t thread = 0;
  std::string signal;         // "SIGSEGV"
  int64_t code = 0;           // si_code
  uint64_t address = 0;       // that was touched
  std::vector<Frame> frames;  // [0] is where it happened

  template <typename Self, typename Visit>
  static void Fields(Self& self, Visit& visit) {
    visit("at", self.at);
    visit("thread", self.thread);
    visit("signal", self.signal);
    visit("code", self.code);
    visit("address", self.address);
    visit("frames", self.frames);
  }
  bool operator==(const Crash&) const = default;
};

// A thread as it was when the user lost patience.
struct Thread {
  int64_t process = 0;
  int64_t thread = 0;
  std::string name;
  std::string state;        // "R", "S", "D" ...
  std::string system_call;  // "futex"; "" none, or not to be seen
  std::string waits_in;     // function of the kernel (wchan)

  template <typename Self, typename Visit>
  static void Fields(Self& self, Visit& visit) {
    visit("process", self.process);
    visit("thread", self.thread);
    visit("name", self.name);
    visit("state", self.state);
    visit("system_call", self.system_call);
    visit("waits_in", self.waits_in);
  }
  bool operator==(const Thread&) const = default;
};

struct Process {
  int64_t id = 0;
  int64_t parent = 0;
  uint64_t at = 0;
  std::string program;                 // real path
  std::vector<std::string> arguments;  // redacted
  bool forked = false;                 // without exec: it has what its parent had loaded until `at`
  std::vector<Loaded> loads;
  std::vector<std::string> devices;  // nodes of NVIDIA's driver that it has mapped: "/dev/nvidia0"
  std::vector<Request> failed_requests;
  std::vector<FailedCall> failed_calls;
  std::vector<OpenCall> open_calls;
  std::vector<Crash> crashes;

  template <typename Self, typename Visit>
  static void Fields(Self& self, Visit& visit) {
    visit("id", self.id);
    visit("parent", self.parent);
    visit("at", self.at);
    visit("program", self.program);
    visit("arguments", self.arguments);
    visit("forked", self.forked);
    visit("loads", self.loads);
    visit("devices", self.devices);
    visit("failed_requests", self.failed_requests);
    visit("failed_calls", self.failed_calls);
    visit("open_calls", self.open_calls);
    visit("crashes", self.crashes);
  }
  bool operator==(const Process&) const = default;
};

// What can be watched of a program, or read afterwards.
enum class Channel {
  kUnknown,
  kLoads,
  kCalls,
  kCudnnLog,
  kCudaLog,
  kOutput,
  kCrashes,
  kSanitizer,
  kDebugger,
  kKernels,
};
constexpr std::array<std::string_view, 10> WordsOf(Channel) {
  return {"",       "loads",   "CUDA calls",        "cuDNN log", "CUDA log",
          "output", "crashes", "compute-sanitizer", "cuda-gdb",  "kernels"};
}

// One thing that was to be watched, and how that went.
struct Watched {
  Channel what = Channel::kUnknown;
  std::string how;  // "LD_AUDIT", "CUPTI .../libcupti.so.13", "CUDA_LOG_FILE"; "" not at all
  std::string why_not;

  template <typename Self, typename Visit>
  static void Fields(Self& self, Visit& visit) {
    visit("what", self.what);
    visit("how", self.how);
    visit("why_not", self.why_not);
  }
  bool operator==(const Watched&) const = default;
};

// Text that the program or a tool wrote, redacted. Of a long one the beginning and the end are kept.
struct Text {
  Channel name = Channel::kUnknown;
  std::string beginning;  // all of it, where nothing was left out
  uint64_t left_out = 0;  // bytes
  uint64_t left_out_lines = 0;
  std::string end;

  template <typename Self, typename Visit>
  static void Fields(Self& self, Visit& visit) {
    visit("name", self.name);
    visit("beginning", self.beginning);
    visit("left_out", self.left_out);
    visit("left_out_lines", self.left_out_lines);
    visit("end", self.end);
  }
  bool operator==(const Text&) const = default;
};

struct Run {
  std::string tool_version;
  std::string started;               // "2026-11-16T01:40:00Z"
  std::vector<std::string> command;  // redacted
  std::string working_directory;
  uint64_t duration = 0;    // microseconds
  int64_t exit_status = 0;  // where no signal ended it
  std::string signal;       // "SIGSEGV"; "" none
  std::string interrupted;  // "SIGINT": the user (or somebody) asked it to end; "" nobody did
  uint64_t interrupted_at = 0;
  std::vector<Watched> watched;
  std::vector<Process> processes;  // [0] is the command itself
  std::vector<Thread> threads;     // at the interruption
  std::vector<Text> texts;
  uint64_t lost_events = 0;  // there was no more room for

  bool failed() const { return exit_status != 0 || !signal.empty() || !interrupted.empty(); }

  template <typename Self, typename Visit>
  static void Fields(Self& self, Visit& visit) {
    visit("tool_version", self.tool_version);
    visit("started", self.started);
    visit("command", self.command);
    visit("working_directory", self.working_directory);
    visit("duration", self.duration);
    visit("exit_status", self.exit_status);
    visit("signal", self.signal);
    visit("interrupted", self.interrupted);
    visit("interrupted_at", self.interrupted_at);
    visit("watched", self.watched);
    visit("processes", self.processes);
    visit("threads", self.threads);
    visit("texts", self.texts);
    visit("lost_events", self.lost_events);
  }
  bool operator==(const Run&) const = default;
};

}  // namespace culprit::record
