// culprit probe: tests each layer on the real GPU, in child processes that may crash or hang.
#include "probe/judge/probe.h"

#include <algorithm>
#include <array>

#include "cli/command.h"
#include "cli/console.h"
#include "cli/live.h"
#include "cli/options.h"
#include "cli/progress.h"
#include "cli/subject.h"
#include "render/probe/probe.h"

namespace culprit::cli {
namespace {

struct ProbeOptions {
  Options common;
  probe::Wishes wishes;
  int seconds = 30;
};

constexpr int kLookSeconds = 10;

bool WriteReport(const ProbeOptions& options, const report::ProbeReport& report,
                 const snapshot::Snapshot& snapshot) {
  const render::ProbeDetail detail{.verbose = options.common.verbose};
  return Write(options.common,
               {.title = "culprit probe",
                .text = [&](const auto& style) { return render::ToText(report, style, detail); },
                .json = [&] { return render::ToJson(report); },
                .markdown = [&] { return render::ToMarkdown(report); },
                .redacted_for = &snapshot,
                .windows = snapshot.windows() != nullptr});
}

int ExitStatus(report::Verdict verdict) {
  switch (verdict) {
    case report::Verdict::kOk:
    case report::Verdict::kWarnings:
      return kExitOk;
    case report::Verdict::kErrors:
      return kExitFound;
    case report::Verdict::kUnknown:
      return kExitCannot;
  }
  return kExitCannot;
}

// Makes a path absolute, because children may run in another directory. A bare name is left to the loader.
std::string Absolute(const system::System& machine, const std::string& path) {
  return path.find('/') == std::string::npos && path.find('\\') == std::string::npos
             ? path
             : PathOnMachine(machine, path);
}

std::string MistakeIn(const probe::Wishes& wishes) {
  if (wishes.device.find_first_not_of("0123456789") != std::string::npos || wishes.device.size() > 4)
    return "--device: " + wishes.device + " is not a device number";
  static constexpr std::array kFrameworks = {"torch", "tensorflow", "jax", "onnxruntime", "cupy"};
  for (const std::string& name : wishes.frameworks) {
    if (std::ranges::find(kFrameworks, name) == kFrameworks.end())
      return "--framework: " + name + " is not one of torch, tensorflow, jax, onnxruntime, cupy";
  }
  return "";
}

int Run(ProbeOptions options) {
  auto opened = OpenMachine(options.common);
  if (!opened) return Fail(opened.error());
  Subject subject{.machine = std::move(*opened)};
  for (std::string& path : options.wishes.cudnn) path = Absolute(*subject.machine, path);
  int status = kExitCannot;
  {
    Progress progress(!options.common.quiet);
    auto live = BeginLive(*subject.machine, options.wishes, options.seconds, progress);
    if (!live) return Fail(live.error());
    auto diagnosis =
        LookAt(subject, {.common = options.common, .python = options.wishes.python, .seconds = kLookSeconds});
    if (!diagnosis) return Fail(diagnosis.error());
    diagnosis->Play();
    AddLive(**live, *diagnosis);
    const report::ProbeReport report = diagnosis->Judge(probe::Probe);
    if (WriteReport(options, report, diagnosis->snapshot())) status = ExitStatus(report.verdict);
  }
  EndAtOnce(status);
}

}  // namespace

int RunProbe(int argc, const char* const* argv) {
  ProbeOptions options;
  CommandLine app(
      "Tests each layer on the real GPU: driver, memory, kernels, cuBLAS, every cuDNN. Each test runs in a "
      "child process, so a crash or a hang is reported as a result.",
      "culprit probe");
  app.Add("--device", options.wishes.device,
          "probe only this device, numbered as CUDA numbers devices in this shell", "N");
  app.Add("--cudnn", options.wishes.cudnn,
          "probe only this cuDNN: a file or its directory (default: every copy found)", "PATH");
  app.Add("--framework", options.wishes.frameworks,
          "also test through torch, tensorflow, jax, onnxruntime or cupy", "NAME");
  static constexpr std::string_view kFrameworks[] = {"torch", "tensorflow", "jax", "onnxruntime", "cupy"};
  app.Suggest("--framework", kFrameworks);
  app.Add("--python", options.wishes.python, "the interpreter that has the framework installed", "PATH");
  app.Add("--compile", options.wishes.compile,
          "also compile, link and run a CUDA and a cuDNN program with the nvcc on this machine");
  app.Add("--deep", options.wishes.deep, "also try every cuDNN convolution algorithm");
  app.Add("--timeout", options.seconds, "timeout per step, in seconds", "SECONDS", 1, 3600);
  AddNoRedact(app, options.common, "markdown output");
  AddOutputOptions(app, options.common);
  app.Footer(
      "Examples:\n"
      "  culprit probe\n"
      "  culprit probe --device 1\n"
      "  culprit probe --cudnn /usr/lib/x86_64-linux-gnu --deep\n"
      "  culprit probe --framework torch --python .venv/bin/python\n"
      "  culprit probe --compile\n"
      "  culprit probe --format json\n"
      "Exit status: 0 every step passed, 1 a problem was found, 2 could not probe, 64 wrong usage.");
  if (const auto status = app.Parse(argc, argv)) return *status;
  if (const std::string mistake = MistakeIn(options.wishes); !mistake.empty())
    return WrongUsage("probe", mistake, "culprit probe --help");
  return Run(std::move(options));
}

}  // namespace culprit::cli
