// A made-up glibc machine for tests of the whole way from files to an answer: a loader with its compiled-in
// strings, and libraries and programs that claim what a test needs.
#pragma once

#include <string>

#include "binfmt/elf/constants.h"
#include "binfmt/elf/write.h"
#include "collect/look.h"
#include "loader/load.h"
#include "system/memory.h"

namespace culprit::model {

using binfmt::BuildElf;
using binfmt::ElfSpec;

class World {
 public:
  explicit World(const std::string& glibc = "2.39") {
    system.SetCpu({.machine = "x86_64", .platform = "x86_64", .isa_levels = {"x86-64-v3", "x86-64-v2"}});
    std::string loader = BuildElf({.soname = "ld-linux-x86-64.so.2", .version_defs = {"GLIBC_2.3"}});
    loader += '\0' + std::string("/lib/x86_64-linux-gnu/") + '\0' + "/usr/lib/x86_64-linux-gnu/" + '\0' +
              "/lib/" + '\0' + "/usr/lib/" + '\0' + "lib/x86_64-linux-gnu" + '\0' +
              "ld.so (made up) stable release version " + glibc + ".\n" + '\0';
    system.AddFile(kLoader, loader, 0755);
    system.AddLink("/lib", "usr/lib");
    Library("/usr/lib/x86_64-linux-gnu/libc.so.6", {.soname = "libc.so.6", .version_defs = {"GLIBC_2.2.5"}});
  }

  void Library(const std::string& path, ElfSpec spec) { system.AddFile(path, BuildElf(spec), 0755); }
  void Program(const std::string& path, ElfSpec spec, uint32_t mode = 0755) {
    spec.interpreter = kLoader;
    system.AddFile(path, BuildElf(spec), mode);
  }

  loader::LoadGraph Load(const std::string& target, std::vector<loader::DlopenCall> calls = {}) {
    auto look = collect::LookAt(system, target);
    if (!look) return {.error = look.error().message};
    return loader::Load(
        look->snapshot, *look->view,
        {.target = look->target, .interpreter = look->interpreter, .calls = std::move(calls)});
  }

  static constexpr const char* kLoader = "/lib64/ld-linux-x86-64.so.2";
  system::MemorySystem system;
};

// "path [via]" of every object after the target, in load order.
inline std::vector<std::string> Loads(const loader::LoadGraph& graph) {
  std::vector<std::string> loads;
  for (size_t i = 1; i < graph.objects.size(); ++i) {
    loads.push_back(graph.objects[i].path + " [" + std::string(Name(graph.objects[i].via)) + "]");
  }
  return loads;
}

}  // namespace culprit::model
