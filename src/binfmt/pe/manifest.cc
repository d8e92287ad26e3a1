// Which side-by-side assemblies a manifest requires. Not an XML parser: it finds tags by their local names in
// any namespace, skips comments, and returns nothing for text that is not XML.
#include <algorithm>

#include "binfmt/pe/tables.h"

namespace culprit::binfmt {
namespace {

constexpr std::string_view kSpace = " \t\r\n";

// Finds the '>' that ends the tag, ignoring those in quotes.
size_t TagEnd(std::string_view text, size_t at) {
  char quote = 0;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (quote != 0) {
      if (c == quote) quote = 0;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '>') {
      return at;
    }
  }
  return text.size();
}

// "<asmv1:assemblyIdentity name=..." -> "assemblyIdentity"; "/assemblyIdentity" for a closing tag.
std::string LocalName(std::string_view tag) {
  const bool closing = tag.starts_with('/');
  std::string_view name = tag.substr(closing ? 1 : 0);
  name = name.substr(0, name.find_first_of(" \t\r\n/"));
  if (const size_t colon = name.find(':'); colon != name.npos) name.remove_prefix(colon + 1);
  return (closing ? "/" : "") + std::string(name);
}

// Value of the attribute `name`; "" if it is not there.
std::string_view Attribute(std::string_view tag, std::string_view name) {
  size_t at = tag.find_first_of(kSpace);
  while (at < tag.size()) {
    at = tag.find_first_not_of(kSpace, at);
    const size_t equals = tag.find('=', std::min(at, tag.size()));
    if (equals == tag.npos) return {};
    const size_t open = tag.find_first_of("\"'", equals);
    if (open == tag.npos) return {};
    const size_t close = tag.find(tag[open], open + 1);
    if (close == tag.npos) return {};
    std::string_view key = tag.substr(at, equals - at);
    key = key.substr(0, key.find_first_of(kSpace));
    if (key == name) return tag.substr(open + 1, close - open - 1);
    at = close + 1;
  }
  return {};
}

}  // namespace

std::vector<std::string> ManifestDependencies(std::string_view manifest) {
  std::vector<std::string> names;
  bool inside = false;
  size_t at = 0;
  while ((at = manifest.find('<', at)) != manifest.npos) {
    if (manifest.substr(at).starts_with("<!--")) {
      at = manifest.find("-->", at);
      if (at == manifest.npos) break;
      continue;
    }
    const size_t end = TagEnd(manifest, at);
    const std::string_view tag = manifest.substr(at + 1, end - at - 1);
    const std::string name = LocalName(tag);
    if (name == "dependentAssembly") {
      inside = true;
    } else if (name == "/dependentAssembly") {
      inside = false;
    } else if (inside && name == "assemblyIdentity") {
      const std::string assembly(Attribute(tag, "name"));
      if (!assembly.empty() && std::ranges::find(names, assembly) == names.end()) names.push_back(assembly);
    }
    at = end;
  }
  return names;
}

}  // namespace culprit::binfmt
