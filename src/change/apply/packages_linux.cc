// Packages of a virtual environment. Its own pip (or uv) fetches and unpacks the new one beside it; then the
// directory site-packages as it will be is made of further names of the same files, and the two directories
// are exchanged in one step. The old one stays beside it, to be exchanged back.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/text.h"
#include "change/apply/command.h"
#include "change/apply/installer.h"
#include "change/apply/steps.h"
#include "change/apply/tree.h"

namespace culprit::apply {
namespace {

using base::ErrorCode;
using base::Fail;
using Kind = Standing::Kind;
constexpr int kFetchSeconds = 1800;  // cuDNN alone is 700 MB
constexpr uint64_t kRecordLimit = uint64_t{64} << 20;

// As the index compares names: "Nvidia_cuDNN.cu12" is "nvidia-cudnn-cu12".
std::string Normal(std::string_view name) {
  std::string normal;
  for (const char c : name) {
    if (c == '-' || c == '_' || c == '.') {
      if (!normal.ends_with('-')) normal += '-';
    } else {
      normal += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    }
  }
  return normal;
}

// Words for a command line must not look like an option or another requirement.
bool PlainWord(const std::string& word) {
  return !word.empty() && word.front() != '-' && std::ranges::all_of(word, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("._-!").find(c) != std::string_view::npos;
  });
}

// The one directory PREFIX/lib/pythonX.Y/site-packages.
base::Result<std::string> SitePackages(const std::string& prefix) {
  const auto library = OpenDirectory("", prefix + "/lib");
  if (!library) return std::unexpected(library.error());
  const auto names = NamesIn(library->get());
  if (!names) return std::unexpected(names.error());
  std::vector<std::string> found;
  for (const std::string& name : *names) {
    const std::string path = prefix + "/lib/" + name + "/site-packages";
    if (name.starts_with("python") && OpenDirectory("", path)) found.push_back(path);
  }
  if (found.size() != 1)
    return Fail(ErrorCode::kUnsupported,
                prefix + " has " + std::to_string(found.size()) + " site-packages directories");
  return found.front();
}

// The .dist-info directories of a package.
std::vector<std::string> InfosOf(int site, const std::string& package) {
  std::vector<std::string> infos;
  const auto names = NamesIn(site);
  if (!names) return infos;
  for (const std::string& name : *names) {
    if (name.ends_with(".dist-info") && Normal(name.substr(0, name.find('-'))) == Normal(package))
      infos.push_back(name);
  }
  return infos;
}

// The first column of RECORD, which may stand in quotes.
base::Result<std::vector<std::string>> RecordedFiles(int site, const std::string& info) {
  const Descriptor directory(openat(site, info.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  const auto text = directory ? ReadBytes(directory.get(), "RECORD", kRecordLimit)
                              : base::Result<std::string>(FailedAt(info, errno));
  if (!text) return Fail(ErrorCode::kUnsupported, info + " has no RECORD file");
  std::vector<std::string> files;
  for (const std::string& line : base::Split(*text, '\n')) {
    if (base::Trim(line).empty()) continue;
    std::string file;
    if (line.front() == '"') {
      for (size_t i = 1; i < line.size(); ++i) {
        if (line[i] == '"' && (i + 1 >= line.size() || line[i + 1] != '"')) break;
        if (line[i] == '"') ++i;
        file += line[i];
      }
    } else {
      file = line.substr(0, line.find(','));
    }
    const auto parts = base::SplitWords(file, "/");
    if (file.starts_with('/') || std::ranges::find(parts, "..") != parts.end())
      return Fail(ErrorCode::kUnsupported, info.substr(0, info.find('-')) +
                                               " has files outside of site-packages (" + file +
                                               "), which cannot be replaced atomically");
    files.push_back(std::move(file));
  }
  return files;
}

base::Result<Spot> MakeDirectory(const Spot& beside, const std::string& name) {
  if (mkdirat(beside.directory.get(), name.c_str(), 0700) != 0) return FailedAt(name, errno);
  Descriptor made(
      openat(beside.directory.get(), name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!made) return FailedAt(name, errno);
  return Spot{std::move(made), name, std::string(base::DirName(beside.path)) + "/" + name};
}

base::Result<void> RemovePackageFrom(int site, const std::string& package) {
  for (const std::string& info : InfosOf(site, package)) {
    const auto files = RecordedFiles(site, info);
    if (!files) return std::unexpected(files.error());
    for (const std::string& file : *files) {
      if (auto gone = RemoveBelow(site, file); !gone) return gone;
    }
    if (auto gone = RemoveAll(site, info); !gone) return gone;
  }
  return {};
}

// The new tree, in the directory step.temporary.
base::Result<void> Prepare(const Intent& intent, const Step& step, const Spot& spot) {
  const auto fresh = MakeDirectory(spot, step.temporary);
  if (!fresh) return std::unexpected(fresh.error());
  const Descriptor old(
      openat(spot.directory.get(), spot.name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!old) return FailedAt(spot.path, errno);
  if (auto copied = CopyTree(old.get(), fresh->directory.get()); !copied) return copied;
  for (const std::string& package : intent.remove) {
    if (auto gone = RemovePackageFrom(fresh->directory.get(), package); !gone) return gone;
  }
  for (std::vector<std::string> command : intent.fetch) {
    if (auto gone = RemoveAll(spot.directory.get(), step.stage); !gone) return gone;
    const auto stage = MakeDirectory(spot, step.stage);
    if (!stage) return std::unexpected(stage.error());
    command.insert(command.end() - 1, {"--target", stage->path});
    if (auto run = RunCommand(command, kFetchSeconds); !run) return std::unexpected(run.error());
    if (const auto scripts = LookAt(stage->directory.get(), "bin");
        !scripts || scripts->kind != Kind::kAbsent)
      return Fail(ErrorCode::kUnsupported, command.back() + " installs programs into " + intent.environment +
                                               "/bin, which cannot be replaced in one step");
    if (InfosOf(stage->directory.get(), command.back().substr(0, command.back().find("=="))).empty())
      return Fail(ErrorCode::kUnsupported, "the download for " + command.back() + " is a different package");
    if (auto moved = MoveInto(stage->directory.get(), fresh->directory.get()); !moved) return moved;
  }
  if (auto gone = RemoveAll(spot.directory.get(), step.stage); !gone) return gone;
  if (fchown(fresh->directory.get(), step.before.user, step.before.group) != 0 ||
      fchmod(fresh->directory.get(), step.before.mode) != 0 || syncfs(fresh->directory.get()) != 0)
    return FailedAt(fresh->path, errno);
  return {};
}

std::string Aside(const Step& step) { return step.temporary + ".old"; }

// `temporary` becomes `name`, and what was there is called `temporary` afterwards.
base::Result<void> Swap(int directory, const std::string& name, const Step& step) {
  auto exchanged = Exchange(directory, step.temporary, name);
  if (exchanged || exchanged.error().code != ErrorCode::kUnsupported) return exchanged;
  if (auto away = Rename(directory, name, Aside(step)); !away) return away;
  if (auto there = Rename(directory, step.temporary, name); !there) return there;
  return Rename(directory, Aside(step), step.temporary);
}

}  // namespace

base::Result<Intent> PackageIntent(const std::string& prefix, const std::string& package,
                                   const std::string& version, bool install, const Place& place) {
  if (!place.root.empty())
    return Fail(ErrorCode::kUnsupported, "culprit cannot install packages into --root; run Python inside it");
  if (!PlainWord(package) || (install && !PlainWord(version)))
    return Fail(ErrorCode::kUnsupported,
                version.find('+') != version.npos
                    ? package + " " + version + " needs its own package index: run the command yourself"
                    : "no version is given: run the command yourself");
  const auto config = FindSpot("", prefix + "/pyvenv.cfg");
  const auto standing = config ? LookAt(config->directory.get(), config->name)
                               : base::Result<Standing>(std::unexpected(config.error()));
  if (!standing || standing->kind != Kind::kFile)
    return Fail(ErrorCode::kUnsupported,
                prefix + " is not a virtual environment; change its packages with the tool that manages it");
  const auto site = SitePackages(prefix);
  if (!site) return std::unexpected(site.error());
  const auto spot = FindSpot("", *site);
  if (!spot) return std::unexpected(spot.error());
  const auto there = LookAt(spot->directory.get(), spot->name);
  if (!there || there->kind != Kind::kDirectory)
    return Fail(ErrorCode::kUnsupported, *site + " is not a plain directory");
  const auto opened = OpenDirectory("", *site);
  if (!opened) return std::unexpected(opened.error());
  for (const std::string& info : InfosOf(opened->get(), package)) {
    if (const auto files = RecordedFiles(opened->get(), info); !files) return std::unexpected(files.error());
  }
  Intent intent{.kind = Intent::Kind::kPackages, .path = *site, .environment = prefix};
  if (install) {
    auto installer = InstallerOf(prefix, *site, place);
    if (!installer) return std::unexpected(installer.error());
    installer->command.push_back(package + "==" + version);
    intent.fetch.push_back(std::move(installer->command));
    intent.settings = std::move(installer->settings);
    intent.install.push_back(package + "==" + version);
  }
  intent.remove.push_back(package);
  const Writable may = MayChange(*spot);
  if (may == Writable::kReadOnly) return Fail(ErrorCode::kUnsupported, prefix + ": read-only file system");
  intent.root = may == Writable::kNeedsRoot;
  return intent;
}

base::Result<bool> ChangePackages(Work& work, const Intent& intent) {
  const auto spot = FindSpot("", intent.path);
  if (!spot) return std::unexpected(spot.error());
  const int here = spot->directory.get();
  const auto before = LookAt(here, spot->name);
  if (!before) return std::unexpected(before.error());
  if (before->kind != Kind::kDirectory)
    return Fail(ErrorCode::kUnsupported, intent.path + ": not a plain directory");
  auto made = work.NewStep(StepKind::kSwap, intent, *spot);
  if (!made) return std::unexpected(made.error());
  Step& step = *made;
  step.stage = step.temporary + ".stage";
  step.before = *before;
  if (auto said = work.Announce(step); !said) return std::unexpected(said.error());
  if (auto prepared = Prepare(intent, step, *spot); !prepared) return std::unexpected(prepared.error());
  const auto after = LookAt(here, step.temporary);
  const auto tree = OpenDirectory("", std::string(base::DirName(intent.path)) + "/" + step.temporary);
  if (!after || !tree) return std::unexpected(after ? tree.error() : after.error());
  step.after = *after;
  step.after.hash = HashOfTree(tree->get());
  step.ready = true;
  work.steps.back() = step;
  if (auto said = work.journal.Write("ready", step); !said) return std::unexpected(said.error());
  if (auto swapped = Swap(here, spot->name, step); !swapped) return std::unexpected(swapped.error());
  if (auto safe = ToDisk(here); !safe) return std::unexpected(safe.error());
  if (auto done = work.Done(step); !done) return std::unexpected(done.error());
  return true;
}

base::Result<void> TakeBackPackages(const Step& step) {
  const auto spot = FindSpot("", step.path);
  if (!spot) return std::unexpected(spot.error());
  const int here = spot->directory.get();
  if (!Same(step.before, here, spot->name)) {
    // Killed between two renames, where there is no exchange: whichever of ours is the old one.
    if (Same(step.before, here, Aside(step))) {
      const auto now = LookAt(here, spot->name);
      if (!now) return std::unexpected(now.error());
      if (now->kind != Kind::kAbsent) {
        if (auto gone = RemoveAll(here, step.temporary); !gone) return gone;
        if (auto away = Rename(here, spot->name, step.temporary); !away) return away;
      }
      if (auto back = Rename(here, Aside(step), spot->name); !back) return back;
    } else if (Same(step.before, here, step.temporary)) {
      const auto now = LookAt(here, spot->name);
      if (!now) return std::unexpected(now.error());
      auto back = now->kind == Kind::kAbsent ? Rename(here, step.temporary, spot->name)
                                             : Swap(here, spot->name, step);
      if (!back) return back;
    } else {
      return Fail(ErrorCode::kNotFound, step.path + ": the backup of the old files is gone");
    }
    if (auto safe = ToDisk(here); !safe) return safe;
  }
  for (const std::string& ours : {step.temporary, step.stage, Aside(step)}) {
    if (auto gone = RemoveAll(here, ours); !gone) return gone;
  }
  return {};
}

bool PackagesChangedSince(const Step& step) {
  const auto spot = FindSpot("", step.path);
  if (!spot) return true;
  const int here = spot->directory.get();
  if (Same(step.before, here, spot->name) || Same(step.before, here, Aside(step))) return false;
  if (!step.ready || !Same(step.after, here, spot->name)) return true;
  const auto tree = OpenDirectory("", step.path);
  return !tree || HashOfTree(tree->get()) != step.after.hash;
}

}  // namespace culprit::apply
