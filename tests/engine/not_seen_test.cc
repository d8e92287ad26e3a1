// Every place that could hold a CUDA library, the loader's configuration or the judged environment is failed
// on purpose in every way, and the verdict is held against a table: what could not be read is never shown as
// fine, and what is only missing is no reason for doubt.
#include "engine/not_seen.h"

#include <gtest/gtest.h>
#include <toml++/toml.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <thread>

#include "../rules/made_up_machine.h"
#include "engine/diagnosis.h"
#include "system/test_watched.h"

namespace culprit::engine {
namespace {

using base::PathError;
using report::Verdict;
using std::chrono::milliseconds;
using system::DirectoryEntry;
using system::Outcome;

enum class Way { kMissing, kAccess, kInputOutput, kTooMany };

using Machine = std::shared_ptr<const system::System>;

// A machine on which one place fails, with everything below it, whatever it is called.
class Failing final : public system::WatchedSystem {
 public:
  Failing(const Machine& machine, const std::string& place, Way way)
      : WatchedSystem(machine,
                      [=](const std::string& path) {
                        const std::string real = machine->RealPath(path).value_or(path);
                        const bool below = real.starts_with(place + "/");
                        if (real != place && !below) return PathError::kNone;
                        if (way == Way::kMissing) return PathError::kNoEntry;
                        // A directory without rights can be looked at, and nothing below it.
                        if (way == Way::kAccess) return below ? PathError::kAccess : PathError::kNone;
                        return way == Way::kInputOutput ? PathError::kOther : PathError::kNone;
                      }),
        machine_(machine),
        place_(place),
        way_(way) {}

  Outcome<system::OpenFile> Open(const std::string& path) const override {
    if (way_ == Way::kAccess && IsThePlace(path)) return std::unexpected(PathError::kAccess);
    return WatchedSystem::Open(path);
  }
  Outcome<std::vector<DirectoryEntry>> List(const std::string& path) const override {
    if (way_ == Way::kAccess && IsThePlace(path)) return std::unexpected(PathError::kAccess);
    auto entries = WatchedSystem::List(path);
    if (entries && way_ == Way::kTooMany && IsThePlace(path))
      entries->resize(system::kMostEntries, {"zzz", system::FileType::kRegular});
    return entries;
  }

 private:
  bool IsThePlace(const std::string& path) const { return machine_->RealPath(path) == place_; }

  Machine machine_;
  std::string place_;
  Way way_;
};

// A driver, a toolkit with cuDNN in it, and PyTorch in an active environment.
Machine Workstation(const std::string& changes = "") {
  auto made_up = std::make_shared<model::MadeUpMachine>(CULPRIT_SOURCE_DIR "/tests/rules");
  made_up->Apply(toml::parse("world = \"toolkit\""));
  made_up->Apply(toml::parse("world = \"torch\"\n" + changes));
  return {made_up, &made_up->system};
}

report::CheckReport CheckMachine(Machine machine, milliseconds limit = milliseconds(60000)) {
  Diagnosis diagnosis({.machine = std::move(machine), .limit = limit});
  EXPECT_TRUE(diagnosis.Look());
  diagnosis.Play();
  return diagnosis.Judge();
}

bool Names(const report::CheckReport& report, const std::string& place) {
  return std::ranges::any_of(report.not_checked,
                             [&](const report::NotChecked& item) { return item.what == place; });
}

bool SaysWhy(const report::CheckReport& report, const std::string& why) {
  return std::ranges::any_of(report.not_checked,
                             [&](const report::NotChecked& item) { return item.why.starts_with(why); });
}

constexpr const char* kToolkit = "/usr/local/cuda-13.0";
constexpr const char* kToolkitLibraries = "/usr/local/cuda-13.0/targets/x86_64-linux/lib";
constexpr const char* kCudnn = "/usr/local/cuda-13.0/targets/x86_64-linux/lib/libcudnn.so.9";
constexpr const char* kSystemLibraries = "/usr/lib/x86_64-linux-gnu";
constexpr const char* kSite = "/opt/venv/lib/python3.11/site-packages";
constexpr const char* kCache = "/etc/ld.so.cache";

TEST(NotSeen, TheMachineIsFineWhenAllOfItCanBeRead) {
  const auto report = CheckMachine(Workstation());
  EXPECT_TRUE(report.verdict == Verdict::kOk || report.verdict == Verdict::kWarnings) << report.headline;
}

TEST(NotSeen, APlaceThatRefusesIsNeverShownAsFine) {
  for (const char* place : {"/usr/local", "/opt", kToolkit, kToolkitLibraries, kCudnn, kSystemLibraries,
                            "/opt/venv", "/opt/venv/lib", kSite, kCache}) {
    for (const Way way : {Way::kAccess, Way::kInputOutput}) {
      SCOPED_TRACE(std::string(place) + (way == Way::kAccess ? " EACCES" : " EIO"));
      const auto report = CheckMachine(std::make_shared<Failing>(
          Workstation("[ld_cache]\n\"libx.so.1\" = \"/usr/lib/libx.so.1\"\n"), place, way));
      EXPECT_TRUE(report.verdict == Verdict::kUnknown || report.verdict == Verdict::kErrors)
          << report.headline;
      if (way == Way::kAccess) {
        EXPECT_TRUE(Names(report, place));
      } else {  // of a disk that fails each question fails by itself
        EXPECT_TRUE(SaysWhy(report, "input/output error"));
      }
    }
  }
}

TEST(NotSeen, WhatIsMissingIsNoReasonForDoubt) {
  for (const char* place : {"/usr/local", "/opt", kToolkit, kToolkitLibraries, kCudnn, kCache}) {
    SCOPED_TRACE(place);
    const auto report = CheckMachine(std::make_shared<Failing>(Workstation(), place, Way::kMissing));
    EXPECT_NE(report.verdict, Verdict::kUnknown) << report.headline;
    EXPECT_FALSE(Names(report, place));
  }
}

TEST(NotSeen, ADirectoryWithTooManyEntries) {
  for (const char* place : {"/usr/local", kToolkitLibraries, kSystemLibraries}) {
    SCOPED_TRACE(place);
    const auto report = CheckMachine(std::make_shared<Failing>(Workstation(), place, Way::kTooMany));
    EXPECT_EQ(report.verdict, Verdict::kUnknown) << report.headline;
    EXPECT_TRUE(Names(report, place));
  }
}

TEST(NotSeen, Garbage) {
  const auto cache = CheckMachine(Workstation("[files]\n\"/etc/ld.so.cache\" = \"garbage\"\n"));
  EXPECT_EQ(cache.verdict, Verdict::kUnknown);
  EXPECT_TRUE(Names(cache, kCache));
  const auto toolkit = CheckMachine(Workstation("[files]\n\"/usr/local/cuda-13.0/version.json\" = \"{\"\n"));
  EXPECT_EQ(toolkit.verdict, Verdict::kUnknown);
  EXPECT_TRUE(Names(toolkit, "/usr/local/cuda-13.0/version.json"));
  const auto library =
      CheckMachine(Workstation("remove = [\"/opt/venv/lib/python3.11/site-packages/nvidia/cudnn/lib/"
                               "libcudnn.so.9\"]\n[files]\n\"/opt/venv/lib/python3.11/site-packages/nvidia/"
                               "cudnn/lib/libcudnn.so.9\" = \"garbage\"\n"));
  EXPECT_EQ(library.verdict, Verdict::kErrors);
}

TEST(NotSeen, APlaceThatNeverAnswers) {
  for (const char* place : {kToolkitLibraries, kSystemLibraries, kSite}) {
    SCOPED_TRACE(place);
    const auto gate = std::make_shared<system::Gate>();
    std::weak_ptr<const system::System> left;
    {
      const Machine whole = Workstation();
      const auto machine = std::make_shared<const system::WatchedSystem>(
          whole, [gate, whole, place = std::string(place)](const std::string& path) {
            if (whole->RealPath(path).value_or(path).starts_with(place)) gate->Pass();
            return PathError::kNone;
          });
      left = machine;
      const auto report = CheckMachine(machine, milliseconds(5000));
      EXPECT_TRUE(report.verdict == Verdict::kUnknown || report.verdict == Verdict::kErrors);
      EXPECT_TRUE(SaysWhy(report, "no answer in time"));
    }
    gate->Release();  // the threads that were abandoned come to their end
    while (!left.expired()) std::this_thread::sleep_for(milliseconds(2));
  }
}

// Which refusals matter.
TEST(NotSeen, OnlyPlacesOfTheStackMatter) {
  snapshot::Snapshot snapshot;
  snapshot.environment = {
      {"LD_LIBRARY_PATH", "/data/lib:/more"}, {"CUDA_HOME", "/sw/cuda"}, {"HOME", "/root"}};
  const struct {
    const char* path;
    bool matters;
  } kTable[] = {{"/root", false},
                {"/home/ada", false},
                {"/proc/1/comm", false},
                {"/opt/other", false},
                {"/dev/nvidia0", false},
                {"/var/lib/rpm", false},
                {"/opt", true},
                {"/usr/local", true},
                {"/data", true},
                {"/data/lib", true},
                {"/data/lib/a.so", true},
                {"/data/lib/a/b", false},
                {"/data/library", false},
                {"/sw", true},
                {"/sw/cuda/a/b/c", true},
                {"/etc/ld.so.cache", true},
                {"/etc/shadow", false},
                {"/usr/local/cuda-11.8/nvvm", true},
                {"/usr/lib64", true},
                {"/usr/lib64/libcuda.so.1", true},
                {"/usr/local/bin", false},
                {"/", true}};
  for (const auto& [path, matters] : kTable) {
    snapshot.unread = {{path, base::Unread::kAccess}};
    EXPECT_EQ(!NotSeen(snapshot).empty(), matters) << path;
  }
}

TEST(NotSeen, APlaceMattersUnderAnyOfItsNames) {
  snapshot::Snapshot snapshot;
  snapshot.environment = {{"CUDA_HOME", "/sw/cuda"}};
  snapshot.unread = {{"/sw/cuda-12.4", base::Unread::kAccess, {"/sw/cuda"}}};
  ASSERT_EQ(NotSeen(snapshot).size(), 1u);
  EXPECT_EQ(NotSeen(snapshot)[0].what, "/sw/cuda-12.4");
}

TEST(NotSeen, WithoutProcAndSysNobodySaysThatThereIsNoKernelModule) {
  const auto report = CheckMachine(Workstation(
      "remove = [\"/proc\", \"/sys\", \"/usr/lib/x86_64-linux-gnu/libcuda.so.1\", "
      "\"/usr/lib/x86_64-linux-gnu/libcuda.so\", \"/usr/lib/x86_64-linux-gnu/libcuda.so.580.95.05\"]\n"));
  EXPECT_TRUE(std::ranges::none_of(report.findings,
                                   [](const report::Finding& finding) { return finding.code == "CUL1001"; }));
  EXPECT_TRUE(Names(report, "the loaded kernel modules"));
}

}  // namespace
}  // namespace culprit::engine
