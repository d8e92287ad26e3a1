// Files of a machine as recorded in a snapshot: a tree of nodes by absolute path. A directory that is
// `listed` is known completely, so a name that is not in it does not exist; anywhere else an unknown name is
// just that.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/json_fwd.h"
#include "snapshot/file_view.h"

namespace culprit::snapshot {

// Symbols that a file requires and that no file of a process defines.
struct RecordedUndefined {
  std::vector<std::string> process;  // its files, sorted; links resolved
  std::vector<UndefinedSymbol> symbols;
  bool operator==(const RecordedUndefined&) const = default;
  template <typename Self, typename Visit>
  static void Fields(Self& self, Visit& visit) {
    visit("process", self.process);
    visit("symbols", self.symbols);
  }
};

struct RecordedNode {
  FileKind kind = FileKind::kOther;
  PathError error = PathError::kNone;  // kNoEntry: looked, and nothing was there; kAccess: not readable
  std::string link_target;             // of a link
  bool listed = false;                 // of a directory
  FileId id;
  uint64_t size = 0;
  bool set_user_id = false;
  bool not_executable = false;
  std::shared_ptr<const binfmt::ElfFile> elf;
  std::shared_ptr<const binfmt::PeFile> pe;
  std::shared_ptr<const binfmt::PeExports> exports;  // where somebody asked for them
  std::vector<RecordedUndefined> undefined;          // one for each process that lacks some
  std::vector<std::string> names_inside;             // of CUDA libraries, among its strings
  std::optional<Fact<LibraryVersion>> version;
  std::optional<Fact<binfmt::GpuCode>> gpu_code;
  bool operator==(const RecordedNode& other) const;
};

struct FileRecord {
  std::map<std::string, RecordedNode> nodes;  // clean absolute paths, "/" included
  bool operator==(const FileRecord&) const = default;
};

base::Json ToJson(const FileRecord& record);
base::Result<FileRecord> FileRecordFromJson(const base::Json& json);

}  // namespace culprit::snapshot
