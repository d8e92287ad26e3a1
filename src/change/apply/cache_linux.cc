// ldconfig, and back. It writes three kinds of things, each at once: /etc/ld.so.cache and its own notes by a
// rename, and links by sonames. What they were is kept before it runs: the two files, and all links of the
// directories that it goes through.
#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <map>

#include "base/json.h"
#include "base/text.h"
#include "change/apply/command.h"
#include "change/apply/steps.h"

namespace culprit::apply {
namespace {

using base::ErrorCode;
using base::Fail;
using base::Json;
using Kind = Standing::Kind;
constexpr const char* kCache = "/etc/ld.so.cache";
constexpr const char* kNotes = "/var/cache/ldconfig/aux-cache";
constexpr int kSeconds = 120;

std::string Program() {
  for (const char* path : {"/sbin/ldconfig", "/usr/sbin/ldconfig"}) {
    if (access(path, X_OK) == 0) return path;
  }
  return "";
}

std::vector<std::string> Command(const Place& place, std::vector<std::string> options) {
  options.insert(options.begin(), Program());
  if (!place.root.empty()) {
    options.push_back("-r");
    options.push_back(place.root);
  }
  return options;
}

// The directories that it goes through, as it says itself: "/usr/lib: (from <builtin>:0)".
base::Result<std::vector<std::string>> Directories(const Place& place) {
  const auto said = RunCommand(Command(place, {"-N", "-X", "-v"}), kSeconds);
  if (!said) return std::unexpected(said.error());
  std::vector<std::string> directories;
  for (const std::string& line : base::Split(*said, '\n')) {
    const size_t end = std::min(line.find(": (from "), line.ends_with(':') ? line.size() - 1 : line.npos);
    if (line.starts_with('/') && end != line.npos) directories.push_back(line.substr(0, end));
  }
  return directories;
}

using Links = std::map<std::string, Standing>;

Links LinksIn(int directory) {
  Links links;
  const auto names = NamesIn(directory);
  if (!names) return links;
  for (const std::string& name : *names) {
    if (name.find(".so") == name.npos || name.starts_with(".culprit-")) continue;
    if (const auto standing = LookAt(directory, name); standing && standing->kind == Kind::kLink)
      links[name] = *standing;
  }
  return links;
}

// {"directories": [{path, standing, names, links: {name: standing}}]}. Names of libraries with bytes that are
// no UTF-8 are left out: ldconfig makes links by sonames, which are plain.
bool Plain(const std::string& text) {
  return std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

Json Survey(const std::vector<std::string>& directories, const Place& place) {
  Json list = Json::array();
  for (const std::string& path : directories) {
    const auto directory = OpenDirectory(place.root, path);
    if (!directory || !Plain(path)) continue;
    Json links = Json::object();
    for (const auto& [name, standing] : LinksIn(directory->get())) {
      if (Plain(name) && Plain(standing.target)) links[name] = ToJson(standing);
    }
    list.push_back({{"path", path},
                    {"standing", ToJson(LookAt(directory->get(), ".").value_or(Standing{}))},
                    {"names", HashOfNames(directory->get()).value_or("")},
                    {"links", std::move(links)}});
  }
  return list;
}

Json FileJson(const std::string& path, const std::string& kept, Work& work) {
  const auto spot = FindSpot(work.place.root, path);
  if (!spot) return nullptr;  // no such directory: nothing will be written there
  auto standing = LookAt(spot->directory.get(), spot->name);
  if (!standing || standing->kind == Kind::kSpecial || standing->kind == Kind::kDirectory) return nullptr;
  if (!work.journal.Keep(*spot, kept, *standing)) return nullptr;
  return {{"path", path},
          {"kept", kept},
          {"standing", ToJson(*standing)},
          {"parent", ToJson(LookAt(spot->directory.get(), ".").value_or(Standing{}))},
          {"names", HashOfNames(spot->directory.get()).value_or("")}};
}

base::Result<Json> Kept(const Step& step, const Journal& journal, const std::string& what) {
  const auto text = ReadBytes(journal.old(), std::to_string(step.number) + what, uint64_t{64} << 20);
  if (!text) return std::unexpected(text.error());
  Json json = base::ParseJson(*text);
  if (json.is_discarded()) return Fail(ErrorCode::kBadFormat, journal.folder() + "/old: unexpected content");
  return json;
}

// Names whose link is another than it was, with what it was.
std::map<std::string, Standing> Differences(const Json& directory, const Links& now, int64_t began) {
  std::map<std::string, Standing> differ;
  const Json& before = directory.at("links");
  for (const auto& [name, json] : before.items()) {
    const Standing was = StandingFromJson(json);
    const auto is = now.find(name);
    if (is == now.end() || is->second.target != was.target || is->second.inode != was.inode)
      differ[name] = was;
  }
  for (const auto& [name, is] : now) {
    if (!before.contains(name) && is.seconds >= began) differ[name] = Standing{};
  }
  return differ;
}

// Whether ldconfig did not make this symlink, as far as known: then it is not ours to undo.
bool LeftAlone(const Json& after, const Json& directory, const std::string& name) {
  for (const Json& each : after) {
    if (each.at("path") != directory.at("path")) continue;
    const Json &was = directory.at("links"), &made = each.at("links");
    const bool in_both = was.contains(name) && made.contains(name);
    return in_both ? was.at(name) == made.at(name) : was.contains(name) == made.contains(name);
  }
  return false;
}

base::Result<void> RestoreFile(const Json& file, const Step& step, const Place& place,
                               const Journal& journal) {
  const std::string path = file.at("path");
  const auto spot = FindSpot(place.root, path);
  if (!spot) return std::unexpected(spot.error());
  const int here = spot->directory.get();
  // ldconfig's own temporary file, should it have been killed.
  if (auto gone = RemoveAll(here, spot->name + "~"); !gone) return gone;
  auto back = Restore(*spot, StandingFromJson(file.at("standing")), journal, file.at("kept"), step.temporary);
  if (!back) return back;
  if (HashOfNames(here) == file.at("names").get<std::string>())
    static_cast<void>(GiveTimes(here, ".", StandingFromJson(file.at("parent"))));
  return {};
}

}  // namespace

base::Result<Intent> CacheIntent(const Place& place) {
  if (Program().empty()) return Fail(ErrorCode::kUnsupported, "ldconfig not found on this machine");
  if (!place.root.empty()) {
    // It skips libraries for another CPU, and would write a cache without them.
#ifdef __x86_64__
    constexpr const char* kOwn = "/lib64/ld-linux-x86-64.so.2";
#else
    constexpr const char* kOwn = "/lib/ld-linux-aarch64.so.1";
#endif
    const auto spot = FindSpot(place.root, kOwn);
    const auto loader = spot ? LookAt(spot->directory.get(), spot->name) : base::Result<Standing>(Standing{});
    if (!loader || loader->kind == Kind::kAbsent)
      return Fail(ErrorCode::kUnsupported,
                  "--root is for another CPU; ldconfig of this machine would skip its libraries");
  }
  Intent intent{.kind = Intent::Kind::kCache, .path = kCache};
  intent.root = geteuid() != 0;
  return intent;
}

base::Result<bool> RefreshCache(Work& work, const Intent& intent) {
  const auto spot = FindSpot(work.place.root, kCache);
  if (!spot) return std::unexpected(spot.error());
  const auto directories = Directories(work.place);
  if (!directories) return std::unexpected(directories.error());
  auto made = work.NewStep(StepKind::kCache, intent, *spot);
  if (!made) return std::unexpected(made.error());
  Step& step = *made;
  const std::string number = std::to_string(step.number);
  const Json survey = {{"began", time(nullptr)},
                       {"cache", FileJson(kCache, number + "-cache", work)},
                       {"notes", FileJson(kNotes, number + "-notes", work)},
                       {"directories", Survey(*directories, work.place)}};
  if (survey.at("cache").is_null())
    return Fail(ErrorCode::kUnsupported,
                std::string(kCache) + ": not a regular file, so it cannot be backed up");
  if (auto kept = work.journal.KeepText(number + "-links", survey.dump()); !kept)
    return std::unexpected(kept.error());
  if (auto said = work.Announce(step); !said) return std::unexpected(said.error());
  if (auto run = RunCommand(Command(work.place, {}), kSeconds); !run) return std::unexpected(run.error());
  // What it made, to detect later changes by others.
  if (auto kept = work.journal.KeepText(number + "-after", Survey(*directories, work.place).dump()); !kept)
    return std::unexpected(kept.error());
  if (auto after = LookAt(spot->directory.get(), spot->name)) {
    after->hash = HashOfFile(spot->directory.get(), spot->name).value_or("");
    step.after = *after;
  }
  if (auto safe = ToDisk(spot->directory.get()); !safe) return std::unexpected(safe.error());
  if (auto done = work.Done(step); !done) return std::unexpected(done.error());
  return true;
}

base::Result<void> TakeBackCache(const Step& step, const Place& place, const Journal& journal) {
  const auto kept = Kept(step, journal, "-links");
  if (!kept) return std::unexpected(kept.error());
  const Json after = step.done ? Kept(step, journal, "-after").value_or(Json::array()) : Json::array();
  for (const Json& directory : kept->at("directories")) {
    const auto opened = OpenDirectory(place.root, directory.at("path"));
    if (!opened) continue;  // somebody else took it away with all its links
    for (const auto& [name, was] : Differences(directory, LinksIn(opened->get()), kept->at("began"))) {
      Spot spot{Descriptor(dup(opened->get())), name, directory.at("path").get<std::string>() + "/" + name};
      if (LeftAlone(after, directory, name)) continue;
      const auto now = LookAt(opened->get(), name);
      if (now && now->kind != Kind::kLink && now->kind != Kind::kAbsent) continue;  // not ldconfig's
      if (auto back = Restore(spot, was, journal, "", step.temporary); !back) return back;
      if (was.kind == Kind::kLink) static_cast<void>(GiveTimes(opened->get(), name, was));
    }
    if (HashOfNames(opened->get()) == directory.at("names").get<std::string>())
      static_cast<void>(GiveTimes(opened->get(), ".", StandingFromJson(directory.at("standing"))));
  }
  for (const char* file : {"cache", "notes"}) {
    if (kept->at(file).is_null()) continue;
    if (auto back = RestoreFile(kept->at(file), step, place, journal); !back) return back;
  }
  return {};
}

bool CacheChangedSince(const Step& step, const Place& place, const Journal& journal) {
  if (!step.done) return false;  // killed while ldconfig ran: what it made is not known
  const auto before = Kept(step, journal, "-links");
  const auto spot = FindSpot(place.root, kCache);
  if (!before || !spot) return true;
  const int here = spot->directory.get();
  return !Same(step.after, here, spot->name) &&
         !Same(StandingFromJson(before->at("cache").at("standing")), here, spot->name);
}

}  // namespace culprit::apply
