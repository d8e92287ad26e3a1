// data/sonames.toml: which CUDA a library name belongs to. libraries.toml says what such a library opens.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "knowledge/answer.h"

namespace culprit::knowledge {

struct SonameRow {
  std::string_view library;                // "cufft"
  std::string_view name;                   // "libcufft.so.11", "cufft64_11.dll"
  std::span<const std::string_view> cuda;  // "12" = every 12.x, "10.2" = that release
  std::string_view source;
};
std::span<const SonameRow> SonameRows();

// Where wheels put a library, below site-packages.
struct WheelFolder {
  std::string_view library;
  std::string_view cuda12;
  std::string_view cuda13;
  std::string_view source;
};
std::span<const WheelFolder> WheelFolders();

// The releases that ship a library under this soname or DLL name; nullptr if it is not in the table.
const SonameRow* FindSoname(std::string_view name);

// "12" for libcufft.so.11; "" if several CUDA majors ship the name, as libcusparse.so.12.
std::string CudaMajorOf(const SonameRow& row);

}  // namespace culprit::knowledge
