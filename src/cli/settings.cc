#include "cli/settings.h"

#include <algorithm>

#include "base/text.h"
#include "cli/hosts/hosts_file.h"
#include "cli/options.h"
#include "engine/check.h"
#include "system/system.h"
#include "tree/tree.h"

namespace culprit::cli {
namespace {

using tree::Node;

constexpr std::string_view kSettingsFile = ".culprit.toml";

// A code in any case, as findings have it: "CUL3014" for "cul3014"; "" if it is none.
std::string CodeOf(std::string word) {
  for (char& c : word) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return policy::IsSiteCode(word) ? word : engine::PageOf(word).code;
}

// "CUL3014", "CUL3014 we pin it in the image", or {code = "CUL3014", reason = "..."}.
base::Result<report::Ignored> ReadIgnored(const Node& node, const std::string& place) {
  report::Ignored ignored{.code = node.TextOf("code"), .reason = node.TextOf("reason"), .source = place};
  if (node.IsText()) {
    const size_t space = std::min(node.text.find_first_of(" :"), node.text.size());
    ignored.code = node.text.substr(0, space);
    ignored.reason = base::Trim(std::string_view(node.text).substr(std::min(space + 1, node.text.size())));
  }
  const std::string code = CodeOf(ignored.code);
  if (code.empty())
    return MistakeAt(place, "'" + ignored.code + "' is not a code; `culprit rules` lists the codes");
  ignored.code = code;
  return ignored;
}

class SettingsReader {
 public:
  // `file`: as messages call it; `directory`: where it lies.
  SettingsReader(std::string file, std::string directory, Settings& settings)
      : file_(std::move(file)), directory_(std::move(directory)), settings_(settings) {}

  base::Result<void> Read(const Node& root) {
    for (const auto& [key, node] : root.members) {
      auto read =
          IsHostsKey(key)   ? AddHosts(file_, node, settings_.hosts)
          : key == "ignore" ? ReadIgnores(node)
          : key == "strict" ? ReadStrict(node)
          : key == "policy"
              ? ReadPolicyName(node)
              : MistakeAt(LineOf(file_, node),
                          "'" + key + "' is not a setting; use hosts, host, ignore, policy and strict");
      if (!read) return read;
    }
    return {};
  }

 private:
  base::Result<void> ReadIgnores(const Node& node) {
    if (!node.IsList())
      return MistakeAt(LineOf(file_, node),
                       "ignore must be a list: [{code = \"CUL3014\", reason = \"...\"}]");
    for (const Node& item : node.items) {
      auto ignored = ReadIgnored(item, LineOf(file_, item));
      if (!ignored) return std::unexpected(ignored.error());
      settings_.ignored.push_back(*std::move(ignored));
    }
    return {};
  }

  base::Result<void> ReadStrict(const Node& node) {
    if (node.kind != Node::Kind::kFlag) return MistakeAt(LineOf(file_, node), "strict must be true or false");
    settings_.strict = node.text == "true";
    return {};
  }

  base::Result<void> ReadPolicyName(const Node& node) {
    if (!node.IsText() || node.text.empty())
      return MistakeAt(LineOf(file_, node), "policy must be a file name");
    settings_.policy = {base::JoinPath(directory_, node.text), base::Printable(node.text)};
    return {};
  }

  const std::string file_, directory_;
  Settings& settings_;
};

// "" if there is none. Anything else with that name is an error, because the user expects that it is read.
base::Result<std::string> NearestFile(const system::System& machine) {
  for (std::string directory = machine.WorkingDirectory(); !directory.empty();
       directory = std::string(base::DirName(directory))) {
    std::string path = base::JoinPath(directory, kSettingsFile);
    const auto status = machine.Stat(path);
    if (status && status->type == system::FileType::kRegular) return path;
    if (machine.LinkStat(path))
      return base::Fail(base::ErrorCode::kNotReadable,
                        base::Printable(path) +
                            (status ? ": not a regular file" : ": a symlink to a file that cannot be read") +
                            "; to ignore it, pass --settings none");
    if (base::DirName(directory) == directory) break;
  }
  return "";
}

}  // namespace

base::Result<Settings> ReadSettings(const std::string& named) {
  Settings settings;
  if (named == "none") return settings;
  const auto machine = system::RealSystem();
  const auto found = named.empty() ? NearestFile(*machine) : PathOnMachine(*machine, named);
  if (!found) return std::unexpected(found.error());
  const std::string& path = *found;
  if (path.empty()) return settings;
  const std::string shown = named.empty() ? std::string(kSettingsFile) : base::Printable(named);
  const auto root = ReadTomlFile(path, shown);
  if (!root) return std::unexpected(root.error());
  SettingsReader reader(shown, std::string(base::DirName(path)), settings);
  if (auto read = reader.Read(*root); !read) return std::unexpected(read.error());
  return settings;
}

base::Result<report::Ignored> IgnoredByOption(const std::string& code) {
  return ReadIgnored({.kind = Node::Kind::kText, .text = code}, "--ignore");
}

}  // namespace culprit::cli
