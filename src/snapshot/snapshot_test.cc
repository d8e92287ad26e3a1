#include "snapshot/snapshot.h"

#include <gtest/gtest.h>

#include "snapshot/test_sample.h"

namespace culprit::snapshot {
namespace {

TEST(Snapshot, RoundTripKeepsEverything) {
  const Snapshot snapshot = SampleSnapshot();
  const auto from_json = SnapshotFromJson(ToJson(snapshot));
  ASSERT_TRUE(from_json) << from_json.error().message;
  EXPECT_EQ(*from_json, snapshot);
  const auto from_text = ParseSnapshot(ToJson(snapshot).dump());
  ASSERT_TRUE(from_text) << from_text.error().message;
  EXPECT_EQ(*from_text, snapshot);
}

TEST(Snapshot, EmptyOneRoundTripsToo) {
  const auto back = ParseSnapshot(ToJson(Snapshot{}).dump(2));
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(*back, Snapshot{});
}

TEST(Snapshot, TextIsStable) {
  Snapshot snapshot;
  snapshot.tool_version = "0.1.0";
  snapshot.environment = {{"A", "b"}};
  snapshot.working_directory = "/";
  snapshot.cpu.machine = "aarch64";
  snapshot.loaders = {{.path = "/lib/ld.so", .flavor = LoaderFlavor::kMusl}};
  snapshot.ld_cache = Fact<binfmt::LdCache>::Of({.entries = {{0xa03, "libc.so.6", "/lib/libc.so.6"}}}, "/c");
  snapshot.files.nodes["/a"] = {.kind = FileKind::kLink, .link_target = "\xff"};
  EXPECT_EQ(ToJson(snapshot).dump(),
            R"({"schema":"culprit.snapshot/1","tool_version":"0.1.0","environment":{"A":"b"},)"
            R"("working_directory":"/","cpu":{"machine":"aarch64","page_size":4096},)"
            R"("loaders":[{"path":"/lib/ld.so","flavor":"musl"}],)"
            R"("ld_cache":{"state":"value","value":{"layout":"new",)"
            R"("entries":[{"name":"libc.so.6","path":"/lib/libc.so.6","flags":2563}]},"source":"/c"},)"
            R"("ld_so_preload":{"state":"absent"},)"
            R"("files":[{"path":"/a","kind":"link","link_target":"\\xff"}]})");
}

TEST(Snapshot, UnknownKeysAreIgnored) {
  base::Json json = ToJson(SampleSnapshot());
  json["new"] = {1, 2};
  json["cpu"]["new"] = nullptr;
  json["files"][0]["new"] = "x";
  const auto back = SnapshotFromJson(json);
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(*back, SampleSnapshot());
}

TEST(Snapshot, LoaderIsFoundByTheNameThatProgramsUse) {
  const Snapshot snapshot = SampleSnapshot();
  ASSERT_NE(snapshot.FindLoader("/lib/ld-musl-x86_64.so.1"), nullptr);
  EXPECT_EQ(snapshot.FindLoader("/lib/ld-musl-x86_64.so.1")->flavor, LoaderFlavor::kMusl);
  EXPECT_EQ(snapshot.FindLoader("/lib/ld-musl-aarch64.so.1"), nullptr);
}

TEST(FileRecord, RoundTripsByItself) {
  const FileRecord record = SampleSnapshot().files;
  EXPECT_EQ(FileRecordFromJson(ToJson(record)), record);
  EXPECT_EQ(FileRecordFromJson(base::Json(5)).error().message, "bad record of files: not a list but 5");
}

TEST(FileRecord, NodesWithEqualElfFactsAreEqual) {
  RecordedNode a, b;
  a.elf = std::make_shared<binfmt::ElfFile>();
  EXPECT_NE(a, b);
  b.elf = std::make_shared<binfmt::ElfFile>();
  EXPECT_EQ(a, b);
  b.elf = std::make_shared<binfmt::ElfFile>(SampleElf());
  EXPECT_NE(a, b);
}

TEST(FileRecord, NodesWithEqualPeFactsAndExportsAreEqual) {
  RecordedNode a, b;
  a.pe = std::make_shared<binfmt::PeFile>(SamplePe());
  EXPECT_NE(a, b);
  b.pe = std::make_shared<binfmt::PeFile>(SamplePe());
  EXPECT_EQ(a, b);
  a.exports = std::make_shared<binfmt::PeExports>(SampleExports());
  EXPECT_NE(a, b);
  b.exports = std::make_shared<binfmt::PeExports>(SampleExports());
  EXPECT_EQ(a, b);
}

TEST(FileRecord, OrdinalsAreRangesAndNonsenseIsRefused) {
  FileRecord record;
  record.nodes["/x.dll"].exports = std::make_shared<binfmt::PeExports>(SampleExports());
  base::Json json = ToJson(record);
  EXPECT_EQ(json[0]["exports"]["ordinals"], "1 3-5 65535");
  for (const char* const bad :
       {"1-", "-", "x", "5-3", "65536", "1,2",
        "1-65535 1-65535 1-65535 1-65535 1-65535 "
        "1-65535 1-65535 1-65535 1-65535 1-65535 1-65535 1-65535 1-65535 1-65535 1-65535 "
        "1-65535 1-65535"}) {
    json[0]["exports"]["ordinals"] = bad;
    EXPECT_FALSE(FileRecordFromJson(json)) << bad;
  }
}

TEST(Words, OfTheLastValueOfEachKind) {
  EXPECT_EQ(base::Word(FileKind::kOther), "other");
  EXPECT_EQ(base::Word(FactState::kTimedOut), "timed-out");
  EXPECT_EQ(base::Word(PathError::kNotRecorded), "not-recorded");
  EXPECT_EQ(base::Word(LoaderFlavor::kUnknown), "unknown");
}

}  // namespace
}  // namespace culprit::snapshot
