// [tool.poetry] of pyproject.toml: its own signs (^2.1, ~2.1, *) become those of PEP 440.
#include <algorithm>
#include <optional>

#include "base/python/package_name.h"
#include "base/text.h"
#include "base/version.h"
#include "plan/project/reading.h"

namespace culprit::plan {
namespace {

// The first version that is too new: ^2.1 -> 3, ^0.2.3 -> 0.3, ~2.1.4 -> 2.2.
base::Version Above(const base::Version& version, bool caret) {
  size_t kept = 0;
  if (caret) {
    while (kept + 1 < version.parts.size() && version.parts[kept] == 0) ++kept;
  } else if (version.parts.size() > 1) {
    kept = 1;
  }
  base::Version above = version;
  above.parts.resize(kept + 1);
  ++above.parts.back();
  return above;
}

std::optional<std::string> FromPoetry(std::string_view text) {
  std::string specifiers;
  if (base::Contains(text, "|")) return std::nullopt;
  for (const std::string& part : base::Split(text, ',')) {
    const std::string_view one = base::Trim(part);
    std::string own(one);
    if (one.empty() || one == "*") continue;
    if (one.front() == '^' || (one.front() == '~' && !one.starts_with("~="))) {
      const auto version = base::Version::Parse(base::Trim(one.substr(1)));
      if (!version) return std::nullopt;
      own = ">=" + version->ToString() + ",<" + Above(*version, one.front() == '^').ToString();
    } else if (std::string_view("=<>~!").find(one.front()) == std::string_view::npos) {
      own = "==" + own;
    } else {
      std::erase(own, ' ');
    }
    specifiers += (specifiers.empty() ? "" : ",") + own;
  }
  return specifiers;
}

class Poetry {
 public:
  Poetry(Reading& reading, const Node& poetry, const std::string& file)
      : reading_(reading), poetry_(poetry), file_(file) {}

  void Run() {
    AddTable(poetry_.Find("dependencies"));
    if (reading_.WantsGroup("dev")) AddTable(poetry_.Find("dev-dependencies"));
    const Node* groups = poetry_.Find("group");
    std::string left;
    for (size_t i = 0; groups != nullptr && i < groups->members.size(); ++i) {
      const auto& [name, group] = groups->members[i];
      if (reading_.WantsGroup(base::NormalName(name))) {
        AddTable(group.Find("dependencies"));
      } else {
        left += (left.empty() ? "" : ", ") + base::Printable(name);
      }
    }
    if (!left.empty())
      reading_.Note({file_, groups->line}, "groups not included (--group NAME adds one): " + left);
    if (const Node* sources = poetry_.Find("source"); sources != nullptr) {
      for (const Node& source : sources->items) {
        if (const Node* url = source.Find("url"); url != nullptr && source.TextOf("priority") != "explicit")
          reading_.AddIndex(IndexKind::kExtraIndex, url->text, {file_, url->line});
      }
    }
  }

 private:
  void AddTable(const Node* table) {
    if (table == nullptr) return;
    for (const auto& [name, value] : table->members) {
      for (const Node& one : value.items) AddOne(base::NormalName(name), one);
      if (!value.IsList()) AddOne(base::NormalName(name), value);
    }
  }

  // Whether an optional one is in an extra that was asked for.
  bool IsAskedFor(const std::string& name) const {
    const Node* extras = poetry_.Find("extras");
    if (extras == nullptr) return false;
    return std::ranges::any_of(extras->members, [&](const auto& extra) {
      return reading_.WantsExtra(base::NormalName(extra.first)) &&
             std::ranges::any_of(extra.second.items,
                                 [&](const Node& item) { return base::NormalName(item.text) == name; });
    });
  }

  void AddOne(const std::string& name, const Node& value) {
    const report::Origin origin{file_, value.line};
    const std::string version = value.IsText() ? value.text : value.TextOf("version");
    const auto specifiers = FromPoetry(version);
    if (!specifiers) {
      reading_.Note(origin, base::Printable(name) + ": version '" + base::Printable(version) +
                                "' is not taken into account");
    }
    if (name == "python") {
      if (specifiers && !specifiers->empty())
        reading_.project().pythons.push_back({*specifiers, "Python " + version, origin});
      return;
    }
    if (const Node* optional = value.Find("optional"); optional != nullptr && optional->text == "true") {
      if (!IsAskedFor(name)) return;
    }
    std::string extras;
    if (const Node* list = value.Find("extras"); list != nullptr) {
      for (const Node& extra : list->items) extras += (extras.empty() ? "" : ",") + extra.text;
    }
    const std::string whole = name + (extras.empty() ? "" : "[" + extras + "]");
    std::string marker = value.TextOf("markers");
    if (const auto python = FromPoetry(value.TextOf("python")); python && !python->empty()) {
      for (const std::string& one : base::Split(*python, ',')) {
        const size_t sign = std::min(one.find_first_not_of("=<>~!"), one.size());
        marker += (marker.empty() ? "" : " and ") + ("python_version " + one.substr(0, sign) + " '") +
                  one.substr(sign) + "'";
      }
    }
    const std::string end = marker.empty() ? "" : " ; " + marker;
    std::string text = whole + specifiers.value_or("") + end;
    if (const std::string git = value.TextOf("git"); !git.empty()) {
      std::string revision;
      for (const char* key : {"rev", "tag", "branch"}) {
        if (revision.empty()) revision = value.TextOf(key);
      }
      text = whole + " @ git+" + git + (revision.empty() ? "" : "@" + revision) + end;
    } else if (const std::string url = value.TextOf("url"); !url.empty()) {
      text = whole + " @ " + url + end;
    } else if (const std::string path = value.TextOf("path"); !path.empty()) {
      text = (path.starts_with('.') || path.starts_with('/') ? "" : "./") + path;
    }
    AddSource(name, value.TextOf("source"));
    if (const auto done = reading_.AddText(text, origin); !done)
      reading_.Note(origin, base::Printable(name) + " could not be read");
  }

  void AddSource(const std::string& package, const std::string& wanted) {
    const Node* sources = poetry_.Find("source");
    if (wanted.empty() || sources == nullptr) return;
    for (const Node& source : sources->items) {
      const Node* url = source.Find("url");
      if (source.TextOf("name") == wanted && url != nullptr)
        reading_.AddIndex(IndexKind::kIndex, url->text, {file_, url->line}, {package});
    }
  }

  Reading& reading_;
  const Node& poetry_;
  const std::string& file_;
};

}  // namespace

void ReadPoetry(Reading& reading, const Node& poetry, const std::string& file) {
  Poetry(reading, poetry, file).Run();
}

}  // namespace culprit::plan
