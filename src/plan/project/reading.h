// Shared by the readers of project files: results so far, limits, and how to store a requirement.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "plan/project/project.h"
#include "tree/tree.h"

namespace culprit::plan {

using tree::Node;

// What a requirement is for.
enum class Use {
  kInstall,
  kBound,    // holds for what is installed, and installs nothing
  kOverride  // a bound in place of what packages require
};

class Reading {
 public:
  Reading(const ProjectChoice& choice, const ReadBytes& read) : choice_(choice), read_(read) {}

  // Reads a file of any kind.
  base::Result<void> ReadFile(const std::string& path);
  // A requirements file; `constraints`: its lines bound what others install.
  base::Result<void> ReadRequirements(std::string_view bytes, const std::string& file, bool constraints);
  // "-r other.txt" in `file`.
  base::Result<void> Include(std::string_view name, const report::Origin& origin, bool constraints);
  // A line of a requirements file without its comment: a requirement or an option.
  base::Result<void> ReadLine(std::string_view line, const report::Origin& origin, bool constraints);

  // Keeps a requirement if its marker holds here.
  void Add(Dependency dependency, Use use = Use::kInstall);
  // The same for the text of a requirement; an error names its place.
  base::Result<void> AddText(std::string_view text, const report::Origin& origin, Use use = Use::kInstall);
  // Logins are left out, since reports are shown to others.
  void AddIndex(IndexKind kind, std::string_view address, const report::Origin& origin,
                std::vector<std::string> packages = {});
  void Note(const report::Origin& origin, const std::string& text);

  bool WantsExtra(const std::string& name) const;
  bool WantsGroup(const std::string& name) const;
  const base::MarkerFacts& facts() const { return choice_.facts; }
  Project& project() { return project_; }

 private:
  base::Result<std::string> Bytes(const std::string& path);
  base::Result<void> ReadOption(std::string_view line, const report::Origin& origin, bool constraints);

  const ProjectChoice& choice_;
  const ReadBytes& read_;
  Project project_;
  std::vector<std::string> open_;  // files that include each other
  uint64_t bytes_read_ = 0;
};

base::Result<void> ReadPyproject(Reading& reading, const Node& root, const std::string& file);
void ReadPoetry(Reading& reading, const Node& poetry, const std::string& file);
base::Result<void> ReadUvLock(Reading& reading, const Node& root, const std::string& file);
base::Result<void> ReadCondaEnvironment(Reading& reading, const Node& root, const std::string& file);

// "FILE:LINE: what is wrong"
std::unexpected<base::Error> WrongAt(const report::Origin& origin, const std::string& what);

}  // namespace culprit::plan
