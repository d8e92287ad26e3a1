#include "collect/process/process.h"

#include <gtest/gtest.h>

#include "system/memory.h"

namespace culprit::collect {
namespace {

constexpr int64_t kPid = 4711;

// A process of a made-up machine.
std::unique_ptr<system::MemorySystem> Machine(const std::string& maps) {
  using namespace std::string_literals;
  auto machine = std::make_unique<system::MemorySystem>();
  machine->AddFile("/proc/4711/status", "State:\tS (sleeping)\nPPid:\t12\nUid:\t1000\t1000\t1000\t1000\n");
  machine->AddFile("/proc/4711/maps", maps);
  machine->AddFile("/proc/4711/environ", "LD_LIBRARY_PATH=/opt/a b\0HF_TOKEN=hf_secret\0=C:\0odd\0"s);
  machine->AddFile("/proc/4711/cmdline", "venv/bin/python3\0train.py\0--token\0x\0"s);
  machine->AddLink("/proc/4711/exe", "/usr/bin/python3.11");
  machine->AddLink("/proc/4711/cwd", "/home/u");
  machine->AddLink("/proc/4711/root", "/");
  machine->AddLink("/proc/self/root", "/");
  return machine;
}

TEST(ParseMapping, TakesWhatNamesAFileAndNothingElse) {
  const auto plain =
      ParseMapping("7f10a000-7f10b000 r-xp 00001000 fd:01 12345                     /usr/lib/libcudnn.so.9");
  ASSERT_TRUE(plain);
  EXPECT_EQ(plain->begin, 0x7f10a000u);
  EXPECT_EQ(plain->end, 0x7f10b000u);
  EXPECT_TRUE(plain->executable);
  EXPECT_EQ(plain->path, "/usr/lib/libcudnn.so.9");
  const auto odd = ParseMapping("7f-80 r--p 0 00:00 0 /a b/x\\012y (deleted)");
  ASSERT_TRUE(odd);
  EXPECT_EQ(odd->path, "/a b/x\ny (deleted)");
  EXPECT_FALSE(odd->executable);
  for (const char* line :
       {"", "7f10a000-7f10b000 rw-p 00000000 00:00 0 ", "7f10a000-7f10b000 rw-p 0 00:00 0 [heap]",
        "7f10b000-7f10a000 r-xp 0 00:00 0 /usr/lib/backwards.so", "zz-80 r-xp 0 0 0 /x", "7f-80",
        "7f-80 r-xp", "7f-80 r-xpp 0 00:00 0 /usr/lib/x.so", "ffffffffffffffffff-1 r-xp 0 0 0 /x"}) {
    EXPECT_FALSE(ParseMapping(line)) << line;
  }
}

TEST(LookAtProcess, TellsProgramLibrariesDevicesAndReplacedFiles) {
  auto machine = Machine(
      "00400000-00500000 r-xp 00000000 fd:01 1 /usr/bin/python3.11\n"
      "7f0000100000-7f0000200000 r-xp 00000000 fd:01 2 /opt/a b/libcudnn.so.9\n"
      "7f0000200000-7f0000300000 rw-p 00100000 fd:01 2 /opt/a b/libcudnn.so.9\n"
      "7f0000300000-7f0000400000 r--p 00000000 fd:01 3 "
      "/home/u/venv/lib/python3.11/site-packages/torch/lib/x.so (deleted)\n"
      "7f0000500000-7f0000600000 r-xp 00000000 fd:01 4 /usr/lib/y.so (deleted)\n"
      "7f0000700000-7f0000800000 r--p 00000000 fd:01 5 /usr/lib/locale/locale-archive\n"
      "7f0000800000-7f0000900000 rw-s 00000000 00:05 6 /dev/nvidiactl\n"
      "7f0000900000-7f0000a00000 rw-s 00000000 00:05 7 /dev/nvidia0\n"
      "7f0000a00000-7f0000b00000 r-xp 00000000 00:01 8 /memfd:jit.so (deleted)\n"
      "7ffd00000000-7ffd00100000 rw-p 00000000 00:00 0 [stack]\n");
  machine->AddFile("/usr/lib/y.so (deleted)");  // that is its name
  machine->AddFile("/home/u/venv/pyvenv.cfg");
  const auto look = LookAtProcess(*machine, kPid);
  ASSERT_TRUE(look) << look.error().message;
  const auto& loads = look->process.loads;
  ASSERT_EQ(loads.size(), 4u);
  EXPECT_EQ(loads[0].path, "/usr/bin/python3.11");
  EXPECT_EQ(loads[1].path, "/usr/lib/y.so (deleted)");  // the highest address first
  EXPECT_FALSE(loads[1].deleted);
  EXPECT_EQ(loads[2].path, "/home/u/venv/lib/python3.11/site-packages/torch/lib/x.so");
  EXPECT_TRUE(loads[2].deleted);
  EXPECT_EQ(loads[3].path, "/opt/a b/libcudnn.so.9");
  EXPECT_EQ(loads[3].end, 0x7f0000300000u);
  EXPECT_EQ(look->process.devices, (std::vector<std::string>{"/dev/nvidia0", "/dev/nvidiactl"}));
  EXPECT_EQ(look->process.parent, 12);
  EXPECT_EQ(look->user, "1000");
  EXPECT_EQ(look->root, "");
  EXPECT_EQ(look->python, std::vector<std::string>{"/home/u/venv"});
  // No secret gets further than this.
  EXPECT_EQ(look->environment, (std::map<std::string, std::string>{{"LD_LIBRARY_PATH", "/opt/a b"}}));
}

TEST(LookAtProcess, SeesTheFilesOfAContainerAndOfAChroot) {
  auto container = Machine("00400000-00500000 r-xp 00000000 fd:01 1 /usr/bin/python3.11\n");
  container->AddLink("/proc/4711/ns/mnt", "mnt:[4026532000]");
  container->AddLink("/proc/self/ns/mnt", "mnt:[4026531841]");
  const auto inside = LookAtProcess(*container, kPid);
  ASSERT_TRUE(inside) << inside.error().message;
  EXPECT_EQ(inside->root, "/proc/4711/root");
  EXPECT_EQ(inside->process.program, "/usr/bin/python3.11");

  auto chroot = Machine(
      "00400000-00500000 r-xp 00000000 fd:01 1 /srv/image/usr/bin/app\n"
      "7f0000100000-7f0000200000 r-xp 00000000 fd:01 2 /srv/image/lib/libc.so.6\n"
      "7f0000300000-7f0000400000 r-xp 00000000 fd:01 2 /srv/image2/x.so\n");
  chroot->AddLink("/proc/4711/root", "/srv/image");
  chroot->AddLink("/proc/4711/exe", "/srv/image/usr/bin/app");
  chroot->AddLink("/proc/4711/cwd", "/srv/image");
  const auto look = LookAtProcess(*chroot, kPid);
  ASSERT_TRUE(look) << look.error().message;
  EXPECT_EQ(look->root, "/proc/4711/root");
  EXPECT_EQ(look->process.program, "/usr/bin/app");
  EXPECT_EQ(look->working_directory, "/");
  ASSERT_EQ(look->process.loads.size(), 3u);
  EXPECT_EQ(look->process.loads[1].path, "/srv/image2/x.so");
  EXPECT_EQ(look->process.loads[2].path, "/lib/libc.so.6");
}

TEST(LookAtProcess, SaysWhyNot) {
  const auto said = [](const system::MemorySystem& machine) {
    const auto look = LookAtProcess(machine, kPid);
    return look ? "" : look.error().message;
  };
  EXPECT_EQ(said({}), "process 4711: no such process");
  auto kernel = Machine("");
  EXPECT_EQ(said(*kernel), "process 4711 is a kernel thread; it has no memory of its own");
  kernel->AddFile("/proc/4711/status", "State:\tZ (zombie)\n");
  EXPECT_EQ(said(*kernel), "process 4711 has exited, but its parent has not waited for it (state Z)");
  auto foreign = Machine("00400000-00500000 r-xp 00000000 fd:01 1 /usr/bin/x\n");
  foreign->SetUnreadable("/proc/4711/maps");
  EXPECT_EQ(said(*foreign),
            "process 4711 belongs to user 1000, so only that user or root can read it; run culprit as one of "
            "them (/proc/4711/maps: Permission denied)");
  auto silent = Machine("00400000-00500000 r-xp 00000000 fd:01 1 /usr/bin/x\n");
  silent->SetUnreadable("/proc/4711/environ");
  const auto look = LookAtProcess(*silent, kPid);
  ASSERT_TRUE(look);
  ASSERT_EQ(look->not_seen.size(), 1u);
  EXPECT_EQ(look->not_seen[0].first, "the environment of process 4711");
}

TEST(LookAtProcess, IsNotOverwhelmed) {
  std::string maps = "00400000-00500000 r-xp 00000000 fd:01 1 /usr/bin/python3.11\n";
  for (int i = 0; i < 9000; ++i)
    maps += "7f0000100000-7f0000200000 r-xp 00000000 fd:01 2 /opt/" + std::to_string(i) + ".so\n";
  maps +=
      std::string(100000, '/') + "\n\n" + "7f0000100000-7f0000200000 r-xp 0 0 0 /" + std::string(100000, 'x');
  const auto look = LookAtProcess(*Machine(maps), kPid);
  ASSERT_TRUE(look);
  EXPECT_EQ(look->process.loads.size(), 8192u);
  EXPECT_EQ(look->not_seen.size(), 1u);
}

}  // namespace
}  // namespace culprit::collect
