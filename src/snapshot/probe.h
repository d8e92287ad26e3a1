// What `culprit probe` saw on the living machine: each step that culprit-probe tried, the files that were
// really loaded, the devices as the driver describes them and who holds their memory. Plain values; "" and 0
// mean "not known" where nothing else is said.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/gpu_state.h"
#include "base/step_status.h"
#include "snapshot/probe_kinds.h"

namespace culprit::snapshot {

// A process that holds memory of a device.
struct MemoryHolder {
  uint64_t pid = 0;
  std::string name;    // of its program; "" when it belongs to another container or user
  uint64_t bytes = 0;  // 0: the driver does not tell

  template <typename Self, typename Visit>
  static void Fields(Self& self, Visit& visit) {
    visit("pid", self.pid);
    visit("name", self.name);
    visit("bytes", self.bytes);
  }
  bool operator==(const MemoryHolder&) const = default;
};

struct ProbedDevice {
  std::string cuda_index;  // as CUDA counts in this shell; "" when CUDA does not show it
  std::string nvml_index;  // as nvidia-smi counts; "" when NVML does not show it
  std::string name;
  std::string uuid;    // "GPU-5a3e..."
  std::string bus_id;  // "00000000:19:00.0"
  std::string compute_capability;
  uint64_t memory_total = 0;
  uint64_t memory_free = 0;
  base::ComputeMode compute_mode = base::ComputeMode::kUnknown;
  base::Switch mig = base::Switch::kUnknown;
  base::Switch ecc = base::Switch::kUnknown;
  std::string ecc_errors;    // uncorrected since the driver was loaded, as a number
  std::string driver_model;  // Windows: "WDDM", "TCC", "MCDM"
  std::vector<MemoryHolder> holders;

  template <typename Self, typename Visit>
  static void Fields(Self& self, Visit& visit) {
    visit("cuda_index", self.cuda_index);
    visit("nvml_index", self.nvml_index);
    visit("name", self.name);
    visit("uuid", self.uuid);
    visit("bus_id", self.bus_id);
    visit("compute_capability", self.compute_capability);
    visit("memory_total", self.memory_total);
    visit("memory_free", self.memory_free);
    visit("compute_mode", self.compute_mode);
    visit("mig", self.mig);
    visit("ecc", self.ecc);
    visit("ecc_errors", self.ecc_errors);
    visit("driver_model", self.driver_model);
    visit("holders", self.holders);
  }
  bool operator==(const ProbedDevice&) const = default;
};

// A library as the living process has it.
struct ProbedLibrary {
  std::string name;     // soname or file name: "libcudnn_ops.so.9"
  std::string path;     // the file that was really loaded
  std::string version;  // read from that file

  template <typename Self, typename Visit>
  static void Fields(Self& self, Visit& visit) {
    visit("name", self.name);
    visit("path", self.path);
    visit("version", self.version);
  }
  bool operator==(const ProbedLibrary&) const = default;
};

struct ProbeStep {
  ProbeJob job;
  StepName name = StepName::kNone;
  std::string title;    // in words, of probe/host/steps.h: so that a recorded probe can be read by everybody
  std::string subject;  // the file, device or interpreter that it is about
  StepOutcome outcome = StepOutcome::kNone;
  base::StepStatus status;  // crashed: "SIGSEGV"
  std::string call;         // the function that said so: "cuInit"
  std::string detail;       // in words
  std::string library;      // crashed, hung: the file in which it was
  uint64_t microseconds = 0;
  std::vector<ProbedLibrary> libraries;        // that this step brought into the process
  std::map<std::string, std::string> figures;  // "relative_error" -> "2.1e-07", "cudnn_version" -> "91900"
  std::string output;                          // what the child wrote to standard error in this step, its end

  template <typename Self, typename Visit>
  static void Fields(Self& self, Visit& visit) {
    visit("job", self.job);
    visit("name", self.name);
    visit("title", self.title);
    visit("subject", self.subject);
    visit("outcome", self.outcome);
    visit("status", self.status);
    visit("call", self.call);
    visit("detail", self.detail);
    visit("library", self.library);
    visit("microseconds", self.microseconds);
    visit("libraries", self.libraries);
    visit("figures", self.figures);
    visit("output", self.output);
  }
  bool operator==(const ProbeStep&) const = default;
};

struct ProbeFacts {
  std::vector<ProbedDevice> devices;
  std::vector<ProbeStep> steps;  // jobs in the order they were planned, each with its steps in order

  template <typename Self, typename Visit>
  static void Fields(Self& self, Visit& visit) {
    visit("devices", self.devices);
    visit("steps", self.steps);
  }
  bool operator==(const ProbeFacts&) const = default;
};

}  // namespace culprit::snapshot
