// Which file LoadLibraryEx loads: one test per rule of docs/windows-loader.md.
#include <gtest/gtest.h>

#include "windows_world.h"

namespace culprit::model {
namespace {

using loader::Outcome;
using loader::Via;

// The directories where a bare name is searched, as "via" in order.
std::vector<std::string> Searched(WindowsWorld& world, loader::WindowsProcess& process, uint32_t flags = 0,
                                  const std::string& name = "none.dll") {
  static_cast<void>(world);
  const size_t begin = process.graph().requests.size();
  process.Dlopen(name, 0, flags);
  std::vector<std::string> places;
  for (const loader::Attempt& attempt : process.graph().requests[begin].attempts) {
    places.push_back(std::string(base::DirName(attempt.path)));
  }
  return places;
}
using Places = std::vector<std::string>;

TEST(WindowsSearch, StandardOrderIsProgramSystemCurrentDirectoryPath) {
  WindowsWorld world;
  EXPECT_EQ(Searched(world, world.Process()), (Places{"/C:/app", "/C:/Windows/System32", "/C:/Windows/System",
                                                      "/C:/Windows", "/C:/here", "/C:/path1", "/C:/path2"}));
}

TEST(WindowsSearch, WithoutSafeModeTheCurrentDirectoryIsSecond) {
  WindowsWorld world;
  world.windows.safe_search = false;
  EXPECT_EQ(Searched(world, world.Process()),
            (Places{"/C:/app", "/C:/here", "/C:/Windows/System32", "/C:/Windows/System", "/C:/Windows",
                    "/C:/path1", "/C:/path2"}));
}

TEST(WindowsSearch, SetDllDirectoryTakesThePlaceOfTheCurrentDirectory) {
  WindowsWorld world;
  auto& process = world.Process();
  process.SetDllDirectory(R"(C:\set)");
  EXPECT_EQ(Searched(world, process),
            (Places{"/C:/app", "/C:/set", "/C:/Windows/System32", "/C:/Windows/System", "/C:/Windows",
                    "/C:/path1", "/C:/path2"}));
  process.SetDllDirectory("");
  EXPECT_EQ(Searched(world, process), (Places{"/C:/app", "/C:/Windows/System32", "/C:/Windows/System",
                                              "/C:/Windows", "/C:/path1", "/C:/path2"}));
}

TEST(WindowsSearch, AlteredPathStartsBesideTheDllAndNotBesideTheProgram) {
  WindowsWorld world;
  world.files.Add("/C:/lib/a.dll", {.imports = Needs({"b.dll"})});
  world.files.Add("/C:/lib/b.dll", {});
  world.files.Add("/C:/app/b.dll", {});
  auto& process = world.Process();
  EXPECT_EQ(world.LoadIn(process, R"(C:\lib\a.dll)", loader::kAlteredSearchPath), "/C:/lib/a.dll");
  EXPECT_EQ(process.graph().objects.back().path, "/C:/lib/b.dll");
  EXPECT_EQ(process.graph().objects.back().via, Via::kDllDir);
}

TEST(WindowsSearch, FullPathDoesNotHelpTheDependencies) {
  WindowsWorld world;
  world.files.Add("/C:/lib/a.dll", {.imports = Needs({"b.dll"})});
  world.files.Add("/C:/lib/b.dll", {});
  EXPECT_EQ(world.Load(R"(C:\lib\a.dll)"), "error 126");
  world.files.Add("/C:/path2/b.dll", {});
  EXPECT_EQ(world.Load(R"(C:\lib\a.dll)"), "/C:/lib/a.dll");
  EXPECT_EQ(world.process->graph().objects.back().path, "/C:/path2/b.dll");
}

TEST(WindowsSearch, FlagsSearchOnlyTheirDirectoriesInAFixedOrder) {
  WindowsWorld world;
  world.files.AddDirectory("/C:/added");
  auto& process = world.Process();
  process.AddDllDirectory(R"(C:\added)");
  process.SetDllDirectory(R"(C:\set)");
  EXPECT_EQ(Searched(world, process, loader::kSearchSystem32), Places{"/C:/Windows/System32"});
  EXPECT_EQ(Searched(world, process, loader::kSearchUserDirs | loader::kSearchApplicationDir),
            (Places{"/C:/app", "/C:/added", "/C:/set"}));
  EXPECT_EQ(Searched(world, process, loader::kSearchDefaultDirs),
            (Places{"/C:/app", "/C:/added", "/C:/set", "/C:/Windows/System32"}));
}

TEST(WindowsSearch, DllLoadDirComesFirstForDependencies) {
  WindowsWorld world;
  world.files.Add("/C:/lib/a.dll", {.imports = Needs({"b.dll"})});
  world.files.Add("/C:/lib/b.dll", {.imports = Needs({"c.dll"})});
  world.files.Add("/C:/lib/c.dll", {});
  world.files.Add("/C:/app/c.dll", {});
  auto& process = world.Process();
  const uint32_t flags = loader::kSearchDllLoadDir | loader::kSearchDefaultDirs;
  EXPECT_EQ(world.LoadIn(process, R"(C:\lib\a.dll)", flags), "/C:/lib/a.dll");
  EXPECT_EQ(process.graph().objects.back().path, "/C:/lib/c.dll");
}

TEST(WindowsSearch, FlagsGovernTheDependenciesToo) {
  WindowsWorld world;
  world.files.Add("/C:/lib/a.dll", {.imports = Needs({"b.dll"})});
  world.files.Add("/C:/path1/b.dll", {});
  EXPECT_EQ(world.Load(R"(C:\lib\a.dll)"), "/C:/lib/a.dll");
  EXPECT_EQ(world.Load(R"(C:\lib\a.dll)", loader::kSearchDefaultDirs), "error 126");
}

TEST(WindowsSearch, FlagsThatDoNotGoTogetherAreError87) {
  WindowsWorld world;
  world.files.Add("/C:/app/a.dll", {});
  EXPECT_EQ(world.Load("a.dll", loader::kSearchDllLoadDir | loader::kSearchDefaultDirs), "error 87");
  EXPECT_EQ(world.Load(R"(C:a.dll)", loader::kSearchDllLoadDir), "error 87");
  EXPECT_EQ(world.Load(R"(C:\app\a.dll)", loader::kAlteredSearchPath | loader::kSearchSystem32), "error 87");
}

TEST(WindowsSearch, SetDefaultDllDirectoriesReplacesTheStandardOrder) {
  WindowsWorld world;
  auto& process = world.Process();
  process.SetDefaultDllDirectories(loader::kSearchApplicationDir);
  EXPECT_EQ(Searched(world, process), Places{"/C:/app"});
  EXPECT_EQ(Searched(world, process, loader::kSearchSystem32), Places{"/C:/Windows/System32"});
  process.SetDefaultDllDirectories(0);  // rejected
  EXPECT_EQ(Searched(world, process), Places{"/C:/app"});
}

TEST(WindowsSearch, AddDllDirectoryIsIgnoredByPlainLoadLibrary) {
  WindowsWorld world;
  world.files.Add("/C:/added/a.dll", {});
  auto& process = world.Process();
  process.AddDllDirectory(R"(C:\added)");
  EXPECT_EQ(world.LoadIn(process, "a.dll"), "error 126");
  EXPECT_EQ(world.LoadIn(process, "a.dll", loader::kSearchUserDirs), "/C:/added/a.dll");
}

TEST(WindowsSearch, AddDllDirectoryRefusesWhatIsRelativeOrNotThere) {
  WindowsWorld world;
  world.files.Add("/C:/here/sub/a.dll", {});
  auto& process = world.Process();
  process.AddDllDirectory("sub");
  process.AddDllDirectory(R"(C:\nowhere)");
  EXPECT_TRUE(Searched(world, process, loader::kSearchUserDirs).empty());
}

TEST(WindowsSearch, TheDirectoryAddedLastIsFirstAndThatIsSaid) {
  WindowsWorld world;
  world.files.Add("/C:/one/a.dll", {});
  world.files.Add("/C:/two/a.dll", {});
  auto& process = world.Process();
  process.AddDllDirectory("/C:/one");
  process.AddDllDirectory("/C:/two");
  EXPECT_EQ(world.LoadIn(process, "a.dll", loader::kSearchUserDirs), "/C:/two/a.dll");
  EXPECT_EQ(process.graph().assumptions.size(), 1);
}

TEST(WindowsSearch, RemovedDirectoryIsNotSearched) {
  WindowsWorld world;
  world.files.AddDirectory("/C:/one");
  auto& process = world.Process();
  process.AddDllDirectory("/C:/one");
  process.RemoveDllDirectory(R"(c:\ONE)");
  EXPECT_TRUE(Searched(world, process, loader::kSearchUserDirs).empty());
}

TEST(WindowsSearch, PathCanBeChangedWhileRunning) {
  WindowsWorld world;
  auto& process = world.Process();
  process.SetPath(R"("C:\quoted dir";;C:\other\)");
  process.PrependToPath("/C:/first");
  const Places all = Searched(world, process);
  EXPECT_EQ(Places(all.end() - 3, all.end()), (Places{"/C:/first", "/C:/quoted dir", "/C:/other"}));
}

TEST(WindowsSearch, CurrentDirectoryCanBeChangedWhileRunning) {
  WindowsWorld world;
  world.files.Add("/C:/elsewhere/a.dll", {});
  auto& process = world.Process();
  EXPECT_EQ(world.LoadIn(process, "a.dll"), "error 126");
  process.SetCurrentDirectory(R"(C:\elsewhere)");
  EXPECT_EQ(world.LoadIn(process, "a.dll"), "/C:/elsewhere/a.dll");
}

TEST(WindowsSearch, RelativePathIsAppendedToEveryDirectory) {
  WindowsWorld world;
  world.files.Add("/C:/path2/sub/a.dll", {});
  EXPECT_EQ(world.Load(R"(sub\a.dll)"), "/C:/path2/sub/a.dll");
  EXPECT_EQ(world.Load(R"(.\..\path2\sub\a.dll)"), "/C:/path2/sub/a.dll");
}

TEST(WindowsSearch, NameWithoutExtensionGetsDllUnlessItEndsInAPoint) {
  WindowsWorld world;
  world.files.Add("/C:/app/a.dll", {});
  world.files.Add("/C:/app/b", {});
  EXPECT_EQ(world.Load("a"), "/C:/app/a.dll");
  EXPECT_EQ(world.Load(R"(C:\app\a)"), "/C:/app/a.dll");
  EXPECT_EQ(world.Load("a."), "error 126");
  EXPECT_EQ(world.Load("b."), "/C:/app/b");
  EXPECT_EQ(world.Load("b"), "error 126");
}

TEST(WindowsSearch, CaseOfLettersAndSpellingOfPathsDoNotMatter) {
  WindowsWorld world;
  world.files.Add("/C:/app/Mixed.dll", {});
  auto& process = world.Process();
  EXPECT_EQ(world.LoadIn(process, "MIXED.DLL"), "/C:/app/MIXED.DLL");
  EXPECT_EQ(world.LoadIn(process, "c:/APP/sub/../mixed.dll"), "/C:/app/MIXED.DLL");
  EXPECT_EQ(world.LoadIn(process, R"(\\?\C:\app\mixed.dll)"), "/C:/app/MIXED.DLL");
  EXPECT_EQ(world.LoadIn(process, R"(\app\mixed.dll)"), "/C:/app/MIXED.DLL");
  EXPECT_EQ(process.graph().objects.size(), 2);
}

TEST(WindowsSearch, BareNameThatIsLoadedIsNotSearched) {
  WindowsWorld world;
  world.files.Add("/C:/lib/a.dll", {});
  world.files.Add("/C:/app/a.dll", {});
  auto& process = world.Process();
  EXPECT_EQ(world.LoadIn(process, R"(C:\lib\a.dll)"), "/C:/lib/a.dll");
  EXPECT_EQ(world.LoadIn(process, "A"), "/C:/lib/a.dll");
  EXPECT_TRUE(process.graph().requests.back().attempts.empty());
  EXPECT_EQ(process.graph().requests.back().via, Via::kLoadedBefore);
}

TEST(WindowsSearch, FullPathOfASecondCopyLoadsThatCopy) {
  WindowsWorld world;
  world.files.Add("/C:/lib/a.dll", {});
  world.files.Add("/C:/app/a.dll", {});
  auto& process = world.Process();
  EXPECT_EQ(world.LoadIn(process, "a.dll"), "/C:/app/a.dll");
  EXPECT_EQ(world.LoadIn(process, R"(C:\lib\a.dll)"), "/C:/lib/a.dll");
  EXPECT_EQ(world.LoadIn(process, "a.dll"), "/C:/app/a.dll");
}

TEST(WindowsSearch, KnownDllComesFromSystem32WhateverLiesBesideTheProgram) {
  WindowsWorld world;
  world.windows.known_dlls = {"special.dll"};
  world.files.Add("/C:/app/special.dll", {});
  world.files.Add("/C:/Windows/System32/special.dll", {});
  EXPECT_EQ(world.Load("SPECIAL"), "/C:/Windows/System32/SPECIAL.dll");
  EXPECT_EQ(world.process->graph().objects.back().via, Via::kKnownDll);
  EXPECT_EQ(world.Load(R"(C:\app\special.dll)"), "/C:/app/special.dll");
}

TEST(WindowsSearch, ApiSetIsNoFile) {
  WindowsWorld world;
  EXPECT_EQ(world.Load("api-ms-win-crt-runtime-l1-1-0.dll"), "no file");
  EXPECT_EQ(world.process->graph().requests.back().via, Via::kApiSet);
  EXPECT_TRUE(world.process->graph().requests.back().error.empty());
}

TEST(WindowsSearch, DllsOfWindowsAreAssumedWhereWindowsWasNotSeen) {
  WindowsWorld world;
  world.windows.present = false;
  world.files.Add("/C:/app/a.dll", {.imports = {{.dll = "dbghelp.dll", .names = {"f"}, .ordinals = {}}}});
  auto& process = world.Process();
  EXPECT_EQ(world.LoadIn(process, "a.dll"), "/C:/app/a.dll");
  const loader::Object& object = process.graph().objects.back();
  EXPECT_TRUE(object.assumed);
  EXPECT_EQ(object.path, "/C:/Windows/System32/dbghelp.dll");
  EXPECT_EQ(process.graph().assumptions.size(), 1);
  // Not where the search does not go, and never what Windows does not ship.
  EXPECT_EQ(world.Load("dbghelp.dll", loader::kSearchApplicationDir), "error 126");
  EXPECT_EQ(world.Load("zlibwapi.dll"), "error 126");
  // A copy next to the program comes first.
  world.files.Add("/C:/app/dbghelp.dll", {});
  EXPECT_EQ(world.Load("dbghelp.dll"), "/C:/app/dbghelp.dll");
}

TEST(WindowsSearch, ThirtyTwoBitProgramSeesSysWow64AsSystem32) {
  WindowsWorld world;
  world.Program({.machine = binfmt::kPeMachine386});
  world.files.Add("/C:/Windows/SysWOW64/a.dll", {.machine = binfmt::kPeMachine386});
  world.files.Add("/C:/Windows/System32/a.dll", {});
  EXPECT_EQ(world.Load("a.dll"), "/C:/Windows/SysWOW64/a.dll");
  EXPECT_EQ(world.Load(R"(C:\windows\system32\a.dll)"), "/C:/Windows/SysWOW64/a.dll");
}

TEST(WindowsSearch, NoTargetIsA64BitProgramInNoDirectory) {
  WindowsWorld world;
  world.files.Add("/C:/app/a.dll", {});
  auto& process = world.Process("");
  EXPECT_EQ(world.LoadIn(process, "a.dll"), "error 126");
  EXPECT_EQ(process.graph().requests.back().attempts.front().via, Via::kSystemDir);
  EXPECT_EQ(process.graph().error, "");
}

TEST(WindowsSearch, DllAsTargetIsLoadedByAProgramElsewhere) {
  WindowsWorld world;
  world.files.Add("/C:/lib/a.dll", {.imports = Needs({"b.dll"})});
  world.files.Add("/C:/lib/b.dll", {});
  auto& process = world.Process("/C:/lib/a.dll");
  EXPECT_NE(process.graph().error, "");
  EXPECT_EQ(process.graph().assumptions.size(), 1);
}

TEST(WindowsSearch, AnotherDriveIsNotEnoughFacts) {
  WindowsWorld world;
  world.snapshot.environment["Path"] = R"(D:\tools;C:\path1)";
  auto& process = world.Process();
  EXPECT_EQ(world.LoadIn(process, "a.dll"), "error 126");
  EXPECT_TRUE(process.graph().requests.back().uncertain);
  world.files.Add("/C:/path1/a.dll", {});
  EXPECT_EQ(world.Load("a.dll"), "/C:/path1/a.dll");
  EXPECT_TRUE(world.process->graph().requests.back().uncertain);
  EXPECT_EQ(world.Load(R"(\\server\share\a.dll)"), "error 126");
  EXPECT_TRUE(world.process->graph().requests.back().uncertain);
}

TEST(WindowsSearch, RegistryGivesThePathWhereTheProgramHasNone) {
  WindowsWorld world;
  world.snapshot.environment.clear();
  auto& facts = world.windows;
  facts.machine_path = snapshot::Fact<std::string>::Of("C:\\machine", "registry");
  facts.user_path = snapshot::Fact<std::string>::Of("C:\\user", "registry");
  auto& process = world.Process();
  const Places all = Searched(world, process);
  EXPECT_EQ(Places(all.end() - 2, all.end()), (Places{"/C:/machine", "/C:/user"}));
  EXPECT_EQ(process.graph().assumptions.size(), 1);
}

}  // namespace
}  // namespace culprit::model
