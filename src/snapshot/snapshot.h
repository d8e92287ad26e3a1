// A machine as one value: what the collectors found, immutable afterwards, written to and read from one JSON
// file. Everything after it in the pipeline is pure.
#pragma once

#include <array>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes/unread.h"
#include "base/cpu.h"
#include "base/error.h"
#include "base/json_fwd.h"
#include "base/words.h"
#include "binfmt/cache/ld_so_cache.h"
#include "snapshot/fact.h"
#include "snapshot/file_record.h"
#include "snapshot/stack.h"

namespace culprit::snapshot {

enum class LoaderFlavor { kGlibc, kMusl, kUnknown };
constexpr std::array<std::string_view, 3> WordsOf(LoaderFlavor) { return {"glibc", "musl", "unknown"}; }
inline std::string_view Name(LoaderFlavor flavor) { return base::Word(flavor); }

// One dynamic loader, read from its own file.
struct LoaderFacts {
  std::string path;  // as programs name it in PT_INTERP
  LoaderFlavor flavor = LoaderFlavor::kUnknown;
  uint16_t machine = 0;
  int bits = 0;
  std::string soname;                    // of the loader itself: "ld-linux-aarch64.so.1"
  std::string version;                   // "2.36"; "" when not readable
  std::vector<std::string> system_dirs;  // compiled in, in order, each with a trailing '/'
  std::string lib_token;                 // what $LIB stands for
  Fact<std::string> path_file;           // musl: contents of /etc/ld-musl-<arch>.path
  std::vector<std::string> assumptions;  // what could not be read and was assumed
  bool operator==(const LoaderFacts&) const = default;
};

// A place that is there and could not be looked at.
struct UnreadPlace {
  std::string path;
  base::Unread why = base::Unread::kAccess;
  std::vector<std::string> names{};  // symlinks through which it was asked for
  bool operator==(const UnreadPlace&) const = default;
};

struct Snapshot {
  std::string tool_version;
  std::map<std::string, std::string> environment;
  std::string working_directory;
  base::Cpu cpu;
  std::vector<LoaderFacts> loaders;
  Fact<binfmt::LdCache> ld_cache;
  Fact<std::string> ld_so_preload;  // text of /etc/ld.so.preload
  // Directories that /etc/ld.so.conf names; of the whole machine only.
  Fact<std::vector<std::string>> ld_so_conf;
  Stack stack;                      // empty (but for `windows`) unless the whole machine was looked at
  FileRecord files;                 // empty while looking live
  std::vector<UnreadPlace> unread;  // by path; not each of them matters (engine/not_seen.h)

  // The facts of a Windows machine; nullptr for any other.
  const WindowsFacts* windows() const { return stack.windows ? &*stack.windows : nullptr; }
  const LoaderFacts* FindLoader(std::string_view interpreter) const;
  bool operator==(const Snapshot&) const = default;
};

base::Json ToJson(const Snapshot& snapshot);
// As the one line of text that goes into a file.
std::string ToJsonText(const Snapshot& snapshot);
// Rejects another schema (kUnsupported) and malformed contents with one clear line; unknown keys are ignored.
base::Result<Snapshot> SnapshotFromJson(const base::Json& json);
// The same from foreign text: never throws, and bounded in depth, size and time (parse_json.h).
base::Result<Snapshot> ParseSnapshot(std::string_view text);

}  // namespace culprit::snapshot
