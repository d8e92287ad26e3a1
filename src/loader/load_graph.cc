#include "loader/load_graph.h"

#include "base/text.h"
#include "knowledge/libraries.h"

namespace culprit::loader {

void Unload(LoadGraph& graph, size_t first_object, size_t first_request, size_t caller) {
  for (size_t i = first_request; i < graph.requests.size(); ++i) {
    Request& request = graph.requests[i];
    if (request.object != kNone && request.object >= first_object) request.object = kNone;
    if (request.requester != kNone && request.requester >= first_object) {
      request.requester_path = graph.objects[request.requester].path;
      request.requester = caller;
    }
  }
  graph.objects.resize(first_object);
}

std::string MissingVersion::Text() const {
  return "version `" + version + "' not found (required by " + asker + ")";
}

std::optional<MissingVersion> ReadMissingVersion(std::string_view printed) {
  constexpr std::string_view kVersion = ": version `", kRequiredBy = "' not found (required by ";
  const size_t version = printed.find(kVersion), not_found = printed.find(kRequiredBy);
  if (version == printed.npos || not_found == printed.npos || not_found < version) return std::nullopt;
  const size_t begin = version + kVersion.size();
  std::string_view asker = printed.substr(not_found + kRequiredBy.size());
  if (asker.ends_with(')')) asker.remove_suffix(1);
  return MissingVersion{.file = std::string(printed.substr(0, version)),
                        .version = std::string(printed.substr(begin, not_found - begin)),
                        .asker = std::string(asker)};
}

const knowledge::Library* LibraryOf(const Object& object) {
  const std::string_view name = base::BaseName(object.path);
  if (object.elf != nullptr && object.elf->soname && *object.elf->soname != name) {
    if (const auto* library = knowledge::FindLibrary(*object.elf->soname)) return library;
  }
  if (const auto* library = knowledge::FindLibrary(name)) return library;
  // A renamed DLL still has its original name inside.
  if (object.pe != nullptr && object.pe->export_name) return knowledge::FindLibrary(*object.pe->export_name);
  return nullptr;
}

}  // namespace culprit::loader
