// Rules of glibc's loader, one test each, on a made-up machine; tests/gold compares with the real loader.
#include <gtest/gtest.h>

#include "model/world.h"

namespace culprit::model {
namespace {

using Strings = std::vector<std::string>;

TEST(Glibc, RpathComesBeforeLdLibraryPathAndRunpathAfter) {
  World world;
  for (const char* directory : {"/own", "/env"}) {
    world.Library(std::string(directory) + "/liba.so", {.soname = "liba.so"});
  }
  world.system.SetEnvironment({{"LD_LIBRARY_PATH", "/env"}});
  world.Program("/p1", {.needed = {"liba.so"}, .rpath = "/own"});
  world.Program("/p2", {.needed = {"liba.so"}, .runpath = "/own"});
  EXPECT_EQ(Loads(world.Load("/p1")), Strings{"/own/liba.so [rpath]"});
  EXPECT_EQ(Loads(world.Load("/p2")), Strings{"/env/liba.so [ld_library_path]"});
}

TEST(Glibc, RpathIsInheritedByDependenciesAndRunpathIsNot) {
  World world;
  world.Library("/d/liba.so", {.soname = "liba.so", .needed = {"libb.so"}});
  world.Library("/d/libb.so", {.soname = "libb.so"});
  world.Program("/p1", {.needed = {"liba.so"}, .rpath = "/d"});
  world.Program("/p2", {.needed = {"liba.so"}, .runpath = "/d"});
  EXPECT_EQ(Loads(world.Load("/p1")), (Strings{"/d/liba.so [rpath]", "/d/libb.so [rpath]"}));
  EXPECT_EQ(world.Load("/p2").error,
            "/p2: error while loading shared libraries: libb.so: cannot open shared object file: No such "
            "file or directory");
}

TEST(Glibc, DlopenForgetsItsCallerAfterTheFirstName) {
  World world;
  world.Library("/d1/liba.so", {.soname = "liba.so", .needed = {"libb.so"}});
  world.Library("/d2/libb.so", {.soname = "libb.so"});
  world.Library("/x/libx.so", {.soname = "libx.so", .rpath = "/d1:/d2"});
  world.Program("/p", {.needed = {"/x/libx.so"}});
  const auto graph = world.Load("/p", {{"liba.so", "libx.so"}});
  EXPECT_EQ(graph.requests.front().name, "/x/libx.so");
  EXPECT_EQ(graph.requests[1].error, "libb.so: cannot open shared object file: No such file or directory");
  EXPECT_EQ(Loads(graph), Strings{"/x/libx.so [path]"}) << "liba.so is unloaded again";
}

TEST(Glibc, ALibraryOpenedByPathSatisfiesItsSoname) {
  World world;
  world.Library("/d/libb.so.1.2", {.soname = "libb.so.1"});
  world.Library("/d/liba.so", {.soname = "liba.so", .needed = {"libb.so.1"}});
  world.Program("/p", {});
  const auto graph = world.Load("/p", {{"/d/libb.so.1.2", ""}, {"/d/liba.so", ""}});
  EXPECT_EQ(Loads(graph), (Strings{"/d/libb.so.1.2 [path]", "/d/liba.so [path]"}));
}

TEST(Glibc, ALibraryThatLdSoIsGivenIsVerifiedLikeAnyOther) {
  World world;
  world.Library("/d/object.so", {.type = ET_REL, .soname = "object.so", .needed = {"libc.so.6"}});
  world.Library("/d/whole.so", {.soname = "whole.so", .needed = {"libc.so.6"}});
  const auto graph = world.Load("/d/object.so");
  EXPECT_EQ(
      graph.error,
      "/d/object.so: error while loading shared libraries: /d/object.so: only ET_DYN and ET_EXEC can be "
      "loaded");
  EXPECT_EQ(Loads(graph), Strings{});
  EXPECT_EQ(world.Load("/d/whole.so").error, "");
}

TEST(Glibc, AnEmptyFileEndsTheLoadAndADanglingLinkDoesNot) {
  World world;
  world.system.AddFile("/bad/liba.so", "");
  world.system.AddLink("/gone/liba.so", "nowhere");
  world.Library("/good/liba.so", {.soname = "liba.so"});
  world.Program("/p1", {.needed = {"liba.so"}, .rpath = "/bad:/good"});
  world.Program("/p2", {.needed = {"liba.so"}, .rpath = "/gone:/good"});
  EXPECT_EQ(world.Load("/p1").error,
            "/p1: error while loading shared libraries: /bad/liba.so: file too short");
  const auto graph = world.Load("/p2");
  EXPECT_EQ(Loads(graph), Strings{"/good/liba.so [rpath]"});
  EXPECT_EQ(graph.requests.front().attempts[2].outcome, loader::Outcome::kDanglingLink)
      << "after two hwcaps tries";
}

TEST(Glibc, OtherClassesAndMachinesArePassedOver) {
  World world;
  world.Library("/d32/liba.so", {.bits = 32, .machine = EM_386, .soname = "liba.so"});
  world.Library("/arm/liba.so", {.machine = EM_AARCH64, .soname = "liba.so"});
  world.Library("/good/liba.so", {.soname = "liba.so"});
  world.Program("/p", {.needed = {"liba.so"}, .rpath = "/d32:/arm:/good"});
  world.Program("/only32", {.needed = {"liba.so"}, .rpath = "/d32"});
  world.Program("/only_arm", {.needed = {"liba.so"}, .rpath = "/arm"});
  EXPECT_EQ(Loads(world.Load("/p")), Strings{"/good/liba.so [rpath]"});
  EXPECT_EQ(world.Load("/only32").error,
            "/only32: error while loading shared libraries: liba.so: wrong ELF class: ELFCLASS32");
  EXPECT_EQ(world.Load("/only_arm").error,
            "/only_arm: error while loading shared libraries: liba.so: cannot open "
            "shared object file: No such file or directory");
}

TEST(Glibc, HwcapsSubdirectoriesOfTheCpuComeFirst) {
  World world;
  world.Library("/d/liba.so", {.soname = "liba.so"});
  world.Library("/d/glibc-hwcaps/x86-64-v2/liba.so", {.soname = "liba.so"});
  world.Library("/d/glibc-hwcaps/x86-64-v4/liba.so", {.soname = "liba.so"});
  world.Program("/p", {.needed = {"liba.so"}, .runpath = "/d"});
  EXPECT_EQ(Loads(world.Load("/p")), Strings{"/d/glibc-hwcaps/x86-64-v2/liba.so [runpath]"});
}

TEST(Glibc, ASetUserIdProgramIgnoresLdLibraryPath) {
  World world;
  world.Library("/env/liba.so", {.soname = "liba.so"});
  world.Library("/usr/lib/liba.so", {.soname = "liba.so"});
  world.system.SetEnvironment({{"LD_LIBRARY_PATH", "/env"}, {"LD_PRELOAD", "/env/liba.so"}});
  world.Program("/p", {.needed = {"liba.so"}}, 04755);
  EXPECT_EQ(Loads(world.Load("/p")), Strings{"/lib/liba.so [default]"});
}

TEST(Glibc, PreloadsAreLoadedFirstAndFailuresOnlyWarn) {
  World world;
  world.Library("/pre/libp.so", {.soname = "libp.so"});
  world.system.SetEnvironment({{"LD_PRELOAD", "/pre/libp.so:libnone.so"}});
  world.Program("/p", {.needed = {"libc.so.6"}});
  const auto graph = world.Load("/p");
  EXPECT_EQ(Loads(graph),
            (Strings{"/pre/libp.so [ld_preload]", "/lib/x86_64-linux-gnu/libc.so.6 [default]"}));
  EXPECT_EQ(graph.warnings,
            Strings{"ERROR: ld.so: object 'libnone.so' from LD_PRELOAD cannot be preloaded (cannot "
                    "open shared object file): ignored."});
  EXPECT_EQ(graph.error, "");
}

TEST(Glibc, AMissingSymbolVersionIsToldInTheLoadersWords) {
  World world;
  world.Program("/p", {.needed = {"libc.so.6"}, .version_needs = {{"libc.so.6", {{"GLIBC_2.99", false}}}}});
  EXPECT_EQ(world.Load("/p").error,
            "/p: /lib/x86_64-linux-gnu/libc.so.6: version `GLIBC_2.99' not found (required by /p)");
}

TEST(Glibc, AVersionNodeNamedLikeTheFileItselfIsFound) {
  World world;  // NVIDIA names the version node like the soname, and so is the base version of every file
  world.Library("/d/libx.so.9", {.soname = "libx.so.9", .version_defs = {"libx.so.9"}});
  world.Program(
      "/p",
      {.needed = {"libx.so.9"}, .rpath = "/d", .version_needs = {{"libx.so.9", {{"libx.so.9", false}}}}});
  EXPECT_EQ(world.Load("/p").error, "");
}

TEST(Glibc, AnExecutableStackIsRefusedByDlopenSince241) {
  for (const auto& [version, error] : std::vector<std::pair<std::string, std::string>>{
           {"2.40", ""},
           {"2.41",
            "/d/liba.so: cannot enable executable stack as shared object requires: Invalid argument"}}) {
    World world(version);
    world.Library("/d/liba.so", {.soname = "liba.so", .stack_flags = 7});
    world.Program("/p", {});
    EXPECT_EQ(world.Load("/p", {{"/d/liba.so", ""}}).requests.back().error, error) << version;
  }
}

TEST(Glibc, LegacySubdirectoriesEndWith236) {
  for (const auto& [version, path] : std::vector<std::pair<std::string, std::string>>{
           {"2.36", "/d/tls/liba.so [runpath]"}, {"2.37", "/d/liba.so [runpath]"}}) {
    World world(version);
    world.Library("/d/liba.so", {.soname = "liba.so"});
    world.Library("/d/tls/liba.so", {.soname = "liba.so"});
    world.Program("/p", {.needed = {"liba.so"}, .runpath = "/d"});
    EXPECT_EQ(Loads(world.Load("/p")), Strings{path}) << version;
  }
}

TEST(Glibc, ATargetOfAnotherCpuIsLoadedByItsOwnLoader) {
  World world;
  world.Library("/usr/lib/aarch64-linux-gnu/liba.so", {.machine = EM_AARCH64, .soname = "liba.so"});
  world.system.AddFile(
      "/arm",
      BuildElf({.machine = EM_AARCH64, .needed = {"liba.so"}, .interpreter = "/lib/ld-linux-aarch64.so.1"}));
  const auto graph = world.Load("/arm");
  EXPECT_EQ(Loads(graph), Strings{"/lib/aarch64-linux-gnu/liba.so [default]"});
  EXPECT_EQ(graph.assumptions.size(), 2u) << "the loader is not there; its directories are assumed";
}

}  // namespace
}  // namespace culprit::model
