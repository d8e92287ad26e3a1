// The parts of a run's report, each worked out in a file of its own (run_*.cc); run.cc puts them together.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "explain/logs/symptom.h"
#include "explain/settle.h"
#include "report/run.h"
#include "rules/rule.h"
#include "snapshot/record/run.h"

namespace culprit::run {

using explain::Settlement;

// ---- words (run_words.cc)
double Seconds(uint64_t microseconds);
// "63 s", "4.2 s", "3 min"
std::string Lasting(double seconds);
// A process that executes another program goes on under its id: the one of them that there was at that time.
const record::Process* FindProcess(const record::Run& run, int64_t id, uint64_t at);
// "python3 (4711)"; "" where the run had one process only.
std::string ProcessName(const record::Run& run, const record::Process& process);
// When the run was over as far as its causes go: somebody's interruption, or its end.
uint64_t OverAt(const record::Run& run);
// So little before the end that it may well be what ended it.
bool NearTheEnd(const record::Run& run, uint64_t at);
// "exit status 1", "killed by SIGSEGV".
std::string EndedHow(const record::Run& run);

// A path as a person would write it: without the "/../" of run paths, where the file behind it is the same.
std::string Shown(const std::string& path, snapshot::FileView& view);
// The same for each path in a sentence.
std::string ShownIn(std::string_view sentence, snapshot::FileView& view);

// ---- the program's own last words (last_words.cc)
struct LastError {
  enum class End { kNone, kTraceback, kTerminate, kLine };
  std::string words;     // "KeyError: 'lr'"; "" none
  size_t from = 0;       // the first line of what is printed about it; after FindLastError from 0
  End end = End::kNone;  // how it shows that nobody caught it; kNone: it does not
  bool of_cuda = false;  // something of CUDA's is mentioned there
};
// In the lines of an output, or of its kept end.
LastError FindLastError(const std::vector<std::string>& lines);
// The run ended as this error ends programs.
bool EndedBy(const record::Run& run, const LastError& error);

// ---- what the texts of the record show (run_texts.cc)
struct Heard {
  LastError last;
  // The program ended with an error of its own, and what failed before it was survived.
  bool own_error = false;
  std::vector<logs::Symptom> symptoms;
  std::vector<report::LogInput> inputs;
  size_t of_texts =
      0;  // so many of the symptoms are from what the program and its libraries wrote themselves

  // Something failed, in the program's own words.
  bool Failure() const;
};
Heard ReadTexts(const record::Run& run);
// A fact of the watch in the words in which a log would tell it, so that the same signatures see it.
void AddLine(Heard& heard, const std::string& line);
// Names of library files that the program's own output speaks of: "libcudnn_cnn.so.9". Sorted.
std::vector<std::string> LibrariesNamed(const record::Run& run);
// It failed, and said nothing of a failure in its own words.
bool EndedSilently(const record::Run& run, const Heard& heard);
// All of a text; between its parts a line that says how much is left out.
std::string WholeText(const record::Text& text);

// ---- CUDA calls that failed (run_calls.cc)
struct Calls {
  std::optional<report::RunCall> first;  // the one that matters
  std::vector<report::RunCall> others;
};
Calls FailedCalls(const record::Run& run, const Heard& heard);
// The context of the process is lost with it: every call that follows fails as well.
bool IsSticky(int64_t code);

// ---- loads (run_loads.cc, run_failed_loads.cc)
// What a process has or had: of one that forked also what its parent had until then.
std::vector<const record::Loaded*> Had(const record::Run& run, const record::Process& process);
std::vector<report::RunLoad> Loads(const record::Run& run, const rules::Scene& scene);
// Those that matter first, the others with `survived`.
std::vector<report::RunFailedLoad> FailedLoadsOf(const record::Run& run, const rules::Scene& scene,
                                                 const Heard& heard);

// ---- two versions in one process (run_mixes.cc)
std::vector<report::RunMix> Mixes(const record::Run& run, const rules::Scene& scene);

// ---- how it ended (run_crash.cc, run_waits.cc)
std::optional<report::RunCrash> CrashOf(const record::Run& run, const rules::Scene& scene);
std::vector<report::RunWait> WaitsOf(const record::Run& run);
// "SIGSEGV in libfoo.so, function f, called by libbar.so (g)".
std::string CrashWords(const report::RunCrash& crash);
std::string WaitWords(const report::RunReport& report, const record::Run& run);

// ---- memory (run_memory.cc): why there was not enough, from what the allocator or a probe says.
struct MemoryVerdict {
  std::string says;  // one sentence; "" cannot be told
  std::string because;
  report::Fix fix;
};
MemoryVerdict WhyOutOfMemory(const record::Run& run, const rules::Scene& scene,
                             const std::optional<report::RunCall>& call);

// ---- the cause (run_settle.cc, run_causes.cc)
// What was seen decides for and against causes. `report` holds calls, loads, mixes and the crash already.
std::vector<explain::Settlement> SettleRun(const record::Run& run, const rules::Scene& scene,
                                           const report::CheckReport& check, const report::RunReport& report,
                                           std::span<const logs::Symptom> symptoms);
// A framework whose name a module has that is not it, "torch"; "" none (modules.cc).
std::string ShadowedFramework(const report::RunReport& report, std::span<const logs::Symptom> symptoms);
void SettleByModule(const report::RunReport& report, std::span<const logs::Symptom> symptoms,
                    std::vector<explain::Settlement>& settlements);
// Whether a finding of check speaks of a process that this run had; for Concerns(), of the machine as a whole
// as well.
bool Affects(const report::Finding& finding, const rules::Scene& scene);
bool Concerns(const report::Finding& finding, const rules::Scene& scene);
// Fills `explanation` of the report.
void FindCauses(const record::Run& run, const rules::Scene& scene, const report::CheckReport& check,
                Heard heard, report::RunReport& report);
// "Invalid __global__ read of size 4 bytes in kernel k, k.cu:7".
std::string KernelWords(const report::RunKernelError& error);
std::string Headline(const record::Run& run, const report::RunReport& report);

}  // namespace culprit::run
