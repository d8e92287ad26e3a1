#include "cli/hosts/hosts.h"

#include <algorithm>
#include <utility>

#include "cli/ci_output.h"
#include "cli/command.h"
#include "cli/image/image_subject.h"
#include "cli/page_facts.h"
#include "cli/progress.h"
#include "engine/check.h"
#include "engine/hosts.h"
#include "render/hosts/hosts.h"

namespace culprit::cli {
namespace {

// With --strict, a host with warnings fails the check, even if another host is unknown.
int HostsStatus(const report::HostsReport& report, bool strict) {
  const bool warned = std::ranges::any_of(report.hosts, [](const report::HostRow& row) {
    return row.found.check.verdict == report::Verdict::kWarnings;
  });
  return strict && warned ? kExitFound : VerdictStatus(report.verdict, strict);
}

bool WriteHostsForCi(const HostsOptions& options, std::vector<report::HostCheck> checks,
                     const engine::Diagnosis& diagnosis) {
  const snapshot::Snapshot& snapshot = diagnosis.snapshot();
  const auto pages = engine::RulePages(diagnosis.subject().policy.get());
  for (report::HostCheck& check : checks)
    check.check = RedactedForCi(options.common, snapshot, std::move(check.check));
  const auto report = report::AcrossHosts(std::move(checks));
  return WriteForCi(options.common, snapshot,
                    options.common.format == Format::kSarif
                        ? render::ToSarif(report, pages, !options.common.no_redact, RulesUrl(options.common))
                        : render::ToJunit(report, pages, options.strict));
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

base::Result<int> CheckOnHosts(const HostsOptions& options, engine::Subject looked_at,
                               std::unique_ptr<engine::Diagnosis>& kept) {
  Progress progress(!options.common.quiet);
  kept = std::make_unique<engine::Diagnosis>(std::move(looked_at));
  if (auto looked = kept->LookAndPlay(); !looked) return std::unexpected(looked.error());
  progress.Show("checking each host");
  auto checks = engine::CheckHosts(*kept, options.hosts);
  if (!checks) return std::unexpected(checks.error());
  if (options.image != nullptr) {
    for (report::HostCheck& check : *checks) {
      AddOfImage(*options.image, kept->snapshot(), check.check);
      if (check.check.verdict == report::Verdict::kUnknown) check.runs = report::Runs::kUnknown;
    }
  }
  const auto report = report::AcrossHosts(*checks);
  const bool for_ci = options.common.format == Format::kSarif || options.common.format == Format::kJunit;
  const bool written =
      for_ci ? WriteHostsForCi(options, *std::move(checks), *kept) : WriteHosts(options, report, *kept);
  return written ? HostsStatus(report, options.strict) : kExitCannot;
}

}  // namespace culprit::cli
