// A site's rules over briefs: what the facts of a brief mean, and findings folded over the nodes.
#include "fleet/site_rules.h"

#include <gtest/gtest.h>

#include "fleet/merge.h"
#include "policy/machine_facts.h"

namespace culprit::fleet {
namespace {

using report::NodeFact;
using report::Verdict;

policy::Policy Requires(const std::string& condition, bool forbids = false,
                        report::Severity severity = report::Severity::kError) {
  policy::Rule rule{.code = "SITE001",
                    .source = "site.toml:1",
                    .cause = "driver-too-old",
                    .severity = severity,
                    .text = "t"};
  rule.forbids = forbids;
  rule.wording = condition;
  rule.condition = *policy::ParseCondition(condition);
  return {.rules = {std::move(rule)}};
}

Brief Having(const std::string& name, std::vector<NodeFact> facts) {
  Brief brief{.node = name, .taken = "1", .error = "", .version = "1", .verdict = Verdict::kOk};
  brief.facts = std::move(facts);
  return brief;
}

report::FleetReport Judged(const std::vector<Brief>& briefs, const policy::Policy& policy) {
  Merge fleet;
  for (const Brief& brief : briefs) fleet.Add(brief);
  return fleet.Report(std::nullopt, &policy);
}

std::string Said(const report::FleetReport& report) {
  std::string text;
  for (const auto& finding : report.findings) {
    text += finding.code + " " + finding.summary + " on";
    for (const std::string& node : finding.nodes) text += " " + node;
    text += "\n";
  }
  for (const auto& item : report.not_checked) {
    text += item.what + ": " + item.why + " on";
    for (const std::string& node : item.nodes) text += " " + node;
    text += "\n";
  }
  return text;
}

TEST(SiteRules, NodesThatBreakARuleAreFolded) {
  const auto report = Judged({Having("n1", {{"driver", "535.1"}, {"system", "a"}}),
                              Having("n2", {{"driver", "550.54"}, {"system", "a"}}),
                              Having("n3", {{"driver", "535.1"}, {"system", "b"}}),
                              Having("n4", {{"driver", "530.2"}, {"system", "a"}})},
                             Requires("driver >= 550"));
  EXPECT_EQ(report.verdict, Verdict::kErrors);
  EXPECT_EQ(Said(report), "SITE001 t on n1 n3 n4\n");
}

TEST(SiteRules, WhatIsTrueOfAllIsSaid) {
  const auto report =
      Judged({Having("n1", {{"driver", "535.1"}}), Having("n2", {{"driver", "535.1"}, {"CPU", "x"}})},
             Requires("driver >= 550"));
  EXPECT_EQ(Said(report), "SITE001 t: driver 535.1 on n1 n2\n");
}

TEST(SiteRules, WhatANodeDoesNotKnowIsNotFine) {
  const std::vector<Brief> briefs = {Having("n1", {{"driver", "unknown: denied"}}),
                                     Having("n2", {{"driver", "550.54"}}),
                                     Having("n3", {{"driver", "none"}})};
  const auto report = Judged(briefs, Requires("driver >= 550"));
  EXPECT_EQ(report.verdict, Verdict::kErrors);
  EXPECT_EQ(Said(report), "SITE001 t: no driver on n3\nSITE001: driver: unknown: denied on n1\n");
  const auto forbidding = Judged(briefs, Requires("driver < 550", true));
  EXPECT_EQ(forbidding.verdict, Verdict::kUnknown);
  EXPECT_EQ(Said(forbidding), "SITE001: driver: unknown: denied on n1\n");
  EXPECT_NE(Judged(briefs, Requires("driver < 550", true, report::Severity::kNote)).verdict,
            Verdict::kUnknown)
      << "as for every rule, only what would have been an error leaves a doubt";
}

TEST(SiteRules, FactsWithoutRoomAreNotKnown) {
  Brief brief =
      Having("n1", {{"driver", "550"}, {"package numpy in /venv", "1.26"}, {"Python /venv", "3.11, venv"}});
  EXPECT_EQ(Said(Judged({brief}, Requires("package torch", true))), "");
  brief.left_out = 3;
  EXPECT_EQ(Said(Judged({brief}, Requires("package torch", true))),
            "SITE001: package torch: left out of the brief snapshot because of its size limit on n1\n");
  EXPECT_EQ(Said(Judged({brief}, Requires("variable LD_PRELOAD", true))), "");
  brief.facts.erase(brief.facts.begin() + 1);
  EXPECT_EQ(Said(Judged({brief}, Requires("variable LD_PRELOAD", true))),
            "SITE001: variable LD_PRELOAD: left out of the brief snapshot because of its size limit on n1\n");
}

TEST(SiteRules, EmptyAndOddFactsAreNoFacts) {
  for (const auto& facts : std::vector<std::vector<NodeFact>>{{},
                                                              {{"", ""}},
                                                              {{"GPU ", ""}},
                                                              {{"driver", ""}},
                                                              {{" in ", ": "}},
                                                              {{"x in : ", " ("}},
                                                              {{"package  in ", ""}},
                                                              {{"cuDNN", "none seen: x"}}}) {
    const auto read = FactsOf(facts, {});
    EXPECT_TRUE(read.unknown.contains(policy::Kind::kDriver));
    EXPECT_TRUE(read.unknown.contains(policy::Kind::kCudnn));
  }
}

snapshot::Snapshot Machine() {
  snapshot::Snapshot snapshot;
  snapshot.cpu.machine = "x86-64";
  snapshot.environment = {{"LD_LIBRARY_PATH", "/opt/lib"}, {"EDITOR", "vi"}, {"SLURM_JOB_ID", "7"}};
  snapshot::Driver driver;
  driver.kernel_version = snapshot::Fact<std::string>::Of("550.54.14", "/proc/driver/nvidia/version");
  snapshot.stack.driver = snapshot::Fact<snapshot::Driver>::Of(driver, "/proc");
  snapshot.stack.gpus = snapshot::Fact<std::vector<snapshot::Gpu>>::Of(
      {{.name = "NVIDIA L4", .compute_capability = "8.9"}, {.compute_capability = "9.0", .assumed = true}},
      "/proc");
  snapshot.stack.toolkits = snapshot::Fact<snapshot::Toolkits>::Of(
      {.copies = {{.root = "/usr/local/cuda-12.4", .version = "12.4"}}}, "/");
  snapshot.stack.cudnn =
      snapshot::Fact<std::vector<snapshot::CudnnCopy>>::Of({{.directory = "/usr/lib", .major = 9}}, "/");
  snapshot::PythonEnvironment environment{.prefix = "/opt/venv", .python = "3.11"};
  environment.packages = {{.name = "torch", .version = "2.6.0"}};
  snapshot.stack.environments =
      snapshot::Fact<std::vector<snapshot::PythonEnvironment>>::Of({environment}, "/");
  snapshot.stack.context = snapshot::Fact<snapshot::Context>::Of(
      {.distribution = "Debian GNU/Linux 12 (bookworm)", .kernel = "6.1.0-18-amd64"}, "/");
  return snapshot;
}

// As engine/stack_rows.cc writes them.
std::vector<report::StackRow> Rows() {
  using Kind = report::StackKind;
  return {
      {.kind = Kind::kDriver,
       .what = "driver",
       .value = "550.54.14",
       .where = "/usr/lib/libcuda.so.550.54.14"},
      {.kind = Kind::kGpu,
       .what = "GPU 0",
       .value = "NVIDIA L4",
       .detail = "compute capability 8.9, passed through"},
      {.kind = Kind::kGpu, .what = "GPU 1", .value = "compute capability 9.0", .detail = "assumed: --host"},
      {.kind = Kind::kToolkit,
       .what = "toolkit",
       .value = "12.4",
       .where = "/usr/local/cuda-12.4",
       .detail = "nvcc on PATH"},
      {.kind = Kind::kCudnn,
       .what = "cuDNN",
       .value = "9, unknown release",
       .where = "/usr/lib",
       .detail = "for CUDA 12"},
      {.kind = Kind::kPython, .what = "Python", .value = "3.11", .where = "/opt/venv", .detail = "venv"},
      {.kind = Kind::kFramework, .what = "torch", .value = "2.6.0", .depth = 1},
      {.kind = Kind::kLibrary, .what = "cuDNN", .value = "9.1.0", .where = "/opt/venv/lib", .depth = 2}};
}

TEST(SiteRules, ABriefSaysWhatTheMachineDoes) {
  report::CheckReport check;
  check.stack = Rows();
  const auto hide = [](const std::string& text) { return text; };
  const Brief brief = MakeBrief(Machine(), check, hide, "n1", "1");
  const auto written = [](const policy::Facts& facts) {
    std::vector<std::string> lines;
    for (const policy::Fact& fact : facts.all)
      lines.push_back(std::string(base::Word(fact.kind)) + "|" + fact.name + "|" + fact.value + "|" +
                      fact.where + "|" + fact.by);
    for (const auto& [kind, unknown] : facts.unknown) lines.push_back("? " + std::string(base::Word(kind)));
    std::ranges::sort(lines);
    return lines;
  };
  const auto machine = written(policy::FactsOf(Machine(), Rows(), true));
  EXPECT_EQ(written(FactsOf(brief.facts, {})), machine);
  EXPECT_EQ(machine.size(), 17u);
}

}  // namespace
}  // namespace culprit::fleet
