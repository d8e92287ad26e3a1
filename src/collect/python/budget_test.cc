// Records that are larger than any package needs are read only so far, and that is noted.
#include <gtest/gtest.h>

#include "collect/python/metadata.h"
#include "collect/python/packages.h"
#include "collect/stack.h"
#include "system/memory.h"
#include "system/noted.h"

namespace culprit::collect {
namespace {

using base::Unread;

struct Collected {
  snapshot::Fact<std::vector<snapshot::PythonEnvironment>> environments;
  std::map<std::string, Unread> unread;
};

Collected CollectFrom(std::shared_ptr<system::MemorySystem> machine) {
  machine->AddFile("/v/pyvenv.cfg", "home = /usr/bin\nversion = 3.11.2\n");
  const system::NotedSystem noted(machine);
  auto environments =
      CollectPython({.system = noted, .environment = {}, .working_directory = "/", .environments = {"/v"}});
  return {std::move(environments), noted.unread()};
}

const std::string kTorch = "/v/lib/python3.11/site-packages/torch-2.6.0.dist-info/";

TEST(PythonBudget, ARecordOfMoreLibrariesThanAnyPackageHas) {
  const auto machine = std::make_shared<system::MemorySystem>();
  std::string record;
  for (size_t i = 0; i < kMostLibrariesOfRecord + 5; ++i) record += std::to_string(i) + ".so,,1\n";
  machine->AddFile(kTorch + "METADATA", "Name: torch\nVersion: 2.6.0\n");
  machine->AddFile(kTorch + "RECORD", record);
  const auto [environments, unread] = CollectFrom(machine);
  ASSERT_TRUE(environments);
  ASSERT_EQ(environments->front().packages.size(), 1u);
  EXPECT_EQ(environments->front().packages[0].damaged.size(), kMostLibrariesOfRecord);
  EXPECT_EQ(unread, (std::map<std::string, Unread>{{kTorch + "RECORD", Unread::kTooMuch}}));
}

TEST(PythonBudget, ARecordThatIsTooLargeIsNotRead) {
  const auto machine = std::make_shared<system::MemorySystem>();
  machine->AddFile(kTorch + "METADATA", "Name: torch\nVersion: 2.6.0\n");
  machine->AddSparseFile(kTorch + "RECORD", uint64_t{31} << 20);
  EXPECT_EQ(CollectFrom(machine).unread,
            (std::map<std::string, Unread>{{kTorch + "RECORD", Unread::kTooMuch}}));
}

TEST(PythonBudget, MetadataWithMoreRequirementsThanAnyPackageHas) {
  const auto machine = std::make_shared<system::MemorySystem>();
  std::string text = "Name: torch\nVersion: 2.6.0\n";
  for (size_t i = 0; i < kMostRequirements + 5; ++i)
    text += "Requires-Dist: nvidia-" + std::to_string(i) + "\n";
  machine->AddFile(kTorch + "METADATA", text);
  const auto [environments, unread] = CollectFrom(machine);
  ASSERT_TRUE(environments);
  EXPECT_EQ(environments->front().packages[0].requirements.size(), kMostRequirements);
  EXPECT_EQ(unread.size(), 1u);
}

TEST(PythonBudget, AVersionFileThatIsTooLargeIsNotParsed) {
  const auto machine = std::make_shared<system::MemorySystem>();
  std::string json = R"({"cuda": {"version": "12.4.1"}, "x": [0)";
  while (json.size() < size_t{1} << 20) json += ",0";
  machine->AddFile("/usr/local/cuda-12.4/version.json", json + "]}");
  machine->AddFile("/usr/local/cuda-12.4/lib64/libcudart.so.12");
  const system::NotedSystem noted(machine);
  const auto toolkits = CollectToolkits({.system = noted, .environment = {}, .working_directory = "/"}, {});
  ASSERT_TRUE(toolkits);
  EXPECT_EQ(toolkits->copies.at(0).version, "");
  EXPECT_EQ(noted.unread(),
            (std::map<std::string, Unread>{{"/usr/local/cuda-12.4/version.json", Unread::kTooMuch}}));
}

}  // namespace
}  // namespace culprit::collect
