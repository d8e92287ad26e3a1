// culprit inspect FILE...
#include "inspect/inspect.h"

#include <chrono>

#include "cli/command.h"
#include "cli/deadline.h"
#include "cli/image/image_subject.h"
#include "cli/options.h"
#include "collect/live_file_view.h"
#include "render/inspect/inspect.h"

namespace culprit::cli {

int RunInspect(int argc, const char* const* argv) {
  Options options;
  std::vector<std::string> files;
  CommandLine app(
      "Shows what a binary contains and needs: versions, dependencies, search paths, GPU code. Reads the "
      "file; runs nothing.",
      "culprit inspect");
  app.AddRequired("FILE", files, "programs, shared libraries, GPU code files");
  AddCommonOptions(app, options);
  app.Footer(
      "Examples:\n"
      "  culprit inspect /usr/local/cuda/lib64/libcudnn.so.9\n"
      "  culprit inspect --format json lib/*.so\n"
      "Exit status: 0 all files read, 1 a file is truncated, 2 a file could not be read or has an unknown "
      "format.");
  if (const auto status = app.Parse(argc, argv)) return *status;
  Deadline deadline(TimeToOpen(options, std::chrono::seconds(10)));
  auto opened = OpenMachine(options);
  if (!opened) return Fail(opened.error());
  const auto machine = deadline.Watch(std::move(*opened));
  report::InspectAnswer answer;
  int status = kExitOk;
  for (const std::string& file : files) {
    collect::LiveFileView view(*machine, binfmt::GpuScan::kCudaFiles);
    answer.files.push_back(inspect::InspectFile(view, PathOnMachine(*machine, file, options.root), file));
    const report::FileAnswer& about = answer.files.back();
    if (!about.error.empty()) {
      Fail({base::ErrorCode::kNotReadable, file + ": " + about.error});
      status = kExitCannot;
    } else if (!about.complete && status == kExitOk) {
      status = kExitFound;
    }
  }
  const bool written =
      Write(options, {.title = "culprit inspect",
                      .text = [&](const auto& style) { return render::ToText(answer, style); },
                      .json = [&] { return render::ToJson(answer); },
                      .windows = machine->platform() == base::Platform::kWindows});
  return written ? status : kExitCannot;
}

}  // namespace culprit::cli
