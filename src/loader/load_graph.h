// The result of a loader model: what a process loads, from where, what requested it, and every place that was
// tried.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/loading.h"
#include "snapshot/file_view.h"

namespace culprit::knowledge {
struct Library;
}

namespace culprit::loader {

using base::Name;
using base::Via;
using Outcome = base::LoadOutcome;

struct Attempt {
  std::string path;
  Via via = Via::kDefault;
  Outcome outcome = Outcome::kMissing;
  std::string detail;   // the loader's own message, if any
  std::string origin;   // file whose RPATH or RUNPATH contains the directory, else empty
  bool hwcaps = false;  // in a hwcaps subdirectory (glibc-hwcaps/..., tls/...) of a searched directory
  bool in_missing_directory = false;  // the directory itself does not exist
  bool executable_stack = false;      // kUnusable: it requires one, and this loader refuses
};

enum class OpenedBy { kNeeded, kDlopen, kPreload, kDelayed /* delay import of a DLL: at its first call */ };

inline constexpr size_t kNone = static_cast<size_t>(-1);

// A symbol version that a library requires from another one that does not have it.
struct MissingVersion {
  std::string file;     // the loaded file that does not have it
  std::string version;  // "GLIBC_2.38"
  std::string asker;    // the file that requires it
  // The loader's message: "version `V' not found (required by ASKER)", and the same with "FILE: " before it.
  std::string Text() const;
  std::string Line() const { return file + ": " + Text(); }
};
// Parses the message of a real loader.
std::optional<MissingVersion> ReadMissingVersion(std::string_view printed);

// One request for a name and its result.
struct Request {
  std::string name;
  size_t requester = kNone;    // index into LoadGraph::objects; kNone = the environment (a preload)
  std::string requester_path;  // set if the requester was unloaded again: part of a failed dlopen
  OpenedBy opened_by = OpenedBy::kNeeded;
  Via via = Via::kDefault;   // of the result
  size_t object = kNone;     // what satisfied it
  bool loaded_now = false;   // this request loaded the object
  bool optional = false;     // a dlopen whose caller tolerates failure
  bool assumed = false;      // of the driver of --host, which is taken to have it; optional, too
  bool guessed = false;      // a dlopen that only the strings of the requester tell: it may never happen
  bool alternative = false;  // a dlopen with several names: another name of the same call is the one reported
  std::vector<Attempt> attempts;
  std::string error;                                // the loader's message, if object is kNone
  std::optional<MissingVersion> missing_version{};  // ... if the message is about one
  uint32_t code = 0;       // Windows: the result of GetLastError(): 126, 127, 193 ...
  bool uncertain = false;  // not enough facts: something on the way was not recorded
};

struct Object {
  std::string name;  // as first requested
  std::string path;  // as the loader composed it; symlinks not resolved
  std::string real_path;
  snapshot::FileId id;
  Via via = Via::kDefault;
  OpenedBy opened_by = OpenedBy::kNeeded;
  size_t requester = kNone;  // what loaded it
  std::shared_ptr<const binfmt::ElfFile> elf;
  std::shared_ptr<const binfmt::PeFile> pe;
  bool assumed = false;  // a DLL of Windows itself that was not seen (snapshot::WindowsFacts::present)
};

// A function imported from a library that does not have it; on Linux also any other symbol.
struct MissingExport {
  std::string importer;  // path
  std::string dll;       // path of the library that was found
  std::string function;  // name, or "#12"
  // Linux: any object of the process may define it, and none does. `dll` is then the one that defines the
  // most similar names, such as `like`, or "" if none does.
  bool of_any = false;
  std::string like{};
  bool at_load = true;  // otherwise at the first call
};

// The row of data/libraries.toml for a loaded object, by its soname or its file name; nullptr if it is not a
// CUDA library.
const knowledge::Library* LibraryOf(const Object& object);

// Reverts a failed dlopen: removes objects from `first_object` on, and in requests since `first_request`
// replaces a removed requester with its path.
void Unload(struct LoadGraph& graph, size_t first_object, size_t first_request, size_t caller);

// An entry of LD_PRELOAD or /etc/ld.so.preload that the loader ignores because it cannot load it.
struct FailedPreload {
  std::string name;
  bool from_file = false;  // /etc/ld.so.preload
  std::string words;       // what the loader prints
};

// Which calls are bound when an object is loaded, not one by one when they are first made.
struct BoundAtLoad {
  bool all = false;           // LD_BIND_NOW, musl
  size_t begin = 0, end = 0;  // objects opened with RTLD_NOW
};

struct LoadGraph {
  std::string target;
  std::string interpreter;                       // "" for a static program
  bool windows = false;                          // a Windows process
  std::vector<Object> objects;                   // [0] is the target; then in load order
  std::vector<Request> requests;                 // in the order in which the loader processes them
  std::string error;                             // what the loader prints if it gives up, else ""
  std::string import_error;                      // why the import of a framework failed, else ""
  bool import_lacks_version = false;             // ... because of a symbol version
  std::vector<MissingVersion> missing_versions;  // at start-up; also if another error came first
  bool error_tells_versions = false;             // `error` is about these
  BoundAtLoad bound_at_load = {};
  std::vector<MissingExport> missing_exports;
  std::vector<std::string> warnings;  // what it prints without giving up
  std::vector<FailedPreload> failed_preloads;
  std::vector<std::string> assumptions;  // what the model had to assume
  bool uncertain = false;
};

}  // namespace culprit::loader
