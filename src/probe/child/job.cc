// The sequence of steps of a job. Steps that need a failed step are skipped; the others run.
#include <chrono>
#include <map>

#include "probe/child/step.h"
#include "probe/host/steps.h"

namespace culprit::prober {
namespace {

using probe::StepName;

struct Doer {
  StepName step;
  Outcome (*run)(Session&);
  std::string (*subject)(const Session&);
};

std::string NoSubject(const Session&) { return ""; }
std::string TheDevice(const Session& session) { return session.DeviceSubject(); }
template <std::string Arguments::* kFile>
std::string TheFile(const Session& session) {
  return session.arguments().*kFile;
}

constexpr Doer kDoers[] = {
    {StepName::kLibcuda, LibcudaStep, [](const Session&) { return std::string(cuda::kDriverLibrary); }},
    {StepName::kNvml, NvmlStep, [](const Session&) { return std::string(cuda::kNvmlLibrary); }},
    {StepName::kInit, InitStep, NoSubject},
    {StepName::kDevices, DevicesStep, NoSubject},
    {StepName::kContext, ContextStep, TheDevice},
    {StepName::kMemory, MemoryStep, TheDevice},
    {StepName::kCopy, CopyStep, TheDevice},
    {StepName::kKernel, KernelStep, TheDevice},
    {StepName::kPeer, PeerStep, TheDevice},
    {StepName::kCudart, CudartStep, TheFile<&Arguments::cudart>},
    {StepName::kNvrtc, NvrtcStep, TheFile<&Arguments::nvrtc>},
    {StepName::kCublas, CublasStep, TheFile<&Arguments::cublas>},
    {StepName::kCublasLt, CublasLtStep, TheFile<&Arguments::cublaslt>},
    {StepName::kCudnnLoad, CudnnLoadStep, TheFile<&Arguments::cudnn>},
    {StepName::kCudnnCreate, CudnnCreateStep, TheFile<&Arguments::cudnn>},
    {StepName::kCudnnParts, CudnnPartsStep, TheFile<&Arguments::cudnn>},
    {StepName::kCudnnConvolution, CudnnConvolutionStep, TheFile<&Arguments::cudnn>},
    {StepName::kCudnnAlgorithms, CudnnAlgorithmsStep, TheFile<&Arguments::cudnn>},
};

const Doer* FindDoer(StepName step) {
  for (const Doer& doer : kDoers) {
    if (doer.step == step) return &doer;
  }
  return nullptr;
}

// The steps of the runtime are asked for by their library.
bool HasFile(const Arguments& arguments, StepName step) {
  if (step == StepName::kCudart) return !arguments.cudart.empty();
  if (step == StepName::kNvrtc) return !arguments.nvrtc.empty();
  if (step == StepName::kCublas) return !arguments.cublas.empty();
  if (step == StepName::kCublasLt) return !arguments.cublaslt.empty();
  return true;
}

bool IsWanted(const Arguments& arguments, const probe::StepKind& kind) {
  if (probe::JobOf(kind.name) != arguments.job || !arguments.Wants(kind.name)) return false;
  if (kind.deep && !arguments.deep && arguments.only.empty()) return false;
  return !arguments.only.empty() || HasFile(arguments, kind.name);
}

// True: those that need it may be tried.
bool Do(Session& session, const Doer& doer) {
  Teller& teller = session.teller();
  if (!HasFile(session.arguments(), doer.step)) {
    teller.Say("not-run", {"no file given for it"});
    return false;
  }
  const auto start = std::chrono::steady_clock::now();
  const Outcome outcome = doer.run(session);
  // By this clock, because the one who listens may hear several lines at once.
  const auto taken = std::chrono::steady_clock::now() - start;
  teller.TellNewLibraries();
  teller.Figure("microseconds",
                std::to_string(std::chrono::duration_cast<std::chrono::microseconds>(taken).count()));
  if (outcome) {
    teller.Say("ok", {*outcome});
    return true;
  }
  const Failure& failure = outcome.error();
  if (failure.status == OwnStatus::kNotRun) {
    teller.Say("not-run", {failure.detail});
  } else {
    teller.Say("failed", {failure.status.text(), failure.call, failure.detail});
  }
  return false;
}

}  // namespace

void RunJob(Session& session) {
  Teller& teller = session.teller();
  std::map<StepName, StepName> failed;  // the step -> the first one that it fell with
  for (const probe::StepKind& kind : probe::AllSteps()) {
    const Doer* doer = FindDoer(kind.name);
    if (doer == nullptr || !IsWanted(session.arguments(), kind)) continue;
    teller.Say("begin", {base::Word(kind.name), doer->subject(session)});
    // The devices are shown even when CUDA does not start: NVML may see them.
    const auto fallen = kind.name == StepName::kDevices ? failed.end() : failed.find(kind.needs);
    if (fallen != failed.end()) {
      teller.Say("not-run", {"the step " + std::string(base::Word(fallen->second)) + " failed"});
      failed[kind.name] = fallen->second;
    } else if (!Do(session, *doer)) {
      const auto needed = failed.find(kind.needs);
      failed[kind.name] = needed != failed.end() ? needed->second : kind.name;
    }
  }
  teller.Say("done");
}

}  // namespace culprit::prober
