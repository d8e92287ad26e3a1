// `culprit check`, `explain` and `rules` on a made-up image with PyTorch.
#include <gtest/gtest.h>

#include <set>

#include "base/json.h"
#include "made_up_torch.h"

namespace culprit {
namespace {

using Check = TorchImage;

TEST_F(Check, AHealthyImage) {
  ExpectGolden("check_ok.txt", Ask({}), 0);
  ExpectGolden("check_ok.md", Ask({"--format", "markdown"}), 0);
  ExpectGoldenJson("check_ok.json", Ask({"--format", "json"}), 0);
}

TEST_F(Check, LdLibraryPathMixesTwoCopiesOfCudnn) {
  ExpectGolden("check_mixed.txt", Ask({"--env", "shadow.env"}), 1);
  ExpectGolden("check_mixed.md", Ask({"--env", "shadow.env", "--format", "markdown"}), 1);
  ExpectGoldenJson("check_mixed.json", Ask({"--env", "shadow.env", "--format", "json"}), 1);
}

// What people paste: no secret, no home directory, no markup in foreign names.
TEST_F(Check, ABugReport) {
  WriteFile(top_ / "own.env",
            "HOME=/home/ada\nUSER=ada\nHF_TOKEN=hf_abcdefghijklmnopqrstuvwxyz012345\n"
            "LD_LIBRARY_PATH=/home/ada/lib\n");
  ExpectGolden("bug_report.md", {"bug-report", "--root", "root", "--env", "own.env"}, 0);
  const std::string text = Run({"bug-report", "--root", "root", "--env", "own.env"}).out;
  EXPECT_EQ(text.find("ada"), std::string::npos) << text;
  EXPECT_EQ(text.find("hf_"), std::string::npos) << text;
}

TEST_F(Check, TheMixIsOneErrorUnderItsCode) {
  const base::Json json = base::Json::parse(Run(Ask({"--env", "shadow.env", "--format", "json"})).out);
  std::vector<std::string> errors;
  for (const base::Json& finding : json.at("findings")) {
    if (finding.at("severity") == "error") errors.push_back(finding.at("code"));
  }
  EXPECT_EQ(errors, std::vector<std::string>{"CUL3004"});
}

TEST_F(Check, AnEnvironmentAsTarget) { ExpectGolden("check_environment.txt", Ask({"/opt/venv"}), 0); }

TEST_F(Check, AProgramAsTarget) {
  ExpectGolden("check_program.txt", Ask({"/app/broken"}), 1);
  ExpectGolden("check_program.txt", Ask({"root/app/broken"}), 1);  // as the shell completes it
  ExpectGolden("check_program.txt", Ask({(root_ / "app/broken").string()}), 1);
}

TEST_F(Check, WhatUsesNoCudaIsNotToldAsFine) {
  Add("/app/plain", {.needed = {"libc.so.6"}, .interpreter = kLoader});
  const Output output = Run(Ask({"/app/plain"}));
  EXPECT_EQ(output.status, 2) << output.out;
  EXPECT_TRUE(output.out.starts_with("/app/plain uses no CUDA, as far as its files tell\n")) << output.out;
  const base::Json json = base::Json::parse(Run(Ask({"/app/plain", "--format", "json"})).out);
  EXPECT_EQ(json.at("verdict"), "unknown");
}

TEST_F(Check, AnEmptyRootIsNotToldAsFine) {
  std::filesystem::create_directory(top_ / "empty");
  const Output output = Run({"check", "--root", "empty"});
  EXPECT_EQ(output.status, 2);
  EXPECT_TRUE(output.out.starts_with("no CUDA found")) << output.out;
}

// The proof of `fix` is part of what check says.
TEST_F(Check, FixesAreTried) {
  const base::Json json = base::Json::parse(Run(Ask({"--env", "shadow.env", "--format", "json"})).out);
  EXPECT_EQ(json.at("findings").at(0).at("fix").at("proof").at("outcome"), "shown") << json;
}

TEST_F(Check, WithoutAHostItIsNotToldAsFine) {
  ExpectGolden("check_no_host.txt", {"check", "--root", "root"}, 0);
}

TEST_F(Check, StrictCountsWarnings) {
  WriteFile(top_ / "preload.env", "LD_PRELOAD=/nowhere/libtcmalloc.so.4\n");
  const Output lenient = Run(Ask({"--env", "preload.env"}));
  EXPECT_EQ(lenient.status, 0) << lenient.out;
  ExpectGolden("check_strict.txt", Ask({"--env", "preload.env", "--strict"}), 1);
  EXPECT_EQ(Run(Ask({"--strict"})).status, 0);
}

TEST_F(Check, AHostThatIsNoneIsWrongUsage) {
  for (const char* host : {"driver", "driver=", "gpu=sm_", "gpu=Voodoo2", "cuda=13.0", "driver=abc", ","}) {
    const Output output = Run({"check", "--root", "root", "--host", host});
    EXPECT_EQ(output.status, 64) << host;
    EXPECT_EQ(output.out, "") << host;
    EXPECT_EQ(std::ranges::count(output.err, '\n'), 1) << output.err;
  }
  ExpectGolden("check_bad_host.txt", {"check", "--root", "root", "--host", "gpu=Voodoo2"}, 64);
}

TEST_F(Check, ATargetThatIsNothingToLookAt) {
  ExpectGolden("check_text_target.txt", Ask({"/app/notes.txt"}), 2);
  ExpectGolden("check_directory_target.txt", Ask({"/app"}), 2);
  ExpectGolden("check_no_target.txt", Ask({"/none"}), 2);
}

TEST_F(Check, ASnapshotGivesTheSameFindings) {
  ASSERT_EQ(Run({"snapshot", "--root", "root", "--env", "shadow.env", "-o", "machine.json"}).status, 0);
  const Output live = Run(Ask({"--env", "shadow.env", "--format", "json"}));
  const Output recorded = Run({"check", "machine.json", "--host", kHost, "--format", "json"});
  EXPECT_EQ(recorded.status, live.status);
  base::Json findings = base::Json::parse(live.out).at("findings");
  for (base::Json& finding : findings)
    finding.at("fix").erase("proof");  // a file has no files to try a fix on
  EXPECT_EQ(base::Json::parse(recorded.out).at("findings"), findings);
}

TEST_F(Check, Explain) {
  ExpectGolden("explain.txt", {"explain", "CUL3004"}, 0);
  ExpectGolden("explain_unknown.txt", {"explain", "CUL9999"}, 2);
  EXPECT_EQ(std::ranges::count(Run({"explain", "CUL9999"}).err, '\n'), 1);
}

TEST_F(Check, RulesAsJson) {
  const Output output = Run({"rules", "--format", "json"});
  EXPECT_EQ(output.status, 0);
  const base::Json json = base::Json::parse(output.out);
  std::set<std::string> codes;
  for (const base::Json& rule : json.at("rules")) codes.insert(rule.at("code").get<std::string>());
  EXPECT_GT(codes.size(), 60u);
  EXPECT_EQ(codes.size(), json.at("rules").size()) << "a code stands there twice";
}

}  // namespace
}  // namespace culprit
