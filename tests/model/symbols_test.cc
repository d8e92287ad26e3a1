// Symbols without a version: who may define them, when they are bound, and when nothing can be said.
#include <gtest/gtest.h>

#include "base/json.h"
#include "collect/live_file_view.h"
#include "collect/record.h"
#include "model/world.h"
#include "snapshot/recorded_file_view.h"

namespace culprit::model {
namespace {

constexpr const char* kLib = "/usr/lib/x86_64-linux-gnu/";

// What the loader and libc define is known, too.
struct KnownWorld : World {
  KnownWorld() {
    Library(std::string(kLib) + "libc.so.6", {.soname = "libc.so.6", .words = {{"printf", 0}}});
    std::string loader = BuildElf({.soname = "ld-linux-x86-64.so.2", .words = {{"_dl_made_up", 0}}});
    loader += '\0' + std::string("/lib/x86_64-linux-gnu/") + '\0' + "/usr/lib/x86_64-linux-gnu/" + '\0' +
              "/lib/" + '\0' + "/usr/lib/" + '\0' + "lib/x86_64-linux-gnu" + '\0' +
              "ld.so (made up) stable release version 2.39.\n" + '\0';
    system.AddFile(kLoader, loader, 0755);
  }
};

std::vector<std::string> Undefined(const loader::LoadGraph& graph) {
  std::vector<std::string> symbols;
  for (const loader::MissingExport& missing : graph.missing_exports) {
    if (missing.of_any)
      symbols.push_back(missing.importer + " " + missing.function + (missing.at_load ? "" : " by call"));
  }
  return symbols;
}

using Names = std::vector<std::string>;

TEST(UndefinedSymbols, AnyObjectOfTheProcessMayDefineThem) {
  KnownWorld world;
  world.Program("/bin/p", {.needed = {"liba.so", "libc.so.6"}, .words = {{"of_program", 0}}});
  world.Library(std::string(kLib) + "liba.so",
                {.soname = "liba.so",
                 .needed = {"libb.so"},
                 .undefined = {"of_program", "of_b", "printf", "_dl_made_up", "of_nobody"},
                 .words = {{"of_a", 0}}});
  world.Library(std::string(kLib) + "libb.so",
                {.soname = "libb.so", .undefined = {"of_a"}, .words = {{"of_b", 0}}});
  EXPECT_EQ(Undefined(world.Load("/bin/p")), Names{"/lib/x86_64-linux-gnu/liba.so of_nobody"});
}

TEST(UndefinedSymbols, TheMostSimilarNameTellsTheLibrary) {
  KnownWorld world;
  world.Program("/bin/p",
                {.needed = {"libb.so"}, .undefined = {"ncclSend", "ncclNewer"}, .words = {{"main_", 0}}});
  world.Library(std::string(kLib) + "libb.so", {.soname = "libb.so", .words = {{"ncclSend", 0}}});
  const auto graph = world.Load("/bin/p");
  ASSERT_EQ(graph.missing_exports.size(), 1u);
  EXPECT_EQ(graph.missing_exports[0].dll, "/lib/x86_64-linux-gnu/libb.so");
  EXPECT_EQ(graph.missing_exports[0].like, "ncclSend");
}

TEST(UndefinedSymbols, CallsAreBoundWhenTheyAreMade) {
  KnownWorld world;
  world.Program("/bin/p", {.undefined = {"of_nobody"}, .undefined_calls = true, .words = {{"x", 0}}});
  EXPECT_EQ(Undefined(world.Load("/bin/p")), Names{"/bin/p of_nobody by call"});
  world.Program(
      "/bin/now",
      {.flags = DF_BIND_NOW, .undefined = {"of_nobody"}, .undefined_calls = true, .words = {{"x", 0}}});
  EXPECT_EQ(Undefined(world.Load("/bin/now")), Names{"/bin/now of_nobody"});
  world.Program(
      "/bin/now1",
      {.flags_1 = DF_1_NOW, .undefined = {"of_nobody"}, .undefined_calls = true, .words = {{"x", 0}}});
  EXPECT_EQ(Undefined(world.Load("/bin/now1")), Names{"/bin/now1 of_nobody"});
  world.system.SetEnvironment({{"LD_BIND_NOW", "1"}});
  EXPECT_EQ(Undefined(world.Load("/bin/p")), Names{"/bin/p of_nobody"});
}

TEST(UndefinedSymbols, WhatAMissingOrUnreadableLibraryDefinesIsNotKnown) {
  KnownWorld world;
  world.Program("/bin/p", {.needed = {"libgone.so"}, .undefined = {"of_nobody"}, .words = {{"x", 0}}});
  EXPECT_EQ(Undefined(world.Load("/bin/p")), Names{});
  world.Library(std::string(kLib) + "libgone.so", {.soname = "libgone.so"});  // does not say what it defines
  EXPECT_EQ(Undefined(world.Load("/bin/p")), Names{});
  world.Library(std::string(kLib) + "libgone.so", {.soname = "libgone.so", .words = {{"y", 0}}});
  EXPECT_EQ(Undefined(world.Load("/bin/p")), Names{"/bin/p of_nobody"});
}

TEST(UndefinedSymbols, AFailedDlopenLeavesNothingToJudge) {
  KnownWorld world;
  world.Program("/bin/p", {.words = {{"x", 0}}});
  world.Library("/d/plugin.so", {.needed = {"libgone.so"}, .undefined = {"of_nobody"}, .words = {{"y", 0}}});
  EXPECT_EQ(Undefined(world.Load("/bin/p", {{.name = "/d/plugin.so"}})), Names{});
  world.Library("/d/plugin.so", {.undefined = {"x", "of_nobody"}, .words = {{"y", 0}}});
  EXPECT_EQ(Undefined(world.Load("/bin/p", {{.name = "/d/plugin.so"}})), Names{"/d/plugin.so of_nobody"});
}

TEST(UndefinedSymbols, ASecondFileWithTheSameSonameServesNobody) {
  KnownWorld world;
  world.system.SetEnvironment({{"LD_PRELOAD", "/old/libn.so.2"}});
  world.Program("/bin/p", {.words = {{"x", 0}}});
  world.Library("/old/libn.so.2", {.soname = "libn.so.2", .words = {{"ncclSend", 0}}});
  world.Library("/new/libn.so.2",
                {.soname = "libn.so.2", .undefined = {"x"}, .words = {{"ncclSend", 0}, {"ncclNewer", 0}}});
  world.Library("/d/ext.so", {.needed = {"libn.so.2"}, .undefined = {"ncclNewer"}, .words = {{"y", 0}}});
  const auto graph = world.Load("/bin/p", {{.name = "/new/libn.so.2"}, {.name = "/d/ext.so"}});
  EXPECT_EQ(Undefined(graph), Names{"/d/ext.so ncclNewer"});
  EXPECT_EQ(graph.missing_exports.front().dll, "/old/libn.so.2");
}

TEST(UndefinedSymbols, ASnapshotHasThem) {
  KnownWorld world;
  world.Library("/d/liba.so", {.soname = "liba.so", .undefined = {"ncclNewer"}, .words = {{"of_a", 0}}});
  world.Library("/d/libb.so", {.soname = "libb.so", .words = {{"ncclSend", 0}}});
  world.Library("/d/libc.so", {.soname = "libc.so", .words = {{"ncclNewer", 0}}});
  collect::LiveFileView live(world.system);
  const Names process = {"/d/liba.so", "/d/libb.so"};
  const auto found = live.Undefined("/d/liba.so", process);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0], (snapshot::UndefinedSymbol{"ncclNewer", true, "/d/libb.so", "ncclSend"}));
  EXPECT_EQ(live.Has("/d/libc.so", "ncclNewer"), true);
  collect::Recorder recorder(world.system, live);
  recorder.AddAsked();
  auto record = snapshot::FileRecordFromJson(ToJson(recorder.Take()));
  ASSERT_TRUE(record);
  snapshot::RecordedFileView view(*record);
  EXPECT_EQ(view.Undefined("/d/liba.so", process), found);
  const Names fewer = {"/d/liba.so"}, more = {"/d/liba.so", "/d/libb.so", "/d/libc.so"};
  EXPECT_EQ(view.Undefined("/d/liba.so", fewer), found);
  EXPECT_TRUE(view.Undefined("/d/liba.so", more).empty()) << "not known";
  EXPECT_EQ(view.Has("/d/libc.so", "ncclNewer"), true);
  EXPECT_EQ(view.Has("/d/libc.so", "ncclOther"), std::nullopt);
}

}  // namespace
}  // namespace culprit::model
