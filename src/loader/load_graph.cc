#include "loader/load_graph.h"

#include "base/text.h"
#include "knowledge/libraries.h"

namespace culprit::loader {

std::string_view Name(Via via) {
  switch (via) {
    case Via::kLoadedBefore:
      return "loaded-before";
    case Via::kRpath:
      return "rpath";
    case Via::kLdLibraryPath:
      return "ld_library_path";
    case Via::kRunpath:
      return "runpath";
    case Via::kCache:
      return "cache";
    case Via::kDefault:
      return "default";
    case Via::kLdPreload:
      return "ld_preload";
    case Via::kPath:
    case Via::kEnvironmentPath:
      return "path";
    case Via::kExeDir:
      return "exe-dir";
    case Via::kSystemDir:
      return "system-dir";
    case Via::kAddDllDirectory:
      return "add_dll_directory";
    case Via::kKnownDll:
      return "known-dll";
    case Via::kDllDir:
      return "dll-dir";
    case Via::kCurrentDirectory:
      return "current-dir";
    case Via::kApiSet:
      return "api-set";
    case Via::kUnknown:
      break;
  }
  return "unknown";
}

Via ViaFromName(std::string_view name) {
  for (int i = 0; i < static_cast<int>(Via::kUnknown); ++i) {
    if (Name(static_cast<Via>(i)) == name) return static_cast<Via>(i);
  }
  return Via::kUnknown;
}

std::optional<Outcome> OutcomeFromName(std::string_view name) {
  for (int i = 0; i <= static_cast<int>(Outcome::kIoError); ++i) {
    if (Name(static_cast<Outcome>(i)) == name) return static_cast<Outcome>(i);
  }
  return std::nullopt;
}

std::string_view Name(Outcome outcome) {
  switch (outcome) {
    case Outcome::kFound:
      return "found";
    case Outcome::kMissing:
      return "missing";
    case Outcome::kDanglingLink:
      return "dangling link";
    case Outcome::kNotReadable:
      return "not readable";
    case Outcome::kLinkLoop:
      return "link loop";
    case Outcome::kNotADirectory:
      return "not a directory";
    case Outcome::kNameTooLong:
      return "name too long";
    case Outcome::kWrongClass:
      return "wrong class";
    case Outcome::kWrongMachine:
      return "wrong machine";
    case Outcome::kEmptyFile:
      return "empty file";
    case Outcome::kTooShort:
      return "too short";
    case Outcome::kNotElf:
      return "not an ELF file";
    case Outcome::kNotPe:
      return "not a PE file";
    case Outcome::kIsDirectory:
      return "is a directory";
    case Outcome::kBadHeader:
      return "bad ELF header";
    case Outcome::kTruncated:
      return "truncated";
    case Outcome::kUnusable:
      return "unusable";
    case Outcome::kRefused:
      return "refused";
    case Outcome::kNotRecorded:
      return "not recorded";
    case Outcome::kIoError:
      return "read error";
  }
  return "unknown";
}

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

const knowledge::Library* LibraryOf(const Object& object) {
  if (object.elf != nullptr && object.elf->soname) {
    if (const auto* library = knowledge::FindLibrary(*object.elf->soname)) return library;
  }
  if (const auto* library = knowledge::FindLibrary(base::BaseName(object.path))) return library;
  // A DLL that somebody renamed still says what it is.
  if (object.pe != nullptr && object.pe->export_name) return knowledge::FindLibrary(*object.pe->export_name);
  return nullptr;
}

}  // namespace culprit::loader
