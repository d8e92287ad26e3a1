// pyproject.toml: the dependencies of PEP 621, dependency groups (PEP 735), and uv's sources and indexes.
// [build-system] is not read: what builds the project is not what it runs with.
#include <algorithm>

#include "base/python/package_name.h"
#include "base/text.h"
#include "plan/project/reading.h"

namespace culprit::plan {
namespace {

constexpr size_t kDeepestGroup = 16;

class Pyproject {
 public:
  Pyproject(Reading& reading, const Node& root, const std::string& file)
      : reading_(reading), root_(root), file_(file), sources_(root.At("tool.uv.sources")) {}

  base::Result<void> Run() {
    const Node* project = root_.Find("project");
    if (project != nullptr) {
      own_name_ = base::NormalName(project->TextOf("name"));
      if (const Node* python = project->Find("requires-python"); python != nullptr && python->IsText())
        reading_.project().pythons.push_back(
            {python->text, "requires-python " + python->text, {file_, python->line}});
      if (auto done = AddList(project->Find("dependencies")); !done) return done;
      extras_ = project->Find("optional-dependencies");
      if (auto done = AddExtras(); !done) return done;
      if (auto done = AddDynamic(); !done) return done;
    }
    if (auto done = AddGroups(); !done) return done;
    AddUv();
    if (const Node* poetry = root_.At("tool.poetry")) ReadPoetry(reading_, *poetry, file_);
    SayWhatIsLeftOut();
    return {};
  }

 private:
  report::Origin At(const Node& node) const { return {file_, node.line}; }

  base::Result<void> AddList(const Node* list, Use use = Use::kInstall) {
    if (list == nullptr) return {};
    for (const Node& item : list->items) {
      if (!item.IsText()) return WrongAt(At(item), "a requirement must be a string");
      auto dependency = ParseDependency(item.text);
      if (!dependency) return WrongAt(At(item), dependency.error().message);
      if (dependency->name == own_name_ && !own_name_.empty()) {  // "project[train]": more of its own extras
        for (const std::string& extra : base::Split(dependency->extras, ',')) {
          if (auto done = AddExtra(extra); !done) return done;
        }
        continue;
      }
      dependency->origin = At(item);
      if (use == Use::kInstall) ApplySource(*dependency);
      reading_.Add(*std::move(dependency), use);
    }
    return {};
  }

  base::Result<void> AddExtras() {
    if (extras_ == nullptr) return {};
    for (const auto& [name, list] : extras_->members) {
      if (!reading_.WantsExtra(base::NormalName(name))) continue;
      if (auto done = AddExtra(base::NormalName(name)); !done) return done;
    }
    return {};
  }

  base::Result<void> AddExtra(const std::string& wanted) {
    if (extras_ == nullptr || std::ranges::find(added_extras_, wanted) != added_extras_.end()) return {};
    added_extras_.push_back(wanted);
    for (const auto& [name, list] : extras_->members) {
      if (base::NormalName(name) == wanted) return AddList(&list);
    }
    return {};
  }

  // Setuptools reads them from files that it names.
  base::Result<void> AddDynamic() {
    const Node* dynamic = root_.At("tool.setuptools.dynamic.dependencies.file");
    if (dynamic == nullptr) return {};
    if (dynamic->IsText()) return reading_.Include(dynamic->text, At(*dynamic), false);
    for (const Node& name : dynamic->items) {
      if (!name.IsText()) continue;
      if (auto done = reading_.Include(name.text, At(name), false); !done) return done;
    }
    return {};
  }

  base::Result<void> AddGroups() {
    groups_ = root_.Find("dependency-groups");
    if (groups_ != nullptr) {
      for (const auto& [name, list] : groups_->members) {
        if (!reading_.WantsGroup(base::NormalName(name))) continue;
        if (auto done = AddGroup(list, 0); !done) return done;
      }
    }
    if (reading_.WantsGroup("dev")) return AddList(root_.At("tool.uv.dev-dependencies"));
    return {};
  }

  base::Result<void> AddGroup(const Node& list, size_t depth) {
    if (depth > kDeepestGroup) return WrongAt(At(list), "groups include each other");
    Node texts{.kind = Node::Kind::kList, .line = list.line};
    for (const Node& item : list.items) {
      const std::string included = item.IsTable() ? item.TextOf("include-group") : "";
      const Node* other = included.empty() ? nullptr : groups_->Find(included);
      if (other != nullptr) {
        if (auto done = AddGroup(*other, depth + 1); !done) return done;
      } else if (item.IsText()) {
        texts.items.push_back(item);
      }
    }
    return AddList(&texts);
  }

  // ---- uv

  const Node* IndexNamed(const std::string& name) const {
    const Node* indexes = root_.At("tool.uv.index");
    if (indexes == nullptr || name.empty()) return nullptr;
    for (const Node& index : indexes->items) {
      if (index.TextOf("name") == name) return &index;
    }
    return nullptr;
  }

  bool Applies(const Node& source) const {
    const std::string extra = base::NormalName(source.TextOf("extra"));
    const std::string group = base::NormalName(source.TextOf("group"));
    if (!extra.empty() && !reading_.WantsExtra(extra)) return false;
    if (!group.empty() && !reading_.WantsGroup(group)) return false;
    return base::Holds(source.TextOf("marker"), reading_.facts()) != false;
  }

  void ApplySource(Dependency& dependency) {
    if (sources_ == nullptr) return;
    for (const auto& [name, source] : sources_->members) {
      if (base::NormalName(name) != dependency.name) continue;
      if (source.IsTable() && Applies(source)) return Apply(source, dependency);
      for (const Node& one : source.items) {
        if (one.IsTable() && Applies(one)) return Apply(one, dependency);
      }
    }
  }

  void Apply(const Node& source, Dependency& dependency) {
    const std::string extras = dependency.extras.empty() ? "" : "[" + dependency.extras + "]";
    const std::string marker = dependency.marker.empty() ? "" : " ; " + dependency.marker;
    const auto address = [&](const std::string& to) {
      dependency.kind = report::RequirementKind::kAddress;
      dependency.text = dependency.name + extras + " @ " + to + marker;
    };
    if (const Node* index = IndexNamed(source.TextOf("index"))) {
      const Node* url = index->Find("url");
      if (url != nullptr && url->IsText())
        reading_.AddIndex(IndexKind::kIndex, url->text, At(*url), {dependency.name});
    } else if (const std::string git = source.TextOf("git"); !git.empty()) {
      std::string revision;
      for (const char* key : {"rev", "tag", "branch"}) {
        if (revision.empty()) revision = source.TextOf(key);
      }
      address("git+" + git + (revision.empty() ? "" : "@" + revision));
    } else if (const std::string url = source.TextOf("url"); !url.empty()) {
      address(url);
    } else if (const std::string path = source.TextOf("path"); !path.empty()) {
      dependency.kind = report::RequirementKind::kPath;
      const bool bare = path.find_first_of("/\\") == std::string::npos && !path.starts_with('.');
      dependency.text = (bare ? "./" : "") + path;
    } else if (const Node* workspace = source.Find("workspace"); workspace != nullptr) {
      reading_.Note(dependency.origin, dependency.name + " is a workspace member; install it yourself");
      dependency.marker = "extra == 'culprit-workspace'";  // holds nowhere
    }
  }

  void AddUv() {
    const Node* uv = root_.At("tool.uv");
    if (uv == nullptr) return;
    if (const Node* indexes = uv->Find("index"); indexes != nullptr) {
      for (const Node& index : indexes->items) {
        const Node* only = index.Find("explicit");
        const Node* standard = index.Find("default");
        if (only != nullptr && only->text == "true") continue;
        const bool first = standard != nullptr && standard->text == "true";
        if (const Node* url = index.Find("url"); url != nullptr && url->IsText())
          reading_.AddIndex(first ? IndexKind::kIndex : IndexKind::kExtraIndex, url->text, At(*url));
      }
    }
    if (const Node* url = uv->Find("index-url"); url != nullptr && url->IsText())
      reading_.AddIndex(IndexKind::kIndex, url->text, At(*url));
    for (const auto& [key, kind] : {std::pair("extra-index-url", IndexKind::kExtraIndex),
                                    std::pair("find-links", IndexKind::kFindLinks)}) {
      const Node* list = uv->Find(key);
      if (list == nullptr) continue;
      for (const Node& url : list->items) {
        if (url.IsText()) reading_.AddIndex(kind, url.text, At(url));
      }
    }
    static_cast<void>(AddList(uv->Find("constraint-dependencies"), Use::kBound));
    static_cast<void>(AddList(uv->Find("override-dependencies"), Use::kOverride));
  }

  // ---- what the file has beside what was asked for

  void SayWhatIsLeftOut() {
    const auto names = [](const Node* table, auto wanted) {
      std::string text;
      if (table == nullptr) return text;
      for (const auto& [name, list] : table->members) {
        if (!wanted(base::NormalName(name))) text += (text.empty() ? "" : ", ") + base::Printable(name);
      }
      return text;
    };
    const std::string extras = names(extras_, [&](const std::string& name) {
      return std::ranges::find(added_extras_, name) != added_extras_.end();
    });
    const std::string groups =
        names(groups_, [&](const std::string& name) { return reading_.WantsGroup(name); });
    if (!extras.empty())
      reading_.Note(At(*extras_), "extras not included (--extra NAME adds one): " + extras);
    if (!groups.empty())
      reading_.Note(At(*groups_), "groups not included (--group NAME adds one): " + groups);
  }

  Reading& reading_;
  const Node& root_;
  const std::string& file_;
  const Node* sources_;
  const Node* extras_ = nullptr;
  const Node* groups_ = nullptr;
  std::string own_name_;
  std::vector<std::string> added_extras_;
};

}  // namespace

base::Result<void> ReadPyproject(Reading& reading, const Node& root, const std::string& file) {
  const size_t before = reading.project().dependencies.size();
  auto done = Pyproject(reading, root, file).Run();
  if (done && reading.project().dependencies.size() == before)
    reading.project().notes.push_back(base::Printable(file) +
                                      ": it has no dependencies for this platform and Python");
  return done;
}

}  // namespace culprit::plan
