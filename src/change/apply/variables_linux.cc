// Finds where a variable of this shell was set: the files that shells and logins read, one after the other.
// Edits all files that matter to the change, or none: if one cannot be edited safely, the change is left to
// the user.
#include <glob.h>
#include <unistd.h>

#include "base/text.h"
#include "change/apply/assignments.h"
#include "change/apply/steps.h"

namespace culprit::apply {
namespace {

using base::ErrorCode;
using base::Fail;

struct EnvironmentFile {
  std::string path;
  Dialect dialect = Dialect::kShell;
};

std::string Variable(const Place& place, const char* name) {
  const auto found = place.variables.find(name);
  return found == place.variables.end() ? "" : found->second;
}

void AddScripts(std::vector<EnvironmentFile>& files, const std::string& directory) {
  std::string pattern;  // what glob() would take for a pattern is escaped
  for (const char c : directory)
    pattern += std::string(std::string_view("*?[\\").find(c) == std::string_view::npos ? "" : "\\") + c;
  glob_t found = {};
  if (glob((pattern + "/*.sh").c_str(), 0, nullptr, &found) == 0) {
    for (size_t i = 0; i < found.gl_pathc; ++i) files.push_back({found.gl_pathv[i]});
  }
  globfree(&found);
}

std::vector<EnvironmentFile> Files(const Place& place) {
  if (!place.environment_file.empty()) return {{place.environment_file, Dialect::kPlain}};
  std::vector<EnvironmentFile> files;
  if (const std::string home = Variable(place, "HOME"); home.starts_with('/')) {
    for (const char* name :
         {".bashrc", ".bash_profile", ".bash_login", ".profile", ".zshrc", ".zprofile", ".zshenv"})
      files.push_back({base::JoinPath(home, name)});
    files.push_back({base::JoinPath(home, ".pam_environment"), Dialect::kPlain});
  }
  if (const std::string prefix = Variable(place, "VIRTUAL_ENV"); prefix.starts_with('/'))
    files.push_back({prefix + "/bin/activate"});
  if (const std::string prefix = Variable(place, "CONDA_PREFIX"); prefix.starts_with('/'))
    AddScripts(files, prefix + "/etc/conda/activate.d");
  files.push_back({"/etc/environment", Dialect::kPlain});
  for (const char* path : {"/etc/profile", "/etc/bash.bashrc", "/etc/bashrc", "/etc/zsh/zshrc", "/etc/zshrc"})
    files.push_back({path});
  AddScripts(files, "/etc/profile.d");
  return files;
}

// The file for a new line: the one that the user's shell reads each time it starts.
EnvironmentFile ForNewLines(const Place& place) {
  if (!place.environment_file.empty()) return {place.environment_file, Dialect::kPlain};
  const std::string shell(base::BaseName(Variable(place, "SHELL"))), home = Variable(place, "HOME");
  if (home.starts_with('/') && (shell == "bash" || shell == "sh" || shell.empty()))
    return {home + "/.bashrc"};
  if (home.starts_with('/') && shell == "zsh") return {home + "/.zshrc"};
  return {};
}

base::Result<Intent> Rewrite(const std::string& path, const Edited& edited, const report::Change& change) {
  const auto spot = FindSpot("", path);
  if (!spot) return std::unexpected(spot.error());
  const Writable may = MayChange(*spot);
  if (may == Writable::kReadOnly) return Fail(ErrorCode::kUnsupported, path + ": read-only file system");
  return Intent{.kind = Intent::Kind::kFile,
                .text = report::InWords(change) + " in " + path + ", line " + std::to_string(edited.line),
                .outside = true,
                .path = path,
                .bytes = edited.text,
                .root = may == Writable::kNeedsRoot};
}

std::string NotFound(const std::string& name, const Place& place, const std::vector<EnvironmentFile>& files) {
  if (!place.environment_file.empty()) return place.environment_file + " does not set " + name + " so";
  const std::string shell(base::BaseName(Variable(place, "SHELL")));
  if (shell == "fish" || shell.ends_with("csh"))
    return "culprit does not edit the startup files of " + shell + "; edit them yourself";
  return "none of the " + std::to_string(files.size()) + " shell and login startup files sets " + name +
         " this way; it comes from whatever started this shell (a container, a service, a module, a job)";
}

// What the startup files read so far do with the variable.
struct Search {
  std::vector<Intent> intents;
  bool set = false;
  bool done = false;
  std::string maybe;  // a line that may set it and that culprit does not edit
};

// Never edits through a symlink, but must not ignore one that matters either.
base::Result<void> PassOverLink(const EnvironmentFile& file, const std::string& to,
                                const report::Change& change, const Place& place) {
  const auto target = OpenDirectory("", std::string(base::DirName(file.path)));
  const auto behind = FindSpot("", base::JoinPath(base::DirName(file.path), to));
  const auto text =
      behind ? ReadBytes(behind->directory.get(), behind->name, kTextLimit) : base::Result<std::string>("");
  if (target && (!text || Edit(*text, file.dialect, change, Variable(place, "HOME")).sets))
    return Fail(ErrorCode::kUnsupported, file.path + " is a symlink to " + to + ", which sets " +
                                             VariableOf(change) + ": edit that file");
  return {};
}

base::Result<void> SearchFile(const EnvironmentFile& file, const report::Change& change, const Place& place,
                              Search& search) {
  const auto spot = FindSpot("", file.path);
  if (!spot) return {};
  const auto standing = LookAt(spot->directory.get(), spot->name);
  if (!standing) return {};
  if (standing->kind == Standing::Kind::kLink) return PassOverLink(file, standing->target, change, place);
  if (standing->kind != Standing::Kind::kFile) return {};
  const auto text = ReadBytes(spot->directory.get(), spot->name, kTextLimit);
  if (!text) return Fail(ErrorCode::kUnsupported, file.path + " could not be read: " + text.error().message);
  const Edited edited = Edit(*text, file.dialect, change, Variable(place, "HOME"));
  if (!edited.refusal.empty())
    return Fail(ErrorCode::kUnsupported, file.path + ": " + edited.refusal + "; edit it yourself");
  if (!edited.maybe.empty()) search.maybe = file.path + ": " + edited.maybe;
  search.set = search.set || edited.sets;
  if (edited.text == *text) return {};
  auto intent = Rewrite(file.path, edited, change);
  if (!intent) return std::unexpected(intent.error());
  search.intents.push_back(std::move(*intent));
  // To set or add, the first place is enough.
  search.done = change.As<report::DropFromList>() == nullptr && change.As<report::UnsetVariable>() == nullptr;
  return {};
}

base::Result<Intent> AddLine(const EnvironmentFile& file, const report::Change& change) {
  const auto spot = FindSpot("", file.path);
  if (!spot) return std::unexpected(spot.error());
  const auto standing = LookAt(spot->directory.get(), spot->name);
  if (!standing) return std::unexpected(standing.error());
  if (standing->kind != Standing::Kind::kFile && standing->kind != Standing::Kind::kAbsent)
    return Fail(ErrorCode::kUnsupported, file.path + " is not a regular file: add the line yourself");
  const auto text = standing->kind == Standing::Kind::kAbsent
                        ? base::Result<std::string>("")
                        : ReadBytes(spot->directory.get(), spot->name, kTextLimit);
  if (!text) return std::unexpected(text.error());
  const Edited edited = Append(*text, file.dialect, change);
  if (!edited.refusal.empty()) return Fail(ErrorCode::kUnsupported, file.path + ": " + edited.refusal);
  return Rewrite(file.path, edited, change);
}

}  // namespace

base::Result<std::vector<Intent>> VariableIntents(const report::Change& change, const Place& place) {
  const std::string name = VariableOf(change);
  if (!place.root.empty() && place.environment_file.empty())
    return Fail(ErrorCode::kUnsupported, "no file in --root sets " + name + "; pass its value with --env");
  const auto files = Files(place);
  Search search;
  for (const EnvironmentFile& file : files) {
    if (const auto looked = SearchFile(file, change, place, search); !looked)
      return std::unexpected(looked.error());
    if (search.done) return search.intents;
  }
  auto& [intents, set, done, maybe] = search;
  if (!intents.empty() && !maybe.empty()) intents.back().text += " (also check " + maybe + ")";
  if (intents.empty() && !maybe.empty()) return Fail(ErrorCode::kUnsupported, maybe + "; edit it yourself");
  if (!intents.empty() || (set && change.As<report::DropFromList>() == nullptr)) return intents;
  const bool adds = change.As<report::SetVariable>() != nullptr || change.As<report::AddToList>() != nullptr;
  const EnvironmentFile file = adds ? ForNewLines(place) : EnvironmentFile{};
  if (file.path.empty()) return Fail(ErrorCode::kUnsupported, NotFound(name, place, files));
  auto intent = AddLine(file, change);
  if (!intent) return std::unexpected(intent.error());
  return std::vector{std::move(*intent)};
}

}  // namespace culprit::apply
