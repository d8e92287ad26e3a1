// `culprit diff` on two snapshots of a made-up image with PyTorch: the first line names what broke.
#include <gtest/gtest.h>

#include "base/json.h"
#include "made_up_torch.h"

namespace culprit {
namespace {

class Diff : public TorchImage {
 protected:
  void Snapshot(const std::string& file, std::vector<std::string> more = {}) const {
    more.insert(more.begin(), {"snapshot", "-q", "--root", "root", "-o", file});
    ASSERT_EQ(Run(more).status, 0);
  }
  base::Json Compare(int status, std::vector<std::string> more = {}) const {
    more.insert(more.begin(), {"diff", "before.json", "after.json", "--host", kHost, "--format", "json"});
    const Output output = Run(more);
    EXPECT_EQ(output.status, status) << output.err << output.out;
    return base::Json::parse(output.out);
  }
};

TEST_F(Diff, TheSameMachineTwice) {
  Snapshot("before.json");
  // Everything is rewritten, with other inodes and times.
  fs::remove(root_ / "app/fifo.so");  // cannot be copied
  fs::copy(root_, top_ / "copy", fs::copy_options::recursive | fs::copy_options::copy_symlinks);
  fs::remove_all(root_);
  fs::rename(top_ / "copy", root_);
  Snapshot("after.json");
  const base::Json diff = Compare(0);
  EXPECT_EQ(diff.at("headline"), "nothing changed");
  EXPECT_EQ(diff.at("differences"), base::Json::array());
  EXPECT_EQ(diff.at("new_findings"), base::Json::array());
}

TEST_F(Diff, AVariableStandsAboveWhatItLeadsTo) {
  WriteFile(top_ / "plain.env", "LD_LIBRARY_PATH=/app/nothing\nHOME=/home/ada\n");
  WriteFile(top_ / "mixed.env", "LD_LIBRARY_PATH=/usr/lib/x86_64-linux-gnu:/app/nothing\nHOME=/home/ada\n");
  Snapshot("before.json", {"--env", "plain.env"});
  Snapshot("after.json", {"--env", "mixed.env"});
  ExpectGolden("diff_variable.txt", {"diff", "before.json", "after.json", "--host", kHost}, 1);
  ExpectGolden("diff_variable.md",
               {"diff", "before.json", "after.json", "--host", kHost, "--format", "markdown"}, 1,
               [](std::string text) { return text.substr(0, text.rfind("culprit ")); });
  const base::Json diff = Compare(1);
  EXPECT_EQ(diff.at("schema"), "culprit.diff/1");
  ASSERT_EQ(diff.at("differences").size(), 1u);
  EXPECT_EQ(diff.at("differences").at(0).at("findings").at(0), "CUL3004");
  EXPECT_EQ(Run({"diff", "after.json", "before.json", "--host", kHost}).status, 0) << "nothing is worse";
  const Output page = Run({"diff", "before.json", "after.json", "--host", kHost, "--format", "html"});
  EXPECT_NE(page.out.find("added in front"), std::string::npos);
}

TEST_F(Diff, APackageExplainsItsFiles) {
  Snapshot("before.json");
  const std::string site = root_.string() + kSite;
  fs::remove_all(site + "nvidia_cudnn_cu13-9.19.0.56.dist-info");
  AddPackage("nvidia-cudnn-cu13", "9.14.0.64", "nvidia/cudnn/lib/libcudnn.so.9,,\n");
  AddCudnn(std::string(kSite) + "nvidia/cudnn/lib", 14);
  AddPackage("einops", "0.8.1", "");
  Snapshot("after.json");
  const base::Json diff = Compare(1);
  const base::Json& first = diff.at("differences").at(0);
  EXPECT_EQ(first.at("kind"), "package");
  EXPECT_EQ(first.at("summary"), "pip nvidia-cudnn-cu13 9.19.0.56 -> 9.14.0.64 in /opt/venv");
  EXPECT_GE(first.at("leads_to").size(), 2u) << diff.dump(1);
  for (const base::Json& difference : diff.at("differences"))
    EXPECT_NE(difference.at("kind"), "file") << "told with its package: " << difference.dump();
  EXPECT_EQ(diff.at("differences").back().at("summary"), "einops none -> 0.8.1 in /opt/venv");
}

TEST_F(Diff, AFileThatWentAway) {
  Snapshot("before.json");
  const std::string gone = std::string(kSite) + "nvidia/cu13/lib/libcublasLt.so.13";
  fs::remove(root_.string() + gone);
  Snapshot("after.json");
  const base::Json diff = Compare(1);
  EXPECT_NE(diff.at("headline").get<std::string>().find(gone), std::string::npos) << diff.dump(1);
  bool not_found = false;
  for (const base::Json& line : diff.at("differences").at(0).at("leads_to"))
    not_found |= line.get<std::string>().find("libcublasLt.so.13 is no longer found") != std::string::npos;
  EXPECT_TRUE(not_found) << diff.at("differences").dump(1);
}

TEST_F(Diff, WhatCannotBeReadOrIsNoPair) {
  Snapshot("before.json");
  WriteFile(top_ / "after.json", "{\"schema\": \"culprit.check/1\"}");
  const Output bad = Run({"diff", "before.json", "after.json"});
  EXPECT_EQ(bad.status, 2);
  EXPECT_EQ(bad.out, "");
  EXPECT_EQ(std::ranges::count(bad.err, '\n'), 1) << bad.err;
  EXPECT_EQ(Run({"diff", "before.json", "nowhere.json"}).status, 2);
  EXPECT_EQ(Run({"diff", "before.json"}).status, 64);
  EXPECT_EQ(Run({"diff", "before.json", "before.json", "--host", "gpu=Voodoo2"}).status, 64);
}

TEST_F(Diff, SightThatWasLostIsNoPass) {
  Snapshot("before.json");
  base::Json machine = base::Json::parse(ReadFile(top_ / "before.json"));
  machine["stack"]["environments"] = {{"state", "timed-out"}, {"why", "no answer in time"}};
  machine["tool_version"] = "0.1.0";
  WriteFile(top_ / "after.json", machine.dump());
  const base::Json diff = Compare(2);
  EXPECT_EQ(diff.at("after").at("verdict"), "unknown");
  EXPECT_EQ(diff.at("not_compared").at(0).at("what"), "the Python environments");
  EXPECT_EQ(diff.at("remarks").size(), 1u) << "made by different versions of culprit";
}

}  // namespace
}  // namespace culprit
