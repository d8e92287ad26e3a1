// Libraries open others by name at run time; data/libraries.toml lists which. Each object is processed once,
// in load order, so what a dlopen loads is processed as well.
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "base/text.h"
#include "base/version.h"
#include "knowledge/libraries.h"
#include "loader/process.h"

namespace culprit::loader {
namespace {

// The caller's own facts, from which the names that it opens are built.
struct Caller {
  std::string directory;
  std::string version;  // "" = unknown
  std::string cuda;
};

// Replaces a leading "$ORIGIN/" and every {key}; nullopt if a value is unknown.
std::optional<std::string> Expand(std::string_view pattern, const Caller& caller) {
  constexpr std::string_view kOrigin = "$ORIGIN/";
  std::string name;
  if (pattern.starts_with(kOrigin)) {
    name = caller.directory + "/";
    pattern.remove_prefix(kOrigin.size());
  }
  const auto version = base::Version::Parse(caller.version);
  for (size_t i = 0; i < pattern.size();) {
    const size_t close = pattern[i] == '{' ? pattern.find('}', i) : std::string_view::npos;
    if (close == std::string_view::npos) {
      name += pattern[i++];
      continue;
    }
    const std::string_view key = pattern.substr(i + 1, close - i - 1);
    if (key == "cuda") {
      if (caller.cuda.empty()) return std::nullopt;
      name += base::Split(caller.cuda, '.').front();
    } else {
      const size_t part = key == "major" ? 0 : key == "minor" ? 1 : 2;
      if (!version || version->parts.size() <= part) return std::nullopt;
      name += std::to_string(version->parts[part]);
    }
    i = close + 1;
  }
  return name;
}

// The name that fits the pattern among the strings of the file itself, where its version is not known.
std::optional<std::string> NamedInside(std::string_view pattern, const std::string& path,
                                       snapshot::FileView& view) {
  std::string any;
  for (size_t i = 0; i < pattern.size(); ++i) {
    any += pattern[i] == '{' ? '*' : pattern[i];
    if (pattern[i] == '{') i = std::min(pattern.find('}', i), pattern.size());
  }
  for (std::string& name : view.NamesInside(path)) {
    if (base::MatchesPattern(any, name)) return std::move(name);
  }
  return std::nullopt;
}

bool IsSoname(const std::string& name) {
  const auto* library = knowledge::FindLibrary(name);
  return library != nullptr && knowledge::IsNameOf(*library, name);
}

}  // namespace

void MarkAlternatives(std::vector<Request>& requests, const std::vector<Try>& tries, bool optional) {
  size_t speaker = tries.size() - 1;
  for (size_t i = 0; i < tries.size(); ++i) {
    const Request& last = requests[tries.back().begin];
    if (!last.error.empty() && IsSoname(requests[tries[i].begin].name)) speaker = i;
  }
  for (size_t i = 0; i < tries.size(); ++i) {
    for (size_t r = tries[i].begin; r < tries[i].end; ++r) {
      if (requests[r].error.empty()) continue;
      requests[r].alternative = i != speaker;
      requests[r].optional |= optional;
    }
  }
}

void FollowKnownDlopens(Process& process, snapshot::FileView& view) {
  LoadGraph& graph = process.graph();
  for (size_t caller = 0; caller < graph.objects.size(); ++caller) {
    const knowledge::Library* library = LibraryOf(graph.objects[caller]);
    if (library == nullptr) continue;
    const Object& object = graph.objects[caller];
    const auto edges = object.pe != nullptr ? library->opens_windows : library->opens;
    if (edges.empty()) continue;
    const std::string path = object.path.starts_with('/') ? object.path : object.real_path;
    const auto version = view.Version(path);
    const Caller facts{.directory = std::string(base::DirName(path)),
                       .version = version ? version->version : "",
                       .cuda = version ? version->cuda : ""};
    for (const knowledge::DlopenEdge& edge : edges) {
      if (!knowledge::Applies(edge, facts.version, facts.cuda)) continue;
      std::vector<Try> tries;
      for (const std::string_view pattern : edge.names) {
        auto name = Expand(pattern, facts);
        if (!name) name = NamedInside(pattern, path, view);
        if (!name) continue;
        const size_t begin = graph.requests.size();
        const bool opened = process.Dlopen(*name, caller, edge.flags);
        if (graph.requests.size() == begin) return;  // the process is dead
        tries.push_back({begin, graph.requests.size()});
        if (opened) break;
      }
      if (!tries.empty()) MarkAlternatives(graph.requests, tries, edge.optional);
    }
  }
}

}  // namespace culprit::loader
