// data/architectures.toml: compute capabilities, PTX ISA versions, and which toolkits and drivers support
// them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "base/version.h"
#include "knowledge/answer.h"
#include "knowledge/driver.h"

namespace culprit::knowledge {

struct Capability {
  std::string_view cc;            // "9.0"
  std::string_view architecture;  // "Hopper"
  std::string_view first_cuda;    // first toolkit that compiles for it
  std::string_view last_cuda;     // "" = the newest known one still does
  std::string_view first_ptx;     // first PTX ISA that supports it
  uint32_t first_driver_branch;   // inferred, see the data file; 0 = unknown
  uint32_t last_driver_branch;    // 0 = the newest known one still supports it, or unknown (Jetson)
  bool jetson;                    // part of a system on chip with its own drivers
  std::string_view renamed_to;    // 10.1 became 11.0
  std::span<const std::string_view> examples;
  std::string_view source;
};
std::span<const Capability> Capabilities();  // lowest first

// "9.0a", "10.0f": code that runs only on `runs_on`.
struct TargetVariant {
  std::string_view target;
  std::string_view base;
  std::string_view first_cuda;
  std::string_view last_cuda;
  std::span<const std::string_view> runs_on;
  std::string_view source;
};
std::span<const TargetVariant> TargetVariants();

struct PtxIsa {
  std::string_view isa;          // "8.4"
  std::string_view first_cuda;   // "12.4": the first release that writes it
  uint32_t first_driver_branch;  // the first branch that compiles it
  std::string_view source;
};
std::span<const PtxIsa> PtxIsas();  // oldest first

// nullptr if it is not in the table.
const Capability* FindCapability(const base::Version& cc);
bool IsJetson(const base::Version& cc);
// By product name, as people write it ("rtx4090", "NVIDIA A100-SXM4-80GB"); nullptr if none fits, or several
// of different capabilities do ("RTX 6000").
const Capability* FindCapabilityByName(std::string_view name);

// The newest PTX ISA that a driver compiles; nullptr = older than every row. For Windows drivers, their
// branch counts.
const PtxIsa* NewestPtxOfDriver(const base::Version& driver);
// The PTX ISA that a toolkit writes; nullptr if the release is not covered.
const PtxIsa* PtxOfCuda(std::string_view cuda);

// Whether a toolkit compiles machine code for a capability.
Answer ToolkitTargets(std::string_view cuda, const base::Version& cc);
// Whether a driver supports a GPU. A branch that is newer than the table may have dropped any of them.
Answer DriverDrives(const base::Version& driver, const base::Version& cc,
                    Platform platform = Platform::kLinux);

// Whether a GPU is of the data centre, where cuda-compat packages work: by its capability, or by its name
// ("T4", "V100"; "" = not given). Empty: there are both kinds, and the name does not tell.
std::optional<bool> IsDataCentreGpu(const base::Version& cc, std::string_view name);

// Whether GPU code in a binary runs on a GPU. `code` is "9.0" or "9.0a" for machine code, "9.0+PTX" for both,
// "PTX 9.0" for PTX only. PTX also needs a driver that compiles it; this does not check that.
enum class CodeFit {
  kMachineCode,
  kPtx,  // compiled by the driver on first use
  kNo,
  kUnknown,
};
CodeFit CodeRunsOn(std::string_view code, const base::Version& cc);
// The best result of a list.
CodeFit CodeRunsOn(std::span<const std::string_view> codes, const base::Version& cc);

}  // namespace culprit::knowledge
