// The dependencies of an object, breadth first (elf/dl-deps.c). DT_NEEDED are appended to the list; an object
// named by DT_AUXILIARY or DT_FILTER is inserted before the one that names it and processed next.
#include <algorithm>
#include <list>
#include <optional>
#include <utility>

#include "knowledge/libraries.h"
#include "loader/glibc/process.h"
#include "loader/load.h"

namespace culprit::loader {

using Kind = binfmt::ElfRequest::Kind;

namespace {

// Two objects that are each other's filter would move before each other forever.
constexpr size_t kMostMoves = 100;

// The loader has its own errno and clears it here; if nothing sets it, the old value is restored.
struct KeepErrno {
  base::PathError& current;
  base::PathError saved = std::exchange(current, base::PathError::kNone);
  ~KeepErrno() {
    if (current == base::PathError::kNone) current = saved;
  }
};

LoadError Circle(std::string object) {
  return {.object = std::move(object),
          .text = "DT_FILTER or DT_AUXILIARY form a cycle",
          .reason = "the loader runs out of stack, SIGSEGV",
          .crash = true};
}

}  // namespace

bool GlibcProcess::IsOfAssumedDriver(const std::string& name) const {
  if (!TakesDriverAsThere(snapshot_)) return false;
  const knowledge::Library* library = knowledge::FindLibrary(name);
  return GivenAs(name) != nullptr || (library != nullptr && library->family == "driver");
}

Loading<GlibcProcess::Map*> GlibcProcess::LoadDependency(Map* map, const binfmt::ElfRequest& wanted,
                                                         bool dlopen) {
  std::string name = wanted.name;
  if (HasToken(name)) {
    const auto raise = [&](std::string text) {
      return std::unexpected(LoadError{.object = wanted.name, .text = std::move(text), .uncaught = true});
    };
    if (secure_) return raise("DST not allowed in SUID/SGID programs");
    name = ExpandTokens(name, TokensOf(*map));
    // This looks the wrong way round, but glibc skips a DT_NEEDED whose token has no value, and fails on such
    // a DT_AUXILIARY.
    if (name.empty() && wanted.kind == Kind::kAuxiliary)
      return raise("empty dynamic string token substitution");
    if (name.empty()) return nullptr;
  }
  Request request{.name = name, .requester = map->object, .opened_by = OpenedBy::kNeeded};
  auto result = MapObject(map, name, {.dlopen = dlopen}, request);
  if (!result) {
    if (!dlopen) result.error().UseStartWords();
    request.error = result.error().Message();
    request.missing_version = result.error().missing_version;
    request.optional = wanted.kind == Kind::kAuxiliary;
    request.assumed = result.error().not_found && IsOfAssumedDriver(name);
    request.optional |= request.assumed;
    if (result.error().not_found && !request.optional && !dlopen)
      missing_.emplace_back(name, namespace_.size());
    if (request.assumed) result = nullptr;
  }
  graph_.requests.push_back(std::move(request));
  return result;
}

Loading<std::vector<GlibcProcess::Map*>> GlibcProcess::LoadDependencies(Map* root,
                                                                        const std::vector<Map*>& preloads,
                                                                        bool dlopen) {
  const KeepErrno keep_errno{errno_};
  struct Entry {
    Map* map;
    bool done = false;
  };
  // From now on, only the root has its list: a dlopen of something that was loaded below another object
  // processes its dependencies again, so a missing DT_AUXILIARY is searched for again.
  root->dependencies_loaded = true;
  std::list<Entry> list = {{root}};
  for (Map* preload : preloads) list.push_back({preload});
  const auto position = [&](const Map* map) {
    return std::ranges::find_if(list, [&](const Entry& entry) { return entry.map == map; });
  };

  size_t moves = 0;
  for (auto current = list.begin(); current != list.end();) {
    if (current->done) {
      ++current;
      continue;
    }
    current->done = true;
    Map* const map = current->map;
    std::optional<std::list<Entry>::iterator> first_filter;
    for (const binfmt::ElfRequest& wanted : map->elf->requests) {
      const bool needed = wanted.kind == Kind::kNeeded;
      const auto loaded = LoadDependency(map, wanted, dlopen);
      if (!loaded) {
        if (wanted.kind == Kind::kAuxiliary && !loaded.error().uncaught && !loaded.error().crash) continue;
        if (dlopen || !loaded.error().not_found) return std::unexpected(loaded.error());
        GiveUp(loaded.error());
        continue;
      }
      Map* const dependency = *loaded;
      if (dependency == nullptr) continue;
      const auto known = position(dependency);
      if (needed) {
        if (known == list.end()) list.push_back({dependency});
        continue;
      }
      // Already before it: no change. After it: move it before.
      if (known != list.end()) {
        if (std::distance(list.begin(), known) <= std::distance(list.begin(), current)) continue;
        list.erase(known);
      }
      if (++moves > kMostMoves + namespace_.size()) {
        return std::unexpected(Circle(DisplayName(*map)));
      }
      const auto inserted = list.insert(current, {dependency});
      if (!first_filter) first_filter = inserted;
      std::erase(namespace_, dependency);
      namespace_.insert(std::ranges::find(namespace_, map), dependency);
    }
    current = first_filter.value_or(std::next(current));
  }
  std::vector<Map*> order;
  for (const Entry& entry : list) order.push_back(entry.map);
  return order;
}

}  // namespace culprit::loader
