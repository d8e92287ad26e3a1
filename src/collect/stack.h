// The collectors of the stack: one file and one function for each kind of fact, and the runner that calls
// them in parallel, each with a time limit, so that a dead mount costs only part of the report.
#pragma once

#include <chrono>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/platform.h"
#include "collect/linux/host.h"
#include "collect/live_file_view.h"
#include "snapshot/stack.h"
#include "system/system.h"

namespace culprit::collect {

// Where the collectors look, and what the user asked for.
struct Surroundings {
  const system::System& system;
  std::map<std::string, std::string> environment;  // of this shell, or of --env
  std::string working_directory;
  std::string python;                       // --python: an interpreter
  std::vector<std::string> environments{};  // prefixes of environments that were named, absolute
  bool verify = false;                      // compare the hashes of RECORD, not only sizes
  bool no_python = false;                   // only other targets were named: no environment is looked for
  // For what is to be installed: of the environment in use the names and versions of its packages, of
  // libraries nothing.
  bool names_only = false;
  std::vector<std::string> programs{};  // that were named, absolute
  std::vector<std::string> builds{};    // build folders that were named, absolute
  std::vector<std::string> recipes{};   // Dockerfiles and the like, as they were named
  std::optional<Host> host{};           // --host
  bool host_unseen = false;  // --root: files of another system; its kernel, devices and GPUs are not there
  bool image = false;        // ... that start as a container
  // Who looks on after the time is over keeps it. Without it `system` must live until the program ends.
  std::shared_ptr<const system::System> owner = {};
};

// What a collector reads, as patterns of absolute paths ('*' within a component, '**' any number of them);
// the directories above are looked at on the way. A pattern that starts with a name stands for several:
//   $VARIABLE  each element of that variable of the environment ('*' at its end: of all that begin so)
//   $prefix    each Python environment
//   $site      each directory of packages of one
//   $usual     each directory of data/libraries.toml, and each of those below $site
//   $cached    each directory that ld.so.cache names
// A key of the Windows registry begins with the name of its hive: "HKLM/SOFTWARE/*".
// The in-memory machine of the tests logs every access, and reads_test.cc holds the log against these.
struct CollectorInfo {
  std::string_view name;
  std::span<const std::string_view> reads;
};
std::span<const CollectorInfo> Collectors(base::Platform platform);

snapshot::Fact<snapshot::Driver> CollectDriver(const Surroundings& around);
snapshot::Fact<std::vector<snapshot::Gpu>> CollectGpus(const Surroundings& around);
void AddChip(snapshot::Gpu& gpu);  // its name and compute capability, by the table of PCI ids
snapshot::Fact<std::vector<snapshot::PythonEnvironment>> CollectPython(const Surroundings& around);
// These two also look into the environments that were found.
snapshot::Fact<snapshot::Toolkits> CollectToolkits(const Surroundings& around,
                                                   std::span<const snapshot::PythonEnvironment> environments);
snapshot::Fact<std::vector<snapshot::CudnnCopy>> CollectCudnn(
    const Surroundings& around, std::span<const snapshot::PythonEnvironment> environments);
snapshot::Fact<snapshot::Context> CollectContext(const Surroundings& around);

extern const CollectorInfo kDriverCollector, kGpusCollector, kPythonCollector, kToolkitsCollector,
    kCudnnCollector, kContextCollector;

// Runs the collectors of the machine's platform. One that does not answer within `limit` leaves a timed-out
// Fact and is abandoned with a copy of `around`. If there is a GPU, `codes` is given and `around` owns its
// system, the framework libraries are also searched for GPU code in the background: that takes thousands of
// small reads, and only the rules have to wait for it. `meanwhile` is given the environments, which are known
// before the rest, to keep them for everybody else: copying them takes as long as reading many files.
using Environments = snapshot::Fact<std::vector<snapshot::PythonEnvironment>>;
using Meanwhile = std::function<std::shared_ptr<const Environments>(Environments)>;
snapshot::Stack CollectStack(const Surroundings& around, std::chrono::milliseconds limit,
                             std::future<GpuCodes>* codes = nullptr, const Meanwhile& meanwhile = nullptr);

}  // namespace culprit::collect
