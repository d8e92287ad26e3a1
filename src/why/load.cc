// The whole load of a program: a load graph -> the tree that `why --for TARGET` shows.
#include <algorithm>
#include <optional>

#include "base/text.h"
#include "base/version.h"
#include "base/windows/path.h"
#include "knowledge/libraries.h"
#include "why/places.h"
#include "why/why.h"

namespace culprit::why {
namespace {

bool IsInSystemDirectory(const loader::Object& object, const snapshot::Snapshot& snapshot) {
  if (const snapshot::WindowsFacts* windows = snapshot.windows()) {
    return base::FoldCase(object.path).starts_with(base::FoldCase(windows->directory) + "/");
  }
  for (const auto& loader : snapshot.loaders) {
    for (const std::string& directory : loader.system_dirs) {
      const std::string_view name = std::string_view(directory).substr(0, directory.size() - 1);
      if (base::DirName(object.path) == name || base::DirName(object.real_path) == name) return true;
    }
  }
  return false;
}

// The program is object 0; it is also the parent of what LD_PRELOAD loads.
size_t ParentOf(size_t requester) { return requester == loader::kNone ? 0 : requester; }

// cuDNN works only if all its libraries have one version. Compares the others with the first one loaded.
void MarkMixedCudnn(report::LoadAnswer& answer) {
  const report::Load* first = nullptr;
  std::optional<base::Version> expected;
  for (report::Load& load : answer.loads) {
    const auto* library = knowledge::FindLibrary(base::BaseName(load.path));
    if (library == nullptr || library->family != "cudnn") continue;
    auto version = base::Version::Parse(load.version.version);
    if (!version) continue;
    version->parts.resize(3);  // the fourth is a build number that not every library has
    if (first == nullptr) {
      first = &load;
      expected = version;
    } else if (*version != *expected) {
      load.problem =
          load.version.version + " meets " + first->name + " " + first->version.version + " in one process";
    }
  }
}

report::Load LoadOf(const loader::Object& object, const loader::LoadGraph& graph,
                    const snapshot::Snapshot& snapshot, snapshot::FileView& view) {
  const std::string path = Absolute(snapshot, object.path);
  const knowledge::Library* const library = LibraryOf(object);
  report::Load load{.name = object.name,
                    .path = path,
                    .real_path = object.real_path,
                    .via = object.via,
                    .requested_by = object.requester == loader::kNone
                                        ? "LD_PRELOAD"
                                        : Absolute(snapshot, graph.objects[object.requester].path),
                    .opened_by = Shown(object.opened_by),
                    .system = library == nullptr && IsInSystemDirectory(object, snapshot),
                    .parent = ParentOf(object.requester)};
  if (library != nullptr) {
    load.title = library->title;
    load.version = VersionOf(view, path);
  }
  return load;
}

void AddMissing(const loader::Request& request, const loader::LoadGraph& graph,
                const snapshot::Snapshot& snapshot, report::LoadAnswer& answer) {
  if (request.alternative || request.opened_by == loader::OpenedBy::kPreload) return;
  report::MissingLibrary missing = MissingOf(graph, snapshot, request);
  missing.optional = request.optional;
  missing.parent = ParentOf(request.requester);
  auto& list = request.optional ? answer.optional_missing : answer.missing;
  const bool told = std::ranges::any_of(list, [&](const report::MissingLibrary& other) {
    return other.name == missing.name && other.requested_by == missing.requested_by;
  });
  if (!told) list.push_back(std::move(missing));
}

}  // namespace

report::LoadAnswer ExplainLoad(const loader::LoadGraph& graph, const snapshot::Snapshot& snapshot,
                               snapshot::FileView& view) {
  report::LoadAnswer answer;
  answer.target = graph.target;
  answer.interpreter = graph.interpreter;
  answer.error = graph.error;
  if (!graph.error_tells_versions) {
    for (const loader::MissingVersion& missing : graph.missing_versions)
      answer.version_errors.push_back(missing.Line());
  }
  answer.warnings = graph.warnings;
  answer.notes = graph.assumptions;
  answer.uncertain = graph.uncertain;
  if (!graph.objects.empty()) {
    if (const auto* library = LibraryOf(graph.objects.front())) {
      answer.title = library->title;
      answer.version = VersionOf(view, graph.target);
    }
  }
  for (size_t i = 1; i < graph.objects.size(); ++i)
    answer.loads.push_back(LoadOf(graph.objects[i], graph, snapshot, view));
  MarkMixedCudnn(answer);
  answer.missing_functions = MissingFunctions(graph);
  for (const loader::Request& request : graph.requests) {
    if (!request.error.empty()) {
      AddMissing(request, graph, snapshot, answer);
    } else if (request.object != loader::kNone) {
      answer.edges.push_back(
          {ParentOf(request.requester), request.object, request.opened_by == loader::OpenedBy::kDlopen});
    }
  }
  return answer;
}

}  // namespace culprit::why
