// A machine made from a TOML description: files, symlinks, ELF files that claim what a test needs, devices,
// variables. A description may start from a world (worlds/NAME.toml), which may start from another. Keys:
//
//   world = "gpu"                      what it starts from (default "bare"; "none" for nothing)
//   remove = ["/path"]                 removed before anything is added
//   [env] NAME = "value"               an empty world has none; "" sets an empty variable
//   [files] "/path" = "text"           a text file; "${WORDS}" are not expanded
//   [links] "/path" = "target"
//   [elf."/path"]                      soname, needed, rpath, runpath, program (gets an interpreter), bits,
//                                      machine ("x86-64", "aarch64"), version_defs,
//                                      version_needs {file = [names]}, executable_stack,
//                                      words {cudnn_graph_version = 0x091300},
//                                      undefined [symbols of any library], undefined_calls (only calls of
//                                      them),
//                                      text (appended as is), sections {".modinfo" = "text"},
//                                      gpu_code (containers of .nv_fatbin, each a text: "sm_80 sm_90a
//                                      compute_90:8.4", where 8.4 is the PTX version)
//   system = "windows"                 then files are "/C:/..."
//   [dll."/C:/path"]                   name (in its export table; default: the file's),
//                                      imports {dll = [functions]}, delay_imports, exports,
//                                      words {name = 1}, version ("6.14.11.8090"),
//                                      strings {ProductName = "x"}, bits, program,
//                                      cut (bytes missing at the end)
//   [registry."HKLM/SOFTWARE/x"] name = "value"
//   [ld_cache] "libx.so.1" = "/path"   /etc/ld.so.cache (x86-64) with these entries and no others
//   directories, devices, fifos, unreadable = ["/path"]
//   truncate = {"/path" = 400}, sparse = {"/path" = 1000000}
//   cpu = "aarch64", working_directory = "/home/u"
//   all_symbols = true                 ELF files define their words and nothing else; otherwise what a file
//                                      without words defines is not known
#pragma once

#include <toml++/toml.h>

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "system/memory.h"

namespace culprit::model {

class MadeUpMachine {
 public:
  // `cases` is the directory that holds worlds/.
  explicit MadeUpMachine(std::filesystem::path cases) : cases_(std::move(cases)) {}

  // The keys above.
  static const std::set<std::string_view>& Keys();

  // Reads only these keys; the caller rejects those that neither reads. Throws std::runtime_error with the
  // position if the description has a mistake.
  void Apply(const toml::table& description);

  system::MemorySystem system;

 private:
  void AddDll(const std::string& path, const toml::table& spec);
  void AddElf(const std::string& path, const toml::table& spec);
  void AddLdCache(const toml::table& description);

  std::filesystem::path cases_;
  std::map<std::string, std::string> environment_;
  bool all_symbols_ = false;
};

}  // namespace culprit::model
