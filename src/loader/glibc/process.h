// A model of glibc's ld.so: one namespace, from start-up to the last dlopen.
//
// The model keeps the real loader's state rather than a summary of its rules, because the rules interact: a
// request is matched against every name of every loaded object before any file is looked at; the first
// object, breadth first, that requests a name decides for the whole process; RPATH is inherited along the
// chain of loaders and RUNPATH is not; dlopen uses its caller's run paths and then forgets the caller. Each
// step is described where it is done: search.cc (one name -> one file), closure.cc (dependencies),
// versions.cc (symbol versions), glibc.cc (start-up, preloads, dlopen). Facts: notes on glibc elf/dl-load.c,
// dl-deps.c, dl-open.c, dl-version.c, rtld.c; versions 2.31 to 2.42.
//
// One difference is intentional: a library that is not found ends the real start-up at once. The model
// records the loader's message and continues, as `ldd` does, so that everything that is missing is reported
// at once.
#pragma once

#include <deque>
#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "loader/glibc/candidate.h"
#include "loader/glibc/directories.h"
#include "loader/load.h"
#include "loader/process.h"

namespace culprit::loader {

// An error of the loader. Printed as "OBJECT: TEXT[: REASON]".
struct LoadError {
  std::string object;
  std::string text;
  std::string reason;
  bool not_found = false;  // the search found nothing; everything else ends the load in ldd's mode too
  bool crash = false;      // the process is killed instead
  std::optional<MissingVersion> missing_version{};
  bool uncaught = false;  // fatal even where failures are ignored (DT_AUXILIARY)
  std::string Message() const;
  void UseStartWords();
};

template <typename T>
using Loading = std::expected<T, LoadError>;

class GlibcProcess final : public Process {
 public:
  GlibcProcess(const snapshot::Snapshot& snapshot, snapshot::FileView& view, const Question& question,
               const snapshot::LoaderFacts& facts);

  void Start();
  bool Dlopen(const std::string& name, size_t caller, uint32_t flags) override;
  LoadGraph& graph() override { return graph_; }

 private:
  // ld.so's link_map.
  struct Map {
    std::string name;                // l_name: "" for the program
    std::vector<std::string> names;  // l_libname: every name under which it was requested
    std::shared_ptr<const binfmt::ElfFile> elf;
    std::optional<snapshot::FileId> id;
    Map* loader = nullptr;  // l_loader: whose DT_NEEDED loaded it; null after dlopen
    std::optional<std::string> origin;
    std::optional<DirectoryList> rpath;  // parsed on first use
    std::optional<DirectoryList> runpath;
    size_t object = kNone;  // in graph_.objects; kNone for ld.so itself
    bool dependencies_loaded = false;
    bool versions_checked = false;
  };

  struct MapMode {
    bool dlopen = false;  // part of a dlopen
    bool call = false;    // the dlopen call itself: the loader is used only for its run paths
    bool preload = false;
  };

  // search.cc
  Loading<Map*> MapObject(Map* loader, const std::string& name, const MapMode& mode, Request& request);
  struct Found {
    std::string path;
    const snapshot::FileFacts* facts;
    Via via;
  };
  struct Search;  // one search in progress
  Map* FindLoaded(const std::string& name);
  Loading<std::optional<Found>> SearchEverywhere(Search& search);
  Loading<std::optional<Found>> SearchRpaths(Search& search);
  Loading<std::optional<Found>> SearchList(Search& search, const DirectoryList& list, Via via,
                                           const std::string& origin);
  Loading<std::optional<Found>> SearchCache(Search& search);
  Loading<std::optional<Found>> TryCached(Search& search, const std::string& path);
  // What the start of a container gives under that name (container/given.h); nullptr if that is not known.
  const snapshot::GivenLibrary* GivenAs(const std::string& name) const;
  // Whether the host's file will stand at that path of the image.
  bool IsGivenByHost(const Search& search, const std::string& path);
  Loading<bool> Try(Search& search, const std::string& path, Via via, Attempt attempt);
  const DirectoryList& Rpath(Map& map);
  const DirectoryList& Runpath(Map& map);
  TokenValues TokensOf(const Map& map) const;
  std::string Absolute(const std::string& path) const;
  std::optional<std::string> OriginOf(const std::string& path) const;
  Loading<Map*> AddObject(const Found& found, const std::string& name, Map* loader, const MapMode& mode,
                          Request& request);

  // closure.cc
  Loading<std::vector<Map*>> LoadDependencies(Map* root, const std::vector<Map*>& preloads, bool dlopen);
  Loading<Map*> LoadDependency(Map* map, const binfmt::ElfRequest& wanted, bool dlopen);
  bool IsOfAssumedDriver(const std::string& name) const;

  // versions.cc
  enum class VersionMode { kStart, kDlopen };
  Loading<void> CheckVersions(Map* map, VersionMode mode);
  Map* FindByName(std::string_view name);

  // glibc.cc
  bool AcceptsTarget();
  void Preload();
  void PreloadOne(const std::string& name, bool from_file);
  void GiveUp(const LoadError& error);
  Map* MapOf(size_t object);
  std::string DisplayName(const Map& map) const;
  // At start-up a placeholder was listed for `name`, and it comes before `provider` (which may be null).
  bool IsMissing(std::string_view name, const Map* provider) const;

  const snapshot::Snapshot& snapshot_;
  snapshot::FileView& view_;
  const Question& question_;
  const snapshot::LoaderFacts& facts_;
  LoaderKind kind_;
  bool secure_ = false;
  bool stack_is_executable_ = false;
  base::PathError errno_ = base::PathError::kNone;
  DirectoryTable directories_;
  DirectoryList library_path_;
  DirectoryList system_dirs_;
  std::deque<Map> maps_;         // storage; [0] the program, [1] ld.so
  std::vector<Map*> namespace_;  // in the order of the loader's own list
  std::vector<Map*> preloads_;
  std::vector<std::pair<std::string, size_t>>
      missing_;  // at start-up: name, and how many objects were loaded before
  LoadGraph graph_;
  bool gave_up_ = false;  // ended by something other than a missing library
};

}  // namespace culprit::loader
