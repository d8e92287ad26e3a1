// One way of being broken each, with the line that the user gets.
#include <gtest/gtest.h>

#include "snapshot/test_sample.h"

namespace culprit::snapshot {
namespace {

using base::ErrorCode;
using base::Json;

struct Broken {
  const char* name;
  const char* pointer;  // what is replaced
  Json value;
  const char* message;
};

void PrintTo(const Broken& broken, std::ostream* out) { *out << broken.name; }

class Malformed : public testing::TestWithParam<Broken> {};

TEST_P(Malformed, IsRejectedWithOneClearLine) {
  Json json = ToJson(SampleSnapshot());
  json[Json::json_pointer(GetParam().pointer)] = GetParam().value;
  const auto snapshot = SnapshotFromJson(json);
  ASSERT_FALSE(snapshot);
  EXPECT_EQ(snapshot.error().message, GetParam().message);
  EXPECT_EQ(ParseSnapshot(json.dump()).error().message, GetParam().message);
}

INSTANTIATE_TEST_SUITE_P(
    All, Malformed,
    testing::Values(
        Broken{"AnotherKindOfFile", "/schema", "culprit.check/1",
               "not a culprit snapshot: its schema is \"culprit.check/1\", this culprit reads "
               "\"culprit.snapshot/1\""},
        Broken{"NewerFormat", "/schema", "culprit.snapshot/2",
               "a snapshot of another format: its schema is \"culprit.snapshot/2\", this culprit reads "
               "\"culprit.snapshot/1\""},
        Broken{"SchemaIsNoString", "/schema", 1, "not a culprit snapshot: schema: not a string but 1"},
        Broken{"EnvironmentIsAList", "/environment", Json::array(),
               "bad snapshot: environment: not an object but array"},
        Broken{"VariableIsNull", "/environment/EMPTY", nullptr,
               "bad snapshot: environment.EMPTY: not a string but null"},
        Broken{"CpuIsAString", "/cpu", "x86_64", "bad snapshot: cpu: not an object but string"},
        Broken{"PageSizeIsNegative", "/cpu/page_size", -1,
               "bad snapshot: cpu.page_size: not a whole number from 0 to 18446744073709551615 but -1"},
        Broken{"LevelsAreNumbers", "/cpu/isa_levels/1", 3,
               "bad snapshot: cpu.isa_levels[1]: not a string but 3"},
        Broken{"LoaderFlavorIsUnknown", "/loaders/0/flavor", "uclibc",
               "bad snapshot: loaders[0].flavor: unknown name \"uclibc\""},
        Broken{"MachineIsHuge", "/loaders/0/machine", 65536,
               "bad snapshot: loaders[0].machine: not a whole number from 0 to 65535 but 65536"},
        Broken{"FactStateIsUnknown", "/ld_cache/state", "maybe",
               "bad snapshot: ld_cache.state: unknown name \"maybe\""},
        Broken{"FactHasAValueThatItsStateForbids", "/ld_cache/state", "absent",
               "bad snapshot: ld_cache: a value although the state is absent"},
        Broken{"FactLacksItsValue", "/ld_so_preload/state", "value",
               "bad snapshot: ld_so_preload: \"value\" is missing"},
        Broken{"FactIsNull", "/ld_so_preload", nullptr,
               "bad snapshot: ld_so_preload: not an object but null"},
        Broken{"CacheLayoutIsUnknown", "/ld_cache/value/layout", "x",
               "bad snapshot: ld_cache.value.layout: unknown name \"x\""},
        Broken{"CacheFlagsAreAFraction", "/ld_cache/value/entries/0/flags", 0.5,
               "bad snapshot: ld_cache.value.entries[0].flags: not a whole number from -2147483648 to "
               "2147483647 but 0.5"},
        Broken{"FilesAreAnObject", "/files", Json::object(), "bad snapshot: files: not a list but object"},
        Broken{"NodeIsANumber", "/files/1", 7, "bad snapshot: files[1]: not an object but 7"},
        Broken{"PathIsRelative", "/files/1/path", "lib",
               "bad snapshot: files[1]: not a clean absolute path: lib"},
        Broken{"PathIsNotClean", "/files/1/path", "/a/",
               "bad snapshot: files[1]: not a clean absolute path: /a/"},
        Broken{"PathHasDotDot", "/files/1/path", "/a/..",
               "bad snapshot: files[1]: not a clean absolute path: /a/.."},
        Broken{"PathComesTwice", "/files/1/path", "/", "bad snapshot: files[1]: twice in the list: /"},
        Broken{"KindIsUnknown", "/files/1/kind", "door",
               "bad snapshot: files[1].kind: unknown name \"door\""},
        Broken{"ErrorIsUnknown", "/files/1/error", "x\x1b",
               "bad snapshot: files[1].error: unknown name \"x\\x1b\""},
        Broken{"ListedIsANumber", "/files/2/listed", 1,
               "bad snapshot: files[2].listed: not true or false but 1"}),
    [](const auto& broken) { return broken.param.name; });

INSTANTIATE_TEST_SUITE_P(
    Elf, Malformed,
    testing::Values(
        Broken{"ElfIsAList", "/files/4/elf", Json::array(),
               "bad snapshot: files[4].elf: not an object but array"},
        Broken{"ProblemIsUnknown", "/files/4/elf/problem", "x",
               "bad snapshot: files[4].elf.problem: unknown name \"x\""},
        Broken{"IdentIsShort", "/files/4/elf/ident", "7f",
               "bad snapshot: files[4].elf.ident: not 32 hexadecimal digits"},
        Broken{"IdentIsNotHexadecimal", "/files/4/elf/ident", std::string(32, 'F'),
               "bad snapshot: files[4].elf.ident: not 32 hexadecimal digits"},
        Broken{"SegmentIsShort",
               "/files/4/elf/loads/1",
               {1, 2, 3},
               "bad snapshot: files[4].elf.loads[1]: not a segment"},
        Broken{
            "SegmentFlagsAreHuge",
            "/files/4/elf/loads/0",
            {1, 2, 3, 4, 5, 1ull << 32},
            "bad snapshot: files[4].elf.loads[0][5]: not a whole number from 0 to 4294967295 but 4294967296"},
        Broken{"RequestIsOfNoKind", "/files/4/elf/requests/0", Json::object(),
               "bad snapshot: files[4].elf.requests[0]: not a request"},
        Broken{"WeakIsAString", "/files/4/elf/version_needs/0/versions/1/weak", "yes",
               "bad snapshot: files[4].elf.version_needs[0].versions[1].weak: not true or false but string"}),
    [](const auto& broken) { return broken.param.name; });

TEST(MalformedSnapshot, EveryTopFieldMustBeThere) {
  for (const char* key : {"tool_version", "environment", "working_directory", "cpu", "loaders", "ld_cache",
                          "ld_so_preload", "files"}) {
    Json json = ToJson(SampleSnapshot());
    json.erase(key);
    EXPECT_EQ(SnapshotFromJson(json).error().message,
              "bad snapshot: \"" + std::string(key) + "\" is missing");
  }
  EXPECT_EQ(SnapshotFromJson(Json::object()).error().message,
            "not a culprit snapshot: \"schema\" is missing");
}

TEST(MalformedSnapshot, CodesTellAnotherFormatFromABrokenOne) {
  Json json = ToJson(SampleSnapshot());
  json["schema"] = "culprit.snapshot/2";
  EXPECT_EQ(SnapshotFromJson(json).error().code, ErrorCode::kUnsupported);
  json["schema"] = "x";
  EXPECT_EQ(SnapshotFromJson(json).error().code, ErrorCode::kBadFormat);
}

TEST(MalformedSnapshot, MessageStaysOneShortLine) {
  Json json = ToJson(SampleSnapshot());
  json["schema"] = std::string(1 << 20, '\n');
  EXPECT_LT(SnapshotFromJson(json).error().message.size(), 500u);
  EXPECT_EQ(SnapshotFromJson(json).error().message.find('\n'), std::string::npos);
}

TEST(MalformedSnapshot, TextThatIsNoJsonSaysSo) {
  EXPECT_EQ(ParseSnapshot("").error().message, "not a culprit snapshot: JSON ends unexpectedly after byte 1");
  EXPECT_EQ(ParseSnapshot("\x7f"
                          "ELF")
                .error()
                .message,
            "not a culprit snapshot: invalid JSON at byte 1");
  EXPECT_EQ(ParseSnapshot("[]").error().message, "not a culprit snapshot: not an object but array");
  EXPECT_EQ(ParseSnapshot(std::string(100'000, '[')).error().message,
            "not a culprit snapshot: JSON nested deeper than 64");
}

}  // namespace
}  // namespace culprit::snapshot
