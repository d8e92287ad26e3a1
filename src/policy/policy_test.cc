// Conditions: how they are read, what holds on a machine, what could not be told, and what a rule says then.
#include "policy/policy.h"

#include <gtest/gtest.h>

#include "policy/evaluate.h"
#include "policy/machine_facts.h"

namespace culprit::policy {
namespace {

Facts Node() {
  Facts facts;
  facts.all = {
      {.kind = Kind::kDriver, .value = "550.54.14", .source = "/proc/driver/nvidia/version"},
      {.kind = Kind::kGpu, .name = "0", .value = "NVIDIA H100 80GB HBM3"},
      {.kind = Kind::kGpu, .name = "1", .value = "NVIDIA L4"},
      {.kind = Kind::kCapability, .name = "0", .value = "9.0"},
      {.kind = Kind::kCapability, .name = "1", .value = "8.9"},
      {.kind = Kind::kCudnn, .value = "9.1.0", .where = "/opt/venv/lib"},
      {.kind = Kind::kCudnn, .value = "8", .where = "/usr/lib"},
      {.kind = Kind::kToolkit, .value = "12.4", .where = "/usr/local/cuda-12.4"},
      {.kind = Kind::kPackage, .name = "torch", .value = "2.6.0+cu124", .where = "/opt/venv"},
      {.kind = Kind::kPackage, .name = "nvidia-cudnn-cu12", .value = "9.1.0.70", .where = "/opt/venv"},
      {.kind = Kind::kVariable, .name = "LD_LIBRARY_PATH", .value = "/opt/lib", .source = "environment"},
      {.kind = Kind::kVariable, .name = "CUDA_VISIBLE_DEVICES", .value = "", .source = "environment"},
      {.kind = Kind::kKernel, .value = "6.1.0-18-amd64"},
      {.kind = Kind::kLoaded,
       .name = "cuDNN",
       .value = "9.1.0",
       .where = "/opt/venv/lib",
       .by = "torch in /opt/venv"},
  };
  facts.unknown[Kind::kPython] = {"permission denied"};
  facts.unknown[Kind::kFramework] = {"permission denied"};
  return facts;
}

// "yes", "no", "unknown", or the mistake with its place.
std::string Says(const std::string& text, const Facts& facts = Node()) {
  const auto condition = ParseCondition(text);
  if (!condition) return std::to_string(condition.error().offset) + ": " + condition.error().what;
  const Held held = Evaluate(*condition, facts);
  return !held.holds ? "unknown" : *held.holds ? "yes" : "no";
}

TEST(Condition, VersionsAreComparedAsNumbers) {
  EXPECT_EQ(Says("driver >= 550.54"), "yes");
  EXPECT_EQ(Says("driver >= 550.9"), "yes");
  EXPECT_EQ(Says("driver > 550.54.14"), "no");
  EXPECT_EQ(Says("driver >= 550.54, < 551"), "yes");
  EXPECT_EQ(Says("driver >= 535, < 550"), "no");
  EXPECT_EQ(Says("driver == 550.*"), "yes");
  EXPECT_EQ(Says("driver != 550.*"), "no");
  EXPECT_EQ(Says("driver == 550"), "no");
  EXPECT_EQ(Says("driver in [535.*, 550.54.14]"), "yes");
  EXPECT_EQ(Says("driver in [535.*, 550.54.15]"), "no");
  EXPECT_EQ(Says("kernel >= 6.1"), "yes");
  EXPECT_EQ(Says("kernel < 6"), "no");
}

TEST(Condition, NumbersThatWereNotReadAreNotKnown) {
  EXPECT_EQ(Says("any toolkit == 12.*"), "yes");
  EXPECT_EQ(Says("any toolkit >= 12.4"), "yes");
  EXPECT_EQ(Says("any toolkit >= 12.4.1"), "unknown");
  EXPECT_EQ(Says("any toolkit > 12.4"), "unknown");
  EXPECT_EQ(Says("any toolkit == 12.4"), "unknown");
  EXPECT_EQ(Says("any toolkit < 12.4"), "no");
  EXPECT_EQ(Says("any toolkit <= 12.3.9"), "no");
  EXPECT_EQ(Says("any cudnn at /usr/* == 8.*"), "yes");
  EXPECT_EQ(Says("any cudnn at /usr/* == 8.9.*"), "unknown");
  EXPECT_EQ(Says("any cudnn at /usr/* >= 9"), "no");
}

TEST(Condition, AnyAndAll) {
  EXPECT_EQ(Says("all cudnn == 9.*"), "no");
  EXPECT_EQ(Says("any cudnn == 9.*"), "yes");
  EXPECT_EQ(Says("all cudnn at /opt/* == 9.*"), "yes");
  EXPECT_EQ(Says("all gpu == \"NVIDIA *\""), "yes");
  EXPECT_EQ(Says("all gpu in [\"NVIDIA H100*\", \"NVIDIA L4\"]"), "yes");
  EXPECT_EQ(Says("all gpu == \"NVIDIA H100*\""), "no");
  EXPECT_EQ(Says("all capability >= 9"), "no");
  EXPECT_EQ(Says("any capability >= 9"), "yes");
  EXPECT_EQ(Says("all package cupy == 13.*"), "yes") << "there is none";
  EXPECT_EQ(Says("any package cupy == 13.*"), "no");
}

TEST(Condition, PackagesFollowPep440AndTheirNames) {
  EXPECT_EQ(Says("all package torch == 2.6.0"), "yes") << "the local part does not count";
  EXPECT_EQ(Says("all package Torch >= 2.6, < 2.7"), "yes");
  EXPECT_EQ(Says("all package torch == 2.5.*"), "no");
  EXPECT_EQ(Says("package nvidia_cudnn.cu12"), "yes");
  EXPECT_EQ(Says("package nvidia-*"), "yes");
  EXPECT_EQ(Says("package tensorflow*"), "no");
}

TEST(Condition, ThereIsOneAndItsValue) {
  EXPECT_EQ(Says("variable LD_LIBRARY_PATH"), "yes");
  EXPECT_EQ(Says("not variable LD_PRELOAD"), "yes");
  EXPECT_EQ(Says("variable LD_LIBRARY_PATH == \"/opt/*\""), "yes");
  EXPECT_EQ(Says("variable CUDA_VISIBLE_DEVICES == \"\""), "yes");
  EXPECT_EQ(Says("variable LD_PRELOAD == x"), "no");
  EXPECT_EQ(Says("any variable LD_* == \"/opt/*\""), "yes");
  EXPECT_EQ(Says("any loaded cuDNN < 9.1"), "no");
  EXPECT_EQ(Says("container"), "no");
}

TEST(Condition, WhatIsNotKnownIsUnknownUnlessTheRestDecides) {
  EXPECT_EQ(Says("all python >= 3.10"), "unknown");
  EXPECT_EQ(Says("not python"), "unknown");
  EXPECT_EQ(Says("python or driver"), "yes");
  EXPECT_EQ(Says("python and not driver"), "no");
  EXPECT_EQ(Says("python and driver"), "unknown");
  EXPECT_EQ(Says("not (python or container)"), "unknown");
  Facts facts = Node();
  facts.unknown[Kind::kCudnn] = {"a directory could not be read"};
  EXPECT_EQ(Says("all cudnn == 9.*", facts), "no") << "one that is known breaks it";
  EXPECT_EQ(Says("all cudnn >= 8", facts), "unknown");
  EXPECT_EQ(Says("any cudnn >= 10", facts), "unknown");
  facts.all.push_back({.kind = Kind::kGpu, .name = "2"});
  EXPECT_EQ(Says("all gpu == \"NVIDIA *\"", facts), "unknown") << "its model is not known";
  facts.all.front().value = "in use";
  EXPECT_EQ(Says("driver >= 550", facts), "unknown");
}

TEST(Condition, NamesAreThoseOfTheTablesInAnyCase) {
  EXPECT_EQ(Says("any loaded cudnn >= 9.1"), "yes");
  EXPECT_EQ(Says("any loaded \"CUDNN*\" >= 9.1"), "yes");
  EXPECT_EQ(Says("loaded cudart"), "no");
  EXPECT_EQ(Says("loaded \"cuda runtime\""), "no");
  EXPECT_EQ(Says("all loaded cuddn >= 9"),
            "11: 'cuddn' is not one of the libraries whose loading is recorded: cuDNN, CUDA runtime, cuBLAS");
  Facts facts;
  facts.all = {{.kind = Kind::kFramework, .name = "torch", .value = "2.6.0", .where = "/opt/venv"},
               {.kind = Kind::kFramework, .name = "our-kernels", .value = "1.0", .where = "/opt/venv"}};
  EXPECT_EQ(Says("all framework Torch >= 2.7", facts), "no");
  EXPECT_EQ(Says("all framework pytorch >= 2.7", facts), "no");
  EXPECT_EQ(Says("framework tensorflow", facts), "no");
  EXPECT_EQ(Says("framework flash_attn or framework torchvision or framework xformers", facts), "no");
  EXPECT_EQ(Says("framework Our_Kernels*", facts), "yes");
  EXPECT_EQ(Says("all framework pytroch >= 2.7", facts),
            "14: 'pytroch' is not a framework that culprit knows; for your own package, write \"pytroch*\"");
  EXPECT_EQ(Says("variable ld_library_path").substr(0, 1), "9") << "of variables the case matters";
}

TEST(Condition, ADirectoryMeansWhatIsBelowIt) {
  for (const char* place : {"/opt/venv", "/opt", "/opt/", "/", "/opt/*", "/opt/v*"})
    EXPECT_EQ(Says("package torch at \"" + std::string(place) + "\""), "yes") << place;
  for (const char* place : {"/op", "/opt/venv/lib", "/opt/v", "/op/*"})
    EXPECT_EQ(Says("package torch at \"" + std::string(place) + "\""), "no") << place;
}

TEST(Condition, WhatIsNotThereIsNotThatValue) {
  EXPECT_EQ(Says("variable CUDA_LAUNCH_BLOCKING != 1"), "yes");
  EXPECT_EQ(Says("variable CUDA_LAUNCH_BLOCKING != 1, != 2"), "yes");
  EXPECT_EQ(Says("variable CUDA_LAUNCH_BLOCKING == 1"), "no");
  EXPECT_EQ(Says("variable LD_LIBRARY_PATH != \"/opt/*\""), "no");
  EXPECT_EQ(Says("any variable CUDA_L* != 1"), "no") << "there must be one";
  EXPECT_EQ(Says("driver != 550.*, >= 1", Facts()), "no");
  Facts facts;
  facts.unknown[Kind::kVariable] = {"not recorded"};
  EXPECT_EQ(Says("variable CUDA_LAUNCH_BLOCKING != 1", facts), "unknown");
}

TEST(Condition, DirectoriesOfWindowsAreWrittenAsThere) {
  Facts facts;
  facts.all = {{.kind = Kind::kToolkit, .value = "12.4.1", .where = "/C:/CUDA/v12.4"}};
  EXPECT_EQ(Says("toolkit at \"C:\\CUDA\\*\"", facts), "yes");
  EXPECT_EQ(Says("toolkit at \"D:\\*\"", facts), "no");
}

TEST(Condition, AndBindsMoreThanOr) {
  EXPECT_EQ(Says("driver or container and container"), "yes");
  EXPECT_EQ(Says("(driver or container) and container"), "no");
  EXPECT_EQ(Says("not container and driver"), "yes");
}

TEST(Condition, MistakesSayWhereAndWhatWasExpected) {
  EXPECT_EQ(Says("").substr(0, 30), "0: expected one of driver, lib");
  EXPECT_EQ(Says("drivr >= 5").substr(0, 17), "0: expected one o");
  EXPECT_EQ(Says("driver >= new"), "10: expected a version like 12.4 or 12.*, found 'new'");
  EXPECT_EQ(Says("driver >= 550.*"), "10: '550.*' works only with == and !=");
  EXPECT_EQ(Says("driver >="), "9: expected a value, found the end");
  EXPECT_EQ(Says("driver = 5"), "7: expected '==', found '='");
  EXPECT_EQ(Says("driver >= 5 driver"), "12: expected 'and', 'or' or the end, found 'driver'");
  EXPECT_EQ(Says("driver >= 5,"), "12: expected a comparison after ',', found the end");
  EXPECT_EQ(Says("(driver"), "7: expected ')', found the end");
  EXPECT_EQ(Says("driver in 5"), "10: expected '[' after 'in', found '5'");
  EXPECT_EQ(Says("driver in [5"), "12: expected ',' or ']', found the end");
  EXPECT_EQ(Says("cudnn >= 9"), "0: there may be several: expected 'any cudnn' or 'all cudnn'");
  EXPECT_EQ(Says("all cudnn"), "9: expected a comparison: 'all cudnn' needs one, found the end");
  EXPECT_EQ(Says("all driver >= 5"), "0: a machine has only one driver: leave out 'all'");
  EXPECT_EQ(Says("all gpu >= 5"), "8: 'gpu' is a string; compare it with ==, != or in");
  EXPECT_EQ(Says("package"), "7: expected a name after 'package', found the end");
  EXPECT_EQ(Says("driver at /usr"), "10: 'driver' is not in a directory; leave out 'at'");
  EXPECT_EQ(Says("variable EDITOR"),
            "9: 'EDITOR' is not one of the variables in a snapshot; docs/policy.md lists them");
  EXPECT_EQ(Says("all gpu == \"x"), "11: this string has no closing \"");
  EXPECT_EQ(Says("package \"a\nb\""), "8: this string contains invisible characters");
  EXPECT_EQ(Says("driver & gpu"), "7: '&' is not expected here; put strings in double quotes");
  EXPECT_EQ(Says("driver => 5"), "7: expected '==', found '='");
  EXPECT_EQ(Says(std::string(5000, ' ')), "0: a condition may have at most 4000 characters");
  std::string deep;
  for (int i = 0; i < 100; ++i) deep += "not ";
  EXPECT_EQ(Says(deep + "driver"), "128: this condition is too long; split it into several rules");
}

Policy Of(Rule rule, const std::string& condition, const std::string& when = "") {
  rule.code = "SITE001";
  rule.source = "site.toml:1";
  rule.wording = condition;
  rule.condition = *ParseCondition(condition);
  if (!when.empty()) rule.when = *ParseCondition(when);
  return {.rules = {std::move(rule)}};
}

TEST(Judge, AFindingNamesWhatBreaksTheRule) {
  const Policy policy = Of({.cause = "cudnn-version-mismatch",
                            .severity = report::Severity::kWarning,
                            .text = "only cuDNN 9 here",
                            .fix = "remove it",
                            .commands = {"apt remove 'libcudnn8'"},
                            .link = "https://wiki.example.org"},
                           "all cudnn == 9.*");
  const Facts facts = Node();
  const auto rulings = Judge(policy, facts);
  ASSERT_EQ(rulings.size(), 1u);
  ASSERT_TRUE(rulings[0].finding);
  const report::Finding& finding = *rulings[0].finding;
  EXPECT_EQ(finding.code, "SITE001");
  EXPECT_EQ(finding.cause, "cudnn-version-mismatch");
  EXPECT_EQ(finding.severity, report::Severity::kWarning);
  EXPECT_EQ(finding.summary, "only cuDNN 9 here: cuDNN 8 in /usr/lib");
  EXPECT_EQ(finding.subject, "/usr/lib");
  ASSERT_EQ(finding.evidence.size(), 2u);
  EXPECT_EQ(finding.evidence[1], (report::Evidence{"the site requires all cudnn == 9.*", "site.toml:1"}));
  EXPECT_EQ(finding.fix.text, "remove it");
  EXPECT_EQ(report::Texts(finding.fix.commands), std::vector<std::string>{"apt remove 'libcudnn8'"});
  EXPECT_EQ(finding.links, std::vector<std::string>{"https://wiki.example.org"});
}

std::string Summary(const Policy& policy, const Facts& facts = Node()) {
  const auto rulings = Judge(policy, facts);
  std::string text =
      rulings[0].finding ? rulings[0].finding->summary + " @" + rulings[0].finding->subject : "";
  for (const report::NotChecked& item : rulings[0].lacking)
    text += "[" + item.what + ": " + item.why + (item.of_host ? " (host)" : "") + "]";
  return text;
}

TEST(Judge, WhatIsThereAndWhatIsNot) {
  Facts none;
  EXPECT_EQ(Summary(Of({.text = "t"}, "driver >= 550"), none), "t: no driver @driver");
  EXPECT_EQ(Summary(Of({.text = "t"}, "driver >= 560")), "t: driver 550.54.14 @driver");
  EXPECT_EQ(Summary(Of({.text = "t", .forbids = true}, "variable LD_LIBRARY_PATH")),
            "t: LD_LIBRARY_PATH=/opt/lib @LD_LIBRARY_PATH");
  EXPECT_EQ(Summary(Of({.text = "t", .forbids = true}, "variable LD_PRELOAD")), "");
  EXPECT_EQ(Summary(Of({.text = "t"}, "variable NCCL_DEBUG == INFO")),
            "t: NCCL_DEBUG is not set @NCCL_DEBUG");
  EXPECT_EQ(Summary(Of({.text = "t"}, "package cupy at \"/opt/*\"")),
            "t: no package cupy in /opt/* @package cupy in /opt/*");
  EXPECT_EQ(Summary(Of({.text = "t"}, "all gpu == \"NVIDIA A100*\"")),
            "t: GPU 0 NVIDIA H100 80GB HBM3 and 1 more @GPU 0");
  EXPECT_EQ(Summary(Of({.text = "t", .forbids = true}, "any loaded cuDNN == 9.*")),
            "t: cuDNN 9.1.0 in /opt/venv/lib, loaded by torch in /opt/venv @/opt/venv/lib");
}

TEST(Judge, WhenItDoesNotApplyItIsSilent) {
  EXPECT_EQ(Summary(Of({.text = "t"}, "driver >= 560", "container")), "");
  EXPECT_EQ(Summary(Of({.text = "t"}, "driver >= 560", "package torch")), "t: driver 550.54.14 @driver");
  EXPECT_EQ(Summary(Of({.text = "t"}, "driver >= 560", "python")), "[SITE001: Python: permission denied]");
  EXPECT_EQ(Summary(Of({.text = "t"}, "driver >= 550", "python")), "") << "it holds anyway";
}

TEST(Judge, CouldNotTellNamesTheFact) {
  Facts facts = Node();
  EXPECT_EQ(Summary(Of({.text = "t"}, "all python >= 3.10")), "[SITE001: Python: permission denied]");
  EXPECT_EQ(Summary(Of({.text = "t"}, "any toolkit >= 12.4.1")),
            "[SITE001: toolkit: cannot compare toolkit 12.4 in /usr/local/cuda-12.4]");
  facts.unknown[Kind::kContainer] = {"host unknown", true};
  EXPECT_EQ(Summary(Of({.text = "t"}, "container"), facts), "[SITE001: container: host unknown (host)]");
}

TEST(Judge, ManyFactsAreCounted) {
  Facts facts;
  for (int i = 0; i < 100; ++i)
    facts.all.push_back({.kind = Kind::kPackage, .name = "p" + std::to_string(i), .value = "1"});
  const Policy policy = Of({.text = "t", .forbids = true}, "package p*");
  const auto rulings = Judge(policy, facts);
  EXPECT_EQ(rulings[0].finding->summary, "t: p0 1 and 99 more");
  EXPECT_EQ(rulings[0].finding->evidence.size(), 22u);
  EXPECT_EQ(rulings[0].finding->evidence[20].fact, "80 more of them");
}

TEST(SiteCode, ThreeOrFourDigits) {
  EXPECT_TRUE(IsSiteCode("SITE001"));
  EXPECT_TRUE(IsSiteCode("SITE1234"));
  for (const char* code : {"", "SITE", "SITE01", "SITE12345", "SITEabc", "site001", "CUL3004"})
    EXPECT_FALSE(IsSiteCode(code)) << code;
}

TEST(MachineFacts, WhatWasNotLookedAtIsNotKnown) {
  const Facts facts = FactsOf(snapshot::Snapshot(), {}, false);
  EXPECT_TRUE(facts.all.empty());
  for (const Kind kind :
       {Kind::kLibcuda, Kind::kPython, Kind::kPackage, Kind::kFramework, Kind::kLoaded, Kind::kCpu})
    EXPECT_TRUE(facts.unknown.contains(kind)) << base::Word(kind);
}

TEST(MachineFacts, NoPythonIsKnownWhereItWasLookedFor) {
  using Environments = snapshot::Fact<std::vector<snapshot::PythonEnvironment>>;
  snapshot::Snapshot snapshot;
  snapshot.stack.environments = Environments::Absent("PATH and the usual places");
  for (const bool played : {true, false}) {
    const Facts facts = FactsOf(snapshot, {}, played);
    EXPECT_EQ(Says("package numpy", facts), "no");
    EXPECT_EQ(Says("all package numpy < 2", facts), "yes");
    EXPECT_EQ(Says("python or framework torch or loaded cuDNN", facts), "no");
  }
  snapshot.stack.environments = Environments::Absent("not requested");
  EXPECT_EQ(Says("package numpy", FactsOf(snapshot, {}, true)), "unknown");
  snapshot.stack.environments = Environments::Unreadable("permission denied", "/opt");
  EXPECT_EQ(Says("package numpy", FactsOf(snapshot, {}, true)), "unknown");
}

TEST(MachineFacts, AnAssumedGpuHasTheNameThatItsDriverWouldSay) {
  snapshot::Snapshot snapshot;
  using Gpus = snapshot::Fact<std::vector<snapshot::Gpu>>;
  snapshot.stack.gpus =
      Gpus::Of({{.name = "H100", .assumed = true}, {.name = "NVIDIA L4", .assumed = true}}, "--host");
  EXPECT_EQ(Says("any gpu == \"NVIDIA H100*\"", FactsOf(snapshot, {}, true)), "yes");
  EXPECT_EQ(Says("any gpu == \"NVIDIA L4\"", FactsOf(snapshot, {}, true)), "yes");
  snapshot.stack.gpus = Gpus::Of({{.assumed = true}}, "--host");
  EXPECT_EQ(Says("any gpu == \"NVIDIA*\"", FactsOf(snapshot, {}, true)), "unknown");
}

TEST(MachineFacts, TheHostOfFilesIsOutOfReach) {
  snapshot::Snapshot snapshot;
  snapshot.stack.driver = snapshot::Fact<snapshot::Driver>::NotApplicable("host unknown with --root");
  snapshot.stack.cudnn = snapshot::Fact<std::vector<snapshot::CudnnCopy>>::Unreadable("denied", "/usr/lib");
  const Facts facts = FactsOf(snapshot, {}, true);
  EXPECT_TRUE(facts.unknown.at(Kind::kDriver).of_host);
  EXPECT_EQ(facts.unknown.at(Kind::kDriver).why, "host unknown with --root");
  EXPECT_FALSE(facts.unknown.at(Kind::kCudnn).of_host);
  EXPECT_EQ(Says("driver >= 5", facts), "unknown");
  EXPECT_EQ(Says("not cudnn", facts), "unknown");
}

}  // namespace
}  // namespace culprit::policy
