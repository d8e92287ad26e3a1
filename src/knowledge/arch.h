// data/architectures.toml: compute capabilities, PTX ISA versions, and who compiles and drives them.
#pragma once

#include <cstdint>
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
  std::string_view first_ptx;     // first PTX ISA that knows it
  uint32_t first_driver_branch;   // inferred, see the data file; 0 = not known
  uint32_t last_driver_branch;    // 0 = the newest known one still drives it, or not known (Jetson)
  bool jetson;                    // part of a system on chip with drivers of its own
  std::string_view renamed_to;    // 10.1 became 11.0
  std::span<const std::string_view> examples;
  std::string_view note;
  std::string_view source;
};
std::span<const Capability> Capabilities();  // lowest first

// "9.0a", "10.0f": code that runs on `runs_on` alone.
struct TargetVariant {
  std::string_view target;
  std::string_view base;
  std::string_view first_cuda;
  std::string_view last_cuda;
  std::string_view first_ptx;
  std::span<const std::string_view> runs_on;
  std::string_view source;
};
std::span<const TargetVariant> TargetVariants();

struct PtxIsa {
  std::string_view isa;          // "8.4"
  std::string_view first_cuda;   // "12.4": the release that begins to write it
  uint32_t first_driver_branch;  // the branch that begins to compile it
  std::string_view note;
  std::string_view source;
};
std::span<const PtxIsa> PtxIsas();  // oldest first

std::span<const Rule> ArchRules();
const Rule* FindArchRule(std::string_view id);

// nullptr when the table does not have it.
const Capability* FindCapability(const base::Version& cc);
bool IsJetson(const base::Version& cc);
// By a name of a product, exactly ("RTX 4090", "GeForce RTX 4090", "H100"); nullptr when none or several fit.
const Capability* FindCapabilityByName(std::string_view name);

// The newest PTX ISA that a driver compiles; nullptr = older than every row. Windows drivers count by the
// branch they belong to.
const PtxIsa* NewestPtxOfDriver(const base::Version& driver);
// The PTX ISA that a toolkit writes; nullptr when the release is not covered.
const PtxIsa* PtxOfCuda(std::string_view cuda);

// Whether a toolkit compiles machine code for a capability.
Answer ToolkitTargets(std::string_view cuda, const base::Version& cc);
// Whether a driver drives a GPU.
Answer DriverDrives(const base::Version& driver, const base::Version& cc);

// Whether GPU code in a binary runs on a GPU. `code` is "9.0" or "9.0a" machine code, "9.0+PTX" both,
// "PTX 9.0" PTX alone. PTX also needs a driver that compiles it; that is not asked here.
enum class CodeFit {
  kMachineCode,
  kPtx,  // compiled by the driver at first use
  kNo,
  kUnknown,
};
CodeFit CodeRunsOn(std::string_view code, const base::Version& cc);
// The best of a list.
CodeFit CodeRunsOn(std::span<const std::string_view> codes, const base::Version& cc);

}  // namespace culprit::knowledge
