// What programs and frameworks now load differently: simulated on both sides, the same name resolves to
// another file or another version, or is no longer found.
#include <algorithm>
#include <map>

#include "base/text.h"
#include "diff/parts.h"

namespace culprit::diff {
namespace {

using loader::LoadGraph;
using loader::Object;
using loader::Scenario;

std::string KeyOf(const rules::Scene& scene, const Scenario& scenario) {
  if (const snapshot::Framework* framework = scene.FrameworkOf(scenario))
    return framework->name + " in " + scene.EnvironmentOf(scenario)->prefix;
  return scenario.title;
}

// Names that were not found, and without which the caller does not work.
std::map<std::string, const loader::Request*> Missing(const LoadGraph& graph) {
  std::map<std::string, const loader::Request*> missing;
  for (const loader::Request& request : graph.requests) {
    if (request.object == loader::kNone && !request.optional && !request.alternative && !request.uncertain)
      missing.emplace(request.name, &request);
  }
  return missing;
}

std::map<std::string, const Object*> Loaded(const LoadGraph& graph) {
  std::map<std::string, const Object*> loaded;
  for (size_t i = 1; i < graph.objects.size(); ++i)
    loaded.emplace(base::BaseName(graph.objects[i].name), &graph.objects[i]);
  return loaded;
}

std::string Shown(const rules::Scene& scene, const Object& object) {
  const auto version = scene.view.Version(object.path);
  return (version ? version->version + " in " : "") + std::string(base::DirName(Plainly(object.path)));
}

// What may have changed the load: the searched lists, then files.
void Blame(Parts& parts, const Scenario& scenario, std::vector<std::string> files,
           std::initializer_list<loader::Via> ways) {
  const size_t effect = parts.list.size() - 1;
  for (size_t i = 0, count = files.size(); i < count;
       ++i) {  // /lib is usually a symlink, and the files are in /usr/lib
    if (!files[i].starts_with('/')) continue;
    const std::string directory(base::DirName(files[i])), name(base::BaseName(files[i]));
    for (const Side* side : {&parts.after, &parts.before})
      files.push_back(base::JoinPath(side->scene.view.RealPath(directory), name));
  }
  for (const loader::Via way : ways) {
    const char* name = way == loader::Via::kLdLibraryPath     ? "LD_LIBRARY_PATH"
                       : way == loader::Via::kLdPreload       ? "LD_PRELOAD"
                       : way == loader::Via::kEnvironmentPath ? "PATH"
                                                              : nullptr;
    if (name != nullptr) parts.Explain(effect, parts.Find(report::DifferenceKind::kVariable, {name}));
  }
  for (const auto kind : {report::DifferenceKind::kFile, report::DifferenceKind::kDriver})
    parts.Explain(effect, parts.Find(kind, files));
  if (std::ranges::find(ways, loader::Via::kCache) != ways.end())
    parts.Explain(effect, parts.Find(report::DifferenceKind::kLoader, {"/etc/ld.so.cache"}));
  for (const std::string& file : files)
    parts.Explain(effect, parts.Find(report::DifferenceKind::kPackage, {OwnerOf(parts, file)}));
  parts.Explain(effect, parts.Find(report::DifferenceKind::kFramework, {KeyOf(parts.after.scene, scenario)}));
}

class Comparison {
 public:
  Comparison(Parts& parts, const Scenario& before, const Scenario& after)
      : parts_(parts), before_(before), after_(after) {}

  void Run() {
    const auto was = Loaded(before_.graph), is = Loaded(after_.graph);
    const auto lacked = Missing(before_.graph), lacks = Missing(after_.graph);
    for (const auto& [name, request] : lacks) {
      if (lacked.contains(name)) continue;
      const auto found = was.find(name);
      AddMissing(name, *request, found == was.end() ? nullptr : found->second);
    }
    for (const auto& [name, object] : is) {
      const auto found = was.find(name);
      if (found != was.end()) AddOther(name, *found->second, *object);
    }
    const auto end = [](const LoadGraph& graph) {
      return graph.error.empty() ? graph.import_error : graph.error;
    };
    const std::string error = end(after_.graph);
    if (!error.empty() && end(before_.graph).empty() && lacks.empty()) AddEnd(error);
  }

 private:
  void AddMissing(const std::string& name, const loader::Request& request, const Object* was) {
    std::vector<std::string> files;
    if (was != nullptr) files = {Plainly(was->path), was->real_path};
    for (const loader::Attempt& attempt : request.attempts) files.push_back(Plainly(attempt.path));
    std::vector<std::string> names = files;
    names.insert(names.begin(), name);
    parts_.Add(
        {.how = was == nullptr ? report::Differs::kAdded : report::Differs::kRemoved,
         .kind = report::DifferenceKind::kLoad,
         .subject = name + " for " + after_.title,
         .summary = after_.title + ": " + name + (was == nullptr ? " is not found" : " is no longer found"),
         .before = was == nullptr ? "not needed" : Shown(parts_.before.scene, *was),
         .after = "not found",
         .suspicion = 80},
        std::move(names));
    Blame(parts_, after_, files, {was == nullptr ? loader::Via::kDefault : was->via});
  }

  void AddOther(const std::string& name, const Object& was, const Object& is) {
    const std::string a = Shown(parts_.before.scene, was), b = Shown(parts_.after.scene, is);
    if (was.real_path == is.real_path && a == b) return;
    const bool cuda = LibraryOf(is) != nullptr || LibraryOf(was) != nullptr;
    const auto version = [](const rules::Scene& scene, const Object& object) {
      const auto fact = scene.view.Version(object.path);
      return fact ? fact->version : std::string();
    };
    const bool other_version = version(parts_.before.scene, was) != version(parts_.after.scene, is);
    const std::vector<std::string> files = {Plainly(is.path), is.real_path, Plainly(was.path), was.real_path};
    if (a == b) return;  // reached through another symlink: reported as a file
    parts_.Add({.kind = report::DifferenceKind::kLoad,
                .subject = name + " for " + after_.title,
                .summary = after_.title + ": " + name + " is " + b + ", was " + a,
                .before = a,
                .after = b,
                .suspicion = !cuda           ? 28
                             : other_version ? 66
                                             : 48},
               {Plainly(is.path), is.real_path, Plainly(was.path), was.real_path, name});
    Blame(parts_, after_, files, {is.via, was.via});
  }

  void AddEnd(const std::string& error) {
    parts_.Add({.how = report::Differs::kAdded,
                .kind = report::DifferenceKind::kLoad,
                .subject = after_.title,
                .summary = after_.title + " no longer starts: " + error,
                .before = "starts",
                .after = error,
                .suspicion = 82},
               {});
    // The loader's message names the file.
    std::vector<std::string> files;
    for (const std::string& word : base::SplitWords(error, " :'`(),;\"")) {
      if (word.size() > 3) files.push_back(word);
    }
    Blame(parts_, after_, files, {});
  }

  Parts& parts_;
  const Scenario& before_;
  const Scenario& after_;
};

}  // namespace

void AddLoads(Parts& parts) {
  std::map<std::string, const Scenario*> before;
  for (const Scenario& scenario : parts.before.scene.scenarios)
    before.emplace(KeyOf(parts.before.scene, scenario), &scenario);
  for (const Scenario& scenario : parts.after.scene.scenarios) {
    const auto found = before.find(KeyOf(parts.after.scene, scenario));
    if (found != before.end()) Comparison(parts, *found->second, scenario).Run();
  }
}

}  // namespace culprit::diff
