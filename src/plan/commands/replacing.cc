// Installed software that must be removed: how depends on how it was installed, which only the owner may
// know. The rows of data/packages.toml say how to find out.
#include "knowledge/driver.h"
#include "knowledge/packages/packages.h"
#include "knowledge/packages/release.h"
#include "plan/commands/command_parts.h"

namespace culprit::plan {
namespace {

using base::Version;

bool Holds(const knowledge::Removal& row, std::string_view what, const Version& version, bool windows) {
  if (row.what != what || (row.manner == knowledge::RemovalManner::kWindows) != windows) return false;
  const bool late = row.since.empty() || version >= knowledge::Known(row.since);
  return late && (row.until.empty() || version.part(0) <= knowledge::Known(row.until).part(0));
}

// The ways to remove a version of `what`.
std::vector<report::PlanChoice> Ways(std::string_view what, const Version& version, const Host& host) {
  const knowledge::Blanks blanks{.version = version, .cuda = version, .variant = ""};
  std::vector<report::PlanChoice> ways;
  for (const knowledge::Removal& row : knowledge::Removals()) {
    if (!Holds(row, what, version, host.machine == Machine::kWindows)) continue;
    report::PlanChoice way{.how = knowledge::FillIn(row.how, blanks),
                           .commands = {},
                           .stays = std::string(row.stays),
                           .source = std::string(row.source)};
    for (const std::string_view command : row.commands)
      way.commands.push_back(report::FromTable(knowledge::FillIn(command, blanks)));
    ways.push_back(std::move(way));
  }
  return ways;
}

void Add(report::Plan& plan, std::string why, std::vector<report::PlanChoice> ways) {
  if (ways.empty()) return;
  plan.steps.push_back(
      {.title = "remove", .why = std::move(why), .commands = {}, .choices = std::move(ways)});
}

}  // namespace

void AddDriverRemoval(report::Plan& plan, const Question& question) {
  if (question.host.wsl) return;
  const Version& old = *question.host.driver;
  Add(plan, "remove driver " + knowledge::DriverText(old) + " first, the way it was installed",
      Ways("driver", old, question.host));
}

void AddToolkitRemoval(report::Plan& plan, const Parts& parts, const Question& question) {
  if (parts.toolkit == nullptr) return;
  for (const Version& old : question.host.toolkits) {
    Add(plan,
        "CUDA " + old.ToString() +
            " can stay next to the new one, in its own directory; remove it only if nothing needs it any "
            "more",
        Ways("cuda", old, question.host));
  }
}

void AddCudnnRemoval(report::Plan& plan, const Parts& parts, const Question& question) {
  if (parts.cudnn == nullptr || !question.host.seen) return;
  Add(plan, "a cuDNN that is already installed",
      Ways("cudnn", knowledge::Known(parts.cudnn->version), question.host));
}

}  // namespace culprit::plan
