// A rule: one thing that can be wrong, in one file. It has a permanent code, a page in the catalogue, and one
// pure function over the scene. The build generates the table of rules. Cases in tests/rules/ show where each
// rule fires and where it stays silent; a test fails if a page or case is missing.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/platform.h"
#include "loader/scenario.h"
#include "report/finding.h"
#include "rules/memo.h"
#include "snapshot/snapshot.h"

namespace culprit::rules {

// Commands to paste are built from these.
using report::Command;
using report::InQuotes;
using report::Plain;
using report::Quoted;
using report::Word;

struct AskedIndex;
struct FailedLoad;
struct ProbeFailureList;

// What a rule can look at.
struct Scene {
  const snapshot::Snapshot& snapshot;  // with its stack
  snapshot::FileView& view;
  std::span<const loader::Scenario> scenarios;
  std::shared_ptr<Memo> memo = std::make_shared<Memo>();
  // Shared by several rules, computed on first use (failed_loads.h, probe_failures.h).
  mutable std::shared_ptr<const std::vector<FailedLoad>> failed_loads{};
  mutable std::shared_ptr<const ProbeFailureList> probe_failures{};
  mutable std::shared_ptr<AskedIndex> asked{};  // kit/python/asked.cc

  const snapshot::Stack& stack() const { return snapshot.stack; }
  // The value of a variable; "" if it is empty or not set (`IsSet` tells which).
  std::string_view Variable(const std::string& name) const;
  bool IsSet(const std::string& name) const { return snapshot.environment.contains(name); }
  // Converts a path that a user wrote, for example in a variable, to a path of this machine.
  std::string PathOf(std::string_view text) const;
  bool OnWindows() const { return snapshot.windows() != nullptr; }
  base::Platform platform() const { return OnWindows() ? base::Platform::kWindows : base::Platform::kLinux; }
  // The environment and framework of a scenario of kind kFramework; nullptr for the others.
  const snapshot::PythonEnvironment* EnvironmentOf(const loader::Scenario& scenario) const;
  const snapshot::Framework* FrameworkOf(const loader::Scenario& scenario) const;
};

struct Rule;

// What one rule reports about one scene. A rule that reports nothing passes.
class Ruling {
 public:
  explicit Ruling(const Rule& rule) : rule_(rule) {}

  // Adds a finding with the rule's code, cause and severity; the caller fills in the rest. A rule that can
  // say several things of one subject names in `about` what tells them apart.
  report::Finding& Fire(std::string summary, std::string subject, std::vector<std::string> about = {});
  // The rule needs a fact that is not available: "the loaded kernel module", "/proc/driver/nvidia: Permission
  // denied". The rule then counts as not run, unless it also fired.
  void NotEnoughFacts(std::string what, std::string why, bool of_host = false);
  // Worth mentioning, but this command could not find a fault there anyway: the host of an image, the Windows
  // driver behind WSL. The rule counts as run, and the verdict does not become "unknown" because of it.
  void Remark(std::string what, std::string why);
  // The rule has no subject here (no container, no Python ...); counts as run.
  void NotApplicable() { applicable_ = false; }

  const Rule& rule() const { return rule_; }
  std::vector<report::Finding>& findings() { return findings_; }
  const std::vector<report::Finding>& findings() const { return findings_; }
  std::vector<report::NotChecked>& not_checked() { return not_checked_; }
  const std::vector<report::NotChecked>& not_checked() const { return not_checked_; }
  const std::vector<report::NotChecked>& remarks() const { return remarks_; }
  bool applicable() const { return applicable_; }

 private:
  const Rule& rule_;
  std::vector<report::Finding> findings_;
  std::vector<report::NotChecked> not_checked_;
  std::vector<report::NotChecked> remarks_;
  bool applicable_ = true;
};

// The machines that a rule applies to.
enum class Where { kEverywhere, kLinux, kWindows };

// What a rule looks at: a machine, or recipes (snapshot/stack_recipe.h) instead of one.
enum class LooksAt { kMachine, kRecipe, kBoth };

using report::Family;

// Failed steps of a probe for which a finding can be the reason. Its subject decides whether it is
// (kit/live/probe_explained.cc).
enum class Explains : uint16_t {
  kNothing = 0,
  kCudaStart = 1 << 0,       // libcuda is not loaded, cuInit fails, no device, no context
  kNvml = 1 << 1,            // NVML does not answer
  kDriverFiles = 1 << 2,     // both of these, where the finding is about a file of the driver
  kPtx = 1 << 3,             // the driver does not compile PTX
  kOldDriver = 1 << 4,       // a library asks for a newer driver
  kNvrtc = 1 << 5,           // NVRTC fails
  kCudaFiles = 1 << 6,       // a CUDA library fails, where the finding is about its files
  kCudnnFiles = 1 << 7,      // cuDNN fails, where the finding is about its files
  kFramework = 1 << 8,       // a framework fails that the finding affects
  kHostCompiler = 1 << 9,    // nvcc refuses the host compiler
  kArchitecture = 1 << 10,   // nvcc does not know the GPU
  kHeaders = 1 << 11,        // a header is missing
  kCompilerFiles = 1 << 12,  // the compiler cannot be started
  kBuiltCudnn = 1 << 13,     // a cuDNN program was built and does not run
};
constexpr Explains operator|(Explains one, Explains other) {
  return static_cast<Explains>(static_cast<uint16_t>(one) | static_cast<uint16_t>(other));
}

struct Rule {
  std::string_view code;  // "CUL3004", never reused
  std::string_view name;  // names the problem, same as the file: "cudnn_mixed_versions"
  Family family = Family::kDriver;
  report::Root root = report::Root::kNone;
  std::optional<Explains> explains{};  // nullopt: what the rules of its family explain
  bool by_size = false;                // see Finding
  std::string_view cause;              // slug of the closed list
  report::Severity severity = report::Severity::kError;
  LooksAt looks_at = LooksAt::kMachine;
  Where where = Where::kEverywhere;
  std::string_view since;  // the culprit version that introduced it
  std::string_view title;  // one line for `culprit rules`
  std::string_view page;   // Markdown under fixed headings, see catalogue_test.cc
  void (*check)(const Scene& scene, Ruling& ruling) = nullptr;

  bool live() const { return family == Family::kLive; }
  bool CanExplain(Explains failure) const;
};

bool AppliesTo(const Rule& rule, const Scene& scene);

// All rules, by code.
std::span<const Rule* const> AllRules();
const Rule* FindRule(std::string_view code);  // also accepts lower case; nullptr if there is none

}  // namespace culprit::rules
