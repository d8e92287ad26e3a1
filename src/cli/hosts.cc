#include "cli/hosts.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "cli/command.h"
#include "cli/image_subject.h"
#include "cli/page_facts.h"
#include "cli/progress.h"
#include "engine/check.h"
#include "engine/hosts.h"
#include "render/hosts/hosts.h"
#include "render/redact.h"
#include "render/windows_spelling.h"

namespace culprit::cli {
namespace {

int HostsStatus(const report::HostsReport& report, bool strict) {
  switch (report.verdict) {
    case report::Verdict::kOk:
      return kExitOk;
    case report::Verdict::kWarnings:
      return strict ? kExitFound : kExitOk;
    case report::Verdict::kErrors:
      return kExitFound;
    case report::Verdict::kUnknown:
      return strict && std::ranges::any_of(report.hosts,
                                           [](const report::HostRow& row) {
                                             return row.found.check.verdict == report::Verdict::kWarnings;
                                           })
                 ? kExitFound
                 : kExitCannot;
  }
  return kExitCannot;
}

// SARIF or JUnit.
bool WriteHostsForCi(const HostsOptions& options, std::vector<report::HostCheck> checks,
                     const snapshot::Snapshot& snapshot) {
  const bool redact = !options.common.no_redact;
  const auto& variables = snapshot.environment;
  for (report::HostCheck& check : checks) {
    if (redact)
      check.check = render::Redacted(std::move(check.check), base::ValueOf(variables, "HOME"),
                                     base::ValueOf(variables, "USER"));
  }
  const auto report = report::AcrossHosts(std::move(checks));
  const bool sarif = options.common.format == Format::kSarif;
  std::string bytes = sarif ? render::ToSarif(report, engine::RulePages(), redact, RulesUrl(options.common))
                            : render::ToJunit(report, engine::RulePages(), options.strict);
  if (snapshot.windows() != nullptr)
    bytes = render::InWindowsSpelling(bytes, sarif ? render::Writing::kJson : render::Writing::kText);
  return WriteBytes(options.common, bytes);
}

bool WriteHosts(const HostsOptions& options, const report::HostsReport& report,
                const engine::Diagnosis& diagnosis) {
  const snapshot::Snapshot& snapshot = diagnosis.snapshot();
  return Write(
      options.common,
      {.title = "culprit check",
       .text = [&](const auto& style) { return render::ToText(report, style, options.common.verbose); },
       .json = [&] { return render::ToJson(report); },
       .markdown = [&] { return render::ToMarkdown(report); },
       .html =
           [&] {
             render::PageFacts page = FactsForHosts(snapshot, !options.common.no_redact);
             page.rules_url = RulesUrl(options.common);
             return render::ToHtml(report, page);
           },
       .redacted_for = &snapshot,
       .windows = snapshot.windows() != nullptr,
       .dated = true});
}

}  // namespace

int CheckOnHosts(const HostsOptions& options, engine::Subject looked_at,
                 std::unique_ptr<engine::Diagnosis>& kept) {
  Progress progress(!options.common.quiet);
  kept = std::make_unique<engine::Diagnosis>(std::move(looked_at));
  if (auto looked = kept->LookAndPlay(); !looked) return Fail(looked.error());
  progress.Show("checking each host");
  auto checks = engine::CheckHosts(*kept, options.hosts);
  if (!checks) return Fail(checks.error());
  if (options.image != nullptr) {
    for (report::HostCheck& check : *checks) AddOfImage(*options.image, check.check);
  }
  const auto report = report::AcrossHosts(*checks);
  const bool for_ci = options.common.format == Format::kSarif || options.common.format == Format::kJunit;
  const bool written = for_ci ? WriteHostsForCi(options, *std::move(checks), kept->snapshot())
                              : WriteHosts(options, report, *kept);
  return written ? HostsStatus(report, options.strict) : kExitCannot;
}

}  // namespace culprit::cli
