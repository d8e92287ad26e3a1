// One requested name -> one file: what is already loaded, then the stages RPATH, LD_LIBRARY_PATH, RUNPATH,
// cache, compiled-in directories (elf/dl-load.c: _dl_map_object, open_path).
#include <algorithm>
#include <utility>

#include "base/text.h"
#include "loader/glibc/cache.h"
#include "loader/glibc/process.h"

namespace culprit::loader {

using base::PathError;
using Status = SearchDirectory::Status;

struct GlibcProcess::Search {
  const std::string& name;
  Map* loader;
  const MapMode& mode;
  Request& request;
  bool other_class = false;                    // a 32-bit file was skipped by a 64-bit loader, or vice versa
  const snapshot::FileFacts* facts = nullptr;  // of the last accepted candidate
  const snapshot::GivenLibrary* given = nullptr;
};

std::string GlibcProcess::Absolute(const std::string& path) const {
  return base::JoinPath(snapshot_.working_directory, path);
}

// dirname of the composed path; symlinks are not resolved.
std::optional<std::string> GlibcProcess::OriginOf(const std::string& path) const {
  if (path.empty()) return std::nullopt;
  return std::string(base::DirName(Absolute(path)));
}

TokenValues GlibcProcess::TokensOf(const Map& map) const {
  TokenValues values;
  values.origin = map.origin;
  if (!snapshot_.cpu.platform.empty()) values.platform = snapshot_.cpu.platform;
  values.lib = facts_.lib_token;
  values.secure = secure_;
  values.is_program = &map == &maps_.front();
  values.trusted = &facts_.system_dirs;
  return values;
}

const DirectoryList& GlibcProcess::Rpath(Map& map) {
  if (!map.rpath) {
    const auto& elf = *map.elf;
    const bool counts = elf.rpath && !elf.runpath && !elf.rpath->empty();
    map.rpath = counts ? directories_.Parse(*elf.rpath, ":", TokensOf(map)) : DirectoryList{};
  }
  return *map.rpath;
}

const DirectoryList& GlibcProcess::Runpath(Map& map) {
  if (!map.runpath) {
    const auto& elf = *map.elf;
    const bool counts = elf.runpath && !elf.runpath->empty();
    map.runpath = counts ? directories_.Parse(*elf.runpath, ":", TokensOf(map)) : DirectoryList{};
  }
  return *map.runpath;
}

// By any name under which it was requested before, or by its soname. Looks at no files.
GlibcProcess::Map* GlibcProcess::FindLoaded(const std::string& name) {
  for (Map* map : namespace_) {
    const bool known = name == map->name || std::ranges::find(map->names, name) != map->names.end();
    if (known) return map;
    if (map->elf->soname && *map->elf->soname == name) {
      map->names.push_back(name);
      return map;
    }
  }
  return nullptr;
}

// Opens one candidate. True: this is it. False: skipped, errno_ says why. Error: the load ends.
Loading<bool> GlibcProcess::Try(Search& search, const std::string& path, Via via, Attempt attempt) {
  if (IsGivenByHost(search, path)) {  // who asks for it takes it as there (IsOfAssumedDriver)
    return std::unexpected(LoadError{.object = search.name,
                                     .text = "cannot open shared object file",
                                     .reason = std::string(base::Strerror(PathError::kNoEntry)),
                                     .not_found = true});
  }
  const snapshot::FileFacts& facts = view_.Open(Absolute(path));
  Verdict verdict = VerifyCandidate(facts, kind_);
  attempt.path = path;
  attempt.via = via;
  attempt.outcome = verdict.outcome;
  attempt.detail = verdict.text;
  search.other_class |= verdict.outcome == Outcome::kWrongClass;
  if (verdict.outcome == Outcome::kFound && search.mode.preload && secure_ && !facts.set_user_id &&
      search.name.find('/') == std::string::npos) {
    verdict.outcome = attempt.outcome = Outcome::kRefused;
    verdict.error = PathError::kNoEntry;
    attempt.detail = "a set-user-ID program preloads only libraries that are set-user-ID";
  }
  if (attempt.outcome == Outcome::kNotRecorded) search.request.uncertain = graph_.uncertain = true;
  search.request.attempts.push_back(std::move(attempt));
  errno_ = verdict.error;  // kNone once the file is open
  if (verdict.fatal) return std::unexpected(LoadError{path, verdict.text, verdict.reason});
  if (verdict.outcome != Outcome::kFound) return false;
  search.facts = &facts;
  return true;
}

Loading<std::optional<GlibcProcess::Found>> GlibcProcess::SearchList(Search& search,
                                                                     const DirectoryList& list, Via via,
                                                                     const std::string& origin) {
  const auto& subdirectories = directories_.subdirectories();
  for (SearchDirectory* directory : list) {
    bool any_exists = false;
    for (size_t i = 0; i < subdirectories.size(); ++i) {
      Status& status = directory->status[i];
      if (status == Status::kMissing) continue;
      const std::string place = directory->name + subdirectories[i];
      const std::string path = place + search.name;
      const auto opened = Try(search, path, via, {.origin = origin, .hwcaps = !subdirectories[i].empty()});
      if (!opened) return std::unexpected(opened.error());
      if (*opened) {
        status = Status::kExisting;
        return Found{path, search.facts, via};
      }
      if (status == Status::kUnknown) {
        // The loader removes the trailing '/' before it checks, so it turns "/" into "", which does not
        // exist.
        const PathError there =
            place == "/" ? PathError::kNoEntry : view_.Directory(place.substr(0, place.size() - 1));
        status = there == PathError::kNone ? Status::kExisting : Status::kMissing;
        if (there == PathError::kNotRecorded) search.request.uncertain = graph_.uncertain = true;
        if (there != PathError::kNone && there != PathError::kNotDirectory) errno_ = there;
        search.request.attempts.back().in_missing_directory = status == Status::kMissing;
      }
      any_exists |= status != Status::kMissing;
    }
    const bool not_there = errno_ == PathError::kNoEntry || errno_ == PathError::kAccess ||
                           (errno_ == PathError::kNotDirectory && kind_.minor_version >= 37);
    if (any_exists && !not_there) return std::nullopt;  // ends this list, not the search
  }
  return std::nullopt;
}

Loading<std::optional<GlibcProcess::Found>> GlibcProcess::SearchRpaths(Search& search) {
  Map* const program = &maps_.front();
  bool program_done = false;
  for (Map* map = search.loader; map != nullptr; map = map->loader) {
    if (const DirectoryList& list = Rpath(*map); !list.empty()) {
      auto found = SearchList(search, list, Via::kRpath, DisplayName(*map));
      if (!found || *found) return found;
    }
    program_done |= map == program;
  }
  if (!program_done && !Rpath(*program).empty()) {
    return SearchList(search, Rpath(*program), Via::kRpath, DisplayName(*program));
  }
  return std::nullopt;
}

const snapshot::GivenLibrary* GlibcProcess::GivenAs(const std::string& name) const {
  if (!snapshot_.stack.driver) return nullptr;
  const auto& given = snapshot_.stack.driver->given;
  const auto found = std::ranges::find(given, name, &snapshot::GivenLibrary::name);
  return found == given.end() ? nullptr : &*found;
}

bool GlibcProcess::IsGivenByHost(const Search& search, const std::string& path) {
  const snapshot::GivenLibrary* given = search.given;
  if (given == nullptr || given->from != snapshot::GivenFrom::kHost) return false;
  const auto place = [&](const std::string& file) {
    return view_.RealPath(std::string(base::DirName(file)));
  };
  return place(Absolute(path)) == place(given->path);
}

Loading<std::optional<GlibcProcess::Found>> GlibcProcess::TryCached(Search& search, const std::string& path) {
  const auto opened = Try(search, path, Via::kCache, {});
  if (!opened) return std::unexpected(opened.error());
  if (!*opened) return std::nullopt;
  return Found{path, search.facts, Via::kCache};
}

Loading<std::optional<GlibcProcess::Found>> GlibcProcess::SearchCache(Search& search) {
  // ldconfig runs when the container starts.
  if (search.given != nullptr) return TryCached(search, search.given->path);
  if (!snapshot_.ld_cache || (search.mode.preload && secure_)) return std::nullopt;
  const auto entry = LookUpCache(*snapshot_.ld_cache, search.name,
                                 {.machine = kind_.machine,
                                  .bits = kind_.bits,
                                  .minor_version = kind_.minor_version,
                                  .isa_levels = snapshot_.cpu.isa_levels});
  if (!entry) return std::nullopt;
  const Map* asking = search.loader != nullptr ? search.loader : &maps_.front();
  if ((asking->elf->flags_1 & 0x800) != 0) {  // DF_1_NODEFLIB
    for (const std::string& directory : facts_.system_dirs) {
      if (!entry->path.starts_with(directory)) continue;
      search.request.attempts.push_back({.path = std::string(entry->path),
                                         .via = Via::kCache,
                                         .outcome = Outcome::kRefused,
                                         .detail = "linked with -z nodefaultlib"});
      return std::nullopt;
    }
  }
  return TryCached(search, std::string(entry->path));
}

Loading<std::optional<GlibcProcess::Found>> GlibcProcess::SearchEverywhere(Search& search) {
  Map* const loader = search.loader;
  if (loader == nullptr || !loader->elf->runpath) {
    auto found = SearchRpaths(search);
    if (!found || *found) return found;
  }
  if (!library_path_.empty()) {
    auto found = SearchList(search, library_path_, Via::kLdLibraryPath, "");
    if (!found || *found) return found;
  }
  if (loader != nullptr && !Runpath(*loader).empty()) {
    auto found = SearchList(search, Runpath(*loader), Via::kRunpath, DisplayName(*loader));
    if (!found || *found) return found;
  }
  auto found = SearchCache(search);
  if (!found || *found) return found;
  const Map* asking = loader != nullptr ? loader : &maps_.front();
  if ((asking->elf->flags_1 & 0x800) != 0) return std::nullopt;  // DF_1_NODEFLIB
  return SearchList(search, system_dirs_, Via::kDefault, "");
}

Loading<GlibcProcess::Map*> GlibcProcess::MapObject(Map* loader, const std::string& name, const MapMode& mode,
                                                    Request& request) {
  if (Map* map = FindLoaded(name)) {
    request.via = Via::kLoadedBefore;
    request.object = map->object;
    return map;
  }
  Search search{name, loader, mode, request};
  search.given = GivenAs(name);
  std::optional<Found> found;
  if (name.find('/') != std::string::npos) {
    const std::string path = loader != nullptr ? ExpandTokens(name, TokensOf(*loader)) : name;
    const auto opened = Try(search, path, Via::kPath, {});
    if (!opened) return std::unexpected(opened.error());
    if (*opened) found = Found{path, search.facts, Via::kPath};
  } else {
    auto result = SearchEverywhere(search);
    if (!result) return std::unexpected(result.error());
    found = std::move(*result);
  }
  if (!found) {
    const bool class64 = kind_.bits == 64;
    LoadError error{.object = name, .not_found = true};
    if (search.other_class) {
      error.text = class64 ? "wrong ELF class: ELFCLASS32" : "wrong ELF class: ELFCLASS64";
    } else {
      error.text = "cannot open shared object file";
      if (errno_ != PathError::kNone) error.reason = base::Strerror(errno_);
    }
    return std::unexpected(std::move(error));
  }
  return AddObject(*found, name, mode.call ? nullptr : loader, mode, request);
}

// The file is known: it may already be loaded under another name; otherwise it is mapped.
Loading<GlibcProcess::Map*> GlibcProcess::AddObject(const Found& found, const std::string& name, Map* loader,
                                                    const MapMode& mode, Request& request) {
  request.via = found.via;
  for (Map* map : namespace_) {
    if (map->id != found.facts->id) continue;
    if (std::ranges::find(map->names, name) == map->names.end()) map->names.push_back(name);
    request.object = map->object;
    return map;
  }
  const Verdict verdict = VerifyMapping(*found.facts->elf, kind_,
                                        {.dlopen = mode.dlopen, .stack_is_executable = stack_is_executable_});
  if (verdict.outcome != Outcome::kFound) {
    request.attempts.back().outcome = verdict.outcome;
    request.attempts.back().detail = verdict.text;
    request.attempts.back().executable_stack = verdict.executable_stack;
    return std::unexpected(LoadError{.object = verdict.crash ? found.path : name,
                                     .text = verdict.text,
                                     .reason = verdict.reason,
                                     .crash = verdict.crash});
  }
  Map& map = maps_.emplace_back();
  map.name = found.path;
  map.names = {name};
  map.elf = found.facts->elf;
  map.id = found.facts->id;
  map.loader = loader;
  map.origin = OriginOf(found.path);
  map.object = graph_.objects.size();
  namespace_.push_back(&map);
  graph_.objects.push_back({.name = name,
                            .path = found.path,
                            .real_path = view_.RealPath(Absolute(found.path)),
                            .id = found.facts->id,
                            .via = mode.preload ? Via::kLdPreload : found.via,
                            .opened_by = request.opened_by,
                            .requester = request.requester,
                            .elf = map.elf});
  request.object = map.object;
  request.loaded_now = true;
  return &map;
}

}  // namespace culprit::loader
