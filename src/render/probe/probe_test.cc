// A probe as people and programs read it.
#include "render/probe/probe.h"

#include <gtest/gtest.h>

#include "base/json.h"

namespace culprit::render {
namespace {

using Outcome = report::ProbeStepRow::Outcome;

report::ProbeReport Failed() {
  report::ProbeReport report;
  report.verdict = report::Verdict::kErrors;
  report.headline = "1 of 2 steps failed";
  report.devices.push_back({.index = "0",
                            .nvml_index = "0",
                            .name = "NVIDIA H200",
                            .compute_capability = "9.0",
                            .compute_mode = base::ComputeMode::kDefault,
                            .memory_total = uint64_t{140} << 30,
                            .memory_free = uint64_t{7} << 29,
                            .holders = {{"4711", "python3", uint64_t{136} << 30}}});
  report.steps.push_back({.name = "cudnn-parts",
                          .title = "the parts are of one version",
                          .group = "cuDNN 9.19.0 in /new",
                          .outcome = Outcome::kFailed,
                          .status = "mixed-versions",
                          .detail = "9.14.0",
                          .ms = 12.34,
                          .cause = "cudnn-mixed-versions",
                          .code = "CUL9005",
                          .libraries = {{"libcudnn.so.9", "/new/libcudnn.so.9", "9.19.0"},
                                        {"libcudnn_ops.so.9", "/old/libcudnn_ops.so.9", "9.14.0"}}});
  report.steps.push_back({.name = "cudnn-convolution",
                          .title = "a convolution",
                          .group = "cuDNN 9.19.0 in /new",
                          .status = "not-run"});
  report.steps.push_back({.name = "copy",
                          .title = "copies",
                          .group = "driver 580",
                          .outcome = Outcome::kOk,
                          .status = "ok",
                          .ms = 1.5,
                          .figures = {{"host_to_device_gbps", "24.1"}, {"taken", "7"}}});
  report.findings.push_back({.code = "CUL9005",
                             .cause = "cudnn-mixed-versions",
                             .summary = "two versions",
                             .evidence = {{"libcudnn_ops.so.9 is 9.14.0", "/old/libcudnn_ops.so.9"}},
                             .fix = {.text = "one directory"}});
  return report;
}

TEST(ProbeText, FailedGroupFirstThenTheExplanation) {
  EXPECT_EQ(
      ToText(Failed(), {}),
      "1 of 2 steps failed\n"
      "\n"
      "cuDNN 9.19.0 in /new\n"
      "  ✗ the parts are of one version      12 ms  mixed-versions (9.14.0); cudnn-mixed-versions, CUL9005\n"
      "      /old/libcudnn_ops.so.9  9.14.0\n"
      "  – a convolution\n"
      "\n"
      "driver 580\n"
      "  ✓ copies                           1.5 ms  24.1 GB/s to the device\n"
      "\n"
      "devices\n"
      "  GPU 0  NVIDIA H200, compute capability 9.0, 3.5 of 140.0 GiB free\n"
      "         PID 4711 python3 holds 136.0 GiB\n"
      "\n"
      "error CUL9005  two versions\n"
      "  proof    libcudnn_ops.so.9 is 9.14.0  [/old/libcudnn_ops.so.9]\n"
      "  fix      one directory\n"
      "\n"
      "more: culprit explain CUL9005\n");
}

TEST(ProbeText, WhatSeveralStepsSayIsSaidOnce) {
  report::ProbeReport report = Failed();
  report.findings[0].evidence = {{"out of memory", "driver: context"},
                                 {"out of memory", "runtime: nvrtc"},
                                 {"out of memory", "runtime: cublas"},
                                 {"3 MiB free", "NVML"}};
  const std::string text = ToText(report, {});
  EXPECT_NE(
      text.find("  proof    out of memory  [driver: context and 2 more]\n           3 MiB free  [NVML]\n"),
      std::string::npos)
      << text;
}

TEST(ProbeText, VerboseShowsEveryFileAndFigure) {
  const std::string text = ToText(Failed(), {}, {.verbose = true});
  EXPECT_NE(text.find("      /new/libcudnn.so.9  9.19.0\n"), std::string::npos) << text;
  EXPECT_NE(text.find("taken 7"), std::string::npos) << text;
}

TEST(ProbeText, ForeignTextCannotWriteToTheTerminal) {
  auto report = Failed();
  report.steps[0].detail = "\x1b[2Jgone";
  report.devices[0].holders[0].name = "\x1b]0;title\a";
  EXPECT_EQ(ToText(report, {}).find('\x1b'), std::string::npos);
}

TEST(ProbeJson, KeepsTheContract) {
  const auto json = base::Json::parse(ToJson(Failed()));
  EXPECT_EQ(json["schema"], "culprit.probe/1");
  EXPECT_EQ(json["verdict"], "errors");
  EXPECT_EQ(json["steps"][0]["ok"], false);
  EXPECT_TRUE(json["steps"][1]["ok"].is_null());
  EXPECT_EQ(json["steps"][2]["ok"], true);
  EXPECT_EQ(json["steps"][0]["code"], "CUL9005");
  EXPECT_TRUE(json["steps"][2]["cause"].is_null());
  EXPECT_EQ(json["steps"][0]["libraries"][1]["version"], "9.14.0");
  EXPECT_EQ(json["steps"][2]["figures"]["host_to_device_gbps"], "24.1");
  EXPECT_EQ(json["devices"][0]["holders"][0]["pid"], 4711);
  EXPECT_TRUE(json["devices"][0]["uuid"].is_null());
  EXPECT_EQ(json["findings"][0]["fix"]["text"], "one directory");
}

TEST(ProbeMarkdown, ForeignTextCannotBecomeMarkup) {
  auto report = Failed();
  report.steps[0].detail = "<img src=x> | `";
  EXPECT_EQ(ToMarkdown(report).find("<img"), std::string::npos);
}

}  // namespace
}  // namespace culprit::render
