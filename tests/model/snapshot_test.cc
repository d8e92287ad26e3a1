// A snapshot answers like the machine that it was taken from, and says so if it does not know.
#include "snapshot/snapshot.h"

#include <gtest/gtest.h>

#include "collect/linux/loader_facts.h"
#include "collect/live_file_view.h"
#include "collect/record.h"
#include "model/world.h"

namespace culprit::model {
namespace {

snapshot::Snapshot Record(const system::System& system, const std::vector<std::string>& directories) {
  snapshot::Snapshot snapshot = collect::LookAtMachine(system);
  snapshot.loaders.push_back(collect::ReadLoaderFacts(system, World::kLoader, {}));
  collect::LiveFileView view(system);
  collect::Recorder recorder(system, view);
  recorder.AddPath(World::kLoader);
  for (const std::string& directory : directories) recorder.AddDirectory(directory, /*programs=*/true);
  snapshot.files = recorder.Take();
  auto read = snapshot::ParseSnapshot(snapshot::ToJsonText(snapshot));
  EXPECT_TRUE(read) << read.error().message;
  return std::move(*read);
}

loader::LoadGraph Ask(const snapshot::Snapshot& recorded, const std::string& target) {
  auto look = collect::LookInto(recorded, target);
  if (!look) return {.error = look.error().message};
  return loader::Load(look->snapshot, *look->view,
                      {.target = look->target, .interpreter = look->interpreter});
}

TEST(SnapshotAnswers, EqualTheMachines) {
  World world;
  world.Library("/d/liba.so.1.2",
                {.soname = "liba.so.1", .needed = {"libb.so", "libnone.so"}, .runpath = "$ORIGIN/sub"});
  world.system.AddLink("/d/liba.so.1", "liba.so.1.2");
  world.Library("/d/sub/libb.so", {.soname = "libb.so", .needed = {"libc.so.6"}});
  world.Program("/bin/p", {.needed = {"liba.so.1"}, .runpath = "/d:/not-there"});
  const auto live = world.Load("/bin/p");
  const auto recorded = Record(world.system, {"/bin", "/d", "/d/sub", "/lib", "/lib/x86_64-linux-gnu"});
  const auto replayed = Ask(recorded, "/bin/p");
  EXPECT_EQ(Loads(replayed), Loads(live));
  EXPECT_EQ(replayed.error, live.error);
  EXPECT_NE(live.error, "");
}

TEST(SnapshotAnswers, WhatWasNotRecordedIsNotMissing) {
  World world;
  world.Library("/elsewhere/liba.so", {.soname = "liba.so"});
  world.Program("/bin/p", {.needed = {"liba.so"}, .runpath = "/elsewhere"});
  const auto recorded = Record(world.system, {"/bin"});
  const auto graph = Ask(recorded, "/bin/p");
  EXPECT_TRUE(graph.uncertain);
  EXPECT_TRUE(graph.requests.front().uncertain);
  EXPECT_EQ(Ask(recorded, "/usr/bin/other").error, "/usr/bin/other: not recorded in the snapshot");
}

}  // namespace
}  // namespace culprit::model
