// culprit rules
#include <cerrno>
#include <cstring>

#include "base/text.h"
#include "cli/command.h"
#include "cli/console.h"
#include "cli/options.h"
#include "engine/check.h"
#include "explain/catalogue.h"
#include "render/check/check.h"
#include "render/site/site.h"

namespace culprit::cli {
namespace {

int CannotWrite(const std::string& path) {
  Say("culprit: cannot write {}: {}\n", base::Printable(path), std::strerror(errno));
  return kExitCannot;
}

// The catalogue as pages, in a folder.
int WriteSite(const std::string& folder) {
  const report::Catalogue catalogue{
      .codes = engine::RulePages(), .causes = explain::CausePages(), .messages = explain::KnownMessages()};
  if (!MakeFolder(folder)) return CannotWrite(folder);
  for (const render::SiteFile& file : render::ToSite(catalogue)) {
    const std::string path = base::JoinPath(folder, file.name);
    FILE* out = OpenForEverybody(path);
    if (out == nullptr) return CannotWrite(path);
    const bool whole = std::fwrite(file.bytes.data(), 1, file.bytes.size(), out) == file.bytes.size();
    if (std::fclose(out) != 0 || !whole) return CannotWrite(path);
  }
  return kExitOk;
}

}  // namespace

int RunRules(int argc, const char* const* argv) {
  Options options;
  CommandLine app(
      "Lists everything that `culprit check` looks for: code, severity, cause. With --format html: a folder "
      "of pages, one per code and per cause, with a search for error messages.",
      "culprit rules");
  AddCommonOptions(app, options, Formats::kWithPage);
  app.Footer(
      "Examples:\n"
      "  culprit rules | grep cudnn\n"
      "  culprit rules --format json\n"
      "  culprit rules --format html -o catalogue");
  if (const auto status = app.Parse(argc, argv)) return *status;
  if (options.format == Format::kHtml) {
    if (options.output.empty())
      return WrongUsage("rules", "--format html makes a folder of pages: pass -o DIR",
                        "culprit rules --format html -o catalogue");
    return WriteSite(options.output);
  }
  const auto pages = engine::RulePages();
  const bool written =
      Write(options, {.title = "culprit rules",
                      .text = [&](const auto& style) { return render::ToText(pages, style); },
                      .json = [&] { return render::ToJson(pages); }});
  return written ? kExitOk : kExitCannot;
}

}  // namespace culprit::cli
