// The parts of watching that need no program.
#include <gtest/gtest.h>

#include <algorithm>

#include "run/watch/attempts.h"
#include "run/watch/kept_text.h"
#include "run/watch/reach.h"
#include "run/watch/threads.h"
#include "system/memory.h"
#include "system/system.h"

namespace culprit::watch {
namespace {

TEST(KeptText, KeepsAShortOneWhole) {
  KeptText kept(8, 8);
  kept.Add("12345");
  kept.Add("678\r\nabc");
  const auto text = kept.Take(record::Channel::kOutput, {});
  EXPECT_EQ(text.beginning, "12345678\nabc");
  EXPECT_EQ(text.left_out, 0U);
  EXPECT_EQ(text.end, "");
}

TEST(KeptText, KeepsBeginningAndEndAndCountsTheRest) {
  KeptText kept(100, 100);
  std::string all;
  for (int i = 0; i < 1000; ++i) all += "line " + std::to_string(i) + "\n";
  for (size_t at = 0; at < all.size(); at += 13) kept.Add(std::string_view(all).substr(at, 13));
  const auto text = kept.Take(record::Channel::kOutput, {});
  EXPECT_TRUE(all.starts_with(text.beginning));
  EXPECT_TRUE(all.ends_with(text.end));
  EXPECT_TRUE(text.beginning.ends_with("\n"));
  EXPECT_TRUE(text.end.starts_with("line "));
  EXPECT_EQ(text.beginning.size() + text.left_out + text.end.size(), all.size());
  const auto lines = [](const std::string& of) {
    return static_cast<uint64_t>(std::ranges::count(of, '\n'));
  };
  EXPECT_EQ(lines(text.beginning) + text.left_out_lines + lines(text.end), 1000U);
}

TEST(KeptText, SplitsNoCharacter) {
  KeptText kept(10, 10);
  for (int i = 0; i < 50; ++i) kept.Add("\xE2\x82\xAC");  // three bytes each, no line in sight
  const auto text = kept.Take(record::Channel::kOutput, {});
  EXPECT_EQ(text.beginning.size() % 3, 0U);
  EXPECT_EQ(text.end.size() % 3, 0U);
  EXPECT_EQ(text.beginning.size() + text.left_out + text.end.size(), 150U);
}

TEST(KeptText, HidesSecrets) {
  KeptText kept;
  kept.Add("login hunter-two ok, HF_TOKEN=abc12345xyz\n");
  EXPECT_EQ(kept.Take(record::Channel::kOutput, {"hunter-two"}).beginning,
            "login [hidden] ok, HF_TOKEN=[hidden]\n");
}

TEST(ThreadsOf, SeesThisOneRunning) {
  const auto machine = system::RealSystem();
  const auto self = machine->ReadLink("/proc/self");
  ASSERT_TRUE(self);
  const auto threads = ThreadsOf(*machine, std::stoll(*self));
  ASSERT_FALSE(threads.empty());
  EXPECT_EQ(threads.front().process, std::stoll(*self));
  EXPECT_EQ(threads.front().name, "watch_test");
  EXPECT_EQ(threads.front().state, "R");
}

TEST(ReachOf, FollowsScriptsToTheirInterpreter) {
  const auto machine = system::RealSystem();
  const Reach reach = ReachOf(*machine, "/bin/sh");
  EXPECT_EQ(reach.why_not, "");
  EXPECT_FALSE(reach.harmful);
}

TEST(ReachOf, LeavesValgrindAlone) {
  system::MemorySystem machine;
  machine.AddFile("/usr/bin/valgrind", "#!/bin/sh\nexec valgrind.bin\n", 0755);
  EXPECT_TRUE(ReachOf(machine, "/usr/bin/valgrind").harmful);
}

TEST(OutcomeAt, TellsWhatTheLoaderMet) {
  const auto machine = system::RealSystem();
  EXPECT_EQ(OutcomeAt(*machine, "/nonexistent/libx.so"), base::LoadOutcome::kMissing);
  EXPECT_EQ(OutcomeAt(*machine, "/etc/passwd/libx.so"), base::LoadOutcome::kNotADirectory);
  EXPECT_EQ(OutcomeAt(*machine, "/etc"), base::LoadOutcome::kIsDirectory);
  EXPECT_EQ(OutcomeAt(*machine, "/etc/passwd"), base::LoadOutcome::kNotElf);
  EXPECT_EQ(OutcomeAt(*machine, "/proc/self/exe"), base::LoadOutcome::kFound);
}

}  // namespace
}  // namespace culprit::watch
