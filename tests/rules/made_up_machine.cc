#include "made_up_machine.h"

#include <elf.h>

#include <set>
#include <stdexcept>

#include "base/text.h"
#include "binfmt/cache/write_ld_so_cache.h"
#include "binfmt/elf/write.h"
#include "binfmt/elf/write_sections.h"
#include "binfmt/gpu/write_fatbin.h"
#include "binfmt/pe/write.h"
#include "knowledge/driver.h"
#include "knowledge/packages/release.h"

namespace culprit::model {
namespace {

using binfmt::ElfSpec;

constexpr const char* kLoaders[] = {"/lib64/ld-linux-x86-64.so.2", "/lib/ld-linux-aarch64.so.1"};

std::string Text(const toml::node& node, std::string_view where) {
  const auto text = node.value<std::string>();
  if (!text) throw std::runtime_error(std::string(where) + ": a text is wanted");
  return *text;
}

std::vector<std::string> Texts(const toml::node* node, std::string_view where) {
  std::vector<std::string> texts;
  if (node == nullptr) return texts;
  const toml::array* array = node->as_array();
  if (array == nullptr) throw std::runtime_error(std::string(where) + ": a list is wanted");
  for (const toml::node& item : *array) texts.push_back(Text(item, where));
  return texts;
}

template <typename Function>
void Each(const toml::table& description, std::string_view key, Function function) {
  const toml::node* node = description.get(key);
  if (node == nullptr) return;
  const toml::table* table = node->as_table();
  if (table == nullptr) throw std::runtime_error(std::string(key) + ": a table is wanted");
  for (const auto& [name, value] : *table) function(std::string(name.str()), value);
}

// One that makes known that a file defines nothing else.
std::vector<std::pair<std::string, uint32_t>> Words(bool all_symbols) {
  if (!all_symbols) return {};
  return {{"made_up", 0}};
}

// The loader's own file: it contains its compiled-in values as text.
std::string LoaderFile(const toml::table& spec, bool all_symbols) {
  const bool arm = spec["machine"].value_or(std::string("x86-64")) == "aarch64";
  const std::string triple = arm ? "aarch64-linux-gnu" : "x86_64-linux-gnu";
  std::string bytes = binfmt::BuildElf({.machine = static_cast<uint16_t>(arm ? EM_AARCH64 : EM_X86_64),
                                        .soname = arm ? "ld-linux-aarch64.so.1" : "ld-linux-x86-64.so.2",
                                        .version_defs = {"GLIBC_2.3"},
                                        .words = Words(all_symbols)});
  for (const std::string& text :
       {std::string(), "/lib/" + triple + "/", "/usr/lib/" + triple + "/", std::string("/lib/"),
        std::string("/usr/lib/"), "lib/" + triple,
        "ld.so (made up) stable release version " + spec["glibc"].value_or(std::string("2.36")) + ".\n"}) {
    bytes += text + '\0';
  }
  return bytes;
}

// "sm_90a" or "compute_90:8.4" as an entry of a container.
binfmt::FatbinEntry GpuEntry(const std::string& text) {
  binfmt::FatbinEntry entry;
  const bool ptx = text.starts_with("compute_");
  if (!ptx && !text.starts_with("sm_"))
    throw std::runtime_error(text + ": sm_NN or compute_NN:X.Y is wanted");
  const auto parts = base::Split(text.substr(ptx ? 8 : 3), ':');
  entry.arch = static_cast<uint32_t>(std::stoul(parts[0]));
  if (parts[0].ends_with('a')) entry.flags = binfmt::kArchSpecific;
  if (parts[0].ends_with('f')) entry.flags = binfmt::kFamilySpecific;
  if (!ptx) return entry;
  const auto version = base::Split(parts.at(1), '.');
  entry.kind = 1;
  entry.major = static_cast<uint16_t>(std::stoul(version.at(0)));
  entry.minor = static_cast<uint16_t>(std::stoul(version.at(1)));
  return entry;
}

// The section .nv_fatbin with these containers.
std::string GpuCode(const std::vector<std::string>& containers) {
  std::string bytes;
  for (const std::string& text : containers) {
    binfmt::FatbinSpec spec;
    for (const std::string& word : base::SplitWords(text, " ")) spec.entries.push_back(GpuEntry(word));
    bytes += binfmt::BuildFatbin(spec);
    bytes.resize((bytes.size() + 7) / 8 * 8);
  }
  return bytes;
}

// The constants of a CUDA runtime of that release: what came with it and before, among many older names.
std::string RuntimeConstants(std::string_view release) {
  std::string text(1, '\0');
  for (int i = 0; i < 300; ++i) text += "cudaOld" + std::to_string(i) + '\0';
  for (const knowledge::RuntimeRow& row : knowledge::Runtimes()) {
    if (knowledge::Known(row.cuda) <= knowledge::Known(release)) text += std::string(row.name) + '\0';
  }
  return text;
}

}  // namespace

void MadeUpMachine::AddElf(const std::string& path, const toml::table& spec) {
  static const std::set<std::string_view> known = {
      "soname",       "needed",   "rpath",   "runpath", "program",   "bits",           "machine",
      "version_defs", "words",    "loader",  "glibc",   "text",      "version_needs",  "executable_stack",
      "sections",     "gpu_code", "imports", "runtime", "undefined", "undefined_calls"};
  for (const auto& [key, unused] : spec) {
    if (!known.contains(key.str()))
      throw std::runtime_error(path + ": unknown key " + std::string(key.str()));
  }
  if (spec["loader"].value_or(false)) return system.AddFile(path, LoaderFile(spec, all_symbols_), 0755);
  ElfSpec elf;
  const bool arm = spec["machine"].value_or(std::string("x86-64")) == "aarch64";
  elf.machine = arm ? EM_AARCH64 : EM_X86_64;
  elf.bits = spec["bits"].value_or(64);
  if (elf.bits == 32) elf.machine = EM_386;
  elf.soname = spec["soname"].value<std::string>();
  elf.needed = Texts(spec.get("needed"), path);
  elf.rpath = spec["rpath"].value<std::string>();
  elf.runpath = spec["runpath"].value<std::string>();
  if (spec["program"].value_or(false)) elf.interpreter = kLoaders[arm ? 1 : 0];
  elf.version_defs = Texts(spec.get("version_defs"), path);
  Each(spec, "version_needs", [&](const std::string& file, const toml::node& names) {
    binfmt::ElfVersionNeed need{.file = file, .versions = {}};
    for (const std::string& name : Texts(&names, path)) need.versions.push_back({.name = name});
    elf.version_needs.push_back(std::move(need));
  });
  Each(spec, "words", [&](const std::string& name, const toml::node& value) {
    elf.words.emplace_back(name, value.value_or(uint32_t{0}));
  });
  if (elf.words.empty()) elf.words = Words(all_symbols_);
  elf.undefined = Texts(spec.get("undefined"), path);
  elf.undefined_calls = spec["undefined_calls"].value_or(false);
  // Functions by the library that they are required from, under a version with its name.
  Each(spec, "imports", [&](const std::string& file, const toml::node& names) {
    elf.version_needs.push_back({.file = file, .versions = {{.name = file}}});
    for (const std::string& name : Texts(&names, path)) elf.imports.emplace_back(name, file);
  });
  if (spec["executable_stack"].value_or(false)) elf.stack_flags = PF_R | PF_W | PF_X;
  std::string bytes = binfmt::BuildElf(elf);
  std::vector<std::pair<std::string, std::string>> sections;
  Each(spec, "sections", [&](const std::string& name, const toml::node& text) {
    sections.emplace_back(name, Text(text, path));
  });
  if (const auto code = Texts(spec.get("gpu_code"), path); !code.empty()) {
    sections.emplace_back(".nv_fatbin", GpuCode(code));
  }
  if (const auto release = spec["runtime"].value<std::string>())
    sections.emplace_back(".rodata", RuntimeConstants(*release));
  if (!sections.empty()) bytes = binfmt::AddSections(std::move(bytes), sections);
  if (const auto text = spec["text"].value<std::string>()) bytes += '\0' + *text + '\0';
  system.AddFile(path, std::move(bytes), 0755);
}

void MadeUpMachine::AddDll(const std::string& path, const toml::table& spec) {
  static const std::set<std::string_view> known = {"name",    "imports", "delay_imports", "exports", "words",
                                                   "version", "strings", "bits",          "program", "cut"};
  for (const auto& [key, unused] : spec) {
    if (!known.contains(key.str()))
      throw std::runtime_error(path + ": unknown key " + std::string(key.str()));
  }
  binfmt::PeSpec pe;
  pe.bits = spec["bits"].value_or(64);
  pe.dll = !spec["program"].value_or(false);
  pe.name = spec["name"].value_or(std::string(base::BaseName(path)));
  for (const auto& [key, imports] :
       {std::pair("imports", &pe.imports), std::pair("delay_imports", &pe.delay_imports)}) {
    Each(spec, key, [&, list = imports](const std::string& dll, const toml::node& names) {
      list->push_back({.dll = dll, .names = Texts(&names, path), .ordinals = {}});
    });
  }
  pe.exports = Texts(spec.get("exports"), path);
  Each(spec, "words", [&](const std::string& name, const toml::node& value) {
    pe.words.emplace_back(name, value.value_or(uint32_t{0}));
  });
  if (const auto version = spec["version"].value<std::string>()) {
    pe.version = binfmt::PeVersionInfo{.file_version = *version, .product_version = *version, .strings = {}};
    Each(spec, "strings", [&](const std::string& name, const toml::node& text) {
      pe.version->strings.emplace_back(name, Text(text, path));
    });
  }
  pe.cut = spec["cut"].value_or(size_t{0});
  system.AddFile(path, binfmt::BuildPe(pe), 0755);
}

void MadeUpMachine::AddLdCache(const toml::table& description) {
  std::vector<std::pair<std::string, std::string>> texts;
  Each(description, "ld_cache",
       [&](const std::string& name, const toml::node& path) { texts.emplace_back(name, Text(path, name)); });
  constexpr int32_t kX8664 = 0x0303;
  binfmt::LdCacheSpec spec;
  for (const auto& [name, path] : texts)
    spec.entries.push_back({.flags = kX8664, .name = name, .path = path});
  system.AddFile("/etc/ld.so.cache", binfmt::BuildLdCache(spec));
}

const std::set<std::string_view>& MadeUpMachine::Keys() {
  static const std::set<std::string_view> kKeys = {"world",
                                                   "system",
                                                   "remove",
                                                   "directories",
                                                   "files",
                                                   "elf",
                                                   "dll",
                                                   "registry",
                                                   "links",
                                                   "sparse",
                                                   "devices",
                                                   "fifos",
                                                   "working_directory",
                                                   "env",
                                                   "truncate",
                                                   "ld_cache",
                                                   "cpu",
                                                   "all_symbols",
                                                   "unreadable"};
  return kKeys;
}

void MadeUpMachine::Apply(const toml::table& description) {
  const std::string world = description["world"].value_or(std::string("bare"));
  all_symbols_ |= description["all_symbols"].value_or(false);
  if (world != "none") Apply(toml::parse_file((cases_ / "worlds" / (world + ".toml")).string()));
  const bool windows = description["system"].value_or(std::string()) == "windows";
  if (windows && system.platform() != base::Platform::kWindows) {
    system.SetPlatform(base::Platform::kWindows);
    system.SetWorkingDirectory("/C:");
  }
  for (const std::string& path : Texts(description.get("remove"), "remove")) system.Remove(path);
  for (const std::string& path : Texts(description.get("directories"), "directories"))
    system.AddDirectory(path);
  Each(description, "files",
       [&](const std::string& path, const toml::node& text) { system.AddFile(path, Text(text, path)); });
  Each(description, "elf", [&](const std::string& path, const toml::node& spec) {
    if (spec.as_table() == nullptr) throw std::runtime_error(path + ": a table is wanted");
    AddElf(path, *spec.as_table());
  });
  Each(description, "dll", [&](const std::string& path, const toml::node& spec) {
    if (spec.as_table() == nullptr) throw std::runtime_error(path + ": a table is wanted");
    AddDll(path, *spec.as_table());
  });
  Each(description, "registry", [&](const std::string& key, const toml::node& values) {
    if (values.as_table() == nullptr) throw std::runtime_error(key + ": a table is wanted");
    std::map<std::string, std::string> all;
    for (const auto& [name, value] : *values.as_table()) all[std::string(name.str())] = Text(value, key);
    system.AddRegistryKey(key, all);
  });
  Each(description, "sparse", [&](const std::string& path, const toml::node& size) {
    system.AddSparseFile(path, size.value_or(uint64_t{0}));
  });
  Each(description, "links",
       [&](const std::string& path, const toml::node& target) { system.AddLink(path, Text(target, path)); });
  for (const std::string& path : Texts(description.get("devices"), "devices")) system.AddDevice(path);
  for (const std::string& path : Texts(description.get("fifos"), "fifos")) system.AddFifo(path);
  if (description.contains("ld_cache")) AddLdCache(description);
  Each(description, "truncate", [&](const std::string& path, const toml::node& size) {
    system.Truncate(path, size.value_or(uint64_t{0}));
  });
  for (const std::string& path : Texts(description.get("unreadable"), "unreadable"))
    system.SetUnreadable(path);
  Each(description, "env",
       [&](const std::string& name, const toml::node& value) { environment_[name] = Text(value, name); });
  system.SetEnvironment(environment_);
  if (const auto directory = description["working_directory"].value<std::string>()) {
    system.SetWorkingDirectory(*directory);
  }
  const std::string cpu = description["cpu"].value_or(std::string());
  if (cpu == "aarch64") system.SetCpu({.machine = "aarch64", .platform = "aarch64"});
  if (cpu == "x86-64") {
    system.SetCpu({.machine = "x86_64", .platform = "x86_64", .isa_levels = {"x86-64-v3", "x86-64-v2"}});
  }
}

}  // namespace culprit::model
