// What is found about Windows itself, and its environment.
#include "collect/windows/facts.h"

#include <gtest/gtest.h>

#include "collect/environment.h"
#include "collect/look_at_stack.h"
#include "collect/windows/places.h"
#include "collect/windows/test_windows.h"

namespace culprit::collect {
namespace {

using snapshot::FactState;

class WindowsFactsTest : public testing::Test {
 protected:
  snapshot::WindowsFacts Collect() {
    const auto facts = CollectWindows(machine_.system, machine_.variables, "/C:/Users/u");
    EXPECT_TRUE(facts);
    return facts ? *facts : snapshot::WindowsFacts();
  }
  WindowsMachine machine_;
};

TEST_F(WindowsFactsTest, ATreeWithoutWindowsIsToldAsOne) {
  machine_.system.AddDirectory("/C:/Windows/System32");
  const auto facts = Collect();
  EXPECT_FALSE(facts.present);
  EXPECT_EQ(facts.directory, "/C:/Windows");
  EXPECT_EQ(facts.version, "");
  EXPECT_TRUE(facts.safe_search);
  EXPECT_EQ(facts.machine_path.state, FactState::kUnreadable);  // and not "there is none"
  EXPECT_EQ(facts.user_path.state, FactState::kUnreadable);
}

TEST_F(WindowsFactsTest, VersionComesFromAFileWhereTheRegistryIsOutOfReach) {
  machine_.AddWindows();
  const auto facts = Collect();
  EXPECT_TRUE(facts.present);
  EXPECT_EQ(facts.version, "10.0.19041");
}

TEST_F(WindowsFactsTest, SystemRootMovesTheDirectory) {
  machine_.variables["SYSTEMROOT"] = "D:\\WINNT";
  machine_.system.AddFile("/D:/WINNT/System32/kernel32.dll", Dll("KERNEL32.dll", "10.0.1.1"));
  const auto facts = Collect();
  EXPECT_TRUE(facts.present);
  EXPECT_EQ(facts.directory, "/D:/WINNT");
}

TEST_F(WindowsFactsTest, TheRegistryDecides) {
  machine_.AddWindows();
  machine_.system.AddRegistryKey("HKLM/SOFTWARE/Microsoft/Windows NT/CurrentVersion",
                                 {{"CurrentMajorVersionNumber", "10"},
                                  {"CurrentMinorVersionNumber", "0"},
                                  {"CurrentBuildNumber", "22631"}});
  const std::string manager = "HKLM/SYSTEM/CurrentControlSet/Control/Session Manager";
  machine_.system.AddRegistryKey(manager, {{"SafeDllSearchMode", "0"}});
  machine_.system.AddRegistryKey(manager + "/KnownDLLs", {{"kernel32", "kernel32.dll"},
                                                          {"advapi", "ADVAPI32.dll"},
                                                          {"_wow64", "kernel32.dll"},
                                                          {"DllDirectory", "%SystemRoot%\\system32"}});
  machine_.system.AddRegistryKey("HKLM/SYSTEM/CurrentControlSet/Control/FileSystem",
                                 {{"LongPathsEnabled", "1"}});
  machine_.system.AddRegistryKey(manager + "/Environment",
                                 {{"Path", "%SystemRoot%\\system32;C:\\CUDA\\bin;%NoSuch%\\x"}});
  machine_.system.AddRegistryKey("HKCU/Environment", {{"TEMP", "x"}});
  const auto facts = Collect();
  EXPECT_EQ(facts.version, "10.0.22631");
  EXPECT_FALSE(facts.safe_search);
  EXPECT_TRUE(facts.long_paths);
  EXPECT_EQ(facts.known_dlls, (std::vector<std::string>{"advapi32.dll", "kernel32.dll"}));
  ASSERT_TRUE(facts.machine_path);
  EXPECT_EQ(*facts.machine_path, "C:\\Windows\\system32;C:\\CUDA\\bin;%NoSuch%\\x");
  EXPECT_EQ(facts.user_path.state, FactState::kAbsent);
}

TEST_F(WindowsFactsTest, EveryCopyOfTheRuntimeWithItsVersion) {
  machine_.AddWindows();
  machine_.system.AddFile(std::string(kSystem32) + "VCRUNTIME140.dll",
                          Dll("VCRUNTIME140.dll", "14.0.24215.1"));
  machine_.system.AddFile("/C:/tools/zlibwapi.dll", Dll("zlibwapi.dll", "1.2.3.0", {}, 32));
  machine_.system.AddFile("/C:/Python311/vcruntime140.dll", Dll("VCRUNTIME140.dll", "14.38.33135.0"));
  machine_.system.AddFile("/C:/Python311/msvcp140.dll", "no DLL");
  machine_.variables["PATH"] = "C:\\windows\\SYSTEM32;C:\\tools;c:\\TOOLS\\";
  const std::vector<snapshot::PythonEnvironment> environments = {{.prefix = "/C:/Python311"}};
  const auto facts = CollectWindows(machine_.Around(), environments);
  ASSERT_TRUE(facts);
  ASSERT_EQ(facts->runtime.size(), 4u);  // one copy under two spellings of its directory is one
  EXPECT_EQ(facts->runtime[0].name, "vcruntime140.dll");
  EXPECT_EQ(facts->runtime[0].version, "14.0.24215.1");
  EXPECT_EQ(facts->runtime[0].machine, "x86-64");
  EXPECT_EQ(facts->runtime[1].path, "/C:/tools/zlibwapi.dll");
  EXPECT_EQ(facts->runtime[1].machine, "386");
  EXPECT_EQ(facts->runtime[2].version, "14.38.33135.0");
  EXPECT_EQ(facts->runtime[3].machine, "");
}

TEST(WindowsEnvironment, NamesBecomeOneInUpperCase) {
  using base::Platform;
  const Variables given = {{"Path", "C:\\a"}, {"windir", "C:\\W"}};
  EXPECT_EQ(EnvironmentOf(Platform::kWindows, given), (Variables{{"PATH", "C:\\a"}, {"WINDIR", "C:\\W"}}));
  EXPECT_EQ(EnvironmentOf(Platform::kLinux, given), given);
  EXPECT_EQ(EnvironmentOf(Platform::kWindows, {{"PATH", "1"}, {"Path", "2"}}), (Variables{{"PATH", "1"}}));
}

TEST(WindowsEnvironment, VariablesAreExpandedAsWindowsDoes) {
  const Variables variables = {{"A", "x"}, {"EMPTY", ""}};
  EXPECT_EQ(ExpandVariables("%a%;%A%b%EMPTY%", variables), "x;xb");
  EXPECT_EQ(ExpandVariables("50%;%a%", variables), "50%;x");
  EXPECT_EQ(ExpandVariables("%no%%A%", variables), "%no%x");
  EXPECT_EQ(ExpandVariables("%", variables), "%");
}

TEST(WindowsEnvironment, ElementsOfPath) {
  EXPECT_EQ(PathElements("C:\\a;;\"D:\\b c\\\"; ;rel", "/C:/Users/u"),
            (std::vector<std::string>{"/C:/a", "/D:/b c", "/C:/Users/u/rel"}));
}

TEST(WindowsStack, ALookAtTheStackHasTheFactsOfWindowsAndOfPathInAnySpelling) {
  WindowsMachine machine;
  machine.AddWindows();
  machine.system.AddFile("/C:/cudnn/cudnn64_8.dll", CudnnPartOf("cudnn64_8.dll", "8.9.7.29"));
  machine.variables["Path"] = "C:\\cudnn";
  const auto look = LookAtStack(machine.Around(), {}, std::chrono::seconds(60));
  ASSERT_NE(look.snapshot.windows(), nullptr);
  EXPECT_TRUE(look.snapshot.windows()->present);
  EXPECT_EQ(look.snapshot.environment.at("PATH"), "C:\\cudnn");
  EXPECT_TRUE(look.snapshot.loaders.empty());
  ASSERT_TRUE(look.snapshot.stack.cudnn);
  ASSERT_EQ(look.snapshot.stack.cudnn->size(), 1u);
  EXPECT_EQ(look.snapshot.cpu.machine, "x86_64");
}

}  // namespace
}  // namespace culprit::collect
