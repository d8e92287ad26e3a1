#include "plan/project/project.h"

#include <algorithm>

#include "base/text.h"
#include "plan/project/reading.h"

namespace culprit::plan {
namespace {

constexpr uint64_t kMostBytes = 32 << 20;
constexpr size_t kMostFiles = 64;
constexpr size_t kDeepestInclude = 10;
constexpr size_t kMostRequirements = 10'000;
constexpr size_t kMostNotes = 40;

std::string_view NameOfFile(std::string_view path) {
  return path.substr(path.find_last_of("/\\") == std::string_view::npos ? 0 : path.find_last_of("/\\") + 1);
}

bool HasLine(std::string_view bytes, std::string_view begin) {
  return bytes.starts_with(begin) || base::Contains(bytes, "\n" + std::string(begin));
}

}  // namespace

ProjectFileKind KindOfFile(std::string_view name, std::string_view bytes) {
  name = NameOfFile(name);
  const bool toml = name.ends_with(".toml") || name.ends_with(".lock");
  if (toml || HasLine(bytes, "[project]") || HasLine(bytes, "[tool."))
    return HasLine(bytes, "[[package]]") && !HasLine(bytes, "[project]") ? ProjectFileKind::kUvLock
                                                                         : ProjectFileKind::kPyproject;
  const bool yaml = name.ends_with(".yml") || name.ends_with(".yaml");
  return yaml || HasLine(bytes, "dependencies:") ? ProjectFileKind::kConda : ProjectFileKind::kRequirements;
}

bool LooksLikeProjectFile(std::string_view word) {
  if (word.find_first_of("=<>[]~!; ") != std::string_view::npos) return false;
  constexpr std::string_view kEndings[] = {".txt", ".in", ".toml", ".lock", ".yml", ".yaml"};
  const std::string_view name = NameOfFile(word);
  return std::ranges::any_of(kEndings, [&](std::string_view end) { return name.ends_with(end); });
}

base::Result<Project> ReadProject(const std::vector<std::string>& files, const ProjectChoice& choice,
                                  const ReadBytes& read) {
  Reading reading(choice, read);
  for (const std::string& file : files) {
    if (const auto done = reading.ReadFile(file); !done) return std::unexpected(done.error());
  }
  return std::move(reading.project());
}

std::unexpected<base::Error> WrongAt(const report::Origin& origin, const std::string& what) {
  return base::Fail(base::ErrorCode::kBadFormat,
                    base::Printable(origin.file) + ":" + std::to_string(origin.line) + ": " + what);
}

base::Result<std::string> Reading::Bytes(const std::string& path) {
  if (project_.files.size() >= kMostFiles)
    return base::Fail(base::ErrorCode::kTooLarge, "more than " + std::to_string(kMostFiles) + " files");
  auto bytes = read_(path, kLargestProjectFile);
  if (!bytes) return bytes;
  bytes_read_ += bytes->size();
  if (bytes_read_ > kMostBytes)
    return base::Fail(base::ErrorCode::kTooLarge,
                      base::Printable(path) + ": the files are too large in total");
  if (bytes->find('\0') != std::string::npos)
    return base::Fail(base::ErrorCode::kBadFormat, base::Printable(path) + ": not a UTF-8 text file");
  project_.files.push_back(path);
  return bytes;
}

namespace {

// A lock without its lists of files, which are most of it and take most of the time to parse. Lines stay
// where they are.
std::string WithoutFiles(std::string_view lock) {
  std::string rest;
  rest.reserve(lock.size());
  while (!lock.empty()) {
    const auto take_line = [](std::string_view& from) {
      const std::string_view line = from.substr(0, from.find('\n'));
      from.remove_prefix(std::min(from.size(), line.size() + 1));
      return line;
    };
    std::string_view line = take_line(lock);
    if (line == "wheels = [") {
      std::string_view after = lock;
      size_t lines = 1;
      std::string_view file = take_line(after);
      for (; file.starts_with("    { "); ++lines) file = take_line(after);
      if (file == "]") {
        rest.append(lines, '\n');
        lock = after;
        line = "";
      }
    }
    if (!line.starts_with("sdist = {")) rest += line;
    rest += '\n';
  }
  return rest;
}

}  // namespace

base::Result<void> Reading::ReadFile(const std::string& path) {
  const auto bytes = Bytes(path);
  if (!bytes) return std::unexpected(bytes.error());
  const ProjectFileKind kind = KindOfFile(path, *bytes);
  if (kind == ProjectFileKind::kRequirements) {
    open_ = {path};
    return ReadRequirements(*bytes, path, false);
  }
  const auto root = kind == ProjectFileKind::kConda    ? tree::ParseYaml(*bytes, path)
                    : kind == ProjectFileKind::kUvLock ? tree::ParseToml(WithoutFiles(*bytes), path)
                                                       : tree::ParseToml(*bytes, path);
  if (!root) return std::unexpected(root.error());
  switch (kind) {
    case ProjectFileKind::kUvLock:
      return ReadUvLock(*this, *root, path);
    case ProjectFileKind::kConda:
      return ReadCondaEnvironment(*this, *root, path);
    default:
      return ReadPyproject(*this, *root, path);
  }
}

base::Result<void> Reading::Include(std::string_view name, const report::Origin& origin, bool constraints) {
  if (name.find("://") != std::string_view::npos) {
    Note(origin, base::Printable(name) + " is not read: culprit does not use the network");
    return {};
  }
  const size_t slash = origin.file.find_last_of("/\\");
  const std::string directory = slash == std::string::npos ? "" : origin.file.substr(0, slash);
  const std::string path = base::JoinPath(directory, name);
  if (std::ranges::find(open_, path) != open_.end())
    return WrongAt(origin, base::Printable(path) + " includes itself");
  if (open_.size() >= kDeepestInclude) return WrongAt(origin, "files include each other too deeply");
  const auto bytes = Bytes(path);
  if (!bytes) return WrongAt(origin, bytes.error().message);
  if (constraints) project_.constraint_files.push_back(path);
  open_.push_back(path);
  auto done = ReadRequirements(*bytes, path, constraints);
  open_.pop_back();
  return done;
}

void Reading::Add(Dependency dependency, Use use) {
  // A marker that could not be decided is the installer's business.
  if (dependency.marker.find("python") != std::string::npos) project_.asks_python = true;
  if (base::Holds(dependency.marker, choice_.facts) == false) return;
  if (base::Printable(dependency.text) != dependency.text) {
    Note(dependency.origin,
         "'" + base::Printable(dependency.text) + "' is left out: it contains invisible characters");
    return;
  }
  std::vector<Dependency>& list = use == Use::kInstall ? project_.dependencies
                                  : use == Use::kBound ? project_.constraints
                                                       : project_.overrides;
  if (list.size() == kMostRequirements)
    Note(dependency.origin,
         "more than " + std::to_string(kMostRequirements) + " requirements; the rest is left out");
  if (list.size() <= kMostRequirements) list.push_back(std::move(dependency));
}

base::Result<void> Reading::AddText(std::string_view text, const report::Origin& origin, Use use) {
  auto dependency = ParseDependency(text);
  if (!dependency) return WrongAt(origin, dependency.error().message);
  dependency->origin = origin;
  Add(*std::move(dependency), use);
  return {};
}

std::string PublicIndexHost() { return std::string("pypi") + ".org"; }

void Reading::AddIndex(IndexKind kind, std::string_view address, const report::Origin& origin,
                       std::vector<std::string> packages) {
  std::string plain(address);
  const size_t host = plain.find("://") == std::string::npos ? 0 : plain.find("://") + 3;
  const size_t at = plain.find('@');
  const bool login = host > 0 && at != std::string::npos && at < plain.find('/', host);
  if (login) plain.erase(host, at + 1 - host);
  if (plain.substr(host, plain.find('/', host) - host) == PublicIndexHost()) return;  // pip asks it anyway
  if (login)
    Note(origin, "the login for " + base::Printable(plain) + " is not shown; pip can read it from ~/.netrc");
  project_.indexes.push_back({kind, std::move(plain), std::move(packages), origin});
}

void Reading::Note(const report::Origin& origin, const std::string& text) {
  if (project_.notes.size() < kMostNotes)
    project_.notes.push_back(base::Printable(origin.file) + ":" + std::to_string(origin.line) + ": " + text);
}

bool Reading::WantsExtra(const std::string& name) const {
  return std::ranges::any_of(choice_.extras,
                             [&](const std::string& one) { return one == name || one == "*"; });
}

bool Reading::WantsGroup(const std::string& name) const {
  return std::ranges::any_of(choice_.groups,
                             [&](const std::string& one) { return one == name || one == "*"; });
}

}  // namespace culprit::plan
