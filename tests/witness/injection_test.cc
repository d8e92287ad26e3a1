// culprit-injection.so in real programs, with a driver and a CUPTI made for this test: what it reports, and
// that it changes nothing.
#include <gtest/gtest.h>

#include <filesystem>

#include "binfmt/testing/host.h"
#include "run/watch/journal/reader.h"
#include "watched_program.h"

namespace culprit {
namespace {

namespace fs = std::filesystem;
using binfmt::testing::ReadAll;

class Injection : public testing::Test {
 protected:
  Injection() {
    fs::copy(INJECTION_PROGRAM, At("program"));
    fs::copy(INJECTION_CUDA, At("libcuda.so.1"));
    fs::copy(INJECTION_PROFILER, At("libprofiler.so"));
    fs::copy(INJECTION_CUPTI, At("libcupti.so.13"));
    fs::create_directory(At("elsewhere"));
    fs::copy(INJECTION_CUPTI, At("elsewhere/libcupti.so.13"));
  }

  std::string At(const std::string& name) const { return directory_.path() + "/" + name; }

  // Its output and how it ended, in one text.
  std::string Run(const Strings& words, const Strings& variables) {
    Strings command = {At("program")}, environment = {"LD_LIBRARY_PATH=" + directory_.path()};
    command.insert(command.end(), words.begin(), words.end());
    environment.insert(environment.end(), variables.begin(), variables.end());
    const Ended ended = RunChild(command, environment, At("output"));
    program_ = ended.process;
    return ended.output + "status " + std::to_string(ended.status);
  }

  // Runs it watched and unwatched, and expects no difference.
  watch::JournalContents Watch(const Strings& words, const std::string& cupti) {
    const std::string alone = Run(words, {});
    MakeJournal(At("journal"), 1 << 20);
    EXPECT_EQ(Run(words, {"CUDA_INJECTION64_PATH=" INJECTION_LIBRARY, "CULPRIT_CUPTI=" + cupti,
                          "CULPRIT_JOURNAL=" + At("journal")}),
              alone);
    const auto contents = watch::ReadJournal(ReadAll(At("journal")), 0, {});
    EXPECT_TRUE(contents);
    return contents ? *contents : watch::JournalContents{};
  }

  // "runtime cudaMalloc 2" of each process.
  static Strings Calls(const watch::JournalContents& contents) {
    Strings calls;
    for (const record::Process& process : contents.processes) {
      for (const record::FailedCall& call : process.failed_calls) {
        std::string text =
            std::string(base::Word(call.api)) + " " + call.function + " " + std::to_string(call.code);
        if (!call.detail.empty()) text += " launching " + call.detail;
        if (!call.last_kernel.empty()) text += " after " + call.last_kernel;
        calls.push_back(text);
      }
    }
    return calls;
  }
  static Strings Watched(const watch::JournalContents& contents) {
    Strings watched;
    for (const record::Watched& one : contents.watched) watched.push_back(one.how + "|" + one.why_not);
    return watched;
  }

  binfmt::testing::TemporaryDirectory directory_;
  pid_t program_ = 0;
};

TEST_F(Injection, TellsTheCallsThatFailAndTheOneThatNeverEnds) {
  const auto told =
      Watch({"init", "call:1:cuCtxGetDevice:201", "call:2:cudaStreamQuery:600", "call:2:cudaMalloc:0",
             "call:2:cudaMalloc:2", "call:2:cudaGetLastError:2", "call:1:cuLaunchKernel:0:spin",
             "call:1:cuLaunchKernel:1:bad", "call:1:cuCtxSynchronize:700", "enter:2:cudaDeviceSynchronize",
             "enter:1:cuCtxSynchronize"},
            At("elsewhere/missing.so") + ":" + At("elsewhere/libcupti.so.13"));
  EXPECT_EQ(Calls(told), (Strings{"runtime cudaMalloc 2", "driver cuLaunchKernel 1 launching bad",
                                  "driver cuCtxSynchronize 700 after bad"}));
  EXPECT_EQ(Watched(told), Strings{"CUPTI " + At("elsewhere/libcupti.so.13") + "|"});
  ASSERT_EQ(told.processes.size(), 1u);
  EXPECT_EQ(told.processes[0].id, program_);
  ASSERT_EQ(told.processes[0].open_calls.size(), 1u);
  EXPECT_EQ(told.processes[0].open_calls[0].function, "cudaDeviceSynchronize");
}

TEST_F(Injection, TakesTheCuptiThatTheProgramHas) {
  const auto told = Watch({"linked", "init", "call:2:cudaMalloc:2"}, At("elsewhere/libcupti.so.13"));
  EXPECT_EQ(Watched(told), Strings{"CUPTI " + At("libcupti.so.13") + "|"});
  EXPECT_EQ(Calls(told), Strings{"runtime cudaMalloc 2"});
}

TEST_F(Injection, GivesCuptiUpWhenTheProgramAsksForIt) {
  for (const Strings& words :
       {Strings{"init", "call:1:cuInit:3", "profile", "call:2:cudaMalloc:2"},
        Strings{"linked", "init", "call:1:cuInit:3", "profile-linked", "call:2:cudaMalloc:2"}}) {
    const auto told = Watch(words, At("libcupti.so.13"));  // and the output says: profile 0
    EXPECT_EQ(Calls(told), Strings{"driver cuInit 3"});
    ASSERT_EQ(told.watched.size(), 2u);
    EXPECT_EQ(told.watched[1].how, "");
    EXPECT_NE(told.watched[1].why_not.find("cuptiSubscribe"), std::string::npos);
  }
}

TEST_F(Injection, SaysWhyItSeesNothing) {
  EXPECT_EQ(Watched(Watch({"init"}, "")), Strings{"|no libcupti found"});
  std::ofstream(At("elsewhere/broken.so")) << "no library";
  const Strings broken = Watched(Watch({"init"}, At("elsewhere/broken.so")));
  ASSERT_EQ(broken.size(), 1u);
  EXPECT_NE(broken[0].find("broken.so: "), std::string::npos);
  // CUDA's own tools, or a program that was quicker, leave no room for us.
  const Strings taken = Watched(Watch({"profile", "init"}, At("libcupti.so.13")));
  ASSERT_EQ(taken.size(), 1u);
  EXPECT_NE(taken[0].find("CUPTI is in use"), std::string::npos);
}

TEST_F(Injection, KnowsAChildThatForked) {
  const auto told = Watch({"init", "call:1:cuInit:100", "fork", "call:1:cuInit:3"}, At("libcupti.so.13"));
  EXPECT_EQ(Calls(told), (Strings{"driver cuInit 100", "driver cuInit 3"}));
  ASSERT_EQ(told.processes.size(), 2u);
  EXPECT_EQ(told.processes[0].id, program_);
  EXPECT_NE(told.processes[1].id, program_);
}

TEST_F(Injection, StaysSilentWithoutAJournal) {
  const Strings words = {"init", "call:2:cudaMalloc:2"};
  EXPECT_EQ(Run(words, {"CUDA_INJECTION64_PATH=" INJECTION_LIBRARY}), Run(words, {}));
  std::ofstream(At("journal")) << std::string(100'000, 'x');
  EXPECT_EQ(Run(words, {"CUDA_INJECTION64_PATH=" INJECTION_LIBRARY, "CULPRIT_JOURNAL=" + At("journal")}),
            Run(words, {}));
  EXPECT_EQ(ReadAll(At("journal")), std::string(100'000, 'x'));
}

// It is loaded into programs that may bundle an older libc than culprit needs.
TEST_F(Injection, AsksForNoYoungSymbolOfLibc) {
  const std::string bytes = ReadAll(INJECTION_LIBRARY), mark = "GLIBC_2.";
  int found = 0;
  for (size_t at = bytes.find(mark); at != std::string::npos; at = bytes.find(mark, at + 1), ++found)
    EXPECT_LE(std::atoi(bytes.c_str() + at + mark.size()), 17) << bytes.substr(at, 12);
  EXPECT_GT(found, 0);
}

}  // namespace
}  // namespace culprit
