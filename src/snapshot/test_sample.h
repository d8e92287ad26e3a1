// For tests: a snapshot in which every field of every structure has a value other than its default.
#pragma once

#include "base/json.h"
#include "snapshot/snapshot.h"

namespace culprit::snapshot {

inline binfmt::ElfFile SampleElf() {
  return {.problem = binfmt::ElfProblem::kDynamicCut,
          .ident = {0x7f, 'E', 'L', 'F', 2, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0xff},
          .type = 3,
          .machine = 183,
          .version = 1,
          .phentsize = 56,
          .phnum = 65535,
          .loads = {{1, 2, 3, 4, ~0ull, ~0u}, {.offset = 0x10000}},
          .has_dynamic = true,
          .dynamic_empty = true,
          .stack_flags = 0,
          .interpreter = "/lib/ld-linux-aarch64.so.1",
          .file_size = ~0ull,
          .needed_size = 1ull << 63,
          .soname = "",
          .requests = {{binfmt::ElfRequest::Kind::kFilter, "libf.so"},
                       {binfmt::ElfRequest::Kind::kNeeded, "libc.so.6"},
                       {binfmt::ElfRequest::Kind::kAuxiliary, ""}},
          .rpath = "$ORIGIN/../lib",
          .runpath = "/a:\xfe\xff",
          .flags = 8,
          .flags_1 = 0x8000001,
          .has_relr = true,
          .version_needs = {{"libc.so.6", {{"GLIBC_2.17", false}, {"GLIBC_2.34", true}, {"", false}}}, {}},
          .version_defs = {"V1", "V2\n"},
          .version_base = "libself.so",
          .has_version_defs = true,
          .build_id = "00ff"};
}

inline binfmt::GpuCode SampleGpuCode() {
  using Kind = binfmt::GpuTarget::Kind;
  return {.form = binfmt::GpuCode::Form::kElf,
          .containers = {{".nv_fatbin", {{Kind::kSass, 90, 'a'}, {Kind::kPtx, 90, 0, 8, 4}}, 3},
                         {"\xff", {{Kind::kLtoIr, ~0u, 'f', 65535, 61}, {Kind::kOther, 0}}, ~0ull},
                         {}},
          .linked_on_load = 2,
          .whole_file = true,
          .complete = false,
          .problem = "cut short"};
}

inline binfmt::PeFile SamplePe() {
  return {.problem = binfmt::PeProblem::kImportsCut,
          .machine = binfmt::kPeMachineX64,
          .bits = 64,
          .dll = true,
          .characteristics = 0x2022,
          .dll_characteristics = 0x160,
          .subsystem = 2,
          .time_stamp = ~0u,
          .image_base = 0x180000000,
          .image_size = 0x5000,
          .entry_point = 0x1234,
          .managed = true,
          .sections = {{".text\xff", 1, 2, 3, 4, ~0u}, {}},
          .file_size = ~0ull,
          .needed_size = 1ull << 33,
          .overlay_size = 7,
          .certificate_size = 8,
          .imports = {{"KERNEL32.dll", {"LoadLibraryA", "\xff"}, {1, 2, 3, 9, 65535}, true}, {}},
          .delay_imports = {{"nvcuda.dll", {"cuInit"}, {7}, false}},
          .bound_imports = {"USER32.dll"},
          .export_name = "",
          .export_count = 65536,
          .version = binfmt::PeVersionInfo{"1.2.3.4", "5.6.7.8", {{"ProductName", "\xc3\xa9"}, {"", ""}}},
          .manifest = "<assembly/>",
          .manifest_dependencies = {"Microsoft.VC80.CRT"}};
}

inline binfmt::PeExports SampleExports() {
  return {.names = {"a", "b\xff"},
          .ordinals = {1, 3, 4, 5, 65535},
          .forwarders = {{"#12", "NTDLL.#4", 12}, {"b", "NTDLL.RtlAllocateHeap", 3}},
          .cut = true};
}

inline Snapshot SampleSnapshot() {
  Snapshot snapshot;
  snapshot.tool_version = "0.1.0";
  snapshot.environment = {{"LD_LIBRARY_PATH", "/a:/b\\x"}, {"EMPTY", ""}, {"B\xffYTES", "\x1b[0m\0"}};
  snapshot.working_directory = "/home/\xe9t\xe9";
  snapshot.cpu = {"x86_64", "haswell", {"x86-64-v3", "x86-64-v2"}, {"x86_64"}, 65536};
  snapshot.loaders = {{.path = "/lib64/ld-linux-x86-64.so.2",
                       .flavor = LoaderFlavor::kGlibc,
                       .machine = 62,
                       .bits = 64,
                       .soname = "ld-linux-x86-64.so.2",
                       .version = "2.36",
                       .system_dirs = {"/lib/x86_64-linux-gnu/", "/usr/lib/"},
                       .lib_token = "lib/x86_64-linux-gnu",
                       .path_file = Fact<std::string>::NotApplicable("glibc has none"),
                       .assumptions = {"none"}},
                      {.path = "/lib/ld-musl-x86_64.so.1",
                       .flavor = LoaderFlavor::kMusl,
                       .path_file = Fact<std::string>::Of("/lib\n/usr/lib\n", "/etc/ld-musl-x86_64.path")},
                      {.path = ""}};
  snapshot.ld_cache = Fact<binfmt::LdCache>::Of(
      {.layout = binfmt::LdCache::Layout::kEmbedded,
       .generator = "ldconfig",
       .entries = {{0x303, "libc.so.6", "/lib/libc.so.6", 1ull << 62, "x86-64-v3"}, {.flags = -1}, {}}},
      "/etc/ld.so.cache");
  snapshot.ld_so_preload = Fact<std::string>::Unreadable("Permission denied", "/etc/ld.so.preload");

  snapshot.unread = {{"/opt", base::Unread::kAccess, {"/srv"}}, {"/usr/lib/\xff", base::Unread::kTooMuch}};

  auto& nodes = snapshot.files.nodes;
  nodes["/"] = {.kind = FileKind::kDirectory, .id = {1, 2}};
  nodes["/lib"] = {.kind = FileKind::kLink, .link_target = "usr/lib"};
  nodes["/usr/lib"] = {.kind = FileKind::kDirectory, .listed = true};
  nodes["/usr/lib/none"] = {.error = PathError::kNoEntry};
  nodes["/usr/lib/fifo"] = {};
  nodes["/usr/lib/libx\xff.so"] = {
      .kind = FileKind::kRegular,
      .error = PathError::kAccess,
      .id = {~0ull, ~0ull},
      .size = ~0ull,
      .set_user_id = true,
      .elf = std::make_shared<binfmt::ElfFile>(SampleElf()),
      .undefined = {{{"/usr/lib/a", "/usr/lib/b\xff"},
                     {{"ncclSend", true, "/usr/lib/b\xff", "ncclRecv"}, {"_Z3foov"}}},
                    {{"/x"}, {{"y"}}}},
      .version = Fact<LibraryVersion>::Of({"9.19.0.56", "13"}, "symbol"),
      .gpu_code = Fact<binfmt::GpuCode>::Of(SampleGpuCode(), "headers")};
  nodes["/usr/lib/plain"] = {.kind = FileKind::kRegular,
                             .elf = std::make_shared<binfmt::ElfFile>(),
                             .version = Fact<LibraryVersion>{FactState::kTimedOut, {}, "slow", ""},
                             .gpu_code = Fact<binfmt::GpuCode>::NotApplicable("not a GPU binary")};
  nodes["/usr/lib/x.dll"] = {.kind = FileKind::kRegular,
                             .pe = std::make_shared<binfmt::PeFile>(SamplePe()),
                             .exports = std::make_shared<binfmt::PeExports>(SampleExports())};
  return snapshot;
}

}  // namespace culprit::snapshot
