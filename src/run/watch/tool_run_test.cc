// Where the tools are found, what is started around the user's command, and what Windows tells turned into a
// record. tests/run/tool_test.py runs it all.
#include "run/watch/tool_run.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "run/watch/process_events.h"
#include "system/memory.h"

namespace culprit::watch {
namespace {

void Fill(system::MemorySystem& machine, const std::string& tool,
          std::map<std::string, std::string> environment = {}) {
  machine.AddFile("/env/bin/python", "", 0755);
  machine.AddFile(tool, "", 0755);
  machine.SetEnvironment(std::move(environment));
}

TEST(FindTool, EachPlaceInItsTurn) {
  const std::vector<std::string> command = {"/env/bin/python", "a.py"};
  const std::string name = "/compute-sanitizer";
  for (const std::string& place :
       {std::string("/tools"), std::string("/usr/local/cuda-12.8/compute-sanitizer"),
        std::string("/home/cuda/bin"), std::string("/conda/bin"),
        std::string("/env/lib/python3.12/site-packages/nvidia/cu13/bin")}) {
    system::MemorySystem machine;
    Fill(machine, place + name,
         {{"PATH", "/bin:/tools"}, {"CUDA_HOME", "/home/cuda"}, {"CONDA_PREFIX", "/conda"}});
    const auto found = FindTool(machine, Tool::kMemcheck, command);
    ASSERT_TRUE(found.has_value()) << place;
    EXPECT_EQ(*found, place + name);
  }
  system::MemorySystem machine;
  Fill(machine, "/usr/local/cuda-9.2/bin/cuda-gdb");
  machine.AddFile("/usr/local/cuda-13.0/bin/cuda-gdb", "", 0755);
  EXPECT_EQ(FindTool(machine, Tool::kDebugger, command).value_or(""), "/usr/local/cuda-13.0/bin/cuda-gdb");
}

TEST(FindTool, NotExecutableIsNotFoundAndTheLineNamesPlacesAndPackage) {
  system::MemorySystem machine;
  machine.AddFile("/tools/compute-sanitizer", "", 0644);
  machine.SetEnvironment({{"PATH", "/tools"}});
  const auto found = FindTool(machine, Tool::kRacecheck, {"app"});
  ASSERT_FALSE(found.has_value());
  EXPECT_EQ(found.error().code, base::ErrorCode::kNotFound);
  for (const char* word : {"PATH", "/usr/local/cuda*", "cuda-sanitizer-13-0"})
    EXPECT_NE(found.error().message.find(word), std::string::npos) << word;
  EXPECT_EQ(found.error().message.find('\n'), std::string::npos);
}

bool Has(const std::vector<std::string>& words, const std::string& word) {
  return std::ranges::find(words, word) != words.end();
}

TEST(PlanToolRun, OptionsThatThisVersionHasAndAWheelPutTogether) {
  system::MemorySystem machine;
  Fill(machine, "/w/bin/compute-sanitizer");
  const std::string help = "  --target-processes arg (=all)\n  --injection-path arg\n";
  const auto plan = [&](Tool tool, const std::string& program) {
    const auto folder = system::MakeFreshDirectory();  // each run has its own: files are never overwritten
    return PlanToolRun(machine, tool, "/w/bin/compute-sanitizer", help, {program}, **folder);
  };
  const auto plain = plan(Tool::kSynccheck, "a b");
  ASSERT_TRUE(plain.has_value());
  EXPECT_TRUE(Has(plain->command, "synccheck"));
  EXPECT_TRUE(Has(plain->command, "--target-processes"));
  EXPECT_FALSE(Has(plain->command, "--require-cuda-init"));
  EXPECT_FALSE(Has(plain->command, "--injection-path"));

  machine.AddFile("/w/lib/libInterceptorInjectionTarget.so");
  const auto broken = plan(Tool::kMemcheck, "a");
  ASSERT_FALSE(broken.has_value());
  EXPECT_NE(broken.error().message.find("TreeLauncherSubreaper"), std::string::npos);
  machine.AddFile("/w/bin/TreeLauncherSubreaper", "", 0755);
  const auto wheel = plan(Tool::kMemcheck, "a");
  ASSERT_TRUE(wheel.has_value());
  EXPECT_EQ(wheel->command.front(), "/bin/sh");
}

TEST(ProcessEvents, LoadsChildrenAndACrashOfWindows) {
  using system::ProcessEvent;
  const auto start = std::chrono::steady_clock::now();
  ProcessEvents events(start);
  const auto tell = [&](ProcessEvent::Kind kind, int64_t process, const std::string& path, uint64_t base,
                        bool running) {
    ProcessEvent event;
    event.kind = kind;
    event.at = start + std::chrono::milliseconds(5);
    event.process = process;
    event.path = path;
    event.base = base;
    event.end = base + 0x1000;
    event.running = running;
    if (kind == ProcessEvent::Kind::kCrash) {
      event.code = 0xC0000005;
      event.frames = {0x20010, 0x5, 0x10020, 0x30030};
    }
    events.Add(event);
  };
  tell(ProcessEvent::Kind::kStart, 7, "/C:/app.exe", 0x10000, false);
  tell(ProcessEvent::Kind::kLoad, 7, "/C:/Windows/System32/ntdll.dll", 0x70000, false);
  tell(ProcessEvent::Kind::kLoad, 7, "/C:/old.dll", 0x30000, true);
  tell(ProcessEvent::Kind::kUnload, 7, "", 0x30000, true);
  tell(ProcessEvent::Kind::kLoad, 7, "/C:/cudnn64_9.dll", 0x20000, true);
  tell(ProcessEvent::Kind::kStart, 8, "/C:/child.exe", 0x10000, false);
  tell(ProcessEvent::Kind::kNotDelayed, 8, "zlibwapi.dll", 0, true);
  tell(ProcessEvent::Kind::kCrash, 7, "", 0, true);
  tell(ProcessEvent::Kind::kLoad, 9, "/C:/nobody.dll", 0, true);
  const auto processes = events.Take();
  ASSERT_EQ(processes.size(), 2u);
  const record::Process& app = processes[0];
  ASSERT_EQ(app.loads.size(), 4u);
  EXPECT_EQ(app.loads[0].path, "/C:/app.exe");
  EXPECT_FALSE(app.loads[1].dlopen);
  EXPECT_TRUE(app.loads[2].closed);
  EXPECT_TRUE(app.loads[3].dlopen);
  EXPECT_EQ(app.loads[3].at, 5000u);
  ASSERT_EQ(app.crashes.size(), 1u);
  EXPECT_EQ(app.crashes[0].signal, "EXCEPTION_ACCESS_VIOLATION");
  ASSERT_EQ(app.crashes[0].frames.size(), 2u);  // what was unloaded holds nothing
  EXPECT_EQ(app.crashes[0].frames[0].object, "/C:/cudnn64_9.dll");
  EXPECT_EQ(app.crashes[0].frames[0].offset, 0x10u);
  EXPECT_EQ(app.crashes[0].frames[1].object, "/C:/app.exe");
  EXPECT_TRUE(app.crashes[0].frames[1].guessed);
  ASSERT_EQ(processes[1].failed_requests.size(), 1u);
  EXPECT_EQ(processes[1].failed_requests[0].name, "zlibwapi.dll");
}

}  // namespace
}  // namespace culprit::watch
