#include "collect/record.h"

#include <gtest/gtest.h>

#include "binfmt/testing/fatbin_builder.h"
#include "snapshot/recorded_file_view.h"
#include "system/memory.h"

namespace culprit::collect {
namespace {

using base::PathError;

TEST(Recorder, AListedDirectoryIsKnownCompletely) {
  system::MemorySystem system;
  system.AddFile("/a/b/libx.so", "x");
  system.AddFile("/a/b/readme", "x");
  system.AddLink("/l", "a/b");
  LiveFileView live(system);
  Recorder recorder(system, live);
  recorder.AddDirectory("/l", /*programs=*/false);
  const auto record = recorder.Take();
  snapshot::RecordedFileView view(record);
  EXPECT_EQ(view.Open("/l/libx.so").error, PathError::kNone);
  EXPECT_NE(view.Open("/l/libx.so").elf, nullptr);
  EXPECT_EQ(view.Open("/a/b/readme").elf, nullptr) << "there, but not read";
  EXPECT_EQ(view.Open("/l/liby.so").error, PathError::kNoEntry);
  EXPECT_EQ(view.Open("/a/other").error, PathError::kNotRecorded);
  EXPECT_EQ(view.RealPath("/l/libx.so"), "/a/b/libx.so");
}

TEST(Recorder, AMissingPathIsRecordedAsMissing) {
  system::MemorySystem system;
  LiveFileView live(system);
  Recorder recorder(system, live);
  recorder.AddPath("/no/such/dir");
  const auto record = recorder.Take();
  snapshot::RecordedFileView view(record);
  EXPECT_EQ(view.Directory("/no/such/dir"), PathError::kNoEntry);
}

TEST(Recorder, SurvivesLinksThatRunInACircle) {
  system::MemorySystem system;
  system.AddLink("/a", "b");
  system.AddLink("/b", "a");
  LiveFileView live(system);
  Recorder recorder(system, live);
  recorder.AddPath("/a/x");
  const auto record = recorder.Take();
  snapshot::RecordedFileView view(record);
  EXPECT_EQ(view.Open("/a/x").error, PathError::kLoop);
}

TEST(Recorder, GpuCodeIsRecordedOnlyWhereItWasAskedFor) {
  using binfmt::testing::BuildFatbin;
  using binfmt::testing::BuildSections;
  const std::string library = BuildSections({.sections = {{".nv_fatbin", BuildFatbin({.entries = {{}}})}}});
  system::MemorySystem system;
  system.AddFile("/lib/libx.so", library);
  system.AddFile("/lib/liby.so", library);
  system.AddFile("/lib/text.so", "just text");
  system.AddLink("/link.so", "lib/libx.so");
  LiveFileView live(system);
  const auto asked = live.GpuCode("/link.so");
  ASSERT_TRUE(asked);
  ASSERT_EQ(asked->containers.size(), 1u);
  EXPECT_EQ(live.GpuCode("/lib/text.so").state, snapshot::FactState::kNotApplicable);
  EXPECT_EQ(live.GpuCode("/lib/none.so").why, "No such file or directory");
  EXPECT_EQ(live.GpuCode("/lib").state, snapshot::FactState::kNotApplicable);
  Recorder recorder(system, live);
  recorder.AddDirectory("/lib", /*programs=*/false);
  recorder.AddAsked();
  const auto record = recorder.Take();
  snapshot::RecordedFileView view(record);
  EXPECT_EQ(view.GpuCode("/link.so"), asked);
  EXPECT_EQ(view.GpuCode("/lib/libx.so"), asked);
  EXPECT_EQ(view.GpuCode("/lib/text.so").state, snapshot::FactState::kNotApplicable);
  EXPECT_EQ(view.GpuCode("/lib/liby.so").why, "not recorded in the snapshot");
}

TEST(Recorder, SecretsInTheEnvironmentStayOut) {
  const auto relevant =
      RelevantEnvironment({{"LD_LIBRARY_PATH", "/x"}, {"AWS_SECRET", "y"}, {"PATH", "/bin"}});
  EXPECT_EQ(relevant.size(), 2u);
  EXPECT_FALSE(relevant.contains("AWS_SECRET"));
}

}  // namespace
}  // namespace culprit::collect
