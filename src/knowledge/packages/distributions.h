// data/distributions.toml: which wheels of a package are on the package index, by platform and Python; and
// how old the tables are.
#pragma once

#include <span>
#include <string_view>

namespace culprit::knowledge {

struct Distribution {
  std::string_view package;                   // "torch", "nvidia-cudnn-cu12"
  std::string_view version;                   // "2.5.1"
  std::string_view platform;                  // "linux-x86_64", "linux-aarch64", "windows-x86_64", "any"
  std::span<const std::string_view> pythons;  // "3.9"; empty: one wheel for everything that `python` allows
  std::string_view python;  // Requires-Python, and the Python of an abi3 tag: ">=3.9"; "" = not given
  std::string_view glibc;   // of the manylinux tag: "2.28"; "" = not given
  std::string_view source;
};
std::span<const Distribution> Distributions();  // by package, then oldest version first

// A day on which the package index was read.
struct Harvest {
  std::string_view date;
  std::string_view source;
};
std::span<const Harvest> Harvests();

// All rows of one package.
std::span<const Distribution> DistributionsOf(std::string_view package);
std::span<const Distribution> DistributionsOf(std::string_view package, std::string_view version);

// The last day on which the package index was read: "2026-11-15".
std::string_view KnowledgeDate();

}  // namespace culprit::knowledge
