#include "change/whatif/install.h"

#include <algorithm>
#include <iterator>
#include <set>

#include "base/text.h"
#include "base/version.h"
#include "change/whatif/steps.h"
#include "change/whatif/wheels/wheel.h"
#include "change/whatif/wheels/wheel_versions.h"
#include "knowledge/packages/imports.h"
#include "knowledge/packages/pins.h"
#include "knowledge/packages/release.h"
#include "knowledge/packages/sonames.h"

namespace culprit::whatif {
namespace {

using base::JoinPath;
using knowledge::FrameworkRelease;

constexpr int kDeepestDirectory = 6;  // of packages that need packages

bool Fill(Wheel& wheel) { return FillNvidia(wheel) || FillTorch(wheel) || FillFramework(wheel); }

// Extras that a dependency is always asked for with; the table of pins leaves them out.
std::vector<std::string> ImpliedExtras(const std::string& package) {
  if (package == "cuda-toolkit") return {"all"};
  if (package.starts_with("jax-cuda") && package.ends_with("-plugin")) return {"with-cuda"};
  return {};
}

std::vector<std::string> Extras(const std::string& package, const std::string& version) {
  std::vector<std::string> extras;
  for (const knowledge::Pin& pin : knowledge::Pins()) {
    if (pin.package == package && pin.version == version && !pin.extra.empty())
      extras.emplace_back(pin.extra);
  }
  return extras;
}

// Whether everything in `directory` is in `files`, which are sorted. If not, `removed` gets what is.
bool IsAllListed(const system::System& machine, const std::string& directory,
                 const std::vector<std::string>& files, std::set<std::string>& removed, int depth = 20) {
  const auto entries = machine.List(directory);
  if (!entries || depth == 0) return false;
  std::vector<std::string> listed;
  for (const system::DirectoryEntry& entry : *entries) {
    std::string path = JoinPath(directory, entry.name);
    if (entry.type == system::FileType::kDirectory ? IsAllListed(machine, path, files, removed, depth - 1)
                                                   : std::ranges::binary_search(files, path))
      listed.push_back(std::move(path));
  }
  if (listed.size() == entries->size()) return true;
  removed.insert(std::make_move_iterator(listed.begin()), std::make_move_iterator(listed.end()));
  return false;
}

// What goes with the files of a package: directories of which nothing is left, and the rest one by one.
std::set<std::string> RemovedWith(const system::System& machine, const std::string& place,
                                  std::vector<std::string> files) {
  std::set<std::string> removed, directories;
  std::ranges::sort(files);
  for (const std::string& file : files) {
    const size_t name = place.size() + 1;
    const size_t slash = file.starts_with(place + "/") ? file.find('/', name) : file.npos;
    if (slash == file.npos || file.substr(name, slash - name) == "..") {
      removed.insert(file);
    } else {
      directories.insert(file.substr(0, slash));
    }
  }
  for (const std::string& directory : directories) {
    if (IsAllListed(machine, directory, files, removed)) removed.insert(directory);
  }
  return removed;
}

}  // namespace

std::string Wheel::Release() const {
  std::string_view text = version;
  text = text.substr(0, text.find('+'));
  return std::string(text);
}

std::string Wheel::Local() const {
  const size_t plus = version.find('+');
  return plus == version.npos ? "" : version.substr(plus + 1);
}

base::Version Wheel::Number() const {
  const std::string release = Release();
  return base::Version::Parse(release.substr(0, release.find(".post"))).value_or(base::Version{{0}});
}

void Installer::Do(system::SystemChanges changes) {
  Append(changes, all_);
  now_ = system::ChangedSystem(std::move(now_), std::move(changes));
  installed_.reset();
}

// By its list of files; a package without one is known by what such a package puts.
void Installer::RemoveOne(const InstalledPackage& package) {
  system::SystemChanges changes;
  std::vector<std::string> files = FilesOf(*now_, environment_, package);
  if (std::ranges::any_of(files, [&](const auto& file) { return now_->LinkStat(file).has_value(); })) {
    changes.removed = RemovedWith(*now_, package.place, std::move(files));
  } else {
    Wheel wheel{
        .machine = now_, .environment = environment_, .name = package.name, .version = package.version};
    Fill(wheel);
    for (const std::string& own : wheel.owns) changes.removed.insert(JoinPath(package.place, own));
  }
  changes.removed.insert(package.record);
  Do(std::move(changes));
}

const std::vector<InstalledPackage>& Installer::Installed() {
  if (!installed_) installed_ = PackagesOf(*now_, environment_);
  return *installed_;
}

base::Result<void> Installer::Remove(const std::string& package) {
  const std::string name = NormalName(package);
  bool found = false;
  for (const InstalledPackage& one : std::vector(Installed())) {
    if (one.name != name) continue;
    found = true;
    RemoveOne(one);
  }
  if (found) return {};
  return base::Fail(base::ErrorCode::kNotFound, name + " is not installed in " + environment_.prefix);
}

void Installer::PutWheel(const Wheel& wheel) {
  system::SystemChanges changes;
  std::string record;
  const auto put = [&](const std::string& path, std::string bytes, uint32_t mode) {
    record += path + ",," + std::to_string(bytes.size()) + "\n";
    changes.put[JoinPath(environment_.site, path)] = {.bytes = std::move(bytes), .target = {}, .mode = mode};
  };
  for (const auto& [path, claims] : wheel.binaries)
    put(path, FileBytes(*now_, JoinPath(environment_.site, path), claims), 0755);
  for (const auto& [path, text] : wheel.texts) put(path, text, 0644);
  const std::string info = Underscored(wheel.name) + "-" + wheel.version + ".dist-info";
  std::string metadata = "Metadata-Version: 2.1\nName: " + wheel.name + "\nVersion: " + wheel.version + "\n";
  for (const std::string& need : wheel.needs) metadata += "Requires-Dist: " + need + "\n";
  put(info + "/METADATA", metadata + "\n", 0644);
  put(info + "/INSTALLER", "pip\n", 0644);
  record += info + "/RECORD,,\n";
  changes.put[JoinPath(environment_.site, info + "/RECORD")] = {.bytes = record, .target = {}};
  Do(std::move(changes));
}

// An extra brings every library that the import opens; of some the tables know the name and not which release
// of their package it is. Those are there without a record.
void Installer::PutOpened(const Wheel& wheel) {
  if (wheel.name == "jax") return;  // its plugin does
  std::string framework =
      wheel.name.starts_with("jax-cuda") ? "jax" : std::string(knowledge::FrameworkName(wheel.name));
  const FrameworkRelease* row = framework == "jax" ? nullptr : BuildOf(wheel, framework);
  const std::string cuda = framework == "jax" ? wheel.name.substr(8, 2)
                           : row != nullptr   ? MajorOf(row->cuda)
                                              : "";
  if (cuda.empty()) return;
  system::SystemChanges changes;
  for (const knowledge::ImportRow& step : knowledge::ImportRows()) {
    const bool windows = step.os == knowledge::ImportOs::kWindows;
    if (step.framework != framework || windows != environment_.windows ||
        std::ranges::find(step.cuda, cuda) == step.cuda.end())
      continue;
    for (const std::string_view item : step.each.empty() ? step.names : step.each) {
      const std::string file(base::BaseName(item));
      const knowledge::Library* library = knowledge::FindLibrary(file);
      if (library == nullptr || library->family == "cudnn" || file.find_first_of("*{") != file.npos) continue;
      const knowledge::SonameRow* soname = knowledge::FindSoname(file);
      const auto of_it = [&](std::string_view release) { return MajorOf(release) == cuda; };
      if (!library->packages.empty() && soname != nullptr && std::ranges::none_of(soname->cuda, of_it))
        continue;  // of another CUDA
      const std::string path =
          JoinPath(environment_.site, JoinPath(NvidiaFolder(*library, cuda, windows), file));
      if (now_->Stat(path)) continue;
      Claims claims;
      ClaimVersion(file, "", claims);
      changes.put[path] = {.bytes = FileBytes(*now_, path, claims), .target = {}, .mode = 0755};
    }
  }
  if (!changes.put.empty()) Do(std::move(changes));
}

base::Result<void> Installer::Ensure(const Need& need, int depth) {
  for (const InstalledPackage& one : Installed()) {
    if (one.name == need.name && MeetsNeed(one.version, need.specifiers)) return {};
  }
  return InstallOne(need, need.specifiers, depth + 1);
}

base::Result<void> Installer::InstallNeeds(const Wheel& wheel, const Need& package, int depth) {
  for (const std::string& text : wheel.needs) {
    Need need = ParseNeed(text);
    if (!Counts(need, environment_)) continue;
    need.extras = ImpliedExtras(need.name);
    if (auto done = Ensure(need, depth); !done) return done;
  }
  for (const std::string& extra : package.extras) {
    const knowledge::Pin* pin = knowledge::FindPin(package.name, wheel.Release(), extra);
    if (pin == nullptr) continue;
    for (const std::string_view text : pin->needs) {
      Need need = ParseNeed(text);
      need.extras = ImpliedExtras(need.name);
      if (auto done = Ensure(need, depth); !done) return done;
    }
  }
  // A build of PyTorch's own index: what it needs follows from what it was built with.
  if (wheel.name != "torch" || wheel.Local().empty() || environment_.windows) return {};
  const FrameworkRelease* row = BuildOf(wheel, "torch");
  if (row == nullptr || row->is_default || row->libraries != knowledge::LibrariesFrom::kNvidiaPip) return {};
  const std::string minor = knowledge::MinorOf(knowledge::Known(row->cuda)).ToString();
  std::vector<Need> needs;
  if (!row->cudnn.empty() && row->cudnn != "none") {
    const bool build = knowledge::Known(row->cudnn).parts.size() > 3;
    needs.push_back({.name = "nvidia-cudnn-cu" + MajorOf(row->cuda),
                     .specifiers = "==" + std::string(row->cudnn) + (build ? "" : ".*")});
  }
  for (const knowledge::Pin& pin : knowledge::Pins()) {
    if (pin.package != "cuda-toolkit" ||
        !knowledge::BeginsWith(knowledge::Known(pin.version), knowledge::Known(minor)))
      continue;
    for (const std::string_view text : pin.needs) {
      Need need = ParseNeed(text);
      need.specifiers =
          std::ranges::any_of(Installed(), [&](const auto& one) { return one.name == need.name; })
              ? ""
              : need.specifiers;
      needs.push_back(std::move(need));
    }
    break;
  }
  for (const Need& need : needs) {
    if (auto done = Ensure(need, depth); !done) return done;
  }
  return {};
}

base::Result<void> Installer::InstallOne(const Need& package, const std::string& wanted, int depth) {
  if (depth > kDeepestDirectory) return {};
  const std::vector<InstalledPackage> installed = Installed();
  const auto version = ChooseVersion(package.name, wanted, environment_, installed);
  if (!version) return std::unexpected(version.error());
  std::vector<std::string> old_needs;
  bool had = false;
  for (const InstalledPackage& old : installed) {
    if (old.name != package.name) continue;
    had = true;
    old_needs = old.requirements;
    RemoveOne(old);
  }
  Wheel wheel{.machine = now_, .environment = environment_, .name = package.name, .version = *version};
  const std::string release = wheel.Release();
  if (const knowledge::Pin* pin = knowledge::FindPin(package.name, release)) {
    for (const std::string_view need : pin->needs) wheel.needs.emplace_back(need);
  } else {
    wheel.needs = old_needs;
  }
  const bool filled = Fill(wheel);
  if (!filled && !had && depth == 0 && KnownVersions(package.name, environment_).empty()) {
    return base::Fail(base::ErrorCode::kUnsupported, "the tables do not list the files of " + package.name);
  }
  for (const std::string& extra : Extras(package.name, release)) {
    const knowledge::Pin* pin = knowledge::FindPin(package.name, release, extra);
    for (const std::string_view need : pin->needs) {
      std::string line(need);
      line += " ; extra == \"" + extra + "\"";
      if (std::ranges::find(wheel.needs, line) == wheel.needs.end()) wheel.needs.push_back(std::move(line));
    }
  }
  PutTools(wheel, !package.extras.empty());
  PutWheel(wheel);
  if (auto done = InstallNeeds(wheel, package, depth); !done) return done;
  if (!package.extras.empty()) PutOpened(wheel);
  return {};
}

base::Result<void> Installer::Install(const std::string& package, const std::string& wanted) {
  Need need = ParseNeed(package);
  if (need.extras.empty()) need.extras = ImpliedExtras(need.name);
  return InstallOne(need, wanted, 0);
}

}  // namespace culprit::whatif
