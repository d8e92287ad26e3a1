// Start-up, preloads and dlopen of the glibc model (elf/rtld.c: dl_main; elf/dl-open.c).
#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "binfmt/elf/constants.h"
#include "loader/glibc/process.h"

namespace culprit::loader {
namespace {

// "2.36" -> 36. If the version of a loader is unknown, a recent one is assumed.
int MinorVersion(const std::string& version) {
  constexpr int kRecent = 39;
  int minor = kRecent;
  if (version.starts_with("2.")) std::from_chars(version.data() + 2, version.data() + version.size(), minor);
  return minor;
}

}  // namespace

std::string LoadError::Message() const {
  std::string message = object + ": " + text;
  if (!reason.empty()) message += ": " + reason;
  return message;
}

// Before libc is loaded, ld.so has messages only for the most common errors (elf/dl-minimal.c).
void LoadError::UseStartWords() {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kUnknown = {
      {{"Not a directory", "Error 20"},
       {"Is a directory", "Error 21"},
       {"File name too long", "Error 36"},
       {"Too many levels of symbolic links", "Error 40"}}};
  for (const auto& [words, number] : kUnknown) {
    if (reason == words) reason = number;
  }
}

GlibcProcess::GlibcProcess(const snapshot::Snapshot& snapshot, snapshot::FileView& view,
                           const Question& question, const snapshot::LoaderFacts& facts)
    : snapshot_(snapshot),
      view_(view),
      question_(question),
      facts_(facts),
      kind_{.machine = facts.machine,
            .bits = facts.bits,
            .page_size = snapshot.cpu.page_size,
            .minor_version = MinorVersion(facts.version)},
      directories_(HwcapsSubdirectories(snapshot.cpu, kind_.minor_version)) {
  graph_.target = question.target;
  graph_.interpreter = facts.path;
  graph_.assumptions = facts.assumptions;
  graph_.requests.reserve(512);  // more than most programs have: moving them all again and again takes longer

  Map& program = maps_.emplace_back();
  program.elf = std::make_shared<binfmt::ElfFile>();
  program.object = 0;
  if (!question.target.empty()) {
    const snapshot::FileFacts& file = view.Open(question.target);
    if (file.elf != nullptr) program.elf = file.elf;
    kind_.big_endian = program.elf->big_endian();
    const bool executed =
        program.elf->interpreter.has_value();  // otherwise it is passed to ld.so as an argument
    program.origin = OriginOf(executed ? view.RealPath(question.target) : question.target);
    if (!executed) program.names.push_back(question.target);
    secure_ = executed && file.set_user_id;
    if (secure_)
      graph_.assumptions.emplace_back("set-user-ID program, assumed to be started by another user");
  }
  stack_is_executable_ = program.elf->stack_flags && (*program.elf->stack_flags & PF_X) != 0;
  namespace_.push_back(&program);
  graph_.objects.push_back({.name = question.target,
                            .path = question.target,
                            .real_path = view.RealPath(question.target),
                            .via = Via::kPath,
                            .elf = program.elf});

  Map& loader = maps_.emplace_back();
  loader.name = facts.path;
  loader.names = {facts.path, facts.soname};
  loader.elf = std::make_shared<binfmt::ElfFile>();
  if (const snapshot::FileFacts& file = view.Open(facts.path); file.elf != nullptr) loader.elf = file.elf;
  namespace_.push_back(&loader);

  system_dirs_ = directories_.Fixed(facts.system_dirs);
  const std::string path = secure_ ? "" : base::ValueOf(snapshot.environment, "LD_LIBRARY_PATH");
  Runpath(program);  // parsed first, like the program's RPATH; the order has no effect but is the loader's
  Rpath(program);
  if (!path.empty()) library_path_ = directories_.Parse(path, ":;", TokensOf(program));
}

std::string GlibcProcess::DisplayName(const Map& map) const {
  if (!map.name.empty()) return map.name;
  return question_.target_as_given.empty() ? question_.target : question_.target_as_given;
}

GlibcProcess::Map* GlibcProcess::MapOf(size_t object) {
  for (Map* map : namespace_) {
    if (map->object == object) return map;
  }
  return &maps_.front();
}

bool GlibcProcess::IsMissing(std::string_view name, const Map* provider) const {
  const auto place = static_cast<size_t>(std::ranges::find(namespace_, provider) - namespace_.begin());
  return std::ranges::any_of(missing_,
                             [&](const auto& entry) { return entry.first == name && entry.second <= place; });
}

// The loader's final message; only the first failure prints it.
void GlibcProcess::GiveUp(const LoadError& error) {
  gave_up_ |= !error.not_found;
  if (!graph_.error.empty()) return;
  const std::string program = DisplayName(maps_.front());
  if (error.crash) {
    graph_.error = error.object + ": " + error.text +
                   (error.reason.empty() ? "; the process is killed by SIGBUS" : ": " + error.reason);
  } else {
    graph_.error = program + ": error while loading shared libraries: " + error.Message();
  }
}

void GlibcProcess::PreloadOne(const std::string& name, bool from_file) {
  Map* const program = &maps_.front();
  const size_t loaded_before = namespace_.size();
  Request request{.name = name, .opened_by = OpenedBy::kPreload};
  auto result = MapObject(program, name, {.preload = true}, request);
  if (!result) {
    result.error().UseStartWords();
    request.error = result.error().Message();
    if (result.error().crash) {
      GiveUp(result.error());
    } else {
      const std::string words = "ERROR: ld.so: object '" + name + "' from " +
                                (from_file ? "/etc/ld.so.preload" : "LD_PRELOAD") + " cannot be preloaded (" +
                                result.error().text + "): ignored.";
      graph_.warnings.push_back(words);
      graph_.failed_preloads.push_back({name, from_file, words});
    }
  } else if (namespace_.size() > loaded_before) {
    preloads_.push_back(*result);
  }
  graph_.requests.push_back(std::move(request));
}

void GlibcProcess::Preload() {
  constexpr size_t kNameLimit = 255;
  for (const std::string& name : base::SplitWords(base::ValueOf(snapshot_.environment, "LD_PRELOAD"), " :")) {
    if (secure_ && (name.size() >= kNameLimit || name.find('/') != std::string::npos)) continue;
    PreloadOne(name, /*from_file=*/false);
    if (gave_up_) return;
  }
  if (!snapshot_.ld_so_preload) {
    const bool absent = snapshot_.ld_so_preload.state == snapshot::FactState::kAbsent;
    errno_ = absent ? base::PathError::kNoEntry : base::PathError::kAccess;
    return;
  }
  for (const std::string& line : base::Split(*snapshot_.ld_so_preload, '\n')) {
    const std::string_view text = std::string_view(line).substr(0, line.find('#'));
    for (const std::string& name : base::SplitWords(text, ": \t")) {
      PreloadOne(name, /*from_file=*/true);
      if (gave_up_) return;
    }
  }
}

// ld.so itself verifies a library that it gets as an argument, like any other file; the kernel has already
// accepted a program.
bool GlibcProcess::AcceptsTarget() {
  if (question_.target.empty() || maps_.front().elf->interpreter) return true;
  const Verdict verdict = VerifyCandidate(view_.Open(question_.target), kind_);
  if (!verdict.fatal) return true;
  GiveUp({.object = DisplayName(maps_.front()), .text = verdict.text, .reason = verdict.reason});
  return false;
}

void GlibcProcess::Start() {
  if (!AcceptsTarget()) return;
  Preload();
  if (gave_up_) return;
  const auto loaded = LoadDependencies(&maps_.front(), preloads_, /*dlopen=*/false);
  if (!loaded) return GiveUp(loaded.error());
  for (Map* map : namespace_) {
    if (const auto checked = CheckVersions(map, VersionMode::kStart); !checked) {
      return GiveUp(checked.error());
    }
  }
  if (graph_.error.empty() && !graph_.missing_versions.empty()) {
    graph_.error_tells_versions = true;
    const std::string program = DisplayName(maps_.front());
    for (const MissingVersion& missing : graph_.missing_versions) {
      if (!graph_.error.empty()) graph_.error += '\n';
      graph_.error += program + ": " + missing.Line();
    }
  }
}

// The caller's run paths apply to the name itself, then the caller is forgotten. If a dependency cannot be
// loaded, everything that this call loaded is unloaded.
bool GlibcProcess::Dlopen(const std::string& name, size_t caller, uint32_t /*flags*/) {
  if (gave_up_) return false;
  const size_t first_object = graph_.objects.size();
  const size_t first_request = graph_.requests.size();
  const bool asks_caller = name.find('$') != std::string::npos || name.find('/') == std::string::npos;
  graph_.requests.push_back({.name = name, .requester = caller, .opened_by = OpenedBy::kDlopen});
  Request request = graph_.requests.back();
  auto loaded =
      MapObject(asks_caller ? MapOf(caller) : nullptr, name, {.dlopen = true, .call = true}, request);
  std::optional<LoadError> error;
  if (!loaded) {
    error = loaded.error();
  } else if (!(*loaded)->dependencies_loaded) {
    if (auto all = LoadDependencies(*loaded, {}, /*dlopen=*/true); !all) {
      error = all.error();
    } else {
      for (Map* map : *all) {
        if (map->versions_checked) continue;
        if (auto checked = CheckVersions(map, VersionMode::kDlopen); !checked) {
          error = checked.error();
          break;
        }
      }
    }
  }
  if (error) {
    request.error = error->Message();
    request.missing_version = error->missing_version;
    request.object = kNone;
    gave_up_ |= error->crash;
    if (error->crash) GiveUp(*error);
    std::erase_if(namespace_,
                  [&](const Map* map) { return map->object != kNone && map->object >= first_object; });
    Unload(graph_, first_object, first_request, caller);
  }
  graph_.requests[first_request] = std::move(request);
  return !error;
}

}  // namespace culprit::loader
