// "What is at this path?" The loader models ask nothing else of a machine. Live, the answer comes from
// system/ (collect/live_file_view); from a snapshot it comes from what was recorded
// (snapshot/recorded_file_view), and what was not recorded is PathError::kNotRecorded, never "missing".
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/path_error.h"
#include "base/words.h"
#include "binfmt/elf/elf.h"
#include "binfmt/gpu/fatbin.h"
#include "binfmt/pe/pe.h"
#include "snapshot/fact.h"

namespace culprit::snapshot {

using base::PathError;

enum class FileKind { kRegular, kDirectory, kLink, kOther };
constexpr std::array<std::string_view, 4> WordsOf(FileKind) {
  return {"regular", "directory", "link", "other"};
}
inline std::string_view Name(FileKind kind) { return base::Word(kind); }

struct FileId {
  uint64_t device = 0;
  uint64_t inode = 0;
  bool operator==(const FileId&) const = default;
};

// What open(path) gives, links followed.
struct FileFacts {
  PathError error = PathError::kNone;
  bool dangling = false;  // error is kNoEntry, and the last component is a link that leads nowhere
  FileKind kind = FileKind::kOther;
  FileId id;
  uint64_t size = 0;
  bool set_user_id = false;
  bool not_executable = false;                 // a program that nobody may run: it has no x bit
  std::shared_ptr<const binfmt::ElfFile> elf;  // set for every regular file that opened
  std::shared_ptr<const binfmt::PeFile> pe;    // set for every regular file that opened and is not ELF
};

struct LibraryVersion {
  std::string version;  // "9.19.0.56", "12.4.127"
  std::string cuda;     // CUDA release or major that it was built for, "" if not readable: "13", "12.4"
  bool operator==(const LibraryVersion&) const = default;
};

// A symbol that a file requires and that no file of its process defines.
struct UndefinedSymbol {
  std::string name;
  bool at_load = false;  // otherwise at the first call, unless the file or its opener binds at once
  std::string nearest;   // path: the file of the process that defines similar names; "" if none does
  std::string like;      // the most similar one
  bool operator==(const UndefinedSymbol&) const = default;
  template <typename Self, typename Visit>
  static void Fields(Self& self, Visit& visit) {
    visit("name", self.name);
    visit("at_load", self.at_load);
    visit("nearest", self.nearest);
    visit("like", self.like);
  }
};

struct DirectoryItem {
  std::string name;
  FileKind kind;
};

class FileView {
 public:
  virtual ~FileView() = default;
  // `path` is absolute. The reference stays valid as long as the view.
  virtual const FileFacts& Open(const std::string& path) = 0;
  // Is there a directory, links followed? kNone = yes; kNotDirectory = something else is there.
  virtual PathError Directory(const std::string& path) = 0;
  // All links resolved; the path itself when that is not possible.
  virtual std::string RealPath(const std::string& path) = 0;
  // Names in a directory, sorted; nullopt when it cannot be listed or was not recorded.
  virtual std::optional<std::vector<DirectoryItem>> List(const std::string& path) = 0;
  // Version of the library at `path`, source = how it was read.
  virtual Fact<LibraryVersion> Version(const std::string& path) = 0;
  // GPU code in the file at `path`; one without any is a value with no containers, and one that cannot have
  // any (a text) is not applicable. How far it is searched for is the view's choice: see GpuCode::whole_file.
  virtual Fact<binfmt::GpuCode> GpuCode(const std::string& path) = 0;
  // Export table of the DLL at `path`; nullptr when it is not known. Valid as long as the view.
  virtual const binfmt::PeExports* Exports(const std::string& path) = 0;
  // Parts of Exports, for whoever needs no more: what an ELF file asks of others, and whether a library has a
  // function; nullopt when that is not known.
  virtual std::span<const binfmt::PeExports::Forwarder> Asks(const std::string& path);
  virtual std::optional<bool> Has(const std::string& path, const std::string& function);
  // Symbols without a version that the ELF file at `path` requires and that none of the files of its process
  // defines. Empty also when that is not known.
  virtual std::vector<UndefinedSymbol> Undefined(const std::string& path,
                                                 std::span<const std::string> process);
  // Names of CUDA libraries among the strings of the file at `path`, if it is one that opens libraries by
  // name; sorted. Empty also when that is not known.
  virtual std::vector<std::string> NamesInside(const std::string& path);
  // Whether symbols will be asked for of all that is opened from now on, by this thread: whoever reads a file
  // can then read them with it.
  virtual void WillAskForAllSymbols(bool will) { static_cast<void>(will); }
  // Of these files it is asked for next: whoever has to read them can read them all at once.
  virtual void WillAskForSymbols(std::span<const std::string> files) { static_cast<void>(files); }
  // Whether another thread may ask for symbols (Asks, Has, Undefined) while this one asks for files.
  virtual bool AnswersAboutSymbolsMeanwhile() const { return false; }
};

}  // namespace culprit::snapshot
