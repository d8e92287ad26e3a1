#include "probe/host/compile.h"

#include <optional>
#include <thread>

#include "base/text.h"
#include "probe/host/blame.h"
#include "probe/host/output_tail.h"
#include "probe/host/plan/build_choice.h"
#include "probe/host/plan/cuda_files.h"
#include "probe/host/steps.h"
#include "system/child.h"
#include "system/fresh_directory.h"
#include "system/own_program.h"

namespace culprit::probe {
namespace {

using base::JoinPath;
using base::OwnStatus;
using snapshot::ProbeStep;

// Each says "STATUS CALL", then "NAME VALUE" for each figure.
constexpr std::string_view kCudaProgram = R"(#include <cstdio>
#include <cstdlib>
__global__ void Add(int* x) { *x += 41; }
static int Tell(cudaError_t e, const char* call) { return std::printf("%s %s\n", cudaGetErrorName(e), call), e != cudaSuccess; }
int main(int argc, char** argv) {
  int y = 1, *x = nullptr;
  if (cudaError_t e = cudaSetDevice(argc > 1 ? std::atoi(argv[1]) : 0)) return Tell(e, "cudaSetDevice");
  if (cudaError_t e = cudaMalloc(&x, sizeof y)) return Tell(e, "cudaMalloc");
  if (cudaError_t e = cudaMemcpy(x, &y, sizeof y, cudaMemcpyHostToDevice)) return Tell(e, "cudaMemcpy");
  Add<<<1, 1>>>(x);
  if (cudaError_t e = cudaGetLastError()) return Tell(e, "launch");
  if (cudaError_t e = cudaMemcpy(&y, x, sizeof y, cudaMemcpyDeviceToHost)) return Tell(e, "cudaMemcpy");
  if (y != 42) return std::puts("wrong-result launch"), 1;
  return Tell(cudaSuccess, "launch");
}
)";

constexpr std::string_view kCudnnProgram = R"(#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <cudnn.h>
int main(int argc, char** argv) {
  cudaError_t e = cudaSetDevice(argc > 1 ? std::atoi(argv[1]) : 0);
  cudnnHandle_t handle = nullptr;
  cudnnStatus_t s = e == cudaSuccess ? cudnnCreate(&handle) : CUDNN_STATUS_NOT_INITIALIZED;
  if (e != cudaSuccess) std::printf("%s cudaSetDevice\n", cudaGetErrorName(e));
  else std::printf("%s cudnnCreate\n", s == CUDNN_STATUS_SUCCESS ? "CUDNN_STATUS_SUCCESS" : cudnnGetErrorString(s));
  std::printf("header_version %d\nlibrary_version %zu\n", CUDNN_VERSION, cudnnGetVersion());
  return s != CUDNN_STATUS_SUCCESS;
}
)";

// The line that says what is wrong.
std::string Complaint(const std::string& output) {
  std::string last;
  for (const std::string& line : base::Split(output, '\n')) {
    for (const char* word :
         {"error", "fatal", "undefined reference", "cannot find", "not found", "No such file"}) {
      if (line.find(word) != std::string::npos) return std::string(base::Trim(line));
    }
    if (!base::Trim(line).empty()) last = base::Trim(line);
  }
  return last;
}

class Compiling {
 public:
  Compiling(const snapshot::Snapshot& snapshot, const BuildChoice& choice, const Wishes& wishes,
            const CompileOptions& options, std::string directory)
      : snapshot_(snapshot),
        choice_(choice),
        wishes_(wishes),
        options_(options),
        directory_(std::move(directory)) {}

  std::vector<ProbeStep> Cuda(const std::string& source) const {
    std::vector<std::string> compile = {"-c", Native(snapshot_, source), "-o", Made("cuda.o")};
    if (!choice_.architectures.empty())
      compile.insert(compile.begin(), "-arch=sm_" + choice_.architectures[0]);
    return Chain(kCudaSteps, choice_.nvcc, compile, {Made("cuda.o"), "-o", Made("cuda" + Suffix())});
  }

  std::vector<ProbeStep> Cudnn(const std::string& source) const {
    std::vector<std::string> compile = {"-c", Native(snapshot_, source), "-o", Made("cudnn.o")};
    if (!choice_.cudnn_include.empty())
      compile.insert(compile.end(), {"-I", Native(snapshot_, choice_.cudnn_include)});
    std::vector<std::string> link = {Made("cudnn.o"), "-o", Made("cudnn" + Suffix())};
    if (!choice_.cudnn_library.empty() && snapshot_.windows() == nullptr)
      link.insert(link.end(),
                  {"-L" + choice_.cudnn_library, "-Xlinker", "-rpath", "-Xlinker", choice_.cudnn_library});
    if (choice_.cudnn_file.empty()) {
      link.emplace_back("-lcudnn");
    } else {
      link.insert(link.end(), {"-Xlinker", choice_.cudnn_file});
    }
    const std::string subject = choice_.cudnn_library.empty() ? "no cuDNN was found" : choice_.cudnn_library;
    return Chain(kCudnnSteps, subject, compile, link);
  }

 private:
  std::string Suffix() const { return std::string(system::kProgramSuffix); }
  std::string Made(const std::string& name) const { return Native(snapshot_, JoinPath(directory_, name)); }

  struct Steps {
    StepName compile, link, run;
    std::string_view program;
  };
  static constexpr Steps kCudaSteps = {StepName::kCompileCuda, StepName::kLinkCuda, StepName::kRunCuda,
                                       "cuda"};
  static constexpr Steps kCudnnSteps = {StepName::kCompileCudnn, StepName::kLinkCudnn, StepName::kRunCudnn,
                                        "cudnn"};

  std::vector<ProbeStep> Chain(const Steps& names, const std::string& subject,
                               const std::vector<std::string>& compile,
                               const std::vector<std::string>& link) const {
    std::vector<std::string> run;
    if (!wishes_.device.empty()) run.push_back(wishes_.device);
    std::vector<ProbeStep> steps;
    steps.push_back(Do(names.compile, subject, choice_.nvcc, compile, OwnStatus::kCompilerError));
    steps.push_back(Next(steps.back(), names.link, choice_.nvcc, link, OwnStatus::kLinkerError));
    const std::string program = JoinPath(directory_, std::string(names.program) + Suffix());
    steps.push_back(Next(steps.back(), names.run, program, run, OwnStatus::kForeign));
    return steps;
  }

  ProbeStep Blank(StepName name, const std::string& subject) const {
    ProbeStep step;
    step.job = "compile";
    step.name = name;
    step.subject = subject;
    return step;
  }

  ProbeStep Next(const ProbeStep& before, StepName name, const std::string& program,
                 const std::vector<std::string>& arguments, OwnStatus status) const {
    if (before.outcome == StepOutcome::kOk) return Do(name, before.subject, program, arguments, status);
    ProbeStep step = Blank(name, before.subject);
    step.outcome = StepOutcome::kNotRun;
    step.detail = before.outcome == StepOutcome::kNotRun
                      ? before.detail
                      : "needs " + std::string(base::Word(before.name)) + ", which failed";
    return step;
  }

  // `status`: of a compiler that complains; kForeign: the program itself tells.
  ProbeStep Do(StepName name, const std::string& subject, const std::string& program,
               const std::vector<std::string>& arguments, OwnStatus status) const {
    ProbeStep step = Blank(name, subject);
    if (options_.on_progress) options_.on_progress(std::string(KindOf(name).title));
    system::ChildRequest request{.program = program, .arguments = arguments, .working_directory = directory_};
    if (!snapshot_.environment.empty()) {
      request.environment = snapshot_.environment;
      // What the compiler leaves behind when it is killed goes with the directory.
      for (const char* variable : {"TMPDIR", "TMP", "TEMP"})
        (*request.environment)[variable] = Native(snapshot_, directory_);
    }
    OutputTail tail;
    const auto start = std::chrono::steady_clock::now();
    system::ChildWatch watch;
    watch.stop = options_.stop;
    watch.deadline = [&] { return start + options_.step_limit; };
    watch.on_output = [&](system::ChildStream, std::string_view bytes) {
      tail.Add(bytes);
      return true;
    };
    const base::Result<system::ChildEnd> end = system::RunChild(request, watch);
    step.output = tail.Take();
    step.microseconds = static_cast<uint64_t>(
        std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - start)
            .count());
    const bool spoke = end && end->signal.empty() && !end->out_of_time;
    if (!spoke) {
      Blame(step, end, Transcript(), StepName::kNone, options_.step_limit);
    } else if (status == OwnStatus::kForeign) {
      Hear(step, *end);
    } else if (end->exit_status != 0) {
      step.outcome = StepOutcome::kFailed;
      step.status = status;
      step.call = base::BaseName(program);
      step.detail = Complaint(step.output);
    } else {
      step.outcome = StepOutcome::kOk;
    }
    return step;
  }

  // What the program that was made says of itself.
  static void Hear(ProbeStep& step, const system::ChildEnd& end) {
    const std::vector<std::string> lines = base::Split(step.output, '\n');
    for (size_t i = 1; i < lines.size(); ++i) {
      const std::vector<std::string> words = base::SplitWords(lines[i], " ");
      if (words.size() == 2) step.figures[words[0]] = words[1];
    }
    if (end.exit_status == 0) {
      step.outcome = StepOutcome::kOk;
      return;
    }
    const size_t space = lines[0].rfind(' ');
    const bool told = lines[0].find("rror") != std::string::npos || lines[0].starts_with("CUDNN_") ||
                      lines[0].starts_with(base::Word(OwnStatus::kWrongResult));
    if (told && space != std::string::npos && lines[0].find(' ') == space) {
      step.outcome = StepOutcome::kFailed;
      step.status = lines[0].substr(0, space);
      step.call = lines[0].substr(space + 1);
      step.detail = step.call + " says " + step.status.text();
    } else {  // the loader, mostly: a library that is not found
      step.outcome = StepOutcome::kEnded;
      step.detail =
          step.output.empty() ? "exit code " + std::to_string(end.exit_status) : Complaint(step.output);
      if (end.exit_status == 127) step.status = OwnStatus::kNotStarted;
    }
  }

  const snapshot::Snapshot& snapshot_;
  const BuildChoice& choice_;
  const Wishes& wishes_;
  const CompileOptions& options_;
  const std::string directory_;
};

// One that could not be tried and all that need it.
CompileResult Nothing(OwnStatus status, const std::string& detail) {
  CompileResult result;
  for (const StepKind& kind : AllSteps()) {
    if (JobOf(kind.name) != JobKind::kCompile) continue;
    ProbeStep step;
    step.job = "compile";
    step.name = kind.name;
    step.outcome = result.steps.empty() ? StepOutcome::kFailed : StepOutcome::kNotRun;
    if (result.steps.empty()) step.status = status;
    step.detail = detail;
    result.steps.push_back(std::move(step));
  }
  return result;
}

}  // namespace

CompileResult TryCompiling(const snapshot::Snapshot& snapshot, snapshot::FileView& view,
                           const std::vector<snapshot::ProbedDevice>& devices, const Wishes& wishes,
                           const CompileOptions& options) {
  const BuildChoice choice = ChooseBuild(snapshot, view, devices, wishes);
  if (choice.nvcc.empty()) return Nothing(OwnStatus::kNotFound, "no nvcc was found");
  const auto directory = system::MakeFreshDirectory();
  if (!directory) return Nothing(OwnStatus::kNotTried, directory.error().message);
  const auto cuda = (*directory)->Write("cuda.cu", kCudaProgram);
  const auto cudnn = (*directory)->Write("cudnn.cu", kCudnnProgram);
  if (!cuda || !cudnn) return Nothing(OwnStatus::kNotTried, (cuda ? cudnn : cuda).error().message);

  const Compiling compiling(snapshot, choice, wishes, options, (*directory)->path());
  CompileResult result;
  std::vector<ProbeStep> cudnn_steps;
  std::thread other([&] { cudnn_steps = compiling.Cudnn(*cudnn); });
  result.steps = compiling.Cuda(*cuda);
  other.join();
  std::string list;
  for (const std::string& architecture : choice.architectures)
    list += (list.empty() ? "" : ";") + architecture;
  if (!list.empty()) {
    result.advice = {"CMAKE_CUDA_ARCHITECTURES=" + list};
    result.steps[0].figures["cmake"] = result.advice[0];
    result.steps[0].figures["nvcc"] = "-arch=sm_" + choice.architectures[0];
  }
  result.steps.insert(result.steps.end(), cudnn_steps.begin(), cudnn_steps.end());
  return result;
}

}  // namespace culprit::probe
