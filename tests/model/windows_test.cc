// What Windows does with what it finds: unusable files, missing dependencies, missing functions, delay
// imports, a program that does not start.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "windows_world.h"

namespace culprit::model {
namespace {

using binfmt::PeProblem;
using loader::OpenedBy;
using loader::Outcome;
using loader::Via;
using testing::ElementsAre;
using testing::HasSubstr;

binfmt::PeImport Functions(std::string dll, std::vector<std::string> names,
                           std::vector<uint16_t> ordinals = {}) {
  return {.dll = std::move(dll), .names = std::move(names), .ordinals = std::move(ordinals)};
}

const loader::Request* RequestFor(const loader::LoadGraph& graph, const std::string& name) {
  for (const loader::Request& request : graph.requests) {
    if (request.name == name) return &request;
  }
  return nullptr;
}

TEST(WindowsFile, WrongMachineIsPassedOver) {
  WindowsWorld world;
  world.files.Add("/C:/app/a.dll", {.machine = binfmt::kPeMachine386});
  world.files.Add("/C:/path2/a.dll", {});
  EXPECT_EQ(world.Load("a.dll"), "/C:/path2/a.dll");
  EXPECT_EQ(world.process->graph().requests.back().attempts.front().outcome, Outcome::kWrongMachine);
}

TEST(WindowsFile, OnlyWrongMachinesAreError193) {
  WindowsWorld world;
  world.files.Add("/C:/app/a.dll", {.machine = binfmt::kPeMachineArm64});
  EXPECT_EQ(world.Load("a.dll"), "error 193");
  EXPECT_EQ(world.Load(R"(C:\app\a.dll)"), "error 193");
  EXPECT_EQ(world.process->graph().requests.back().error,
            R"(error 193: C:\app\a.dll is not a valid Win32 application)");
}

TEST(WindowsFile, MachineThatThisWindowsDoesNotRunEndsTheSearch) {
  WindowsWorld world;
  world.files.Add("/C:/app/a.dll", {.machine = binfmt::kPeMachineArm64});
  world.files.Add("/C:/path2/a.dll", {});
  EXPECT_EQ(world.Load("a.dll"), "error 193");
  world.snapshot.cpu.machine = "aarch64";
  EXPECT_EQ(world.Load("a.dll"), "/C:/path2/a.dll");
}

TEST(WindowsFile, DamagedFileEndsTheSearch) {
  const std::vector<std::pair<PeProblem, Outcome>> kinds = {{PeProblem::kNotPe, Outcome::kNotPe},
                                                            {PeProblem::kEmpty, Outcome::kEmptyFile},
                                                            {PeProblem::kTooShort, Outcome::kTooShort},
                                                            {PeProblem::kHeadersCut, Outcome::kTruncated},
                                                            {PeProblem::kSectionsCut, Outcome::kTruncated}};
  for (const auto& [problem, outcome] : kinds) {
    WindowsWorld world;
    world.files.Add("/C:/app/a.dll", {.problem = problem});
    world.files.Add("/C:/path1/a.dll", {});
    EXPECT_EQ(world.Load("a.dll"), "error 193");
    EXPECT_EQ(world.process->graph().requests.back().attempts.back().outcome, outcome);
  }
}

TEST(WindowsFile, DirectoryWithTheNameEndsTheSearchWithError5) {
  WindowsWorld world;
  world.files.AddDirectory("/C:/app/a.dll");
  world.files.Add("/C:/path1/a.dll", {});
  EXPECT_EQ(world.Load("a.dll"), "error 5");
  EXPECT_EQ(world.process->graph().requests.back().attempts.back().outcome, Outcome::kIsDirectory);
}

TEST(WindowsFile, FileThatMayNotBeReadEndsTheSearchWithError5) {
  WindowsWorld world;
  world.files.AddNotOpened("/C:/app/a.dll", base::PathError::kAccess);
  world.files.Add("/C:/path1/a.dll", {});
  EXPECT_EQ(world.Load("a.dll"), "error 5");
}

TEST(WindowsFile, LibraryOfLinuxIsNoDll) {
  WindowsWorld world;
  world.files.AddElf("/C:/app/a.dll");
  EXPECT_EQ(world.Load("a.dll"), "error 193");
}

TEST(WindowsClosure, MissingDependencyAtAnyDepthIsError126OfTheWholeCall) {
  WindowsWorld world;
  world.files.Add("/C:/app/a.dll", {.imports = Needs({"b.dll"})});
  world.files.Add("/C:/app/b.dll", {.imports = Needs({"c.dll", "gone2.dll"})});
  world.files.Add("/C:/app/c.dll", {.imports = Needs({"gone.dll"})});
  EXPECT_EQ(world.Load("a.dll"), "error 126");
  const loader::LoadGraph& graph = world.process->graph();
  EXPECT_EQ(graph.objects.size(), 1);  // everything is unloaded again
  EXPECT_EQ(graph.requests.front().error,
            R"(error 126: The specified module could not be found (gone2.dll, needed by C:\app\b.dll))");
  for (const auto& [name, by] : {std::pair("gone.dll", "/C:/app/c.dll"), {"gone2.dll", "/C:/app/b.dll"}}) {
    const loader::Request* gone = RequestFor(graph, name);
    ASSERT_NE(gone, nullptr);
    EXPECT_EQ(gone->code, 126);
    EXPECT_EQ(gone->requester_path, by);
    EXPECT_EQ(gone->attempts.size(), 7);
  }
}

TEST(WindowsClosure, DependencyForAnotherMachineIsError193) {
  WindowsWorld world;
  world.files.Add("/C:/app/a.dll", {.imports = Needs({"b.dll"})});
  world.files.Add("/C:/app/b.dll", {.machine = binfmt::kPeMachine386});
  EXPECT_EQ(world.Load("a.dll"), "error 193");
}

TEST(WindowsClosure, FailedLoadLeavesWhatWasLoadedBefore) {
  WindowsWorld world;
  world.files.Add("/C:/app/a.dll", {.imports = Needs({"b.dll", "gone.dll"})});
  world.files.Add("/C:/app/b.dll", {});
  auto& process = world.Process();
  EXPECT_EQ(world.LoadIn(process, "b.dll"), "/C:/app/b.dll");
  EXPECT_EQ(world.LoadIn(process, "a.dll"), "error 126");
  EXPECT_EQ(process.graph().objects.size(), 2);
  EXPECT_EQ(world.LoadIn(process, "b.dll"), "/C:/app/b.dll");
}

TEST(WindowsClosure, DllOfWhichNoFunctionIsWantedIsNotLoaded) {
  WindowsWorld world;
  world.files.Add("/C:/app/a.dll", {.imports = {Functions("gone.dll", {}), Functions("b.dll", {})}});
  world.files.Add("/C:/app/b.dll", {});
  EXPECT_EQ(world.Load("a.dll"), "/C:/app/a.dll");
  EXPECT_EQ(world.process->graph().objects.size(), 2);
}

TEST(WindowsClosure, CyclesAndADllThatNeedsItselfAreFine) {
  WindowsWorld world;
  world.files.Add("/C:/app/a.dll", {.imports = Needs({"b.dll", "a.dll"})});
  world.files.Add("/C:/app/b.dll", {.imports = Needs({"A.DLL", "b"})});
  EXPECT_EQ(world.Load("a.dll"), "/C:/app/a.dll");
  EXPECT_EQ(world.process->graph().objects.size(), 3);
}

TEST(WindowsClosure, ThousandsOfImportsAreFine) {
  WindowsWorld world;
  std::vector<std::string> names;
  for (int i = 0; i < 3000; ++i) names.push_back("d" + std::to_string(i) + ".dll");
  for (size_t i = 0; i < names.size(); ++i) {
    world.files.Add("/C:/app/" + names[i], {.imports = Needs({names[(i + 1) % names.size()]})});
  }
  world.files.Add("/C:/app/a.dll", {.imports = Needs(names)});
  EXPECT_EQ(world.Load("a.dll"), "/C:/app/a.dll");
  EXPECT_EQ(world.process->graph().objects.size(), 3002);
}

TEST(WindowsFunctions, MissingExportIsError127AndNamed) {
  WindowsWorld world;
  world.files.Add("/C:/app/a.dll", {.imports = {Functions("b.dll", {"here", "gone", "gone2"})}});
  world.files.Add("/C:/app/b.dll", {.exports = {"here"}});
  EXPECT_EQ(world.Load("a.dll"), "error 127");
  const loader::LoadGraph& graph = world.process->graph();
  ASSERT_EQ(graph.missing_exports.size(), 2);
  EXPECT_EQ(graph.missing_exports[0].importer, "/C:/app/a.dll");
  EXPECT_EQ(graph.missing_exports[0].dll, "/C:/app/b.dll");
  EXPECT_EQ(graph.missing_exports[0].function, "gone");
  EXPECT_THAT(graph.requests.front().error, HasSubstr(R"(gone in C:\app\b.dll, needed by C:\app\a.dll)"));
}

TEST(WindowsFunctions, MissingOrdinalIsError182) {
  WindowsWorld world;
  world.files.Add("/C:/app/a.dll", {.imports = {Functions("b.dll", {}, {7, 8})}});
  world.files.Add("/C:/app/b.dll", {.ordinals = {7}});
  EXPECT_EQ(world.Load("a.dll"), "error 182");
  ASSERT_EQ(world.process->graph().missing_exports.size(), 1);
  EXPECT_EQ(world.process->graph().missing_exports[0].function, "#8");
}

TEST(WindowsFunctions, MissingFileIsToldBeforeAMissingFunction) {
  WindowsWorld world;
  world.files.Add("/C:/app/a.dll", {.imports = {Functions("b.dll", {"gone"}), Functions("c.dll", {"f"})}});
  world.files.Add("/C:/app/b.dll", {});
  EXPECT_EQ(world.Load("a.dll"), "error 126");
}

TEST(WindowsFunctions, UnknownExportsAreBelievedAndSaid) {
  WindowsWorld world;
  world.files.Add("/C:/app/a.dll", {.imports = {Functions("b.dll", {"f"})}});
  world.files.Add("/C:/app/b.dll", {.exports_known = false});
  EXPECT_EQ(world.Load("a.dll"), "/C:/app/a.dll");
  EXPECT_EQ(world.process->graph().assumptions.size(), 1);
}

TEST(WindowsFunctions, DllsOfWindowsAreBelieved) {
  WindowsWorld world;
  world.files.Add("/C:/app/a.dll", {.imports = {Functions("kernel32.dll", {"anything"})}});
  world.files.Add("/C:/Windows/System32/kernel32.dll", {.imports = Needs({"not-ours.dll"})});
  EXPECT_EQ(world.Load("a.dll"), "/C:/app/a.dll");
}

TEST(WindowsForwarder, TargetIsLoadedAndMustHaveTheFunction) {
  WindowsWorld world;
  world.files.Add("/C:/app/a.dll", {.imports = {Functions("b.dll", {"f"})}});
  world.files.Add("/C:/app/b.dll", {.forwarders = {{"f", "c.g"}}});
  EXPECT_EQ(world.Load("a.dll"), "error 126");
  const loader::Request* target = RequestFor(world.process->graph(), "c");
  ASSERT_NE(target, nullptr);
  EXPECT_EQ(target->requester_path, "/C:/app/b.dll");
  world.files.Add("/C:/path1/c.dll", {});
  EXPECT_EQ(world.Load("a.dll"), "error 127");
  EXPECT_EQ(world.process->graph().missing_exports.at(0).importer, "/C:/app/b.dll");
  world.files.Add("/C:/path1/c.dll", {.imports = Needs({"d.dll"}), .exports = {"g"}});
  EXPECT_EQ(world.Load("a.dll"), "error 126");  // the target has its own dependencies
  world.files.Add("/C:/path2/d.dll", {});
  EXPECT_EQ(world.Load("a.dll"), "/C:/app/a.dll");
  EXPECT_EQ(world.process->graph().objects.size(), 5);
}

TEST(WindowsForwarder, UnusedForwarderLoadsNothing) {
  WindowsWorld world;
  world.files.Add("/C:/app/a.dll", {.imports = {Functions("b.dll", {"f"})}});
  world.files.Add("/C:/app/b.dll", {.exports = {"f"}, .forwarders = {{"other", "gone.g"}}});
  EXPECT_EQ(world.Load("a.dll"), "/C:/app/a.dll");
}

TEST(WindowsForwarder, RingOfForwardersEnds) {
  WindowsWorld world;
  world.files.Add("/C:/app/a.dll", {.imports = {Functions("b.dll", {"f"})}});
  world.files.Add("/C:/app/b.dll", {.forwarders = {{"f", "c.f"}}});
  world.files.Add("/C:/app/c.dll", {.forwarders = {{"f", "b.f"}}});
  EXPECT_EQ(world.Load("a.dll"), "error 193");
}

TEST(WindowsForwarder, ToANumber) {
  WindowsWorld world;
  world.files.Add("/C:/app/a.dll", {.imports = {Functions("b.dll", {"f"})}});
  world.files.Add("/C:/app/b.dll", {.forwarders = {{"f", "c.#3"}}});
  world.files.Add("/C:/app/c.dll", {.ordinals = {2}});
  EXPECT_EQ(world.Load("a.dll"), "error 182");
  world.files.Add("/C:/app/c.dll", {.ordinals = {3}});
  EXPECT_EQ(world.Load("a.dll"), "/C:/app/a.dll");
}

TEST(WindowsDelayImports, AreNotLoadedWithTheDll) {
  WindowsWorld world;
  world.files.Add("/C:/app/a.dll", {.delay_imports = Needs({"gone.dll"})});
  EXPECT_EQ(world.Load("a.dll"), "/C:/app/a.dll");
  EXPECT_EQ(RequestFor(world.process->graph(), "gone.dll"), nullptr);
}

TEST(WindowsDelayImports, AreFollowedAfterwardsAndMayFail) {
  WindowsWorld world;
  world.Program({.delay_imports = Needs({"a.dll", "b.dll"})});
  world.files.Add("/C:/app/a.dll", {.imports = Needs({"gone.dll"})});
  world.files.Add("/C:/app/b.dll", {.delay_imports = Needs({"c.dll"})});
  world.files.Add("/C:/app/c.dll", {});
  world.Settle();
  const loader::LoadGraph graph =
      loader::Load(world.snapshot, world.files, {.target = "/C:/app/app.exe", .known_dlopens = true});
  EXPECT_EQ(graph.error, "");
  ASSERT_EQ(graph.objects.size(), 3);
  EXPECT_EQ(graph.objects[2].path, "/C:/app/c.dll");
  EXPECT_EQ(graph.objects[2].opened_by, OpenedBy::kDelayed);
  EXPECT_EQ(graph.requests[0].code, 126);
  EXPECT_TRUE(graph.requests[0].optional);
  EXPECT_TRUE(RequestFor(graph, "gone.dll")->optional);
  const loader::LoadGraph without =
      loader::Load(world.snapshot, world.files, {.target = "/C:/app/app.exe", .known_dlopens = false});
  EXPECT_EQ(without.objects.size(), 1);
}

TEST(WindowsStart, MissingDllStopsTheProgram) {
  WindowsWorld world;
  world.Program({.imports = Needs({"a.dll"})});
  world.files.Add("/C:/app/a.dll", {.imports = Needs({"gone.dll"})});
  auto& process = world.Process();
  EXPECT_EQ(process.graph().error,
            "The code execution cannot proceed because gone.dll was not found. "
            R"((0xC0000135; needed by C:\app\a.dll))");
  EXPECT_FALSE(process.Dlopen("a.dll", 0, 0));
  EXPECT_EQ(process.graph().requests.size(), 2);  // a dead process requests nothing
}

TEST(WindowsStart, MissingFunctionStopsTheProgram) {
  WindowsWorld world;
  world.Program({.imports = {Functions("a.dll", {"f"})}});
  world.files.Add("/C:/app/a.dll", {});
  EXPECT_THAT(world.Process().graph().error, HasSubstr("0xC0000139"));
}

TEST(WindowsStart, MissingOrdinalStopsTheProgram) {
  WindowsWorld world;
  world.Program({.imports = {Functions("a.dll", {}, {5})}});
  world.files.Add("/C:/app/a.dll", {});
  EXPECT_THAT(world.Process().graph().error, HasSubstr("The ordinal 5 could not be located"));
}

TEST(WindowsStart, BadImageStopsTheProgram) {
  WindowsWorld world;
  world.Program({.imports = Needs({"a.dll"})});
  world.files.Add("/C:/app/a.dll", {.machine = binfmt::kPeMachine386});
  EXPECT_THAT(world.Process().graph().error, HasSubstr("0xC000007B"));
}

TEST(WindowsStart, ProgramThatIsNoProgram) {
  WindowsWorld world;
  world.Program({.problem = PeProblem::kNotPe});
  EXPECT_THAT(world.Process().graph().error, HasSubstr("error 193"));
}

TEST(WindowsFile, ExeAsDllBringsNothingAlong) {
  WindowsWorld world;
  world.files.Add("/C:/app/tool.exe", {.imports = Needs({"gone.dll"}), .program = true});
  EXPECT_EQ(world.Load("tool.exe"), "/C:/app/tool.exe");
}

TEST(WindowsFile, SideBySideStoreIsNotEnoughFacts) {
  WindowsWorld world;
  world.files.Add("/C:/app/a.dll",
                  {.imports = Needs({"msvcr90.dll"}), .manifest_dependencies = {"Microsoft.VC90.CRT"}});
  EXPECT_EQ(world.Load("a.dll"), "error 126");
  EXPECT_TRUE(RequestFor(world.process->graph(), "msvcr90.dll")->uncertain);
}

TEST(WindowsLoad, PythonOfCondaFindsLibraryBin) {
  WindowsWorld world;
  world.files.Add("/C:/conda/python.exe", {.imports = {}, .program = true});
  world.files.Add("/C:/conda/Lib/site-packages/x/_C.pyd", {.imports = Needs({"cudnn64_8.dll"})});
  world.files.Add("/C:/conda/Library/bin/cudnn64_8.dll", {});
  const loader::Question question{.target = "/C:/conda/Lib/site-packages/x/_C.pyd",
                                  .interpreter = "/C:/conda/python.exe"};
  world.Settle();
  EXPECT_NE(loader::Load(world.snapshot, world.files, question).error, "");
  world.files.AddDirectory("/C:/conda/conda-meta");
  EXPECT_EQ(loader::Load(world.snapshot, world.files, question).error, "");
}

TEST(WindowsLoad, CallsOfTheQuestionTakeFlagsAndNameTheirCallerInAnyCase) {
  WindowsWorld world;
  world.files.Add("/C:/lib/a.dll", {.imports = Needs({"b.dll"})});
  world.files.Add("/C:/lib/b.dll", {});
  loader::Question question{.target = "/C:/app/app.exe"};
  question.calls = {{.name = R"(C:\lib\a.dll)", .from = "", .flags = loader::kAlteredSearchPath},
                    {.name = "b.dll", .from = "A.DLL"},
                    {.name = "b.dll", .from = R"(c:\lib\a.dll)"}};
  world.Settle();
  const loader::LoadGraph graph = loader::Load(world.snapshot, world.files, question);
  EXPECT_EQ(graph.objects.size(), 3);
  for (const loader::Request& request : graph.requests) EXPECT_EQ(request.error, "");
  EXPECT_EQ(graph.requests.back().requester, 1);
}

}  // namespace
}  // namespace culprit::model
