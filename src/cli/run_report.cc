#include "cli/run_report.h"

#include "cli/page_facts.h"
#include "render/run/run.h"
#include "run/judge/run.h"

namespace culprit::cli {

RunAnswer ExplainRun(engine::Diagnosis& diagnosis, const std::shared_ptr<const record::Run>& run,
                     const Options& options) {
  diagnosis.Play(run);
  return diagnosis.Judge([run, page = options.format == Format::kHtml, redact = !options.no_redact](
                             const rules::Scene& scene, const report::CheckReport& check) {
    RunAnswer answer{.report = run::ExplainRun(*run, scene, check)};
    if (page) answer.page = FactsForPage(scene, check, redact, run.get());
    return answer;
  });
}

bool WriteRun(const Options& options, const RunAnswer& answer, const snapshot::Snapshot& snapshot) {
  const report::RunReport& report = answer.report;
  const render::RunDetail detail{.verbose = options.verbose};
  return Write(options, {.title = "culprit run",
                         .text = [&](const auto& style) { return render::ToText(report, style, detail); },
                         .json = [&] { return render::ToJson(report); },
                         .markdown = [&] { return render::ToMarkdown(report); },
                         .html =
                             [&] {
                               render::PageFacts page = answer.page;
                               page.rules_url = RulesUrl(options);
                               return render::ToHtml(report, page);
                             },
                         .redacted_for = &snapshot,
                         .windows = snapshot.windows() != nullptr});
}

}  // namespace culprit::cli
