// A Windows machine made up in memory, for the tests of its collectors.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "binfmt/pe/write.h"
#include "collect/stack.h"
#include "system/memory.h"

namespace culprit::collect {

constexpr const char* kSystem32 = "/C:/Windows/System32/";

// A DLL with this version resource; texts as {"ProductName", "NVIDIA cuDNN Library"}.
inline std::string Dll(const std::string& name, const std::string& version,
                       std::vector<std::pair<std::string, std::string>> strings = {}, int bits = 64) {
  return binfmt::BuildPe(
      {.bits = bits,
       .name = name,
       .exports = {"Go"},
       .version = binfmt::PeVersionInfo{
           .file_version = version, .product_version = version, .strings = std::move(strings)}});
}

inline std::string CudnnPartOf(const std::string& name, const std::string& version, int bits = 64) {
  return Dll(name, version, {{"ProductName", "NVIDIA cuDNN Library"}}, bits);
}

class WindowsMachine {
 public:
  WindowsMachine() { system.SetPlatform(base::Platform::kWindows); }

  void AddWindows() {
    system.AddFile(std::string(kSystem32) + "kernel32.dll", Dll("KERNEL32.dll", "10.0.19041.1"));
  }
  Surroundings Around() const {
    Surroundings around{.system = system, .environment = variables, .working_directory = "/C:/Users/u"};
    around.host_unseen = host_unseen;
    return around;
  }

  system::MemorySystem system;
  std::map<std::string, std::string> variables;  // names in upper case
  bool host_unseen = false;
};

}  // namespace culprit::collect
