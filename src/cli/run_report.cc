#include "cli/run_report.h"

#include "cli/page_facts.h"
#include "cli/paste.h"
#include "render/run/run.h"
#include "run/judge/run.h"

namespace culprit::cli {

RunAnswer ExplainRun(engine::Diagnosis& diagnosis, const std::shared_ptr<const record::Run>& run,
                     const Options& options, bool redact) {
  diagnosis.Play(run);
  const bool page = options.format == Format::kHtml;
  return diagnosis.Judge([=](const rules::Scene& scene, const report::CheckReport& check) {
    RunAnswer answer{.report = run::ExplainRun(*run, scene, check)};
    if (page) answer.page = FactsForPage(scene, check, redact, run.get());
    return answer;
  });
}

bool WriteRun(const Options& options, const RunAnswer& answer, const snapshot::Snapshot& snapshot,
              bool redact) {
  if (options.format == Format::kHtml) return WriteBytes(options, render::ToHtml(answer.report, answer.page));
  if (options.format == Format::kMarkdown)
    return WriteToPaste(options, render::ToMarkdown(answer.report), snapshot, redact);
  return Write(options, {.title = "culprit run",
                         .text =
                             [&](const auto& style) {
                               return render::ToText(answer.report, style, {.verbose = options.verbose});
                             },
                         .json = [&] { return render::ToJson(answer.report); },
                         .windows = snapshot.windows() != nullptr});
}

}  // namespace culprit::cli
