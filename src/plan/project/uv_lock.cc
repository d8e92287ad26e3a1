// uv.lock: what the project needs on this machine, in the locked versions. The file has packages for every
// machine; the relevant ones are reached from the project through markers that hold here.
#include <algorithm>
#include <map>
#include <set>

#include "base/python/package_name.h"
#include "base/text.h"
#include "plan/project/reading.h"

namespace culprit::plan {
namespace {

class UvLock {
 public:
  UvLock(Reading& reading, const Node& root, const std::string& file)
      : reading_(reading), root_(root), file_(file) {}

  base::Result<void> Run() {
    const Node* packages = root_.Find("package");
    if (packages == nullptr || !packages->IsList())
      return base::Fail(base::ErrorCode::kBadFormat, base::Printable(file_) + ": it has no [[package]]");
    AddOverrides();
    for (const Node& package : packages->items) by_name_[package.TextOf("name")].push_back(&package);
    if (const Node* python = root_.Find("requires-python"); python != nullptr && python->IsText())
      reading_.project().pythons.push_back(
          {python->text, "requires-python " + python->text, {file_, python->line}});
    for (const Node& package : packages->items) {
      if (IsProject(package)) Follow(package, "");
    }
    std::vector<const Node*> found;
    for (const auto& [package, extra] : reached_) {
      if (extra.empty() && !IsProject(*package)) found.push_back(package);
    }
    std::ranges::sort(found, {}, &Node::line);
    for (const Node* package : found) Emit(*package);
    if (reached_.empty())
      return base::Fail(base::ErrorCode::kBadFormat,
                        base::Printable(file_) + ": it contains no project of its own");
    return {};
  }

 private:
  static bool IsProject(const Node& package) {
    const Node* source = package.Find("source");
    return source != nullptr && (source->Find("virtual") != nullptr || source->TextOf("editable") == ".");
  }

  void AddOverrides() {
    const Node* overrides = root_.At("manifest.overrides");
    if (overrides == nullptr) return;
    for (const Node& one : overrides->items) {
      const std::string marker = one.TextOf("marker");
      const std::string text =
          one.TextOf("name") + one.TextOf("specifier") + (marker.empty() ? "" : "; " + marker);
      static_cast<void>(reading_.AddText(text, {file_, one.line}, Use::kOverride));
    }
  }

  void Follow(const Node& package, const std::string& extra) {
    std::vector<std::pair<const Node*, std::string>> open = {{&package, extra}};
    while (!open.empty()) {
      const auto [from, with] = open.back();
      open.pop_back();
      if (!reached_.emplace(from, with).second) continue;
      const auto follow = [&](const Node* list) {
        if (list == nullptr) return;
        for (const Node& dependency : list->items) {
          const Node* to = Target(dependency);
          if (to == nullptr) continue;
          open.emplace_back(to, "");
          const Node* extras = dependency.Find("extra");
          if (extras == nullptr) continue;
          for (const Node& one : extras->items) open.emplace_back(to, one.text);
        }
      };
      if (!with.empty()) {
        const Node* optional = from->Find("optional-dependencies");
        if (optional != nullptr) follow(optional->Find(with));
        continue;
      }
      follow(from->Find("dependencies"));
      if (IsProject(*from)) FollowWanted(*from, follow);
    }
  }

  // Extras and groups of the project itself.
  template <typename Function>
  void FollowWanted(const Node& project, Function follow) {
    const auto each = [&](const Node* table, bool extras) {
      if (table == nullptr) return;
      for (const auto& [name, list] : table->members) {
        const std::string normal = base::NormalName(name);
        if (extras ? reading_.WantsExtra(normal) : reading_.WantsGroup(normal)) follow(&list);
      }
    };
    each(project.Find("optional-dependencies"), true);
    each(project.Find("dev-dependencies"), false);
  }

  // The package that a dependency means; nullptr if its marker does not hold, or there is none.
  const Node* Target(const Node& dependency) {
    const std::string marker = dependency.TextOf("marker");
    if (marker.find("python") != std::string::npos) reading_.project().asks_python = true;
    if (base::Holds(marker, reading_.facts()) == false) return nullptr;
    const auto found = by_name_.find(dependency.TextOf("name"));
    if (found == by_name_.end()) return nullptr;
    const std::string version = dependency.TextOf("version");
    for (const Node* package : found->second) {
      if ((version.empty() || package->TextOf("version") == version) && HoldsHere(*package)) return package;
    }
    return nullptr;
  }

  // A package that is locked more than once says where each version applies.
  bool HoldsHere(const Node& package) const {
    const Node* markers = package.Find("resolution-markers");
    if (markers == nullptr || markers->items.empty()) return true;
    return std::ranges::any_of(markers->items, [&](const Node& marker) {
      return base::Holds(marker.text, reading_.facts()) != false;
    });
  }

  void Emit(const Node& package) {
    const report::Origin origin{file_, package.line};
    const std::string name = package.TextOf("name"), version = package.TextOf("version");
    std::string text = name + "==" + version;
    const Node* source = package.Find("source");
    const auto from = [&](const char* key) { return source == nullptr ? "" : source->TextOf(key); };
    if (const std::string git = from("git"); !git.empty()) {
      // "https://host/x?rev=main#0123": the commit is what is locked.
      const size_t commit = git.find('#');
      text = name + " @ git+" + git.substr(0, git.find_first_of("?#")) +
             (commit == std::string::npos ? "" : "@" + git.substr(commit + 1));
    } else if (const std::string url = from("url"); !url.empty()) {
      text = name + " @ " + url;
    } else if (const std::string path = from("path") + from("directory") + from("editable"); !path.empty()) {
      text = (path.starts_with('.') || path.starts_with('/') ? "" : "./") + path;
    } else if (const std::string index = from("registry"); !index.empty()) {
      reading_.AddIndex(IndexKind::kIndex, index, origin, {name});
    }
    auto dependency = ParseDependency(text);
    if (!dependency) return reading_.Note(origin, "a package that culprit cannot read");
    dependency->origin = origin;
    dependency->locked = true;
    reading_.Add(*std::move(dependency));
  }

  Reading& reading_;
  const Node& root_;
  const std::string& file_;
  std::map<std::string, std::vector<const Node*>> by_name_;
  std::set<std::pair<const Node*, std::string>> reached_;
};

}  // namespace

base::Result<void> ReadUvLock(Reading& reading, const Node& root, const std::string& file) {
  return UvLock(reading, root, file).Run();
}

}  // namespace culprit::plan
