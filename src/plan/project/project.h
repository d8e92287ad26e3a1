// The requirements in project files: requirements.txt, pyproject.toml, uv.lock, environment.yml. Facts with
// file and line; nothing is decided here. Only the files that are named are read, through `ReadBytes`.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/python/pep508.h"
#include "plan/project/dependency.h"
#include "report/plan.h"

namespace culprit::plan {

constexpr uint64_t kLargestProjectFile = 16 << 20;  // a uv.lock of a large project has 2 MB

// The bytes of a regular file, at most `limit` of them.
using ReadBytes = std::function<base::Result<std::string>(const std::string& path, uint64_t limit)>;

enum class ProjectFileKind { kRequirements, kPyproject, kUvLock, kConda };
// By the name, and by the content where the name says nothing.
ProjectFileKind KindOfFile(std::string_view name, std::string_view bytes);
// Whether a word of the command line names a project file, not a package or an environment.
bool LooksLikeProjectFile(std::string_view word);

// The host of the index that pip asks when nobody names one; locks name it all the same.
std::string PublicIndexHost();

enum class IndexKind { kIndex, kExtraIndex, kFindLinks };
struct ProjectIndex {
  IndexKind kind = IndexKind::kIndex;
  std::string address;                  // without login
  std::vector<std::string> packages{};  // that come from it; empty: all that it has
  report::Origin origin{};
};

// A bound that stands by itself: requires-python, cudatoolkit=11.8.
struct ProjectBound {
  std::string specifiers;
  std::string text;  // "requires-python >=3.10"
  report::Origin origin{};
};

// What is asked of a file that has more than one list.
struct ProjectChoice {
  std::vector<std::string> extras;  // normalised; "*": all
  std::vector<std::string> groups;
  base::MarkerFacts facts{};
};

struct Project {
  std::vector<Dependency> dependencies;
  std::vector<Dependency> constraints;  // hold for what is installed, and install nothing
  std::vector<Dependency> overrides;    // uv: in place of what packages require
  std::vector<std::string> constraint_files;
  std::vector<ProjectIndex> indexes;
  std::vector<std::string> flags;  // options of pip that are passed on: "--pre"
  std::vector<ProjectBound> pythons;
  std::optional<ProjectBound> cuda;
  std::vector<std::string> channels;  // of conda
  std::vector<std::string> files;     // that were read, in that order
  std::vector<std::string> notes;
  bool conda = false;        // environment.yml: packages come from conda
  bool asks_python = false;  // a marker asks for the version of Python
};

base::Result<Project> ReadProject(const std::vector<std::string>& files, const ProjectChoice& choice,
                                  const ReadBytes& read);

}  // namespace culprit::plan
