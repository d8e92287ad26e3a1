// The result of `culprit run`: how the program ended, the first CUDA call that failed, which load failed and
// where it was searched, mixed versions in one process, and the cause. run/judge fills it, render/ writes it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/cuda_call.h"
#include "report/check.h"
#include "report/explanation.h"
#include "report/why.h"

namespace culprit::report {

struct RunCall {
  double seconds = 0;   // since the start
  std::string process;  // "python3 (4711)"; "" if there is only one
  base::CudaApi api = base::CudaApi::kUnknown;
  std::string function, status, detail;
  base::CallSource source = base::CallSource::kUnknown;
  int64_t code = 0;
  std::string meaning;      // one sentence, from the tables
  std::string last_kernel;  // for an error in a kernel: the last one launched before it
  std::string said;         // the reason, from the driver's own log
  uint64_t count = 1;
};

struct RunFailedLoad {
  double seconds = 0;
  std::string process;
  std::string name;
  std::string requested_by;        // path
  std::vector<std::string> chain;  // what loaded that, outermost first: "torch/_C.so", "libtorch_cuda.so"
  bool dlopen = false;
  bool survived = false;  // the program continued without it, and it did not cause the end
  std::vector<Place> searched;
  std::vector<Copy> elsewhere;  // where such a file exists
};

// Two versions of one family in one process.
struct RunMix {
  std::string process;
  std::string family;  // "cuDNN"
  bool cudnn = false;  // it is that family
  struct Member {
    double seconds = 0;
    std::string path, version, requested_by;
    std::optional<base::Via> via;
    bool odd = false;  // the odd one: the file that caused the mix
  };
  std::vector<Member> members;
  std::string because;  // "LD_LIBRARY_PATH comes before the RUNPATH of libtorch_cuda.so"
};

struct RunLoad : Load {
  double seconds = 0;
  std::string process;
  bool closed = false;
};

struct RunFrame {
  std::string object, version, function;
  uint64_t offset = 0;
  bool guessed = false;
};

struct RunCrash {
  double seconds = 0;
  std::string process, signal, what;  // what: "read from address 0x0", in words
  std::vector<RunFrame> frames;
};

struct RunWait {       // what it was doing when it was interrupted
  double seconds = 0;  // for how long
  std::string process, thread, function, state;
  bool in_call = false;  // `function` is a CUDA call that has not returned
};

// What compute-sanitizer or cuda-gdb found.
struct RunKernelError {
  std::string tool;
  std::string kind;  // "Invalid __global__ read of size 4 bytes"
  std::string kernel;
  std::string file;  // "" without -lineinfo
  uint64_t line = 0;
  std::string where;   // "by thread (1,0,0) in block (0,0,0)"
  std::string detail;  // "Address 0x7f... is out of bounds"
  uint64_t count = 1;
  std::vector<std::string> host_frames;
};

struct RunReport {
  std::string command;
  std::string ended;  // "exit status 1", "killed by SIGSEGV", "interrupted by SIGINT"
  bool failed = false;
  int64_t exit_status = 0;
  std::string signal;
  double seconds = 0;
  std::string headline;    // the cause in one line; or that nothing failed
  std::string last_words;  // last line of the program's own error message: "ValueError: ..."; "" if none
  std::optional<RunCall> first_failure;
  std::vector<RunCall> other_failures;
  std::vector<RunFailedLoad> failed_loads;  // the one that matters first
  std::vector<RunMix> mixes;
  std::optional<RunCrash> crash;
  std::vector<RunWait> waits;
  std::vector<RunKernelError> kernel_errors;
  std::vector<RunLoad> loads;  // in load order, all processes
  Explanation explanation;     // causes, most likely first, narrowed down by what was observed
  CheckReport check;           // of the machine and of the processes at that time
  std::vector<NotChecked> not_watched;
};

}  // namespace culprit::report
