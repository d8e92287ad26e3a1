// culprit rules
#include "cli/command.h"
#include "cli/options.h"
#include "engine/check.h"
#include "render/check/check.h"

namespace culprit::cli {

int RunRules(int argc, const char* const* argv) {
  Options options;
  CommandLine app("Lists everything that `culprit check` looks for: code, severity, cause.", "culprit rules");
  AddCommonOptions(app, options);
  app.Footer(
      "Examples:\n"
      "  culprit rules | grep cudnn\n"
      "  culprit rules --format json");
  if (const auto status = app.Parse(argc, argv)) return *status;
  const auto pages = engine::RulePages();
  const bool written =
      Write(options, {.title = "culprit rules",
                      .text = [&](const auto& style) { return render::ToText(pages, style); },
                      .json = [&] { return render::ToJson(pages); }});
  return written ? kExitOk : kExitCannot;
}

}  // namespace culprit::cli
