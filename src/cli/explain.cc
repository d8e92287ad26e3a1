// culprit explain CODE
#include <fmt/format.h>

#include "base/text.h"
#include "cli/command.h"
#include "cli/options.h"
#include "diagnose/check.h"
#include "render/check.h"

namespace culprit::cli {

int RunExplain(int argc, const char* const* argv) {
  Options options;
  std::string code;
  CLI::App app("The page of a code: what it means, why it breaks, how culprit knows, the fix.",
               "culprit explain");
  app.add_option("CODE", code, "as check prints it: CUL3004")->required();
  AddCommonOptions(app, options);
  app.footer(
      "Examples:\n"
      "  culprit explain CUL3004\n"
      "  culprit explain CUL3004 --format markdown\n"
      "Exit status: 0 there is such a code, 2 there is none.");
  if (const auto status = Parse(app, argc, argv)) return *status;
  const report::RulePage page = diagnose::PageOf(code);
  if (page.code.empty()) {
    return Fail(
        {base::ErrorCode::kNotFound, "there is no code '" + code + "'; `culprit rules` lists them all"});
  }
  const bool written =
      options.format == Format::kMarkdown
          ? WriteBytes(options, render::ToMarkdown(page))
          : Write(options, {.title = page.code,
                            .text = [&](const auto& style) { return render::ToText(page, style); },
                            .json = [&] { return render::ToJson(page); }});
  return written ? kExitOk : kExitCannot;
}

}  // namespace culprit::cli
