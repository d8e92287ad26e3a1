// What only the real machine can show: races, permissions, devices.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/utsname.h>

#include <cstdio>
#include <cstdlib>

#include "base/text.h"
#include "system/test_trees.h"

namespace culprit::system {
namespace {

TEST(RealSystem, DevicesAndSocketsAreNotOpened) {
  const auto system = RealSystem();
  const auto null = system->Open("/dev/null");
  ASSERT_TRUE(null);
  EXPECT_EQ(null->status.type, FileType::kOther);
  EXPECT_FALSE(null->bytes);

  TemporaryDirectory directory;
  const int number = socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{.sun_family = AF_UNIX};
  (directory.path() + "/socket").copy(address.sun_path, sizeof address.sun_path - 1);
  ASSERT_EQ(bind(number, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  const auto file = system->Open(directory.path() + "/socket");
  ASSERT_TRUE(file);
  EXPECT_EQ(file->status.type, FileType::kOther);
  close(number);
}

TEST(RealSystem, ReadsFilesOfProcThatClaimToBeEmpty) {
  const auto system = RealSystem();
  EXPECT_EQ(system->Stat("/proc/self/status")->size, 0u);
  EXPECT_NE(ReadWholeFile(*system, "/proc/self/status", 1 << 20)->find("Name:"), std::string::npos);
  EXPECT_EQ(ReadWholeFile(*system, "/proc/self/status", 10).error(), PathError::kOther);
}

TEST(RealSystem, ClosesWhatItOpens) {
  TemporaryDirectory directory;
  std::ofstream(directory.path() + "/f") << "x";
  const auto system = RealSystem();
  const size_t before = system->List("/proc/self/fd")->size();
  for (int i = 0; i < 10; ++i) {
    EXPECT_TRUE(system->Open(directory.path() + "/f"));
    EXPECT_TRUE(system->Open(directory.path()));
    EXPECT_TRUE(system->List(directory.path()));
    EXPECT_FALSE(system->List(directory.path() + "/f"));
    EXPECT_TRUE(RootedSystem(directory.path()));
  }
  EXPECT_EQ(system->List("/proc/self/fd")->size(), before);
}

TEST(RealSystem, OpenFilesAreNotInherited) {
  TemporaryDirectory directory;
  std::ofstream(directory.path() + "/f") << "x";
  const auto system = RealSystem();
  const auto rooted = RootedSystem(directory.path());
  const auto file = system->Open(directory.path() + "/f");
  int seen = 0;
  const auto entries = system->List("/proc/self/fd");
  for (const DirectoryEntry& entry : *entries) {
    const int number = std::stoi(entry.name);
    const auto target = system->ReadLink("/proc/self/fd/" + entry.name);
    if (!target || !target->starts_with(directory.path())) continue;
    EXPECT_NE(fcntl(number, F_GETFD) & FD_CLOEXEC, 0) << *target;
    ++seen;
  }
  EXPECT_EQ(seen, 2);
}

TEST(RealSystem, TellsTheEnvironmentAndTheWorkingDirectory) {
  const auto system = RealSystem();
  setenv("CULPRIT_TEST", "a=b", 1);
  EXPECT_EQ(system->Environment().at("CULPRIT_TEST"), "a=b");
  unsetenv("CULPRIT_TEST");
  EXPECT_FALSE(system->Environment().contains("CULPRIT_TEST"));
  EXPECT_EQ(system->WorkingDirectory(), std::filesystem::current_path().string());
}

TEST(RealSystem, WorkingDirectoryThatIsGoneIsEmpty) {
  const auto before = std::filesystem::current_path();
  {
    TemporaryDirectory directory;
    std::filesystem::current_path(directory.path());
  }
  EXPECT_EQ(RealSystem()->WorkingDirectory(), "");
  std::filesystem::current_path(before);
}

TEST(RealSystem, TellsTheCpu) {
  const base::Cpu cpu = RealSystem()->HostCpu();
  utsname names;
  ASSERT_EQ(uname(&names), 0);
  EXPECT_EQ(cpu.machine, names.machine);
  EXPECT_EQ(cpu.page_size, static_cast<uint64_t>(sysconf(_SC_PAGESIZE)));
}

// The names that the machine's own loader says it supports, from `ld.so --help`; glibc 2.33 and later print
// glibc-hwcaps, 2.33 to 2.36 the legacy names too.
std::vector<std::string> Supported(const std::string& help, std::string_view heading) {
  std::vector<std::string> names;
  const size_t start = help.find(heading);
  if (start == help.npos) return names;
  const auto lines = base::Split(std::string_view(help).substr(start), '\n');
  for (size_t i = 1; i < lines.size() && lines[i].starts_with("  "); ++i) {
    if (lines[i].find("supported, searched") != std::string::npos) {
      names.push_back(base::SplitWords(lines[i], " ").front());
    }
  }
  return names;
}

TEST(RealSystem, CpuIsWhatTheLoaderOfThisMachineSees) {
#if defined(__x86_64__)
  const std::string loader = "/lib64/ld-linux-x86-64.so.2";
#else
  const std::string loader = "/lib/ld-linux-aarch64.so.1";
#endif
  if (access(loader.c_str(), X_OK) != 0) GTEST_SKIP() << "no glibc here";
  std::string help;
  FILE* const pipe = popen((loader + " --help 2>&1").c_str(), "r");
  ASSERT_NE(pipe, nullptr);
  for (int c = fgetc(pipe); c != EOF; c = fgetc(pipe)) help += static_cast<char>(c);
  pclose(pipe);
  if (help.find("Subdirectories of glibc-hwcaps") == help.npos && help.find("Legacy HWCAP") == help.npos) {
    GTEST_SKIP() << "a glibc that does not tell";
  }
  const base::Cpu cpu = RealSystem()->HostCpu();
  EXPECT_EQ(Supported(help, "Subdirectories of glibc-hwcaps"), cpu.isa_levels);
  if (help.find("Legacy HWCAP") == help.npos) return;
  std::vector<std::string> expected = {cpu.platform, "tls"};
  expected.insert(expected.end(), cpu.legacy_caps.begin(), cpu.legacy_caps.end());
  auto legacy = Supported(help, "Legacy HWCAP");
  std::ranges::sort(expected);
  std::ranges::sort(legacy);
  EXPECT_EQ(legacy, expected);
}

}  // namespace
}  // namespace culprit::system
