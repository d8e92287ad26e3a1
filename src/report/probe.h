// The result of `culprit probe`: the devices, each step with its figures, and the causes of failures from the
// catalog of `check`.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/gpu_state.h"
#include "report/check.h"

namespace culprit::report {

struct ProbeLibrary {
  std::string name, path, version;
};

struct ProbeStepRow {
  enum class Outcome { kOk, kFailed, kNotRun };
  std::string name;   // "kernel"
  std::string title;  // "a kernel from PTX, compiled by the driver"
  std::string
      group;  // heading: "driver 580.95.05", "cuDNN 9.19.0 in /...", "CUDA 13.0 in /usr/local/cuda-13.0"
  std::string subject;  // file, device or interpreter
  Outcome outcome = Outcome::kNotRun;
  std::string
      status;  // "ok", "CUDA_ERROR_NO_DEVICE", "SIGSEGV", "hung", "garbage", "wrong-result", "not-run"
  std::string detail;
  double ms = 0;
  std::string cause,
      code;  // the explanation of a failure: a slug, and the code of the finding; "" if unknown
  std::vector<ProbeLibrary> libraries;
  std::map<std::string, std::string> figures;
};

struct ProbeHolder {
  std::string pid, name;
  uint64_t bytes = 0;
};

struct ProbeDevice {
  std::string index, nvml_index, name, uuid, bus_id, compute_capability, ecc_errors, driver_model;
  base::ComputeMode compute_mode = base::ComputeMode::kUnknown;
  base::Switch mig = base::Switch::kUnknown, ecc = base::Switch::kUnknown;
  uint64_t memory_total = 0, memory_free = 0;
  std::vector<ProbeHolder> holders;
};

struct ProbeReport {
  Verdict verdict = Verdict::kUnknown;
  std::string headline;
  std::vector<ProbeDevice> devices;
  std::vector<ProbeStepRow> steps;  // worst group first
  std::vector<Finding> findings;    // those that explain failures, and other errors of `check`
  std::vector<NotChecked> not_checked;
  std::vector<std::string> advice;  // "-DCMAKE_CUDA_ARCHITECTURES=90" and the like
};

}  // namespace culprit::report
