#include "collect/linux/loader_facts.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "binfmt/elf/constants.h"
#include "binfmt/elf/sections.h"

namespace culprit::collect {
namespace {

using snapshot::LoaderFacts;
using snapshot::LoaderFlavor;

constexpr uint64_t kLoaderLimit = 16 << 20;

struct Usual {
  uint16_t machine;
  int bits;
  std::string_view glibc;
  std::string_view musl;     // the <arch> of ld-musl-<arch>.so.1
  std::string_view triplet;  // Debian's directory name
};
constexpr Usual kUsual[] = {
    {EM_X86_64, 64, "/lib64/ld-linux-x86-64.so.2", "x86_64", "x86_64-linux-gnu"},
    {EM_AARCH64, 64, "/lib/ld-linux-aarch64.so.1", "aarch64", "aarch64-linux-gnu"},
    {EM_386, 32, "/lib/ld-linux.so.2", "i386", "i386-linux-gnu"},
    {EM_ARM, 32, "/lib/ld-linux-armhf.so.3", "armhf", "arm-linux-gnueabihf"},
    {EM_PPC64, 64, "/lib64/ld64.so.2", "powerpc64le", "powerpc64le-linux-gnu"},
    {EM_S390, 64, "/lib/ld64.so.1", "s390x", "s390x-linux-gnu"},
    {EM_RISCV, 64, "/lib/ld-linux-riscv64-lp64d.so.1", "riscv64", "riscv64-linux-gnu"},
};

const Usual* FindUsual(uint16_t machine, int bits) {
  for (const Usual& usual : kUsual) {
    if (usual.machine == machine && usual.bits == bits) return &usual;
  }
  return nullptr;
}

// std::string_view::find looks for the first character only; these files are full of those.
class Finder {
 public:
  // `text` stays with the caller.
  explicit Finder(std::string_view text) : search_(text.begin(), text.end()) {}

  size_t operator()(std::string_view bytes, size_t from) const {
    if (from > bytes.size()) return std::string_view::npos;
    const auto found = std::search(bytes.begin() + static_cast<std::ptrdiff_t>(from), bytes.end(), search_);
    return found == bytes.end() ? std::string_view::npos : static_cast<size_t>(found - bytes.begin());
  }

 private:
  std::boyer_moore_horspool_searcher<std::string_view::iterator> search_;
};

bool LooksLikeDirectory(std::string_view text) {
  return text.size() >= 3 && text.front() == '/' && text.back() == '/' &&
         std::ranges::all_of(text, [](char c) { return c > ' ' && c < 0x7f && c != '%'; });
}

// The compiled-in list: NUL-separated strings, each an absolute directory ending in '/'. The longest run that
// holds `hint` counts.
std::vector<std::string> FindSystemDirs(std::string_view bytes, std::string_view hint) {
  std::vector<std::string> best;
  const Finder find(hint);
  for (size_t at = find(bytes, 0); at != std::string_view::npos; at = find(bytes, at + 1)) {
    size_t start = bytes.rfind('\0', at) + 1;  // npos + 1 is 0
    while (start >= 2) {
      const size_t before = bytes.rfind('\0', start - 2) + 1;
      if (!LooksLikeDirectory(bytes.substr(before, start - 1 - before))) break;
      start = before;
    }
    std::vector<std::string> run;
    while (start < bytes.size()) {
      const size_t end = bytes.find('\0', start);
      if (end == std::string_view::npos || !LooksLikeDirectory(bytes.substr(start, end - start))) break;
      run.emplace_back(bytes.substr(start, end - start));
      start = end + 1;
    }
    if (run.size() > best.size()) best = run;
    if (!run.empty()) at = start - 1;
  }
  return best;
}

// "... release version 2.36." in ld.so since 2.33; before that the real file is called ld-2.31.so.
std::string FindGlibcVersion(std::string_view bytes) {
  constexpr std::string_view kMark = " release version ";
  if (const size_t at = Finder(kMark)(bytes, 0); at != std::string_view::npos) {
    const std::string_view rest = bytes.substr(at + kMark.size(), 16);
    const std::string_view number = rest.substr(0, rest.find_first_not_of("0123456789."));
    return std::string(number.substr(0, number.find_last_not_of('.') + 1));
  }
  return "";
}

std::string VersionFromFileName(const std::string& real_path) {
  const std::string_view name = base::BaseName(real_path);
  if (!name.starts_with("ld-2.") || !name.ends_with(".so")) return "";
  return std::string(name.substr(3, name.size() - 6));
}

// What $LIB stands for: the directory below the first compiled-in one, as it stands in the loader too.
std::string FindLibToken(std::string_view bytes, const std::vector<std::string>& system_dirs) {
  for (const std::string& directory : system_dirs) {
    std::string_view name = std::string_view(directory).substr(1, directory.size() - 2);
    if (name.starts_with("usr/")) name.remove_prefix(4);
    const std::string needle = std::string(name) + '\0';
    const Finder find(needle);
    for (size_t at = find(bytes, 1); at != std::string_view::npos; at = find(bytes, at + 1)) {
      if (bytes[at - 1] == '\0') return std::string(name);
    }
  }
  return "";
}

void FillMusl(const system::System& system, LoaderFacts& facts) {
  facts.flavor = LoaderFlavor::kMusl;
  facts.system_dirs = {"/lib", "/usr/local/lib", "/usr/lib"};
  const std::string_view name = base::BaseName(facts.path);
  const std::string_view arch = name.substr(8, name.find(".so") - 8);  // after "ld-musl-"
  const std::string_view prefix = base::DirName(base::DirName(facts.path));
  const std::string file = base::JoinPath(prefix, "etc/ld-musl-" + std::string(arch) + ".path");
  const auto text = system::ReadWholeFile(system, file, 1 << 20);
  if (text) {
    facts.path_file = snapshot::Fact<std::string>::Of(*text, file);
  } else if (text.error() == base::PathError::kNoEntry) {
    facts.path_file = snapshot::Fact<std::string>::Absent(file);
  } else {
    facts.path_file = snapshot::Fact<std::string>::Of("", file);  // musl then searches nothing
  }
}

struct Piece {
  uint64_t offset = 0, size = 0;
};

// The constants, where the file says which section has them.
std::optional<Piece> FindConstants(const base::ByteSource& source, const binfmt::ElfFile& elf) {
  binfmt::ElfReader reader(source);
  reader.SetFormat(elf.bits(), elf.big_endian());
  const auto header = reader.Header();
  const auto sections = header ? binfmt::ReadElfSections(reader, *header) : std::nullopt;
  if (!sections) return std::nullopt;
  const auto found = std::ranges::find(*sections, ".rodata", &binfmt::ElfSection::name);
  if (found == sections->end() || found->offset > source.size() ||
      found->size > source.size() - found->offset)
    return std::nullopt;
  return Piece{found->offset, found->size};
}

// Where to look, best place first. Constants stand behind the code: in a segment of their own that is only
// read, or in the second half of the file.
std::vector<Piece> LikelyPieces(const base::ByteSource& source, const binfmt::ElfFile& elf) {
  const uint64_t size = source.size();
  std::vector<Piece> pieces;
  if (const auto constants = FindConstants(source, elf)) pieces.push_back(*constants);
  bool behind_code = false;
  for (const binfmt::ElfSegment& load : elf.loads) {
    const bool whole = load.offset <= size && load.filesz <= size - load.offset;
    if (behind_code && whole && load.flags == PF_R) pieces.push_back({load.offset, load.filesz});
    behind_code |= (load.flags & PF_X) != 0;
  }
  pieces.push_back({size / 2, size - size / 2});
  pieces.push_back({0, size});
  return pieces;
}

std::string Read(const base::ByteSource& source, Piece piece) {
  std::string bytes;
  bytes.resize_and_overwrite(static_cast<size_t>(piece.size), [&](char* room, size_t length) {
    return source.ReadAt(piece.offset, std::as_writable_bytes(std::span(room, length))).value_or(0);
  });
  return bytes;
}

void FillGlibc(const system::System& system, const base::ByteSource& source, const binfmt::ElfFile& elf,
               LoaderFacts& facts) {
  facts.flavor = LoaderFlavor::kGlibc;
  if (source.size() > kLoaderLimit) return;
  for (const Piece& piece : LikelyPieces(source, elf)) {
    const std::string bytes = Read(source, piece);
    facts.version = FindGlibcVersion(bytes);
    facts.system_dirs = FindSystemDirs(bytes, "/usr/lib");
    if (facts.system_dirs.empty()) facts.system_dirs = FindSystemDirs(bytes, "/lib");  // Nix, Guix
    facts.lib_token = FindLibToken(bytes, facts.system_dirs);
    if (!facts.version.empty() && facts.system_dirs.size() > 1 && !facts.lib_token.empty()) return;
  }
  if (facts.version.empty())
    facts.version = VersionFromFileName(system.RealPath(facts.path).value_or(facts.path));
  if (facts.version.empty()) {
    facts.assumptions.push_back("the version of " + facts.path +
                                " could not be read; a recent one is assumed");
  }
}

void AssumeGlibc(const system::System& system, LoaderFacts& facts) {
  facts.flavor = LoaderFlavor::kGlibc;
  const Usual* usual = FindUsual(facts.machine, facts.bits);
  const std::string triplet(usual != nullptr ? usual->triplet : "");
  const auto there = [&](const std::string& path) { return system.Stat(path).has_value(); };
  if (!triplet.empty() && (there("/lib/" + triplet) || there("/usr/lib/" + triplet))) {
    facts.lib_token = "lib/" + triplet;
    facts.system_dirs = {"/lib/" + triplet + "/", "/usr/lib/" + triplet + "/", "/lib/", "/usr/lib/"};
  } else if (facts.bits == 64 && there("/usr/lib64")) {
    facts.lib_token = "lib64";
    facts.system_dirs = {"/lib64/", "/usr/lib64/"};
  } else {
    facts.lib_token = "lib";
    facts.system_dirs = {"/lib/", "/usr/lib/"};
  }
  std::string text = "the default directories of " + facts.path + " are not readable; assumed";
  for (const std::string& directory : facts.system_dirs) text += " " + directory;
  facts.assumptions.push_back(text);
}

}  // namespace

LoaderFacts ReadLoaderFacts(const system::System& system, const std::string& path,
                            const binfmt::ElfFile& like) {
  LoaderFacts facts;
  facts.path = path;
  facts.machine = like.machine;
  facts.bits = like.bits();
  facts.soname = base::BaseName(path);
  const auto file = system.Open(path);
  const bool there = file && file->bytes;
  const binfmt::ElfFile elf = there ? binfmt::ReadElf(*file->bytes) : binfmt::ElfFile();
  if (there) {
    if (elf.bits() != 0) {
      facts.machine = elf.machine;
      facts.bits = elf.bits();
    }
    if (elf.soname) facts.soname = *elf.soname;
  } else {
    facts.assumptions.push_back("the loader " + path +
                                " does not exist, so no program that uses it can start here");
  }
  if (base::BaseName(path).starts_with("ld-musl-")) {
    FillMusl(system, facts);
    return facts;
  }
  if (there) FillGlibc(system, *file->bytes, elf, facts);
  if (facts.system_dirs.empty()) AssumeGlibc(system, facts);
  return facts;
}

std::string UsualInterpreter(const binfmt::ElfFile& elf) {
  const Usual* usual = FindUsual(elf.machine, elf.bits());
  if (usual == nullptr) return "";
  const bool musl = std::ranges::any_of(elf.requests, [](const binfmt::ElfRequest& request) {
    return request.name == "libc.so" || request.name.starts_with("libc.musl-");
  });
  if (musl) return "/lib/ld-musl-" + std::string(usual->musl) + ".so.1";
  return std::string(usual->glibc);
}

}  // namespace culprit::collect
