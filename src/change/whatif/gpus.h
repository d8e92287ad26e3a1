// The GPUs of a machine, as the PCI bus shows them, and what the driver shows of those that it holds.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/change.h"
#include "system/system.h"

namespace culprit::whatif {

struct BusGpu {
  std::string bus_id;              // "0000:19:00.0"
  std::string bound_to;            // "nouveau"; "" nobody holds it
  std::string compute_capability;  // "" not known
};
std::vector<BusGpu> GpusOnBus(const system::System& machine);

// False when the tables say that a driver of that version does not drive the GPU.
bool MayDrive(std::string_view driver, const BusGpu& gpu);

report::PutLink Bind(const std::string& bus_id, const std::string& driver);

// /proc/driver/nvidia/gpus of a driver that holds `gpus`: what is listed stays, what is new gets the next
// number, what the driver does not hold goes.
std::vector<report::Change> DriversList(const system::System& machine, const std::vector<BusGpu>& gpus);

}  // namespace culprit::whatif
