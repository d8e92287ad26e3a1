#include "collect/started.h"

#include <gtest/gtest.h>

#include "system/memory.h"

namespace culprit::collect {
namespace {

using Words = std::vector<std::string>;

class Started : public testing::Test {
 protected:
  Started() {
    const std::string elf =
        "\x7f"
        "ELF";
    for (const char* path : {"/usr/bin/server", "/app/train", "/bin/bash", "/usr/bin/python3.12"})
      machine_.AddFile(path, elf, 0755);
    machine_.AddLink("/usr/bin/python3", "python3.12");
    machine_.SetWorkingDirectory("/app");
  }
  Words Of(const Words& command) { return StartedPrograms(machine_, command, {{"PATH", "/usr/bin:/bin"}}); }

  system::MemorySystem machine_;
};

TEST_F(Started, ProgramsByPathAndByName) {
  EXPECT_EQ(Of({"/usr/bin/server", "-v"}), Words{"/usr/bin/server"});
  EXPECT_EQ(Of({"server"}), Words{"/usr/bin/server"});
  EXPECT_EQ(Of({"./train"}), Words{"/app/train"});
  EXPECT_EQ(Of({"nowhere"}), Words{});
  EXPECT_EQ(Of({}), Words{});
}

TEST_F(Started, ShellsAndPythonAreNotWhatRuns) {
  EXPECT_EQ(Of({"/bin/bash"}), Words{});
  EXPECT_EQ(Of({"python3", "app.py"}), Words{});
}

TEST_F(Started, PluginsThatAProgramIsToldToLoad) {
  machine_.AddFile("/srv/gpu.node",
                   "\x7f"
                   "ELF",
                   0644);
  machine_.AddFile("/srv/app.js", "x()", 0644);
  EXPECT_EQ(Of({"server", "/srv/app.js", "/srv/gpu.node", "/none"}),
            (Words{"/usr/bin/server", "/srv/gpu.node"}));
  EXPECT_EQ(Of({"server", "/bin/bash", "/usr/bin/python3"}), Words{"/usr/bin/server"});
  EXPECT_EQ(Of({"python3", "/srv/gpu.node"}), Words{});
}

TEST_F(Started, WrappersAreFollowed) {
  EXPECT_EQ(Of({"/sbin/tini", "-g", "--", "server"}), Words{"/usr/bin/server"});
  EXPECT_EQ(Of({"env", "A=1", "-i", "server"}), Words{"/usr/bin/server"});
  EXPECT_EQ(Of({"gosu", "app", "server", "x"}), Words{"/usr/bin/server"});
}

TEST_F(Started, ScriptsAreFollowedThroughExec) {
  machine_.AddFile("/entry.sh", "#!/bin/bash\nset -e\n# exec nothing\nif true; then\n  exec \"$@\"\nfi\n",
                   0755);
  EXPECT_EQ(Of({"/entry.sh", "server"}), Words{"/usr/bin/server"});
  machine_.AddFile("/two.sh", "#!/usr/bin/env bash\nexec \\\n  /app/train --x\n", 0755);
  EXPECT_EQ(Of({"/two.sh"}), Words{"/app/train"});
  EXPECT_EQ(Of({"bash", "/two.sh"}), Words{"/app/train"});
  EXPECT_EQ(Of({"/bin/sh", "-c", "cd / && exec server; true"}), Words{"/usr/bin/server"});
  machine_.AddFile("/loop.sh", "#!/bin/sh\nexec /loop.sh\n", 0755);
  EXPECT_EQ(Of({"/loop.sh"}), Words{});
  machine_.AddFile("/run.py", "#!/usr/bin/python3\nexec server\n", 0755);
  EXPECT_EQ(Of({"/run.py"}), Words{});
  machine_.AddFile("/var.sh", "#!/bin/sh\nexec $PROGRAM\n", 0755);
  EXPECT_EQ(Of({"/var.sh"}), Words{});
}

}  // namespace
}  // namespace culprit::collect
