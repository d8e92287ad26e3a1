#include "loader/musl/musl.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/text.h"
#include "binfmt/elf/constants.h"

namespace culprit::loader {
namespace {

using base::PathError;

// Names that always mean musl itself, whatever follows the dot.
bool IsLibc(std::string_view name) {
  static constexpr std::array<std::string_view, 7> kParts = {"libc.",  "libpthread.", "librt.",  "libm.",
                                                             "libdl.", "libutil.",    "libxnet."};
  return std::ranges::any_of(kParts, [&](std::string_view part) { return name.starts_with(part); });
}

Outcome OutcomeOf(const snapshot::FileFacts& facts) {
  switch (facts.error) {
    case PathError::kNone:
      return Outcome::kFound;
    case PathError::kNoEntry:
      return facts.dangling ? Outcome::kDanglingLink : Outcome::kMissing;
    case PathError::kNotDirectory:
      return Outcome::kNotADirectory;
    case PathError::kAccess:
      return Outcome::kNotReadable;
    case PathError::kLoop:
      return Outcome::kLinkLoop;
    case PathError::kNameTooLong:
      return Outcome::kNameTooLong;
    case PathError::kNotRecorded:
      return Outcome::kNotRecorded;
    case PathError::kOther:
      break;
  }
  return Outcome::kIoError;
}

// musl's own strerror() texts.
std::string_view Words(PathError error) {
  switch (error) {
    case PathError::kLoop:
      return "Symbolic link loop";
    case PathError::kNameTooLong:
      return "Filename too long";
    case PathError::kOther:
      return "I/O error";
    default:
      return base::Strerror(error);
  }
}

constexpr size_t kPathBuffer = 2 * 255 + 2;  // longer candidates are skipped silently

}  // namespace

MuslProcess::MuslProcess(const snapshot::Snapshot& snapshot, snapshot::FileView& view,
                         const Question& question, const snapshot::LoaderFacts& facts)
    : snapshot_(snapshot), view_(view), question_(question), facts_(facts) {
  graph_.target = question.target;
  graph_.interpreter = facts.path;
  graph_.assumptions = facts.assumptions;
  Dso& program = list_.emplace_back();
  program.elf = std::make_shared<binfmt::ElfFile>();
  program.object = 0;
  program.path = question.target;
  if (!question.target.empty()) {
    const snapshot::FileFacts& file = view.Open(question.target);
    if (file.elf != nullptr) program.elf = file.elf;
    secure_ = file.set_user_id && program.elf->interpreter;
  }
  graph_.objects.push_back({.name = question.target,
                            .path = question.target,
                            .real_path = view.RealPath(question.target),
                            .via = Via::kPath,
                            .elf = program.elf});
  if (!secure_) library_path_ = base::ValueOf(snapshot.environment, "LD_LIBRARY_PATH");
  for (const std::string& directory : facts.system_dirs) {
    if (!system_path_.empty()) system_path_ += ':';
    system_path_ += directory;
  }
  if (facts.path_file) system_path_ = *facts.path_file;
}

std::string MuslProcess::Absolute(const std::string& path) const {
  return base::JoinPath(snapshot_.working_directory, path);
}

std::string MuslProcess::DisplayName(const Dso& dso) const {
  if (&dso != &list_.front() || question_.target_as_given.empty()) return dso.path;
  return question_.target_as_given;
}

// "" if there is none, or if it contains a token other than $ORIGIN.
std::string MuslProcess::RunPath(const Dso& dso) const {
  const auto& text = dso.elf->runpath ? dso.elf->runpath : dso.elf->rpath;
  if (!text) return "";
  const bool executed = &dso == &list_.front() && dso.elf->interpreter;
  const std::string path = executed ? view_.RealPath(dso.path) : dso.path;
  const std::string origin = path.find('/') == std::string::npos ? "." : path.substr(0, path.rfind('/'));
  const bool trusted = !secure_ || (!executed && origin.starts_with('/'));
  std::string expanded;
  for (size_t i = 0; i < text->size();) {
    const std::string_view rest = std::string_view(*text).substr(i);
    if (rest.front() != '$') {
      expanded += rest.front();
      ++i;
      continue;
    }
    const size_t length = rest.starts_with("$ORIGIN") ? 7 : rest.starts_with("${ORIGIN}") ? 9 : 0;
    if (length == 0 || !trusted) return "";
    expanded += origin;
    i += length;
  }
  return expanded;
}

bool MuslProcess::TryOpen(const std::string& path, Via via, const std::string& origin, Request& request,
                          std::optional<Found>& found) {
  const snapshot::FileFacts& facts = view_.Open(Absolute(path));
  const Outcome outcome = OutcomeOf(facts);
  request.attempts.push_back({.path = path, .via = via, .outcome = outcome, .origin = origin});
  if (outcome == Outcome::kNotRecorded) request.uncertain = graph_.uncertain = true;
  error_ = Words(facts.error);
  if (outcome != Outcome::kFound) return false;
  found = Found{path, &facts, via};
  return true;
}

MuslProcess::Search MuslProcess::SearchPath(const std::string& name, std::string_view path, Via via,
                                            const std::string& origin, Request& request,
                                            std::optional<Found>& found) {
  for (const std::string& directory : base::SplitWords(path, ":\n")) {
    const std::string candidate = directory + "/" + name;
    if (candidate.size() >= kPathBuffer) continue;
    if (TryOpen(candidate, via, origin, request, found)) return Search::kFound;
    const Outcome outcome = request.attempts.back().outcome;
    if (outcome == Outcome::kLinkLoop || outcome == Outcome::kIoError) return Search::kStop;
  }
  return Search::kNotHere;
}

std::optional<MuslProcess::Found> MuslProcess::SearchEverywhere(const std::string& name, Dso* needed_by,
                                                                Request& request) {
  std::optional<Found> found;
  Search state = SearchPath(name, library_path_, Via::kLdLibraryPath, "", request, found);
  for (const Dso* dso = needed_by; state == Search::kNotHere && dso != nullptr; dso = dso->needed_by) {
    const Via via = dso->elf->runpath ? Via::kRunpath : Via::kRpath;
    state = SearchPath(name, RunPath(*dso), via, DisplayName(*dso), request, found);
  }
  if (state == Search::kNotHere) SearchPath(name, system_path_, Via::kDefault, "", request, found);
  return found;
}

// musl checks the type and the program headers, but neither class nor machine.
bool MuslProcess::CanMap(const Found& found, Request& request) {
  Attempt& attempt = request.attempts.back();
  const auto fail = [&](Outcome outcome, std::string words) {
    attempt.outcome = outcome;
    attempt.detail = error_ = std::move(words);
    return false;
  };
  if (found.facts->kind == snapshot::FileKind::kDirectory)
    return fail(Outcome::kIsDirectory, "Is a directory");
  if (found.facts->elf == nullptr) return fail(Outcome::kNotRecorded, "not recorded in the snapshot");
  const binfmt::ElfFile& elf = *found.facts->elf;
  constexpr std::string_view kExec = "Exec format error";
  if (found.facts->size == 0) return fail(Outcome::kEmptyFile, std::string(kExec));
  if (found.facts->size < ElfHeaderSize(true)) return fail(Outcome::kTooShort, std::string(kExec));
  if (elf.problem == binfmt::ElfProblem::kNotElf) return fail(Outcome::kNotElf, std::string(kExec));
  if (elf.type != ET_DYN && elf.type != ET_EXEC) return fail(Outcome::kUnusable, std::string(kExec));
  if (elf.problem == binfmt::ElfProblem::kHeadersCut || !elf.has_dynamic) {
    return fail(Outcome::kUnusable, std::string(kExec));
  }
  if (elf.bits() != facts_.bits) return fail(Outcome::kWrongClass, std::string(kExec));
  // Nothing is noticed until a page beyond the end of the file is touched.
  const uint64_t page_mask = snapshot_.cpu.page_size - 1;
  if (((elf.file_size + page_mask) & ~page_mask) < elf.needed_size) {
    crashed_ = true;
    return fail(Outcome::kTruncated, "file is cut short; the process is killed by SIGBUS");
  }
  if (elf.machine != facts_.machine) {
    graph_.warnings.push_back(found.path + ": is for " + binfmt::MachineName(elf.machine) +
                              "; musl does not notice and crashes or fails to relocate it");
  }
  return true;
}

// musl maps the file, sees that it is a C library and uses the running one instead.
bool MuslProcess::IsItself(const Found& found) {
  const snapshot::FileFacts& running = view_.Open(facts_.path);
  return running.error == PathError::kNone && running.id == found.facts->id;
}

bool MuslProcess::LoadLibrary(const std::string& name, Dso* needed_by, Request& request) {
  request.via = Via::kLoadedBefore;
  if (name.empty()) {
    error_ = "Invalid argument";
    return false;
  }
  if (IsLibc(name) || name == facts_.path) return true;
  std::optional<Found> found;
  const bool by_path = name.find('/') != std::string::npos;
  if (by_path) {
    TryOpen(name, Via::kPath, "", request, found);
  } else {
    for (size_t i = 1; i < list_.size(); ++i) {
      if (list_[i].short_name != name) continue;
      request.object = list_[i].object;
      return true;
    }
    found = SearchEverywhere(name, needed_by, request);
  }
  if (!found) return false;
  request.via = found->via;
  for (size_t i = 1; i < list_.size(); ++i) {
    Dso& dso = list_[i];
    if (dso.id != found->facts->id) continue;
    if (dso.short_name.empty() && !by_path) dso.short_name = base::BaseName(dso.path);
    request.object = dso.object;
    return true;
  }
  if (IsItself(*found)) return true;
  if (!CanMap(*found, request)) return false;
  Dso& dso = list_.emplace_back();
  dso.path = found->path;
  if (!by_path) dso.short_name = base::BaseName(found->path);
  dso.elf = found->facts->elf;
  dso.id = found->facts->id;
  dso.needed_by = needed_by;
  dso.object = graph_.objects.size();
  request.object = dso.object;
  request.loaded_now = true;
  graph_.objects.push_back({.name = name,
                            .path = found->path,
                            .real_path = view_.RealPath(Absolute(found->path)),
                            .id = found->facts->id,
                            .via = request.opened_by == OpenedBy::kPreload ? Via::kLdPreload : found->via,
                            .opened_by = request.opened_by,
                            .requester = request.requester,
                            .elf = dso.elf});
  return true;
}

bool MuslProcess::LoadDependencies(size_t first, bool starting, std::string& failure) {
  for (size_t i = first; i < list_.size(); ++i) {
    Dso& dso = list_[i];
    if (dso.dependencies_loaded) continue;
    dso.dependencies_loaded = true;
    for (const binfmt::ElfRequest& wanted : dso.elf->requests) {
      if (wanted.kind != binfmt::ElfRequest::Kind::kNeeded) continue;
      Request request{.name = wanted.name, .requester = dso.object, .opened_by = OpenedBy::kNeeded};
      const bool loaded = LoadLibrary(wanted.name, &dso, request);
      if (!loaded) {
        request.error = "Error loading shared library " + wanted.name + ": " + error_ + " (needed by " +
                        DisplayName(dso) + ")";
        if (crashed_) request.error = wanted.name + ": " + error_;
        if (!failure.empty()) failure += '\n';
        failure += request.error;
      }
      graph_.requests.push_back(std::move(request));
      if (!loaded && (crashed_ || !starting)) return false;
    }
  }
  return failure.empty();
}

void MuslProcess::Start() {
  if (!secure_) {
    for (const std::string& name :
         base::SplitWords(base::ValueOf(snapshot_.environment, "LD_PRELOAD"), " :\t\n\r\v\f")) {
      Request request{.name = name, .opened_by = OpenedBy::kPreload};
      if (!LoadLibrary(name, nullptr, request)) request.error = error_;
      graph_.requests.push_back(std::move(request));
      if (crashed_) {
        graph_.error = name + ": " + error_;
        return;
      }
    }
  }
  LoadDependencies(0, /*starting=*/true, graph_.error);
}

bool MuslProcess::Dlopen(const std::string& name, size_t caller, uint32_t /*flags*/) {
  if (crashed_) return false;
  const size_t first_object = graph_.objects.size();
  const size_t first_dso = list_.size();
  const size_t first_request = graph_.requests.size();
  graph_.requests.push_back({.name = name, .requester = caller, .opened_by = OpenedBy::kDlopen});
  Request request = graph_.requests.back();
  std::string failure;
  // The program's run path is used, never the caller's.
  if (!LoadLibrary(name, &list_.front(), request)) {
    failure = crashed_ ? name + ": " + error_ : "Error loading shared library " + name + ": " + error_;
  } else {
    LoadDependencies(first_dso, /*starting=*/false, failure);
  }
  if (!failure.empty()) {
    if (crashed_) graph_.error = failure;
    request.error = failure;
    request.object = kNone;
    while (list_.size() > first_dso) list_.pop_back();
    Unload(graph_, first_object, first_request, caller);
  }
  graph_.requests[first_request] = std::move(request);
  return failure.empty();
}

}  // namespace culprit::loader
