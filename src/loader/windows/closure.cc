// Everything that a DLL needs: first the files, then the functions (docs/windows-loader.md).
#include <algorithm>

#include "base/text.h"
#include "base/windows/path.h"
#include "loader/windows/state.h"

namespace culprit::loader {
namespace {

// ntdll follows at most this many forwarders in a row.
constexpr int kForwarderLimit = 32;
// Enough to show how two versions differ; a hostile file can import millions.
constexpr size_t kToldExports = 256;

// "OTHER.Function" -> {"OTHER", "Function"}; split at the last dot.
struct Forward {
  std::string dll;
  std::string function;
};
Forward ParseForwarder(const std::string& target) {
  const size_t point = target.rfind('.');
  if (point == std::string::npos) return {};
  return {target.substr(0, point), target.substr(point + 1)};
}

}  // namespace

void WindowsProcess::State::Fail(Session& session, WindowsFailure failure) {
  if (!session.failure) session.failure = std::move(failure);
}

void WindowsProcess::State::Assume(std::string line) {
  if (assumed_.insert(line).second) graph.assumptions.push_back(std::move(line));
}

void WindowsProcess::State::Complete(Session& session) {
  while (session.checked < graph.objects.size()) {
    while (session.mapped < graph.objects.size()) MapImports(session.mapped++, session);
    CheckImports(session.checked++, session);
  }
}

// Records the request and returns the object that satisfies it; kNone if there is none.
size_t WindowsProcess::State::RequestDependency(const std::string& name, size_t requester, Session& session) {
  Request request{.name = name, .requester = requester, .opened_by = OpenedBy::kNeeded};
  WindowsFailure failure;
  if (!Find(ParseDllName(name, search.working_directory), session.places, request, failure)) {
    failure.importer = graph.objects[requester].path;
    request.code = failure.code;
    request.error = LoadLibraryWords(failure);
    Fail(session, std::move(failure));
  }
  const size_t object = request.object;
  graph.requests.push_back(std::move(request));
  return object;
}

void WindowsProcess::State::MapImports(size_t object, Session& session) {
  if (modules_[object].own || modules_[object].without_imports) return;
  const auto pe = graph.objects[object].pe;
  for (const binfmt::PeImport& import : pe->imports) {
    // A DLL from which no function is imported is not loaded.
    const bool wanted = !import.names.empty() || !import.ordinals.empty();
    const size_t supplier = wanted ? RequestDependency(import.dll, object, session) : kNone;
    modules_[object].suppliers.push_back(supplier);
  }
}

void WindowsProcess::State::CheckImports(size_t object, Session& session) {
  if (modules_[object].own || modules_[object].without_imports) return;
  const auto pe = graph.objects[object].pe;
  for (size_t i = 0; i < pe->imports.size(); ++i) {
    const size_t supplier = modules_[object].suppliers[i];
    if (supplier == kNone) continue;
    for (const std::string& name : pe->imports[i].names) CheckFunction(object, supplier, {name}, session);
    for (const uint16_t ordinal : pe->imports[i].ordinals) {
      CheckFunction(object, supplier, {"", ordinal}, session);
    }
  }
}

// Does the function exist, and the one that it is forwarded to, and so on?
void WindowsProcess::State::CheckFunction(size_t importer, size_t supplier, Function function,
                                          Session& session) {
  for (int depth = 0; depth <= kForwarderLimit; ++depth) {
    if (modules_[supplier].own) return;
    const std::string path = graph.objects[supplier].path;
    const binfmt::PeExports* exports = view_.Exports(path);
    if (exports == nullptr) {
      Assume("the functions of " + base::ToWindowsPath(path) + " are not known and assumed to be complete");
      return;
    }
    const std::string label = function.name.empty() ? "#" + std::to_string(function.ordinal) : function.name;
    const bool has = function.name.empty() ? exports->Has(function.ordinal) : exports->Has(function.name);
    if (!has) {
      if (exports->cut) return;
      const std::string from = graph.objects[importer].path;
      if (graph.missing_exports.size() < kToldExports) graph.missing_exports.push_back({from, path, label});
      Fail(session, {.code = function.name.empty() ? kErrorInvalidOrdinal : kErrorProcedureNotFound,
                     .file = path,
                     .importer = from,
                     .function = label});
      return;
    }
    const binfmt::PeExports::Forwarder* forwarder = exports->FindForwarder(label);
    if (forwarder == nullptr) return;
    const Forward forward = ParseForwarder(forwarder->target);
    if (forward.dll.empty() || forward.function.empty()) break;
    importer = supplier;
    supplier = RequestDependency(forward.dll, importer, session);
    if (supplier == kNone) return;
    const bool by_number = forward.function.starts_with('#');
    function = {by_number ? "" : forward.function, 0};
    if (by_number) {
      function.ordinal = static_cast<uint16_t>(std::strtoul(forward.function.c_str() + 1, nullptr, 10));
    }
  }
  Fail(session, {.code = kErrorBadExeFormat,
                 .file = graph.objects[supplier].path,
                 .importer = graph.objects[importer].path,
                 .function = ""});
}

void WindowsProcess::State::Unload(size_t first_object, size_t first_request, size_t caller) {
  loader::Unload(graph, first_object, first_request, caller);
  modules_.resize(first_object);
  delayed_ = std::min(delayed_, first_object);
}

void WindowsProcess::State::Start() {
  if (dead_) return;
  Session session{.places = *search.Places({}, 0), .failure = {}};
  // The assumed program has no directory, and no imports to find.
  Complete(session);
  if (!session.failure) return;
  graph.error = StartWords(*session.failure);
  dead_ = !goes_on_;
  if (goes_on_) Unload(1, 0, 0);
}

bool WindowsProcess::State::LoadLibrary(const std::string& name, size_t caller, uint32_t flags,
                                        OpenedBy opened_by) {
  if (dead_) return false;
  constexpr uint32_t kDontResolveReferences = 1;
  const size_t first_object = graph.objects.size();
  const size_t first_request = graph.requests.size();
  const bool optional = opened_by == OpenedBy::kDelayed;
  Request request{.name = name, .requester = caller, .opened_by = opened_by, .optional = optional};
  graph.requests.push_back(request);
  const DllName parsed = ParseDllName(name, search.working_directory);
  const auto places = search.Places(parsed, flags);
  Session session{.places = places.value_or(std::vector<SearchPlace>{}),
                  .mapped = first_object,
                  .checked = first_object,
                  .failure = {}};
  WindowsFailure failure;
  if (!places) {
    Fail(session, {.code = kErrorInvalidParameter, .file = parsed.text, .importer = "", .function = ""});
  } else if (!Find(parsed, session.places, request, failure)) {
    if (optional) failure.importer = graph.objects[caller].path;
    Fail(session, std::move(failure));
  } else if (request.loaded_now) {
    if ((flags & kDontResolveReferences) != 0) modules_.back().without_imports = true;
    Complete(session);
  }
  const bool loaded = !session.failure;
  if (!loaded) {
    request.error = LoadLibraryWords(*session.failure);
    request.code = session.failure->code;
    request.object = kNone;
    request.loaded_now = false;
    Unload(first_object, first_request, caller);
  }
  for (size_t i = first_request; i < graph.requests.size(); ++i) {
    if (!graph.requests[i].error.empty()) graph.requests[i].optional |= optional;
  }
  graph.requests[first_request] = std::move(request);
  return loaded;
}

void WindowsProcess::State::FollowDelayImports() {
  for (; delayed_ < graph.objects.size() && !dead_; ++delayed_) {
    if (modules_[delayed_].own || graph.objects[delayed_].pe == nullptr) continue;
    const auto pe = graph.objects[delayed_].pe;
    for (const binfmt::PeImport& import : pe->delay_imports) {
      LoadLibrary(import.dll, delayed_, 0, OpenedBy::kDelayed);
    }
  }
}

}  // namespace culprit::loader
