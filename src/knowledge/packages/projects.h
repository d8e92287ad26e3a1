// data/projects.toml: packages that people install beside a framework: which wheels there are, and what they
// require of each other.
#pragma once

#include <span>
#include <string_view>

namespace culprit::knowledge {

// A row holds for each of its versions.
struct ProjectWheels {
  std::string_view package;                    // "transformers"
  std::span<const std::string_view> versions;  // "4.57.1", "2.8.3.post1"; oldest first
  std::string_view
      platform;  // as in Distribution; "source" = a source archive, and no wheel for all platforms
  std::span<const std::string_view> pythons;  // this and the next two as in Distribution
  std::string_view python;
  std::string_view glibc;
  std::string_view source;
};
std::span<const ProjectWheels> AllProjectWheels();  // by package

// Requirements under one condition. Every row that matches a version, its platform and its Python applies.
struct ProjectNeeds {
  std::string_view package;  // also one of distributions.toml, for what harvested.toml leaves out
  std::span<const std::string_view> versions;
  std::string_view extra;                       // "" = always
  std::span<const std::string_view> platforms;  // empty = all
  std::string_view python;                      // ">=3.10"; "" = all
  std::span<const std::string_view> needs;      // "torch<2.9,>=2.4", "transformer-engine[pytorch]"
  std::string_view source;
};
std::span<const ProjectNeeds> AllProjectNeeds();  // by package
// Unpacks the large tables about packages, which takes a third of the time of a plan: for a thread of its
// own.
void UnpackPackages();

std::span<const ProjectWheels> WheelsOf(std::string_view package);
std::span<const ProjectNeeds> NeedsOf(std::string_view package);

}  // namespace culprit::knowledge
