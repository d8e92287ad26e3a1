#include "collect/record.h"

#include <gtest/gtest.h>

#include "binfmt/gpu/write_fatbin.h"
#include "binfmt/pe/write.h"
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

TEST(Recorder, DllsAreRecordedAndTheirExportsWhereSomebodyAsked) {
  using binfmt::BuildPe;
  system::MemorySystem system;
  system.AddFile("/x/a.dll",
                 BuildPe({.name = "a.dll", .imports = {{"b.dll", {"Run"}, {}}}, .exports = {"Go"}}));
  system.AddFile("/x/b.dll", BuildPe({.exports = {"Run"}}));
  system.AddFile("/x/text.dll", "just text");
  LiveFileView live(system);
  for (const char* const path : {"/x/a.dll", "/x/b.dll", "/x/text.dll"}) live.Open(path);
  const binfmt::PeExports* const asked = live.Exports("/x/b.dll");
  ASSERT_NE(asked, nullptr);
  EXPECT_TRUE(asked->Has("Run"));
  EXPECT_EQ(live.Exports("/x/b.dll"), asked) << "read once";
  EXPECT_EQ(live.Exports("/x/text.dll"), nullptr);
  EXPECT_EQ(live.Exports("/x/none.dll"), nullptr);
  ASSERT_NE(live.Open("/x/text.dll").pe, nullptr);
  Recorder recorder(system, live);
  recorder.AddAsked();
  const auto record = recorder.Take();
  snapshot::RecordedFileView view(record);
  ASSERT_NE(view.Open("/x/a.dll").pe, nullptr);
  EXPECT_EQ(*view.Open("/x/a.dll").pe, *live.Open("/x/a.dll").pe);
  ASSERT_NE(view.Exports("/x/b.dll"), nullptr);
  EXPECT_EQ(*view.Exports("/x/b.dll"), *asked);
  EXPECT_EQ(view.Exports("/x/a.dll"), nullptr) << "nobody asked";
  EXPECT_EQ(view.Open("/x/text.dll").pe, nullptr) << "says nothing on Linux";
}

TEST(Recorder, VeryManyExportsAreNotRecorded) {
  std::vector<std::string> names;
  for (int i = 0; i < 20'001; ++i) names.push_back("f" + std::to_string(i));
  system::MemorySystem system;
  system.AddFile("/a.dll", binfmt::BuildPe({.exports = names}));
  LiveFileView live(system);
  ASSERT_NE(live.Exports("/a.dll"), nullptr);
  EXPECT_EQ(live.Exports("/a.dll")->names.size(), 20'001u);
  Recorder recorder(system, live);
  recorder.AddAsked();
  const auto record = recorder.Take();
  EXPECT_EQ(snapshot::RecordedFileView(record).Exports("/a.dll"), nullptr);
}

TEST(Recorder, GpuCodeIsRecordedOnlyWhereItWasAskedFor) {
  using binfmt::BuildFatbin;
  using binfmt::BuildSections;
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
