#include "change/whatif/claims.h"

#include <algorithm>
#include <charconv>

#include "base/text.h"
#include "base/version.h"
#include "binfmt/elf/constants.h"
#include "binfmt/elf/elf.h"
#include "binfmt/elf/write.h"
#include "binfmt/elf/write_sections.h"
#include "binfmt/gpu/fatbin.h"
#include "binfmt/gpu/write_fatbin.h"
#include "binfmt/pe/write.h"
#include "knowledge/arch.h"
#include "knowledge/packages/release.h"

namespace culprit::whatif {
namespace {

constexpr std::string_view kX86Loader = "/lib64/ld-linux-x86-64.so.2";
constexpr std::string_view kArmLoader = "/lib/ld-linux-aarch64.so.1";

uint32_t Number(std::string_view text) {
  uint32_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

// The version of PTX in "compute_90:8.4"; without one the first that knows the architecture.
base::Version PtxVersion(const std::string& arch, std::string_view said) {
  if (const auto version = base::Version::Parse(said)) return *version;
  const auto capability = knowledge::ParseCapability("sm_" + arch);
  const knowledge::Capability* row = capability ? knowledge::FindCapability(*capability) : nullptr;
  return row != nullptr ? knowledge::Known(row->first_ptx) : base::Version{{1, 0}};
}

binfmt::FatbinEntry Entry(const std::string& text) {
  const bool ptx = text.starts_with("compute_");
  const auto parts = base::Split(text.substr(std::min(text.size(), size_t{ptx ? 8u : 3u})), ':');
  binfmt::FatbinEntry entry;
  entry.arch = Number(parts[0]);
  if (parts[0].ends_with('a')) entry.flags = binfmt::kArchSpecific;
  if (parts[0].ends_with('f')) entry.flags = binfmt::kFamilySpecific;
  if (!ptx) return entry;
  const base::Version version = PtxVersion(parts[0], parts.size() > 1 ? parts[1] : "");
  entry.kind = 1;
  entry.major = static_cast<uint16_t>(version.part(0));
  entry.minor = static_cast<uint16_t>(version.part(1));
  return entry;
}

// The section .nv_fatbin with these containers.
std::string GpuSection(const std::vector<std::string>& containers) {
  std::string bytes;
  for (const std::string& text : containers) {
    binfmt::FatbinSpec spec;
    for (const std::string& word : base::SplitWords(text, " ")) spec.entries.push_back(Entry(word));
    bytes += binfmt::BuildFatbin(spec);
    bytes.resize((bytes.size() + 7) / 8 * 8);
  }
  return bytes;
}

std::optional<std::string> Said(const std::string& text) {
  if (text.empty()) return std::nullopt;
  return text;
}

std::string ElfBytes(const Claims& claims, uint16_t machine) {
  binfmt::ElfSpec spec;
  spec.machine = machine == 0 ? uint16_t{EM_X86_64} : machine;
  spec.soname = Said(claims.soname);
  spec.needed = claims.needed;
  spec.rpath = Said(claims.rpath);
  spec.runpath = Said(claims.runpath);
  spec.version_defs = claims.version_defs;
  spec.words = claims.words;
  if (claims.program) spec.interpreter = std::string(machine == EM_AARCH64 ? kArmLoader : kX86Loader);
  std::vector<std::pair<std::string, std::string>> sections;
  if (!claims.gpu_code.empty()) sections.emplace_back(".nv_fatbin", GpuSection(claims.gpu_code));
  if (!claims.opens.empty()) {
    using namespace std::string_literals;
    sections.emplace_back(".dynstr", "\0dlopen\0"s);
    std::string names(1, '\0');
    for (const std::string& name : claims.opens) names.append(name).append(1, '\0');
    sections.emplace_back(".rodata", std::move(names));
  }
  std::string bytes = binfmt::BuildElf(spec);
  if (!sections.empty()) bytes = binfmt::AddSections(std::move(bytes), sections);
  if (!claims.text.empty()) bytes.append(1, '\0').append(claims.text).append(1, '\0');
  return bytes;
}

std::string DllBytes(const Claims& claims, const std::string& path) {
  binfmt::PeSpec spec;
  spec.dll = !claims.program;
  spec.name = base::BaseName(path);
  spec.imports = claims.imports;
  spec.delay_imports = claims.delay_imports;
  for (const std::string& dll : claims.needed) {
    // Something of it has to be wanted, or Windows does not load it; everything has a first function.
    spec.imports.push_back({.dll = dll, .names = {}, .ordinals = {1}});
  }
  spec.exports = claims.exports;
  // Gives the other generated DLLs something to import.
  if (spec.exports.empty() && spec.dll) spec.exports = {"made_up"};
  spec.more_exports = spec.dll && !claims.all_exports;
  spec.words = claims.words;
  spec.version = claims.resource;
  if (!claims.gpu_code.empty()) spec.sections.emplace_back(".nv_fatb", GpuSection(claims.gpu_code));
  if (!claims.text.empty()) spec.sections.emplace_back(".text2", claims.text + '\0');
  return binfmt::BuildPe(spec);
}

std::vector<std::string> Containers(const binfmt::GpuCode& code) {
  std::vector<std::string> containers;
  for (const auto& found : code.containers) {
    std::string text;
    for (const binfmt::GpuTarget& target : found.targets) {
      if (target.kind != binfmt::GpuTarget::Kind::kSass && target.kind != binfmt::GpuTarget::Kind::kPtx)
        continue;
      text += (text.empty() ? "" : " ") + target.Name();
      if (target.kind == binfmt::GpuTarget::Kind::kPtx)
        text += ":" + std::to_string(target.ptx_major) + "." + std::to_string(target.ptx_minor);
    }
    if (!text.empty()) containers.push_back(text);
  }
  return containers;
}

// Windows writes 560.94 as 32.0.15.6094: the last five digits count.
std::string WindowsDriverNumber(const std::string& version) {
  std::string digits;
  for (const char c : version) {
    if (c != '.') digits += c;
  }
  if (digits.size() < 5) return version;
  digits = digits.substr(0, 5);
  return "32.0.1" + digits.substr(0, 1) + "." + digits.substr(1);
}

}  // namespace

uint16_t MachineOf(const system::System& machine) {
  const std::string cpu = machine.HostCpu().machine;
  if (cpu == "x86_64") return EM_X86_64;
  if (cpu == "aarch64") return EM_AARCH64;
  if (machine.Stat(std::string(kX86Loader))) return EM_X86_64;
  if (machine.Stat(std::string(kArmLoader))) return EM_AARCH64;
  return 0;
}

std::string FileBytes(const system::System& machine, const std::string& path, const Claims& claims) {
  if (machine.platform() == base::Platform::kWindows) return DllBytes(claims, path);
  return ElfBytes(claims, MachineOf(machine));
}

std::optional<Claims> ClaimsOf(const system::System& machine, const std::string& path) {
  const auto file = machine.Open(path);
  if (!file || !file->bytes) return std::nullopt;
  const knowledge::Library* library = knowledge::FindLibrary(base::BaseName(path));
  Claims claims;
  if (machine.platform() == base::Platform::kWindows) {
    const binfmt::PeFile pe = binfmt::ReadPe(*file->bytes);
    if (pe.problem != binfmt::PeProblem::kNone) return std::nullopt;
    claims.program = !pe.dll;
    claims.imports = pe.imports;
    claims.delay_imports = pe.delay_imports;
    const binfmt::PeExports exports = binfmt::ReadPeExports(*file->bytes, pe);
    claims.exports = exports.names;
    claims.all_exports = !exports.cut;
    claims.resource = pe.version;
    for (const std::string_view symbol :
         library != nullptr ? library->version_symbols : std::span<const std::string_view>()) {
      const auto word = binfmt::ReadPeWord(*file->bytes, pe, symbol);
      if (!word) continue;
      claims.words.emplace_back(symbol, *word);
      std::erase(claims.exports, symbol);
    }
    claims.gpu_code = Containers(binfmt::ReadGpuCode(*file->bytes, pe, binfmt::GpuScan::kFatbinSections));
    return claims;
  }
  const binfmt::ElfFile elf = binfmt::ReadElf(*file->bytes);
  if (elf.problem != binfmt::ElfProblem::kNone) return std::nullopt;
  claims.soname = elf.soname.value_or("");
  for (const auto& request : elf.requests) claims.needed.push_back(request.name);
  claims.rpath = elf.rpath.value_or("");
  claims.runpath = elf.runpath.value_or("");
  claims.version_defs = elf.version_defs;
  claims.program = elf.interpreter.has_value();
  for (const std::string_view symbol :
       library != nullptr ? library->version_symbols : std::span<const std::string_view>()) {
    if (const auto word = binfmt::ReadElfWord(*file->bytes, elf, symbol))
      claims.words.emplace_back(symbol, *word);
  }
  claims.gpu_code = Containers(binfmt::ReadGpuCode(*file->bytes, elf, binfmt::GpuScan::kFatbinSections));
  return claims;
}

std::string SonameFor(const knowledge::Library& library, std::string_view file_name) {
  std::string_view best;
  for (const std::string_view soname : library.sonames) {
    if (soname == file_name) return std::string(soname);
    if (file_name.starts_with(soname) && file_name.substr(soname.size()).starts_with('.') &&
        soname.size() > best.size())
      best = soname;
  }
  // libcuda.so.580.95.05, libcudart.so.11.8.89: numbered apart from the soname.
  if (best.empty() && !library.sonames.empty() && knowledge::FindLibrary(file_name) == &library)
    best = library.sonames.back();
  return std::string(best);
}

void ClaimVersion(const std::string& file_name, const std::string& version, Claims& claims) {
  const knowledge::Library* library = knowledge::FindLibrary(file_name);
  if (library == nullptr) return;
  const bool dll = file_name.ends_with(".dll") || file_name.ends_with(".DLL");
  if (claims.soname.empty() && !dll) claims.soname = SonameFor(*library, file_name);
  const auto number = base::Version::Parse(version);
  if (!number) return;
  const uint32_t word =
      static_cast<uint32_t>(number->part(0) << 16 | (number->part(1) & 0xff) << 8 | (number->part(2) & 0xff));
  claims.words.clear();
  for (const std::string_view symbol : library->version_symbols) claims.words.emplace_back(symbol, word);
  if (!dll) return;
  binfmt::PeVersionInfo resource;
  if (library->family == "driver") {
    resource.file_version = WindowsDriverNumber(version);
  } else if (library->family == "cudnn") {
    resource.file_version = version;
  } else {
    resource.file_version = "6.14.11." + std::to_string(number->part(0) * 1000 + number->part(1) * 10);
    resource.strings = {
        {"FileDescription", "NVIDIA " + std::string(library->title) + ", Version " + version}};
  }
  resource.product_version = resource.file_version;
  claims.resource = resource;
}

}  // namespace culprit::whatif
