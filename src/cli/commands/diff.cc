// culprit diff BEFORE AFTER: checks both files, and shows what changed between them.
#include "diff/diff.h"

#include <algorithm>
#include <future>
#include <optional>
#include <utility>

#include "cli/command.h"
#include "cli/image/image_layer.h"
#include "cli/image/image_subject.h"
#include "cli/options.h"
#include "cli/page_facts.h"
#include "cli/progress.h"
#include "cli/recorded_machine.h"
#include "cli/subject.h"
#include "engine/diagnosis.h"
#include "engine/record_machine.h"
#include "render/diff/diff.h"
#include "render/page/page.h"

namespace culprit::cli {
namespace {

struct DiffOptions {
  Options common;
  std::vector<std::string> files;
  std::string host;
  std::string platform;  // of images
  bool strict = false;
};

// One of the two sides, checked.
struct Judged {
  std::optional<record::Run> run;
  std::shared_ptr<const image::Image> image;
  engine::Diagnosis diagnosis;
  report::CheckReport check = {};
};

base::Result<Judged> Judge(const std::string& name, const DiffOptions& options) {
  Options quietly = options.common;
  quietly.quiet = true;  // both sides are read at once
  auto named = FindNamedMachine(name, quietly, options.platform, options.host);
  if (!named) return std::unexpected(named.error());
  Judged judged{.run = std::move(named->run),
                .image = std::move(named->image),
                .diagnosis = engine::Diagnosis(std::move(named->subject))};
  if (auto looked = judged.diagnosis.LookAndPlay(); !looked) return std::unexpected(looked.error());
  judged.check = judged.diagnosis.Judge();
  if (judged.image != nullptr) AddOfImage(*judged.image, judged.diagnosis.snapshot(), judged.check);
  if (auto kept = engine::KeepFilesOf(judged.diagnosis); !kept) return std::unexpected(kept.error());
  return judged;
}

diff::Side SideOf(const Judged& judged) {
  diff::Side side{judged.diagnosis.scene(), judged.check, judged.run ? &*judged.run : nullptr};
  if (judged.image != nullptr) {
    side.layer_of = [&image = *judged.image](const std::string& path) {
      return LayerAt(image, image.tree->TopLayerOf(path));
    };
    side.remover_of = [&image = *judged.image](const std::string& path) {
      return LayerAt(image, image.tree->RemoverBelow(path));
    };
  }
  return side;
}

bool WriteReport(const DiffOptions& options, const report::DiffReport& report, const Judged& after) {
  // The pictures show AFTER and mark what is new.
  const auto page = [&] {
    auto facts =
        FactsForPage(after.diagnosis.scene(), {.findings = report.new_findings}, !options.common.no_redact);
    facts.rules_url = RulesUrl(options.common);
    return facts;
  };
  const render::DiffDetail detail{.verbose = options.common.verbose};
  return Write(options.common,
               {.title = "culprit diff",
                .text = [&](const auto& style) { return render::ToText(report, style, detail); },
                .json = [&] { return render::ToJson(report); },
                .markdown = [&] { return render::ToMarkdown(report); },
                .html = [&] { return render::ToHtml(report, page()); },
                .redacted_for = &after.diagnosis.snapshot(),
                .windows = report.windows});
}

int ExitStatus(const DiffOptions& options, const report::DiffReport& report, const Judged& before,
               const Judged& after) {
  for (const report::Finding& finding : report.new_findings) {
    if (finding.severity == report::Severity::kError ||
        (options.strict && finding.severity == report::Severity::kWarning))
      return kExitFound;
  }
  const auto failed = [](const Judged& judged) { return judged.run && judged.run->failed(); };
  if (before.run && failed(after) && !failed(before)) return kExitFound;
  // Nothing new was found, but AFTER could not be judged, or not something that could be before.
  const bool lost_sight =
      after.check.verdict == report::Verdict::kUnknown &&
      (before.check.verdict == report::Verdict::kOk ||
       (after.check.nothing_of_cuda && !before.check.nothing_of_cuda) ||
       std::ranges::any_of(after.check.not_checked, [&](const report::NotChecked& item) {
         return std::ranges::find(before.check.not_checked, item) == before.check.not_checked.end();
       }));
  return lost_sight ? kExitCannot : kExitOk;
}

}  // namespace

int RunDiff(int argc, const char* const* argv) {
  DiffOptions options;
  CommandLine app(
      "Shows what changed between two images, snapshots, root file systems or records of `culprit run`, most "
      "likely cause first. Both are checked like `culprit check` does; a difference that explains a new "
      "finding comes first.",
      "culprit diff");
  app.AddRequired(
      "FILE", options.files,
      "BEFORE and AFTER: images, directories with a root file system, or files written by `culprit "
      "snapshot -o` or `culprit run --save`");
  app.Add("--host", options.host, "assume this driver and GPU on both sides: driver=535.104.05,gpu=sm_90",
          "HOST");
  app.Add("--platform", options.platform, "which platform of multi-platform images, such as linux/arm64",
          "PLATFORM");
  app.Add("--strict", options.strict, "exit with status 1 on new warnings too");
  AddNoRedact(app, options.common, "markdown and html output");
  AddRulesUrl(app, options.common, "html output");
  AddOutputOptions(app, options.common, Formats::kWithPage);
  app.Footer(
      "Examples:\n"
      "  culprit snapshot -o good.json         # while it works\n"
      "  culprit snapshot -o bad.json          # when it does not\n"
      "  culprit diff good.json bad.json\n"
      "  culprit diff old.tar new.tar --host driver=550.54.14,gpu=sm_80   # docker save -o new.tar IMAGE\n"
      "  culprit diff mine.json colleague.json --format markdown\n"
      "  culprit diff good.json bad.json --format html -o diff.html\n"
      "  culprit diff good.run bad.run         # culprit run --save good.run -- python train.py\n"
      "Exit status: 0 nothing got worse, 1 there is a new error (or the run fails now), 2 could not read a "
      "file, or AFTER\ncould not be checked while BEFORE could, 64 wrong usage.");
  if (const auto status = app.Parse(argc, argv)) return *status;
  if (options.files.size() != 2) return WrongUsage("diff", "give two files, BEFORE and AFTER");
  if (const std::string why = MistakeInHost(options.host); !why.empty()) return WrongUsage("diff", why);
  auto progress = std::make_unique<Progress>(!options.common.quiet);
  progress->Show("checking both");
  auto other = std::async(std::launch::async, [&] { return Judge(options.files[0], options); });
  const auto after = Judge(options.files[1], options);
  const auto before = other.get();
  progress.reset();
  if (!before) return Fail(before.error());
  if (!after) return Fail(after.error());
  report::DiffReport report = diff::Diff(SideOf(*before), SideOf(*after));
  report.before = options.files[0];
  report.after = options.files[1];
  if (!WriteReport(options, report, *after)) return kExitCannot;
  return ExitStatus(options, report, *before, *after);
}

}  // namespace culprit::cli
