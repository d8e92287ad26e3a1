// Whatever a child does, RunChild comes back in time and says what became of it.
#include "system/child.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <thread>

#include "system/interruption.h"
#include "system/test_trees.h"

namespace culprit::system {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

struct Story {
  base::Result<ChildEnd> end;
  std::string output, error;
  size_t bytes = 0;
};

constexpr milliseconds kLong(120'000);  // however busy the machine is

// `limit`: how long it may take after it has said something.
Story Tell(ChildRequest request, milliseconds limit = kLong, size_t enough = SIZE_MAX) {
  Story story;
  Clock::time_point deadline = Clock::now() + kLong;
  ChildWatch watch;
  watch.deadline = [&deadline] { return deadline; };
  watch.on_output = [&](ChildStream stream, std::string_view bytes) {
    if (story.bytes == 0) deadline = Clock::now() + limit;
    story.bytes += bytes.size();
    std::string& text = stream == ChildStream::kOutput ? story.output : story.error;
    if (text.size() < 4096) text += bytes.substr(0, 4096);
    return story.bytes < enough;
  };
  story.end = RunChild(request, watch);
  return story;
}

Story Shell(const std::string& script, milliseconds limit = kLong, size_t enough = SIZE_MAX) {
  return Tell({.program = "/bin/sh", .arguments = {"-c", script}}, limit, enough);
}

TEST(RunChild, TellsExitStatusAndBothStreams) {
  const Story story = Shell("echo out; echo err >&2; exit 3");
  ASSERT_TRUE(story.end) << story.end.error().message;
  EXPECT_EQ(story.end->exit_status, 3);
  EXPECT_EQ(story.end->signal, "");
  EXPECT_FALSE(story.end->out_of_time);
  EXPECT_FALSE(story.end->killed_here);
  EXPECT_EQ(story.output, "out\n");
  EXPECT_EQ(story.error, "err\n");
}

TEST(RunChild, ItsInputIsAFileOrNothing) {
  const std::string file = testing::TempDir() + "child_input";
  std::ofstream(file) << "given\n";
  EXPECT_EQ(Tell({.program = "/bin/cat", .input_file = file}).output, "given\n");
  EXPECT_EQ(Tell({.program = "/bin/cat"}).output, "");
  EXPECT_FALSE(Tell({.program = "/bin/cat", .input_file = "/nowhere"}).end);
}

TEST(RunChild, NamesTheSignalThatEndedIt) {
  EXPECT_EQ(Shell("kill -SEGV $$").end->signal, "SIGSEGV");
  const Story killed = Shell("echo last words; kill -KILL $$");
  EXPECT_EQ(killed.end->signal, "SIGKILL");
  EXPECT_FALSE(killed.end->killed_here);
  EXPECT_EQ(killed.output, "last words\n");
}

TEST(RunChild, AHangGetsATermToSpeakAndThenAnEnd) {
  const Story polite =
      Shell("trap 'echo here; exit 4' TERM; echo ready; while :; do sleep 0.02; done", milliseconds(100));
  EXPECT_TRUE(polite.end->out_of_time);
  EXPECT_EQ(polite.end->exit_status, 4);
  EXPECT_FALSE(polite.end->killed_here);
  EXPECT_EQ(polite.output, "ready\nhere\n");

  const Story deaf = Shell("trap '' TERM; echo ready; while :; do sleep 0.02; done", milliseconds(100));
  EXPECT_TRUE(deaf.end->out_of_time);
  EXPECT_TRUE(deaf.end->killed_here);
  EXPECT_EQ(deaf.end->signal, "SIGKILL");
}

TEST(RunChild, TheDeadlineIsAskedForAgainAfterEachOutput) {
  Clock::time_point deadline = Clock::now() + kLong;
  ChildWatch watch;
  watch.deadline = [&] { return deadline; };
  int lines = 0;
  watch.on_output = [&](ChildStream, std::string_view) {
    if (++lines == 3) deadline = Clock::now();
    return true;
  };
  const auto end =
      RunChild({.program = "/bin/sh", .arguments = {"-c", "while :; do echo; sleep 0.2; done"}}, watch);
  EXPECT_TRUE(end->out_of_time);
  EXPECT_GE(lines, 3);
}

TEST(RunChild, HugeOutputIsPassedOnWhole) {
  const Story story = Shell("head -c 30000000 /dev/zero; head -c 1000000 /dev/zero >&2");
  EXPECT_EQ(story.bytes, 31000000u);
  EXPECT_EQ(story.end->exit_status, 0);
}

TEST(RunChild, EndlessOutputEndsWhenTheListenerHasHeardEnough) {
  const Story story = Shell("cat /dev/zero", kLong, 1000000);
  EXPECT_TRUE(story.end->killed_here);
  EXPECT_FALSE(story.end->out_of_time);
  EXPECT_LT(story.bytes, 2000000u);
}

TEST(RunChild, AGrandchildThatStaysIsNotWaitedForAndIsKilled) {
  const Story story = Shell("sleep 600 & echo $!");
  EXPECT_FALSE(story.end->out_of_time);
  const pid_t grandchild = std::atoi(story.output.c_str());
  ASSERT_GT(grandchild, 1);
  // It is the child of init now, who may take a moment to reap it.
  for (int i = 0; i < 10000 && kill(grandchild, 0) == 0; ++i) {
    std::ifstream stat("/proc/" + std::to_string(grandchild) + "/stat");
    std::string number, name, state;
    stat >> number >> name >> state;
    if (state == "Z" || state.empty()) return;
    std::this_thread::sleep_for(milliseconds(10));
  }
  EXPECT_NE(kill(grandchild, 0), 0);
}

TEST(RunChild, AGrandchildThatLeftTheGroupAndTalksOnDoesNotHoldItUp) {
  const Story story = Shell("setsid sh -c 'while echo x; do sleep 0.01; done' &");
  EXPECT_FALSE(story.end->out_of_time);
}

TEST(RunChild, NothingIsOnItsInputAndNoOtherDescriptorIsOpen) {
  const int leaked = dup(1);  // without close-on-exec, as a careless library would
  const Story story = Shell("cat; ls /proc/self/fd | wc -l");
  close(leaked);
  EXPECT_EQ(std::atoi(story.output.c_str()), 4) << story.output;  // three, and ls's own directory
}

TEST(RunChild, HasDefaultSignalsWhateverThisProcessIgnores) {
  const auto before = signal(SIGPIPE, SIG_IGN);
  const Story story = Shell("grep SigIgn /proc/self/status; grep SigBlk /proc/self/status");
  signal(SIGPIPE, before);
  EXPECT_EQ(story.output, "SigIgn:\t0000000000000000\nSigBlk:\t0000000000000000\n");
}

TEST(RunChild, EnvironmentAndWorkingDirectoryAreThoseAskedFor) {
  setenv("CULPRIT_CHILD_TEST", "here", 1);
  EXPECT_EQ(Shell("echo $CULPRIT_CHILD_TEST").output, "here\n");
  const Story other = Tell({.program = "/bin/sh",
                            .arguments = {"-c", "echo \"$A|$CULPRIT_CHILD_TEST\"; pwd"},
                            .environment = std::map<std::string, std::string>{{"A", "b c"}},
                            .working_directory = "/usr"});
  unsetenv("CULPRIT_CHILD_TEST");
  EXPECT_EQ(other.output, "b c|\n/usr\n");
}

TEST(RunChild, WhatCannotBeStartedSaysWhy) {
  const auto message = [](ChildRequest request) {
    const Story story = Tell(std::move(request));
    return story.end ? "started" : story.end.error().message;
  };
  EXPECT_EQ(message({.program = "/nowhere/x"}), "cannot start /nowhere/x: No such file or directory");
  EXPECT_EQ(message({.program = "/etc/passwd"}), "cannot start /etc/passwd: Permission denied");
  EXPECT_EQ(message({.program = "/bin/sh", .working_directory = "/nowhere"}),
            "cannot start /bin/sh: /nowhere: No such file or directory");
  TemporaryDirectory directory;
  const std::string script = directory.path() + "/script";
  std::ofstream(script) << "#!/nowhere/python\n";
  chmod(script.c_str(), 0755);
  EXPECT_EQ(message({.program = script}),
            "cannot start " + script + ": its loader or interpreter does not exist");
}

TEST(RunChild, IsEndedAtOnceWhenStoppedFromAnotherThread) {
  std::stop_source source;
  std::jthread other([&source] {
    std::this_thread::sleep_for(milliseconds(50));
    source.request_stop();
  });
  const auto end =
      RunChild({.program = "/bin/sh", .arguments = {"-c", "sleep 600"}}, {.stop = source.get_token()});
  EXPECT_TRUE(end->killed_here);
  EXPECT_FALSE(end->out_of_time);
}

TEST(RunChild, HasItsLastWordsWhenAskedToEnd) {
  std::stop_source source;
  std::string said;
  const auto end =
      RunChild({.program = "/bin/sh",
                .arguments = {"-c", "trap 'echo bye; exit 3' TERM; echo up; while :; do sleep 0.05; done"}},
               {.on_output =
                    [&](ChildStream, std::string_view text) {
                      said += text;
                      source.request_stop();
                      return true;
                    },
                .end = source.get_token()});
  EXPECT_EQ(said, "up\nbye\n");
  EXPECT_EQ(end->exit_status, 3);
  EXPECT_FALSE(end->out_of_time);
}

TEST(Interruption, HoldsTheFirstSignalBack) {
  {
    const Interruption none;
    EXPECT_EQ(none.signal(), "");
    EXPECT_FALSE(none.token().stop_requested());
  }
  const Interruption interruption;
  std::stop_source heard;
  const std::stop_callback on_stop(interruption.token(), [&] { heard.request_stop(); });
  kill(getpid(), SIGTERM);
  while (!heard.stop_requested()) std::this_thread::sleep_for(milliseconds(5));
  EXPECT_EQ(interruption.signal(), "SIGTERM");
}

TEST(Interruption, EndsTheProcessByItAfterwards) {
  const auto ended_by = [](int signals) {
    const pid_t child = fork();
    if (child == 0) {
      const Interruption interruption;
      for (int i = 0; i < signals; ++i) {
        kill(getpid(), SIGHUP);
        std::this_thread::sleep_for(milliseconds(300));
      }
      if (signals == 1) interruption.EndByIt();
      _exit(7);  // the second one did not end it
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  };
  EXPECT_EQ(ended_by(1), SIGHUP);
  EXPECT_EQ(ended_by(2), SIGHUP);
}

TEST(RunChild, ChildrenRunSideBySide) {
  TemporaryDirectory directory;
  std::vector<std::thread> threads;
  std::vector<int> status(8);
  for (size_t i = 0; i < status.size(); ++i)
    threads.emplace_back([&, i] {
      const std::string all_are_there = "set -- *; [ $# = 8 ]";
      status[i] = Shell("cd " + directory.path() + " && : > " + std::to_string(i) + " && until " +
                        all_are_there + "; do sleep 0.05; done; exit " + std::to_string(i))
                      .end->exit_status;
    });
  for (std::thread& thread : threads) thread.join();
  for (size_t i = 0; i < status.size(); ++i) EXPECT_EQ(status[i], static_cast<int>(i));
}

}  // namespace
}  // namespace culprit::system
