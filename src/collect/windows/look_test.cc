// Looking at one target of a Windows machine; what a target is; what is recorded of it.
#include "collect/look.h"

#include <gtest/gtest.h>

#include "collect/record.h"
#include "collect/target.h"
#include "collect/windows/test_windows.h"

namespace culprit::collect {
namespace {

using binfmt::BuildPe;

class WindowsLook : public testing::Test {
 protected:
  WindowsLook() {
    machine_.AddWindows();
    program_ = BuildPe({.dll = false, .imports = {{"KERNEL32.dll", {"Sleep"}}}});
    machine_.system.AddFile("/C:/app/run.exe", program_);
    machine_.system.SetEnvironment({{"Path", "C:\\app"}, {"SystemRoot", "C:\\Windows"}, {"SECRET", "x"}});
  }
  std::string ErrorOf(const std::string& target) {
    const auto look = LookAt(machine_.system, target);
    return look ? "" : look.error().message;
  }
  WindowsMachine machine_;
  std::string program_;
};

TEST_F(WindowsLook, AProgramNeedsNoInterpreter) {
  machine_.system.ClearAccessed();
  const auto look = LookAt(machine_.system, "/C:/app/run.exe");
  ASSERT_TRUE(look);
  EXPECT_EQ(look->target, "/C:/app/run.exe");
  EXPECT_EQ(look->interpreter, "");
  EXPECT_TRUE(look->snapshot.loaders.empty());
  ASSERT_NE(look->snapshot.windows(), nullptr);
  EXPECT_EQ(look->snapshot.environment.at("PATH"), "C:\\app");
  EXPECT_FALSE(machine_.system.accessed().contains("/etc/ld.so.cache"));
}

TEST_F(WindowsLook, AnotherEnvironmentIsLookedAtInItsPlace) {
  auto look = LookAt(machine_.system, "");
  ASSERT_TRUE(look);
  EXPECT_TRUE(look->snapshot.windows()->runtime.empty());
  machine_.system.AddFile("/C:/more/zlibwapi.dll", BuildPe({}));
  UseEnvironment(&machine_.system, {{"Path", "C:\\more"}}, *look);
  EXPECT_EQ(look->snapshot.environment, (Variables{{"PATH", "C:\\more"}}));
  EXPECT_EQ(look->snapshot.windows()->runtime.size(), 1u);
}

TEST_F(WindowsLook, NoTargetIsAnyProgram) {
  const auto look = LookAt(machine_.system, "");
  ASSERT_TRUE(look);
  EXPECT_EQ(look->target, "");
}

TEST_F(WindowsLook, WhatIsNoProgramIsTold) {
  machine_.system.AddFile("/C:/app/text.dll", std::string(4096, 'x'));
  machine_.system.AddFile("/C:/app/empty.dll");
  machine_.system.AddFile("/C:/app/cut.dll", program_.substr(0, program_.size() - 200));
  machine_.system.AddFile("/C:/app/linux", std::string("\x7f"
                                                       "ELF\2\1\1",
                                                       7) +
                                               std::string(200, '\0'));
  EXPECT_EQ(ErrorOf("/C:/app/none.exe"), "/C:/app/none.exe: no such file");
  EXPECT_EQ(ErrorOf("/C:/app"), "/C:/app: not a regular file");
  EXPECT_EQ(ErrorOf("/C:/app/text.dll"), "/C:/app/text.dll: not a PE file");
  EXPECT_EQ(ErrorOf("/C:/app/empty.dll"), "/C:/app/empty.dll: the file is empty");
  EXPECT_EQ(ErrorOf("/C:/app/cut.dll"), "/C:/app/cut.dll: the file is truncated");
  EXPECT_NE(ErrorOf("/C:/app/linux").find("an ELF file"), std::string::npos);
}

TEST_F(WindowsLook, ARecordedMachineGivesTheSame) {
  auto live = LookAt(machine_.system, "/C:/app/run.exe");
  ASSERT_TRUE(live);
  LiveFileView view(machine_.system);
  Recorder recorder(machine_.system, view);
  recorder.AddPath("/C:/app/run.exe");
  snapshot::Snapshot recorded = live->snapshot;
  recorded.files = recorder.Take();
  const auto look = LookInto(recorded, "/C:/app/run.exe");
  ASSERT_TRUE(look) << look.error().message;
  ASSERT_NE(look->snapshot.windows(), nullptr);
  EXPECT_EQ(*look->snapshot.windows(), *live->snapshot.windows());
  ASSERT_NE(look->view->Open("/C:/app/run.exe").pe, nullptr);
  EXPECT_FALSE(LookInto(recorded, "/C:/app/other.exe"));
}

TEST_F(WindowsLook, AListingRecordsDllsWhateverTheCaseOfTheirNames) {
  machine_.system.AddFile("/C:/app/A.DLL", BuildPe({}));
  machine_.system.AddFile("/C:/app/_C.cp311-win_amd64.pyd", BuildPe({}));
  machine_.system.AddFile("/C:/app/readme.txt", "x");
  LiveFileView view(machine_.system);
  Recorder recorder(machine_.system, view);
  recorder.AddDirectory("/C:/app", /*programs=*/false);
  const auto files = recorder.Take();
  EXPECT_NE(files.nodes.at("/C:/app/A.DLL").pe, nullptr);
  EXPECT_NE(files.nodes.at("/C:/app/_C.cp311-win_amd64.pyd").pe, nullptr);
  EXPECT_EQ(files.nodes.at("/C:/app/readme.txt").pe, nullptr);
}

TEST_F(WindowsLook, OnlyVariablesThatDecideAreKept) {
  const auto look = LookAt(machine_.system, "");
  EXPECT_EQ(RelevantEnvironment(look->snapshot.environment),
            (std::map<std::string, std::string>{{"PATH", "C:\\app"}, {"SYSTEMROOT", "C:\\Windows"}}));
}

class WindowsTarget : public WindowsLook {
 protected:
  Target Classify(const std::string& path) {
    const auto target = ClassifyTarget(machine_.system, path);
    EXPECT_TRUE(target) << target.error().message;
    return target ? *target : Target{};
  }
};

TEST_F(WindowsTarget, ProgramsAndDlls) {
  EXPECT_EQ(Classify("/C:/app/run.exe").kind, TargetKind::kProgram);
  EXPECT_EQ(Classify("/C:/Windows/System32/kernel32.dll").kind, TargetKind::kProgram);
}

TEST_F(WindowsTarget, AnInterpreterStandsForItsEnvironment) {
  machine_.system.AddFile("/C:/v/pyvenv.cfg", "home = C:\\Python311\n");
  machine_.system.AddFile("/C:/v/Scripts/python.exe", program_);
  machine_.system.AddFile("/C:/Python311/python.exe", program_);
  machine_.system.AddDirectory("/C:/Python311/Lib");
  machine_.system.AddFile("/C:/app/python.exe", program_);  // alone it is a program like any other
  EXPECT_EQ(Classify("/C:/v/Scripts/python.exe").kind, TargetKind::kEnvironment);
  EXPECT_EQ(Classify("/C:/v/Scripts/python.exe").path, "/C:/v");
  EXPECT_EQ(Classify("/C:/Python311/python.exe").path, "/C:/Python311");
  EXPECT_EQ(Classify("/C:/app/python.exe").kind, TargetKind::kProgram);
}

TEST_F(WindowsTarget, Directories) {
  machine_.system.AddFile("/C:/Python311/python.exe", program_);
  machine_.system.AddDirectory("/C:/Python311/Lib");
  machine_.system.AddFile("/C:/embedded/python.exe", program_);
  machine_.system.AddFile("/C:/embedded/python311._pth", ".\n");
  machine_.system.AddDirectory("/C:/packages/torch-2.5.1.dist-info");
  machine_.system.AddDirectory("/C:/disk/windows/SYSTEM32");
  EXPECT_EQ(Classify("/C:/Python311").kind, TargetKind::kEnvironment);
  EXPECT_EQ(Classify("/C:/embedded").kind, TargetKind::kEnvironment);
  EXPECT_EQ(Classify("/C:/packages").kind, TargetKind::kEnvironment);
  EXPECT_EQ(Classify("/C:/disk").kind, TargetKind::kRootFileSystem);
  EXPECT_FALSE(ClassifyTarget(machine_.system, "/C:/app"));
}

// The same files on a Linux machine, whose names have a case.
TEST(WindowsTargetOnLinux, ATreeOfWindowsFiles) {
  system::MemorySystem linux_machine;
  linux_machine.AddFile("/mnt/WINDOWS/system32/kernel32.dll", "MZ");
  linux_machine.AddFile("/mnt/env/Scripts/PYTHON.EXE", "MZ");
  linux_machine.AddFile("/mnt/env/app.exe", "MZ");
  EXPECT_EQ(ClassifyTarget(linux_machine, "/mnt")->kind, TargetKind::kRootFileSystem);
  EXPECT_EQ(ClassifyTarget(linux_machine, "/mnt/env")->kind, TargetKind::kEnvironment);
  EXPECT_EQ(ClassifyTarget(linux_machine, "/mnt/env/app.exe")->kind, TargetKind::kProgram);
}

}  // namespace
}  // namespace culprit::collect
