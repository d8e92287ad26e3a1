// culprit compat KEY=VALUE...
#include "compat/compat.h"

#include <string_view>

#include "cli/command.h"
#include "cli/options.h"
#include "render/compat/compat.h"

namespace culprit::cli {

int RunCompat(int argc, const char* const* argv) {
  Options options;
  std::vector<std::string> words;
  CommandLine app(
      "Tells whether versions work together, or which versions work with one of them. The answers come from "
      "tables with a source for every row; this machine is not inspected.",
      "culprit compat");
  app.AddRequired(
      "KEY=VALUE", words,
      "cuda, cudnn, driver, gpu (9.0, sm_90, or a name), gcc, clang, msvc (1939, 19.39), vs (2022), python,\n"
      "platform (linux, windows, linux-aarch64, wsl), cuda-compat (an installed forward compatibility\n"
      "package), or a package that `culprit plan` knows: torch, tensorflow, jax, onnxruntime-gpu, xformers,\n"
      "flash-attn, bitsandbytes, vllm, cudf-cu12, cupy-cuda12x ...");
  static constexpr std::string_view kKeys[] = {
      "cuda=",   "cudnn=",    "driver=", "gpu=",        "gcc=", "clang=",      "msvc=",
      "python=", "platform=", "torch=",  "tensorflow=", "jax=", "onnxruntime="};
  app.Suggest("KEY=VALUE", kKeys);
  AddOutputOptions(app, options);
  app.Footer(
      "Examples:\n"
      "  culprit compat cudnn=9.5 cuda=12.4 driver=535 gpu=sm_61\n"
      "  culprit compat torch=2.5.1+cu124 gpu=\"RTX 5090\" driver=570.86.10\n"
      "  culprit compat tensorflow=2.15 python=3.12 platform=windows\n"
      "  culprit compat torch=2.5.1 torchvision=0.20.1\n"
      "  culprit compat vllm=0.14.0 gpu=T4 driver=550.54.14 python=3.12\n"
      "  culprit compat cuda=12.4                  everything that works with it\n"
      "driver=535 means any driver of that branch; torch=2.5.1 means any of its builds.\n"
      "Exit status: 0 yes, or a list; 1 no, 2 unknown (not in the tables), 64 wrong usage.");
  if (const auto status = app.Parse(argc, argv)) return *status;
  const auto question = compat::ParseCompat(words);
  if (!question) return WrongUsage("compat", question.error().message, "culprit compat --help");
  const report::CompatAnswer answer = compat::Compat(*question);
  const bool written =
      Write(options, {.title = "culprit compat",
                      .text = [&](const auto& style) { return render::ToText(answer, style); },
                      .json = [&] { return render::ToJson(answer); },
                      .markdown = [&] { return render::ToMarkdown(answer); },
                      .dated = true});
  if (!written) return kExitCannot;
  if (!answer.goes_with.empty()) return kExitOk;
  return answer.verdict == report::Compatible::kYes  ? kExitOk
         : answer.verdict == report::Compatible::kNo ? kExitFound
                                                     : kExitCannot;
}

}  // namespace culprit::cli
