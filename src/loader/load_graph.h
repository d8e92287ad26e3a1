// The result of a loader model: what a process loads, from where, who asked, and every place that was tried.
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
  std::string detail;   // the loader's own words where it has some
  std::string origin;   // file whose RPATH or RUNPATH named the directory, else empty
  bool hwcaps = false;  // lies in a hwcaps sub-directory (glibc-hwcaps/..., tls/...) of a searched directory
  bool in_missing_directory = false;  // the directory itself does not exist
  bool executable_stack = false;      // kUnusable: it asks for one, and this loader gives none
};

enum class OpenedBy { kNeeded, kDlopen, kPreload, kDelayed /* delay import of a DLL: at its first call */ };

inline constexpr size_t kNone = static_cast<size_t>(-1);

// A version of a symbol that a library asks of another one, which does not have it.
struct MissingVersion {
  std::string file;     // that was loaded and does not have it
  std::string version;  // "GLIBC_2.38"
  std::string asker;    // the file that wants it
  // The loader's words: "version `V' not found (required by ASKER)", and the same with "FILE: " before it.
  std::string Text() const;
  std::string Line() const { return file + ": " + Text(); }
};
// Out of what a real loader printed.
std::optional<MissingVersion> ReadMissingVersion(std::string_view printed);

// One request for a name and how it ended.
struct Request {
  std::string name;
  size_t requester = kNone;    // index into LoadGraph::objects; kNone = the environment (a preload)
  std::string requester_path;  // set when the requester is gone again: part of a dlopen that failed
  OpenedBy opened_by = OpenedBy::kNeeded;
  Via via = Via::kDefault;   // of the result
  size_t object = kNone;     // what satisfied it
  bool loaded_now = false;   // this request brought the object in
  bool optional = false;     // a dlopen whose failure the caller survives
  bool alternative = false;  // a dlopen with several names: another name of the same call speaks for it
  std::vector<Attempt> attempts;
  std::string error;                                // in the loader's words, when object is kNone
  std::optional<MissingVersion> missing_version{};  // ... where that is about one
  uint32_t code = 0;                                // Windows: what GetLastError() says: 126, 127, 193 ...
  bool uncertain = false;                           // not enough facts: something on the way was not recorded
};

struct Object {
  std::string name;  // as first requested
  std::string path;  // as the loader composed it; links not resolved
  std::string real_path;
  snapshot::FileId id;
  Via via = Via::kDefault;
  OpenedBy opened_by = OpenedBy::kNeeded;
  size_t requester = kNone;  // who brought it in
  std::shared_ptr<const binfmt::ElfFile> elf;
  std::shared_ptr<const binfmt::PeFile> pe;
  bool assumed = false;  // a DLL of Windows itself that was not seen (snapshot::WindowsFacts::present)
};

// Windows: a function that is asked of a DLL which does not have it.
struct MissingExport {
  std::string importer;  // path
  std::string dll;       // path of the one that was found
  std::string function;  // name, or "#12"
};

// The row of data/libraries.toml for a loaded object, by its soname or its file name; nullptr when it is no
// CUDA library.
const knowledge::Library* LibraryOf(const Object& object);

// Takes back what a failed dlopen did: objects from `first_object` on go, and the requests made since
// `first_request` keep only the path of a requester that is gone.
void Unload(struct LoadGraph& graph, size_t first_object, size_t first_request, size_t caller);

// An entry of LD_PRELOAD or /etc/ld.so.preload that the loader goes on without.
struct FailedPreload {
  std::string name;
  bool from_file = false;  // /etc/ld.so.preload
  std::string words;       // what the loader prints
};

struct LoadGraph {
  std::string target;
  std::string interpreter;            // "" for a static program
  bool windows = false;               // a process of Windows
  std::vector<Object> objects;        // [0] is the target; then in load order
  std::vector<Request> requests;      // in the order in which the loader works them off
  std::string error;                  // what the loader prints when it gives up, "" when it does not
  std::string import_error;           // why the import of a framework ended, "" when it did not
  bool import_lacks_version = false;  // ... because of the version of a symbol
  std::vector<MissingVersion> missing_versions;  // of the start; also behind another error
  bool error_tells_versions = false;             // `error` is about these
  std::vector<MissingExport> missing_exports;
  std::vector<std::string> warnings;  // what it prints and goes on
  std::vector<FailedPreload> failed_preloads;
  std::vector<std::string> assumptions;  // what the model had to assume
  bool uncertain = false;
};

}  // namespace culprit::loader
