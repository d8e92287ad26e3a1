#include "render/fix/fix.h"

#include <gtest/gtest.h>

#include "base/json.h"
#include "render/finding.h"

namespace culprit::render {
namespace {

using report::Proof;

report::ProposedFix Link() {
  report::ProposedFix fix;
  fix.finding = {.code = "CUL5001",
                 .summary = "/usr/lib/libz.so.1 is a dangling symlink",
                 .subject = "/usr/lib/libz.so.1",
                 .fix = {.text = "set the link", .commands = {"sudo ldconfig"}, .risk = report::Risk::kLow}};
  fix.actions = {{.text = "link /usr/lib/libz.so.1 -> libz.so.1.3", .automatic = true, .root = true}};
  fix.proof.outcome = Proof::Outcome::kShown;
  fix.proof.also = {"CUL5003"};
  return fix;
}

report::ProposedFix Driver() {
  report::ProposedFix fix;
  fix.finding = {.code = "CUL1006",
                 .severity = report::Severity::kWarning,
                 .summary = "driver 470 is too old",
                 .subject = "driver",
                 .fix = {.text = "install a newer driver", .risk = report::Risk::kHigh}};
  fix.actions = {{.text = "install driver 550.54.14"}};
  fix.proof.outcome = Proof::Outcome::kBringsNew;
  fix.proof.brings = {{.code = "CUL1015", .summary = "the GPU is not supported any more"}};
  return fix;
}

TEST(Fix, WhatIsProposedAsText) {
  EXPECT_EQ(ToText({.fixes = {Link(), Driver()}, .not_checked = {{"GPUs", "no driver"}}}, {}),
            R"(2 findings have a fix, 1 verified

error CUL5001  /usr/lib/libz.so.1 is a dangling symlink
  fix      set the link
             sudo ldconfig
  risk     low
  changes  link /usr/lib/libz.so.1 -> libz.so.1.3  [applied by --apply, as root]
  proof    verified: this change removes the finding and adds none; also fixes CUL5003

warning CUL1006  driver 470 is too old
  fix      install a newer driver
  risk     high
  changes  install driver 550.54.14  [manual: use the commands above]
  proof    removes the finding but causes another: CUL1015 the GPU is not supported any more

not checked
  GPUs: no driver

`culprit fix --apply` applies the changes marked above, asking first; --undo reverts them
)");
}

TEST(Fix, ACheckSaysWhatSpeaksAgainstAFix) {
  report::Finding finding = Driver().finding;
  EXPECT_EQ(FindingText(finding, {}).find("caution"), std::string::npos);
  finding.fix.proof = Link().proof;
  EXPECT_EQ(FindingText(finding, {}).find("caution"), std::string::npos);
  finding.fix.proof = Driver().proof;
  const std::string text = FindingText(finding, {});
  EXPECT_NE(text.find("caution  tried in memory, this fix removes the finding but causes another: CUL1015 "),
            std::string::npos)
      << text;
}

TEST(Fix, WhatWasDoneAsText) {
  report::FixReport report{.fixes = {Link(), Driver()}, .applied = true, .journal = "/s/journal/1"};
  report.steps = {{"link /usr/lib/libz.so.1 -> libz.so.1.3", report::StepState::kDone, ""},
                  {"CUL1006 driver 470 is too old", report::StepState::kSkipped, "you answered no"}};
  report.undo = "culprit fix --undo";
  report.left = {Driver().finding};
  EXPECT_EQ(ToText(report, {}), R"(1 change made

  done     link /usr/lib/libz.so.1 -> libz.so.1.3
  skipped  CUL1006 driver 470 is too old: you answered no

left
  warning CUL1006  driver 470 is too old

journal: /s/journal/1
to undo: culprit fix --undo
)");
}

TEST(Fix, NothingAndAKilledRun) {
  EXPECT_EQ(ToText({}, {}), "nothing to fix\n");
  EXPECT_EQ(ToText({.killed_run = "/s/journal/1"}, {}),
            "an earlier `culprit fix` was killed before it finished; `culprit fix --undo` restores what it "
            "changed\n"
            "journal: /s/journal/1\n\nnothing to fix\n");
}

TEST(Fix, TheJsonContract) {
  const auto json = base::Json::parse(ToJson({.fixes = {Driver()}}));
  EXPECT_EQ(json.at("schema"), "culprit.fix/1");
  EXPECT_EQ(json.at("fixes").at(0).dump(),
            R"({"code":"CUL1006","subject":"driver","summary":"driver 470 is too old","severity":"warning",)"
            R"("fix":{"text":"install a newer driver","commands":[],"risk":"high"},)"
            R"("actions":[{"text":"install driver 550.54.14","automatic":false,"why_not":"","root":false,)"
            R"("commands":[],"settings":[]}],"proof":{"outcome":"brings-new","why":"","also":[],)"
            R"("brings":[{"code":"CUL1015","summary":"the GPU is not supported any more"}]}})");
  for (const char* field :
       {"not_checked", "applied", "undone", "steps", "journal", "undo", "killed_run", "left"})
    EXPECT_TRUE(json.contains(field)) << field;
}

TEST(Fix, ForeignTextIsNoMarkup) {
  report::ProposedFix fix = Link();
  fix.finding.summary = "<b>|`";
  const std::string text = ToMarkdown({.fixes = {fix}});
  EXPECT_EQ(text.find("<b>"), std::string::npos) << text;
  EXPECT_NE(text.find("Proof: verified"), std::string::npos) << text;
}

}  // namespace
}  // namespace culprit::render
