// Which sections of a program or library may hold GPU code containers, in any format.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes/byte_source.h"
#include "binfmt/gpu/fatbin.h"

namespace culprit::binfmt {

// Sections of linked code, and of code that is not linked. PE truncates names to eight characters.
bool IsLinkedSection(std::string_view name);
bool IsRelocatableSection(std::string_view name);
// The CUDA runtime's list of the containers that it passes to the driver.
bool IsContainerList(std::string_view name);
inline bool IsFatbinSection(std::string_view name) {
  return IsLinkedSection(name) || IsRelocatableSection(name);
}

// Does a library with this name belong to CUDA, so that files that require it may have GPU code anywhere?
// Pass the name without "lib" and in lower case: "cudnn_graph64_9.dll", "cudart.so.12".
bool IsCudaLibrary(std::string_view name);

// A section with data.
struct DataSection {
  std::string name;
  uint64_t offset = 0, size = 0;
};
// Adds the containers of all sections to `code`, or only of those made for containers.
void ScanSections(const base::ByteSource& source, std::vector<DataSection> sections, bool all,
                  const GpuCodeLimits& limits, GpuCode& code);

}  // namespace culprit::binfmt
