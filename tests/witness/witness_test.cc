// culprit-audit.so in real programs under the real ld.so: what it tells, and that it changes nothing.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "binfmt/elf/elf.h"
#include "binfmt/elf/write.h"
#include "binfmt/testing/host.h"
#include "run/watch/journal/files.h"
#include "run/watch/journal/reader.h"
#include "run/witness/journal.h"
#include "system/system.h"
#include "watched_program.h"

namespace culprit {
namespace {

namespace fs = std::filesystem;
using binfmt::testing::ReadAll;

class Witness : public testing::Test {
 protected:
  Witness() {
    fs::copy(WITNESS_VICTIM, At("victim"));
    fs::copy(WITNESS_CRASH, At("libcrash.so"));
  }

  std::string At(const std::string& name) const { return directory_.path() + "/" + name; }

  void Library(const std::string& path, const Strings& needed, const std::string& runpath = "") {
    fs::create_directories(fs::path(At(path)).parent_path());
    binfmt::ElfSpec spec{
        .machine = binfmt::testing::NativeMachine(), .soname = fs::path(path).filename(), .needed = needed};
    if (!runpath.empty()) spec.runpath = runpath;
    std::ofstream(At(path), std::ios::binary) << binfmt::BuildElf(spec);
  }

  void MakeJournal(uint64_t size = 1 << 18) {
    culprit::MakeJournal(At("journal"), size);
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    started_ = static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(now.tv_nsec);
  }

  Ended Run(const Strings& command, bool watched, const Strings& more_environment = {}, int ignored = 0) {
    Strings environment = {"LD_LIBRARY_PATH=" + directory_.path(), "FILLER=" + std::string(20'000, 'x')};
    if (watched) {
      environment.push_back("LD_AUDIT=" WITNESS_AUDIT);
      environment.push_back(std::string(CULPRIT_JOURNAL_VARIABLE "=") + At("journal"));
    }
    environment.insert(environment.end(), more_environment.begin(), more_environment.end());
    return RunChild(command, environment, At("output"), ignored);
  }

  // Runs it watched and unwatched, and expects no difference.
  watch::JournalContents Watch(const Strings& command, const Strings& more_environment = {},
                               int ignored = 0) {
    MakeJournal();
    const Ended alone = Run(command, false, more_environment, ignored);
    ended_ = Run(command, true, more_environment, ignored);
    EXPECT_EQ(ended_.status, alone.status);
    EXPECT_EQ(ended_.output, alone.output);
    auto contents = watch::ReadJournal(ReadAll(At("journal")), started_, watch::FilesOf(*machine_));
    EXPECT_TRUE(contents.has_value());
    return std::move(contents).value_or(watch::JournalContents{});
  }

  watch::JournalContents Victim(Strings arguments) {
    arguments.insert(arguments.begin(), At("victim"));
    return Watch(arguments);
  }

  binfmt::testing::TemporaryDirectory directory_;
  std::unique_ptr<system::System> machine_ = system::RealSystem();
  uint64_t started_ = 0;
  Ended ended_;
};

const record::Loaded* Find(const record::Process& process, const std::string& path) {
  const auto found = std::ranges::find(process.loads, path, &record::Loaded::path);
  return found != process.loads.end() ? &*found : nullptr;
}

// The first one with that id, or an empty one.
record::Process First(const watch::JournalContents& contents) {
  EXPECT_FALSE(contents.processes.empty());
  return contents.processes.empty() ? record::Process{} : contents.processes.front();
}

TEST_F(Witness, TellsLoadsInOrderWithWhoAskedAndHowItWasFound) {
  Library("libtop.so", {"libmiddle.so"}, "$ORIGIN/sub");
  Library("sub/libmiddle.so", {"libbottom.so"}, "$ORIGIN");
  Library("sub/libbottom.so", {});
  const record::Process process = First(Victim({"load", "libtop.so"}));
  EXPECT_EQ(process.program, At("victim"));
  EXPECT_EQ(process.arguments, (Strings{At("victim"), "load", "libtop.so"}));
  EXPECT_EQ(process.parent, getpid());
  EXPECT_FALSE(process.forked);
  ASSERT_GE(process.loads.size(), 6u);  // program, ld.so, libc, three
  EXPECT_EQ(process.loads[0].path, At("victim"));
  const auto* libc = &*std::ranges::find(process.loads, "libc.so.6", &record::Loaded::name);
  EXPECT_EQ(libc->requester, "");
  EXPECT_FALSE(libc->dlopen);
  const auto* last = &process.loads.back();
  EXPECT_EQ(last[-2].path, At("libtop.so"));
  EXPECT_EQ(last[-2].via, base::Via::kLdLibraryPath);
  EXPECT_TRUE(last[-2].dlopen);
  EXPECT_EQ(last[-1].path, At("sub/libmiddle.so"));
  EXPECT_EQ(last[-1].via, base::Via::kRunpath);
  EXPECT_EQ(last[-1].requester, At("libtop.so"));
  EXPECT_FALSE(last[-1].dlopen);
  EXPECT_EQ(last[0].requester, At("sub/libmiddle.so"));
  uint64_t before = 0;
  for (const record::Loaded& loaded : process.loads) {
    EXPECT_FALSE(loaded.closed) << loaded.path;
    EXPECT_LT(loaded.base, loaded.end) << loaded.path;
    EXPECT_GE(loaded.at, before);
    before = loaded.at;
  }
  EXPECT_TRUE(process.failed_requests.empty());
}

TEST_F(Witness, TellsEveryPlaceWhereALibraryThreeLevelsDownWasLookedFor) {
  Library("libtop.so", {"libmiddle.so"}, "$ORIGIN/sub");
  Library("sub/libmiddle.so", {"libbottom.so"}, "$ORIGIN/one:$ORIGIN/two");
  fs::create_directories(At("sub/one"));
  fs::create_directories(At("sub/two"));
  const record::Process process = First(Victim({"load", "libtop.so"}));
  EXPECT_NE(ended_.output.find("libbottom.so: cannot open"), std::string::npos) << ended_.output;
  EXPECT_EQ(ended_.status, 0) << "the program survives it";
  ASSERT_EQ(process.failed_requests.size(), 1u);
  const record::Request& request = process.failed_requests[0];
  EXPECT_EQ(request.name, "libbottom.so");
  EXPECT_EQ(request.requester, At("sub/libmiddle.so"));
  EXPECT_FALSE(request.dlopen);
  Strings tried;
  for (const record::Attempt& attempt : request.attempts)
    tried.push_back(std::string(base::NameOrNone(attempt.via)) + " " + attempt.path);
  for (const std::string& place :
       {"ld_library_path " + At("libbottom.so"), "runpath " + At("sub/one/libbottom.so"),
        "runpath " + At("sub/two/libbottom.so"), std::string("default /lib/libbottom.so"),
        std::string("default /usr/lib/libbottom.so")})
    EXPECT_NE(std::ranges::find(tried, place), tried.end()) << place;
  const record::Loaded* top = Find(process, At("libtop.so"));
  ASSERT_NE(top, nullptr);
  EXPECT_TRUE(top->closed) << "it was taken back";
}

TEST_F(Witness, AMissingLibraryAtStartUp) {
  Library("libpreload.so", {"libnothere.so"});
  const record::Process process = First(Watch({At("victim")}, {"LD_PRELOAD=libpreload.so"}));
  EXPECT_NE(ended_.status, 0);
  ASSERT_EQ(process.failed_requests.size(), 1u);
  EXPECT_EQ(process.failed_requests[0].requester, At("libpreload.so"));
  const record::Loaded* preload = Find(process, At("libpreload.so"));
  ASSERT_NE(preload, nullptr);
  EXPECT_EQ(preload->via, base::Via::kLdPreload);
  EXPECT_FALSE(preload->dlopen);
}

TEST_F(Witness, AnotherNameOfALoadedFileIsNoFailureAndAClosedFileIsSaidToBe) {
  Library("libreal.so", {});
  Library("libother.so", {});
  fs::create_symlink("libother.so", At("libalias.so"));
  const record::Process process = First(Victim({"load", "libother.so", "libalias.so"}));
  EXPECT_TRUE(process.failed_requests.empty());
  const record::Process again = First(Victim({"reload", "libreal.so", "libother.so"}));
  ASSERT_NE(Find(again, At("libreal.so")), nullptr);
  EXPECT_TRUE(Find(again, At("libreal.so"))->closed);
  EXPECT_FALSE(Find(again, At("libother.so"))->closed);
}

TEST_F(Witness, TellsOfThreads) {
  const record::Process process = First(Victim({"thread", "libnothere.so"}));
  ASSERT_EQ(process.failed_requests.size(), 1u);
  EXPECT_NE(process.failed_requests[0].thread, process.id);
  EXPECT_TRUE(process.failed_requests[0].dlopen);
}

TEST_F(Witness, AForkedChildTellsOfItselfAndCrashesAsItWould) {
  Library("libchild.so", {});
  const watch::JournalContents contents = Victim({"fork", "libchild.so"});
  EXPECT_EQ(WEXITSTATUS(ended_.status), SIGSEGV);
  ASSERT_EQ(contents.processes.size(), 2u);
  const record::Process& child = contents.processes[1];
  EXPECT_TRUE(child.forked);
  EXPECT_EQ(child.parent, contents.processes[0].id);
  EXPECT_NE(Find(child, At("libchild.so")), nullptr);
  EXPECT_EQ(Find(contents.processes[0], At("libchild.so")), nullptr);
  ASSERT_EQ(child.crashes.size(), 1u);
  EXPECT_EQ(child.crashes[0].frames.at(0).object, At("libcrash.so"));
  EXPECT_EQ(child.crashes[0].frames.back().object.empty(), false);
}

TEST_F(Witness, TellsOfAnExecutedChildAndNothingOfAStaticOne) {
  Library("libchild.so", {});
  const watch::JournalContents contents = Victim({"exec", At("victim"), "load", "libchild.so"});
  ASSERT_EQ(contents.processes.size(), 2u);
  EXPECT_EQ(contents.processes[1].parent, contents.processes[0].id);
  EXPECT_NE(Find(contents.processes[1], At("libchild.so")), nullptr);
  EXPECT_FALSE(contents.processes[1].forked);
  EXPECT_EQ(Victim({"exec", WITNESS_STATIC, "abort"}).processes.size(), 1u);
  EXPECT_TRUE(Watch({WITNESS_STATIC, "descriptors"}).processes.empty());
}

TEST_F(Witness, NeedsNoDescriptorAndLeavesNone) {
  Library("libtop.so", {});
  const record::Process process = First(Victim({"close", "libtop.so"}));
  EXPECT_EQ(WEXITSTATUS(ended_.status), 7);
  EXPECT_NE(Find(process, At("libtop.so")), nullptr);
  Victim({"descriptors"});  // Watch compares
  EXPECT_GT(WEXITSTATUS(ended_.status), 3);
}

TEST_F(Witness, ACrashNamesTheLibraryAndTheFunctionAndEndsTheProgramAsBefore) {
  const record::Process process = First(Victim({"crash"}));
  EXPECT_TRUE(WIFSIGNALED(ended_.status));
  EXPECT_EQ(WTERMSIG(ended_.status), SIGSEGV);
  ASSERT_EQ(process.crashes.size(), 1u);
  const record::Crash& crash = process.crashes[0];
  EXPECT_EQ(crash.signal, "SIGSEGV");
  EXPECT_EQ(crash.address, 16u);
  EXPECT_EQ(crash.code, SEGV_MAPERR);
  ASSERT_FALSE(crash.frames.empty());
  EXPECT_EQ(crash.frames[0].object, At("libcrash.so"));
  EXPECT_EQ(crash.frames[0].function, "Inner");
  EXPECT_FALSE(crash.frames[0].guessed);
  const auto called = [&](const std::string& object, const std::string& function) {
    return std::ranges::any_of(crash.frames, [&](const record::Frame& frame) {
      return frame.guessed && frame.object == object && frame.function == function;
    });
  };
  EXPECT_TRUE(called(At("libcrash.so"), "Crash"));
  EXPECT_TRUE(called(At("victim"), "main"));
}

TEST_F(Witness, AFileCutShortKillsTheLoaderAndIsNamed) {
  fs::resize_file(At("libcrash.so"), 5000);
  const record::Process process = First(Victim({"load", "libcrash.so"}));
  EXPECT_EQ(WTERMSIG(ended_.status), SIGBUS);
  ASSERT_EQ(process.crashes.size(), 1u);
  EXPECT_EQ(process.crashes[0].signal, "SIGBUS");
  EXPECT_NE(process.crashes[0].frames.at(0).object.find("/ld-"), std::string::npos);
  ASSERT_EQ(process.failed_requests.size(), 1u);
  EXPECT_EQ(process.failed_requests[0].attempts.back().path, At("libcrash.so"));
  EXPECT_NE(process.failed_requests[0].error.find("SIGBUS"), std::string::npos);
}

TEST_F(Witness, ASignalThatWasSentIsPassedOn) {
  for (const auto& [how, number, name] :
       {std::tuple("kill", SIGSEGV, "SIGSEGV"), std::tuple("abort", SIGABRT, "SIGABRT")}) {
    const record::Process process = First(Victim({how}));
    EXPECT_TRUE(WIFSIGNALED(ended_.status));
    EXPECT_EQ(WTERMSIG(ended_.status), number);
    ASSERT_EQ(process.crashes.size(), 1u) << how;
    EXPECT_EQ(process.crashes[0].signal, name);
    EXPECT_LE(process.crashes[0].code, 0);
    EXPECT_EQ(process.crashes[0].address, 0u);
  }
}

TEST_F(Witness, WhoHandlesOrIgnoresASignalGoesOnDoingSo) {
  EXPECT_TRUE(First(Victim({"handled"})).crashes.empty());
  EXPECT_EQ(WEXITSTATUS(ended_.status), SIGSEGV);
  EXPECT_TRUE(First(Watch({At("victim"), "ignored"}, {}, SIGABRT)).crashes.empty());
  EXPECT_EQ(ended_.status, 0);
}

TEST_F(Witness, KeepsOutOfSetUserIdPrograms) {
  if (geteuid() != 0) GTEST_SKIP() << "skipped: only root can make a program of another user";
  fs::permissions(directory_.path(), fs::perms(0755));
  ASSERT_EQ(chown(At("victim").c_str(), 65534, 65534), 0);
  ASSERT_EQ(chmod(At("victim").c_str(), 04755), 0);
  EXPECT_TRUE(Victim({"load", "libnothere.so"}).processes.empty());
  EXPECT_NE(ended_.output.find("libnothere.so"), std::string::npos);
}

TEST_F(Witness, StaysSilentWithoutAJournalAndWithAnotherFile) {
  const Ended alone = Run({At("victim"), "load", "libnothere.so"}, false);
  fs::remove(At("journal"));
  EXPECT_EQ(Run({At("victim"), "load", "libnothere.so"}, true), alone);
  std::ofstream(At("journal")) << std::string(200'000, 'x');
  EXPECT_EQ(Run({At("victim"), "load", "libnothere.so"}, true), alone);
  EXPECT_EQ(ReadAll(At("journal")), std::string(200'000, 'x'));
}

TEST_F(Witness, AFullJournalDoesNoHarm) {
  MakeJournal(sizeof(CulpritJournal) + 1024);
  const Ended alone = Run({At("victim"), "load", "libnothere.so"}, false);
  EXPECT_EQ(Run({At("victim"), "load", "libnothere.so"}, true), alone);
  const auto contents = watch::ReadJournal(ReadAll(At("journal")), started_, {});
  ASSERT_TRUE(contents.has_value());
  EXPECT_GT(contents->lost_events, 10u);
}

// It must not add a library, a symbol or a thread-local variable.
TEST(WitnessLibrary, NeedsNothingAndShowsNothing) {
  const auto machine = system::RealSystem();
  const auto file = machine->Open(WITNESS_AUDIT);
  ASSERT_TRUE(file.has_value());
  const binfmt::ElfFile elf = binfmt::ReadElf(*file->bytes);
  EXPECT_EQ(elf.problem, binfmt::ElfProblem::kNone);
  EXPECT_TRUE(elf.requests.empty());
  EXPECT_TRUE(elf.version_needs.empty());
  EXPECT_FALSE(elf.has_relr) << "ld.so before 2.36 could not load it";
  EXPECT_LT(file->status.size, 100'000u);
}

}  // namespace
}  // namespace culprit
