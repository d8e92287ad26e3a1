#include "probe/host/cudnn_versions.h"

#include <gtest/gtest.h>

namespace culprit::probe {
namespace {

snapshot::ProbeStep Compared(std::vector<snapshot::ProbedLibrary> files) {
  snapshot::ProbeFacts facts;
  facts.steps.resize(2);
  facts.steps[0].job = facts.steps[1].job = "cudnn /new";
  facts.steps[0].name = snapshot::StepName::kCudnnLoad;
  facts.steps[1].name = snapshot::StepName::kCudnnParts;
  facts.steps[0].outcome = facts.steps[1].outcome = snapshot::StepOutcome::kOk;
  facts.steps[0].libraries = std::move(files);
  CompareCudnnVersions(facts);
  return facts.steps[1];
}

TEST(CudnnVersions, AShellOverPartsOfAnotherReleaseFails) {
  const auto step = Compared({{"libcudnn.so.9", "/new/libcudnn.so.9", "9.19.0"},
                              {"libcudnn_ops.so.9", "/old/libcudnn_ops.so.9", "9.14.0"}});
  EXPECT_EQ(step.outcome, snapshot::StepOutcome::kFailed);
  EXPECT_EQ(step.status.text(), "mixed-versions");
  EXPECT_EQ(step.detail, "/old/libcudnn_ops.so.9 is 9.14.0, /new/libcudnn.so.9 is 9.19.0");
}
TEST(CudnnVersions, ABuildNumberIsNoDifference) {
  const auto step = Compared({{"libcudnn.so.9", "/new/libcudnn.so.9", "9.19.0"},
                              {"libcublas.so.13", "/x/libcublas.so.13", "13.1.0"},
                              {"libcudnn_adv.so.9", "/new/libcudnn_adv.so.9", ""},
                              {"libcudnn_ops.so.9", "/new/libcudnn_ops.so.9", "9.19.0.56"}});
  EXPECT_EQ(step.outcome, snapshot::StepOutcome::kOk);
}
TEST(CudnnVersions, AShellThatAPackageBundlesIsServedByNewerParts) {
  const auto step = Compared({{"libcudnn-0a1b2c3d.so.9.1.0", "/c/libcudnn-0a1b2c3d.so.9.1.0", "9.1.0"},
                              {"libcudnn_ops.so.9", "/new/libcudnn_ops.so.9", "9.19.0"}});
  EXPECT_EQ(step.outcome, snapshot::StepOutcome::kOk);
}

}  // namespace
}  // namespace culprit::probe
