#include "system/changed.h"

#include <gtest/gtest.h>

#include "system/memory.h"

namespace culprit::system {
namespace {

using Names = std::vector<std::string>;

std::shared_ptr<const System> Unowned(const System& system) {
  return {std::shared_ptr<const void>(), &system};
}

Names NamesIn(const System& system, const std::string& path) {
  Names names;
  const auto entries = system.List(path);
  if (!entries) return {"(no list)"};
  for (const DirectoryEntry& entry : *entries) names.push_back(entry.name);
  return names;
}

ChangedNode Text(std::string text) { return {.bytes = std::move(text)}; }
ChangedNode Link(std::string target) { return {.type = FileType::kLink, .target = std::move(target)}; }

class ChangedMachine : public testing::Test {
 protected:
  ChangedMachine() {
    before.AddFile("/usr/lib/libold.so.1", "old");
    before.AddFile("/usr/lib/deep/f", "deep");
    before.AddLink("/lib", "usr/lib");
    before.AddLink("/usr/lib/libold.so", "libold.so.1");
    before.SetEnvironment({{"PATH", "/bin"}, {"LD_LIBRARY_PATH", "/x"}});
  }
  std::shared_ptr<const System> With(SystemChanges changes) {
    return ChangedSystem(Unowned(before), std::move(changes));
  }
  MemorySystem before;
};

TEST_F(ChangedMachine, WithoutChangesAnswersAsBefore) {
  const auto now = With({});
  EXPECT_EQ(ReadWholeFile(*now, "/lib/libold.so", 10), "old");
  EXPECT_EQ(now->RealPath("/lib/libold.so"), "/usr/lib/libold.so.1");
  EXPECT_EQ(now->Stat("/lib/libold.so")->inode, before.Stat("/usr/lib/libold.so.1")->inode);
  EXPECT_EQ(NamesIn(*now, "/lib"), (Names{"deep", "libold.so", "libold.so.1"}));
  EXPECT_EQ(now->Environment(), before.Environment());
  EXPECT_EQ(now->Open("/none").error(), PathError::kNoEntry);
  EXPECT_EQ(now->Open("relative").error(), PathError::kOther);
}

TEST_F(ChangedMachine, NewFilesBehindOldLinksAndOldFilesBehindNewLinks) {
  const auto now = With({.put = {{"/lib/new/a.so", Text("new")}, {"/opt/x/l", Link("/lib/libold.so")}}});
  EXPECT_EQ(ReadWholeFile(*now, "/usr/lib/new/a.so", 10), "new");
  EXPECT_EQ(ReadWholeFile(*now, "/opt/x/l", 10), "old");
  EXPECT_EQ(now->RealPath("/opt/x/l"), "/usr/lib/libold.so.1");
  EXPECT_EQ(now->ReadLink("/opt/x/l"), "/lib/libold.so");
  EXPECT_EQ(now->LinkStat("/opt/x/l")->type, FileType::kLink);
  EXPECT_EQ(now->Stat("/opt/x")->type, FileType::kDirectory);
  EXPECT_EQ(NamesIn(*now, "/"), (Names{"lib", "opt", "usr"}));
  EXPECT_EQ(NamesIn(*now, "/lib"), (Names{"deep", "libold.so", "libold.so.1", "new"}));
  EXPECT_FALSE(before.Stat("/opt"));
}

TEST_F(ChangedMachine, NewInodesAreThoseOfNoOtherFile) {
  const auto now = With({.put = {{"/a", Text("1")}, {"/b", Text("1")}, {"/usr/lib/libold.so.1", Text("2")}}});
  std::set<std::pair<uint64_t, uint64_t>> seen;
  for (const char* path : {"/a", "/b", "/usr/lib/libold.so.1", "/usr/lib/deep/f", "/usr"}) {
    const auto status = now->Stat(path);
    ASSERT_TRUE(status) << path;
    EXPECT_TRUE(seen.emplace(status->device, status->inode).second) << path;
  }
  EXPECT_EQ(now->Open("/lib/libold.so")->bytes->size(), 1u);
}

TEST_F(ChangedMachine, WhatIsRemovedIsGoneWithEverythingBelow) {
  const auto now = With({.removed = {"/lib/deep", "/usr/lib/libold.so"}});
  EXPECT_EQ(now->Stat("/usr/lib/deep/f").error(), PathError::kNoEntry);
  EXPECT_EQ(now->Open("/lib/libold.so").error(), PathError::kNoEntry);
  EXPECT_EQ(NamesIn(*now, "/usr/lib"), (Names{"libold.so.1"}));
  const auto link = With({.removed = {"/lib"}});
  EXPECT_EQ(link->Stat("/lib").error(), PathError::kNoEntry);
  EXPECT_TRUE(link->Stat("/usr/lib/libold.so.1"));
}

TEST_F(ChangedMachine, ADirectoryMadeInPlaceOfARemovedOneIsEmpty) {
  const auto now = With({.put = {{"/usr/lib/deep/g", Text("g")}}, .removed = {"/usr/lib/deep"}});
  EXPECT_EQ(NamesIn(*now, "/lib/deep"), Names{"g"});
  EXPECT_FALSE(now->Stat("/lib/deep/f"));
}

TEST_F(ChangedMachine, AFileInPlaceOfADirectoryIsNoDirectory) {
  const auto now = With({.put = {{"/usr/lib/deep", Text("flat")}}});
  EXPECT_EQ(ReadWholeFile(*now, "/lib/deep", 10), "flat");
  EXPECT_EQ(now->Stat("/lib/deep/f").error(), PathError::kNotDirectory);
  EXPECT_EQ(now->List("/lib/deep").error(), PathError::kNotDirectory);
}

TEST_F(ChangedMachine, LinksThatLoopAreToldAsLoop) {
  const auto now = With({.put = {{"/a", Link("b")}, {"/b", Link("a")}}});
  EXPECT_EQ(now->Open("/a").error(), PathError::kLoop);
}

TEST_F(ChangedMachine, ChangesOfAChangedMachineComeOnTop) {
  const auto first = With({.put = {{"/a", Text("1")}, {"/d/x", Text("x")}}, .removed = {"/usr/lib/deep"}});
  const std::shared_ptr<const System> second =
      ChangedSystem(first, {.put = {{"/a", Text("2")}, {"/usr/lib/deep/h", Text("h")}}, .removed = {"/d"}});
  EXPECT_EQ(ReadWholeFile(*first, "/a", 10), "1");
  EXPECT_EQ(ReadWholeFile(*second, "/a", 10), "2");
  EXPECT_FALSE(second->Stat("/d/x"));
  EXPECT_FALSE(second->Stat("/usr/lib/deep/f"));
  EXPECT_EQ(NamesIn(*second, "/usr/lib/deep"), Names{"h"});
}

TEST_F(ChangedMachine, RightsGoByTheNewBits) {
  before.AddDevice("/dev/nvidia0", 0600);
  const auto now = With({.put = {{"/dev/nvidiactl", {.type = FileType::kOther, .mode = 0666}}},
                         .modes = {{"/dev/nvidia0", 0666}, {"/lib/libold.so", 0}}});
  EXPECT_EQ(before.Access("/dev/nvidia0", Rights::kRead).error(), PathError::kAccess);
  EXPECT_TRUE(now->Access("/dev/nvidia0", Rights::kReadAndWrite));
  EXPECT_TRUE(now->Access("/dev/nvidiactl", Rights::kReadAndWrite));
  EXPECT_EQ(now->Stat("/dev/nvidia0")->mode, 0666u);
  EXPECT_EQ(now->Open("/usr/lib/libold.so.1").error(), PathError::kAccess);
}

TEST_F(ChangedMachine, WhatNobodyCouldReadBeforeIsNotKnownAfterwards) {
  before.AddFile("/secret", "s");
  before.SetUnreadable("/secret");
  EXPECT_EQ(With({.modes = {{"/secret", 0644}}})->Open("/secret").error(), PathError::kNotRecorded);
}

TEST_F(ChangedMachine, VariablesAreSetReplacedAndUnset) {
  const auto now = With({.variables = {{"PATH", "/new"}, {"A", ""}}, .unset = {"LD_LIBRARY_PATH"}});
  EXPECT_EQ(now->Environment(), (std::map<std::string, std::string>{{"A", ""}, {"PATH", "/new"}}));
}

TEST(ChangedWindows, NamesHaveNoCase) {
  MemorySystem before;
  before.SetPlatform(base::Platform::kWindows);
  before.AddFile("/C:/Windows/System32/nvcuda.dll", "old");
  before.AddFile("/C:/Windows/System32/other.dll", "o");
  before.SetEnvironment({{"PATH", "x"}});
  const std::shared_ptr<const System> now =
      ChangedSystem(Unowned(before),
                    {.put = {{"/c:/windows/SYSTEM32/NVCUDA.dll", Text("new")}, {"/C:/New/A.dll", Text("a")}},
                     .removed = {"/C:/WINDOWS/system32/OTHER.DLL"},
                     .variables = {{"Path", "y"}}});
  EXPECT_EQ(ReadWholeFile(*now, "/C:/Windows/System32/nvcuda.dll", 10), "new");
  EXPECT_EQ(ReadWholeFile(*now, "/C:/Windows/../new/a.DLL", 10), "a");
  EXPECT_FALSE(now->Stat("/C:/Windows/System32/other.dll"));
  EXPECT_EQ(NamesIn(*now, "/C:/windows/system32").size(), 1u);
  EXPECT_EQ(now->RealPath("/c:/new/a.dll"), "/C:/New/A.dll");
  EXPECT_EQ(now->Environment().at("PATH"), "y");
}

TEST(ChangedWindows, RegistryValuesAreAddedAndReplaced) {
  MemorySystem before;
  before.SetPlatform(base::Platform::kWindows);
  const std::string key = "HKLM/SOFTWARE/X";
  const std::shared_ptr<const System> fresh =
      ChangedSystem(Unowned(before), {.registry = {{key, {.values = {{"A", "1"}}, .keys = {}}}}});
  EXPECT_EQ(fresh->ReadRegistry("hklm/software/x")->values.at("A"), "1");
  EXPECT_EQ(fresh->ReadRegistry("HKLM/SOFTWARE")->keys, Names{"X"});
  EXPECT_EQ(fresh->ReadRegistry("HKCU").error(), PathError::kNotRecorded);
  before.AddRegistryKey(key, {{"a", "0"}, {"B", "2"}});
  const auto values = fresh->ReadRegistry(key)->values;
  EXPECT_EQ(values, (std::map<std::string, std::string>{{"A", "1"}, {"B", "2"}}));
}

}  // namespace
}  // namespace culprit::system
