// make_corpus DIRECTORY: writes the seeds of the corpus, DIRECTORY/elf/seed-*, DIRECTORY/fatbin/seed-*,
// DIRECTORY/ld_so_cache/seed-*, DIRECTORY/pe/seed-*, DIRECTORY/record/seed-* and DIRECTORY/snapshot/seed-*.
// The writers of the tests make them, so no byte comes from a foreign file. What fuzzing adds is next to
// them, under libFuzzer's names.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

#include "binfmt/cache/write_ld_so_cache.h"
#include "binfmt/elf/write.h"
#include "binfmt/gpu/write_fatbin.h"
#include "binfmt/pe/write.h"
#include "snapshot/record/record_file.h"
#include "snapshot/test_sample.h"

namespace {

using culprit::binfmt::BuildElf;
using culprit::binfmt::BuildFatbin;
using culprit::binfmt::BuildLdCache;
using culprit::binfmt::BuildPe;
using culprit::binfmt::BuildSections;
using culprit::binfmt::ElfRequest;
using culprit::binfmt::ElfSpec;
using culprit::binfmt::kArchSpecific;
using culprit::binfmt::kFamilySpecific;
using culprit::binfmt::kLz4;
using culprit::binfmt::kZstd;
using culprit::binfmt::LdCache;
using culprit::binfmt::LdCacheSpec;
using culprit::binfmt::PeSpec;

void Write(const std::filesystem::path& directory, const std::string& name, const std::string& bytes) {
  std::filesystem::create_directories(directory);
  std::ofstream(directory / ("seed-" + name), std::ios::binary) << bytes;
}

void WriteElfSeeds(const std::filesystem::path& directory) {
  for (const int bits : {32, 64}) {
    for (const bool big_endian : {false, true}) {
      const std::string format = std::to_string(bits) + (big_endian ? "-big" : "-little");
      ElfSpec spec{.bits = bits, .big_endian = big_endian};
      Write(directory, format + "-plain", BuildElf(spec));
      spec.soname = "liba.so.1";
      spec.needed = {"libb.so", "libc.so.6"};
      spec.requests = {{ElfRequest::Kind::kAuxiliary, "libx.so"}, {ElfRequest::Kind::kFilter, "liby.so"}};
      spec.rpath = "/opt";
      spec.runpath = "$ORIGIN";
      spec.interpreter = "/lib/ld.so";
      spec.flags = 8;
      spec.flags_1 = 1;
      spec.relr = true;
      spec.build_id = "0123456789abcdef";
      spec.hash = ElfSpec::Hash::kSysv;
      spec.words = {{"word", 7}, {"w", 8}};
      Write(directory, format + "-sysv-hash", BuildElf(spec));
      spec.hash = ElfSpec::Hash::kGnu;
      spec.version_needs = {{"libc.so.6", {{"GLIBC_2.17"}, {"GLIBC_2.34", true}}}, {"libb.so", {{"B_1"}}}};
      spec.version_defs = {"A_1", "A_2"};
      Write(directory, format + "-versions", BuildElf(spec));
    }
  }
  Write(directory, "no-dynamic", BuildElf({.dynamic = ElfSpec::Dynamic::kNo}));
  Write(directory, "empty-dynamic", BuildElf({.dynamic = ElfSpec::Dynamic::kEmpty}));
}

void WriteFatbinSeeds(const std::filesystem::path& directory) {
  const std::string many =
      BuildFatbin({.entries = {{.kind = 1, .arch = 90, .flags = kZstd, .header_size = 80},
                               {.arch = 90, .flags = kArchSpecific | kLz4},
                               {.arch = 100, .flags = kFamilySpecific, .header_size = 112},
                               {.kind = 8, .arch = 75}}});
  const std::string one = BuildFatbin({.entries = {{.code = "x"}}});
  Write(directory, "bare", many + std::string(40, '\0') + one);
  Write(directory, "empty", BuildFatbin({}));
  Write(directory, "bad-sizes",
        BuildFatbin({.entries = {{.claimed_code_size = ~uint64_t{0}}}}) +
            BuildFatbin({.entries = {{.claimed_header_size = 0}}}) + one);
  for (const int bits : {32, 64}) {
    for (const bool big_endian : {false, true}) {
      const std::string format = std::to_string(bits) + (big_endian ? "-big" : "-little");
      Write(directory, format,
            BuildSections({.sections = {{".nv_fatbin", one + many}, {"__nv_relfatbin", one}, {".data", one}},
                           .bits = bits,
                           .big_endian = big_endian}));
    }
  }
  Write(directory, "cubin",
        BuildSections({.sections = {{".nv.compat", std::string("\2\x9\1\0", 4)}},
                       .machine = 190,
                       .flags = 0x6005a04,
                       .abi_version = 8}));
  Write(directory, "no-sections", BuildElf({.needed = {"libcuda.so.1"}}) + one);
}

void WriteCacheSeeds(const std::filesystem::path& directory) {
  using Layout = LdCache::Layout;
  const std::pair<Layout, const char*> layouts[] = {
      {Layout::kOld, "old"}, {Layout::kEmbedded, "embedded"}, {Layout::kNew, "new"}};
  for (const auto& [layout, name] : layouts) {
    for (const bool big_endian : {false, true}) {
      LdCacheSpec spec{.layout = layout, .big_endian = big_endian};
      spec.entries = {{0x0303, "libz.so.1", "/v3/libz.so.1", 0, "x86-64-v3"},
                      {0x0303, "libz.so.1", "/libz.so.1", 0, ""},
                      {0x0a03, "liba.so.10", "/liba.so.10", 1, ""},
                      {0x0003, "liba.so.9", "/liba.so.9", 0, ""}};
      const std::string format = std::string(name) + (big_endian ? "-big" : "-little");
      Write(directory, format, BuildLdCache(spec));
      spec.says_byte_order = false;
      spec.generator = "";
      spec.entries.erase(spec.entries.begin());
      Write(directory, format + "-unmarked", BuildLdCache(spec));
    }
  }
}

void WritePeSeeds(const std::filesystem::path& directory) {
  for (const int bits : {32, 64}) {
    PeSpec spec{.bits = bits};
    const std::string format = std::to_string(bits);
    Write(directory, format + "-plain", BuildPe(spec));
    spec.name = "self.dll";
    spec.imports = {{"a.dll", {"One", "Two"}, {3}}, {"b.dll", {"Three"}, {}, true}};
    spec.delay_imports = {{"c.dll", {"Four"}, {5}}};
    spec.bound_imports = {"b.dll"};
    spec.exports = {"Go", "Run"};
    spec.forwarders = {{"Away", "OTHER.Function"}};
    spec.words = {{"word", 7}};
    spec.nameless = 1;
    spec.nameless_forwarders = {"OTHER.#12"};
    Write(directory, format + "-tables", BuildPe(spec));
    spec.flat = true;
    spec.delay_by_address = true;
    spec.imports_in_one_list = true;
    Write(directory, format + "-flat", BuildPe(spec));
    Write(directory, format + "-resources",
          BuildPe({.bits = bits,
                   .version = culprit::binfmt::PeVersionInfo{"1.2.3.4", "5.6.7.8", {{"A", "b"}}},
                   .manifest = "<dependentAssembly><assemblyIdentity name='x'/></dependentAssembly>",
                   .overlay = "tail",
                   .certificate_size = 8}));
  }
}

void WriteSnapshotSeeds(const std::filesystem::path& directory) {
  Write(directory, "all-fields", ToJsonText(culprit::snapshot::SampleSnapshot()));
  Write(directory, "empty", ToJsonText(culprit::snapshot::Snapshot()));
}

void WriteRecordSeeds(const std::filesystem::path& directory) {
  namespace record = culprit::record;
  record::RecordFile file;
  Write(directory, "empty", ToJsonText(file));
  file.run.command = {"python", "train.py"};
  file.run.exit_status = 1;
  file.run.watched = {{record::Channel::kLoads, "LD_AUDIT", ""}};
  record::Process process;
  process.id = 4711;
  process.program = "/usr/bin/python3.11";
  process.loads = {{.at = 6, .path = "/opt/libx.so.1", .name = "libx.so.1", .dlopen = true}};
  process.failed_requests = {{.at = 7, .name = "libz.so.3", .attempts = {{"/opt/libz.so.3", {}, {}}}}};
  process.failed_calls = {{.at = 8, .function = "cuInit", .code = 100, .status = "CUDA_ERROR_NO_DEVICE"}};
  file.run.processes = {process};
  Write(directory, "one-process", ToJsonText(file));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: make_corpus DIRECTORY\n");
    return 64;
  }
  WriteElfSeeds(std::filesystem::path(argv[1]) / "elf");
  WriteFatbinSeeds(std::filesystem::path(argv[1]) / "fatbin");
  WriteCacheSeeds(std::filesystem::path(argv[1]) / "ld_so_cache");
  WritePeSeeds(std::filesystem::path(argv[1]) / "pe");
  WriteRecordSeeds(std::filesystem::path(argv[1]) / "record");
  WriteSnapshotSeeds(std::filesystem::path(argv[1]) / "snapshot");
  return 0;
}
