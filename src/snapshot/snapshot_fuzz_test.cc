// Broken copies of a good snapshot: each must be read or refused, and what is read must be writable again.
#include <gtest/gtest.h>

#include <cstdlib>
#include <random>
#include <vector>

#include "snapshot/recorded_file_view.h"
#include "snapshot/test_sample.h"

namespace culprit::snapshot {
namespace {

using namespace std::string_view_literals;

std::string Mutate(std::string text, std::mt19937& random) {
  constexpr std::string_view kBytes = "{}[]\",:-0179.eE\\ux\0\xff/ntf"sv;
  const auto at = [&] { return random() % (text.size() + 1); };
  for (size_t changes = 1 + random() % 4; changes > 0; --changes) {
    const size_t from = at(), length = random() % 40;
    switch (random() % 6) {
      case 0:
        text.resize(from);
        break;
      case 1:
        text.erase(from, length);
        break;
      case 2:
        text.insert(at(), text.substr(from, length));
        break;
      case 3:
        text.insert(from, 1, kBytes[random() % kBytes.size()]);
        break;
      case 4:
        text.replace(from, length, text.substr(at(), length));
        break;
      default:
        if (from < text.size()) text[from] = kBytes[random() % kBytes.size()];
    }
  }
  return text;
}

// Replaces one value of the tree by another of its values or by a nasty one; this stays valid JSON.
void Swap(base::Json& json, std::mt19937& random) {
  const base::Json flat = json.flatten();
  const auto any = [&] { return std::next(flat.begin(), static_cast<int>(random() % flat.size())); };
  base::Json::json_pointer where(any().key());
  for (size_t up = random() % 3; up > 0 && !where.empty(); --up) where.pop_back();
  const base::Json nasty[] = {
      nullptr, -1,   ~0ull, 1.5, "", "\\xff\\x00", base::Json::array(), base::Json::object(),
      "/..",   true, *any()};
  json[where] = nasty[random() % std::size(nasty)];
}

void Use(const base::Result<Snapshot>& snapshot) {
  if (!snapshot) {
    ASSERT_FALSE(snapshot.error().message.empty());
    ASSERT_LT(snapshot.error().message.size(), 1000u);
    return;
  }
  const auto again = ParseSnapshot(ToJson(*snapshot).dump());
  ASSERT_TRUE(again) << again.error().message;
  ASSERT_EQ(*again, *snapshot);
  RecordedFileView view(snapshot->files);
  for (const auto& [path, node] : snapshot->files.nodes) {
    (void)view.Open(path);
    (void)view.List(path);
    (void)view.RealPath(path + "/../x");
  }
}

// One that found something is added here with the fix. tools/explore tries others.
std::vector<uint32_t> Seeds() {
  if (const char* seed = std::getenv("CULPRIT_FUZZ_SEED"))
    return {static_cast<uint32_t>(std::strtoul(seed, nullptr, 10))};
  return {20240601};
}

TEST(SnapshotFuzz, BrokenTextIsReadOrRefused) {
  const std::string good = ToJson(SampleSnapshot()).dump();
  for (const uint32_t seed : Seeds()) {
    std::mt19937 random(seed);
    for (int round = 0; round < 1'500 && !testing::Test::HasFatalFailure(); ++round) {
      Use(ParseSnapshot(Mutate(good, random)));
    }
  }
}

TEST(SnapshotFuzz, ValidJsonWithWrongValuesIsReadOrRefused) {
  const base::Json good = ToJson(SampleSnapshot());
  for (const uint32_t seed : Seeds()) {
    std::mt19937 random(seed);
    int read = 0;
    for (int round = 0; round < 600 && !testing::Test::HasFatalFailure(); ++round) {
      base::Json json = good;
      Swap(json, random);
      const auto snapshot = SnapshotFromJson(json);
      read += snapshot.has_value();
      Use(snapshot);
    }
    EXPECT_GT(read, 30);  // the mutations are not all of the harmless or all of the hopeless kind
    EXPECT_LT(read, 1'400);
  }
}

}  // namespace
}  // namespace culprit::snapshot
