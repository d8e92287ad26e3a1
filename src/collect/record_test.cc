#include "collect/record.h"

#include <gtest/gtest.h>

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

TEST(Recorder, SecretsInTheEnvironmentStayOut) {
  const auto relevant =
      RelevantEnvironment({{"LD_LIBRARY_PATH", "/x"}, {"AWS_SECRET", "y"}, {"PATH", "/bin"}});
  EXPECT_EQ(relevant.size(), 2u);
  EXPECT_FALSE(relevant.contains("AWS_SECRET"));
}

}  // namespace
}  // namespace culprit::collect
