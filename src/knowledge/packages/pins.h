// data/harvested.toml: which versions a package on the package index asks of others.
#pragma once

#include <span>
#include <string_view>

#include "base/version.h"
#include "knowledge/answer.h"

namespace culprit::knowledge {

struct Pin {
  std::string_view package;
  std::string_view version;                         // "0.0.27.post2" too
  std::string_view extra;                           // "and-cuda"; "" = without an extra
  std::string_view python;                          // ">=3.10"; "" = not said
  std::span<const std::string_view> python_wheels;  // of its Linux x86-64 wheels; empty = not one for each
  std::span<const std::string_view> needs;          // "nvidia-cudnn-cu12==9.1.0.70"; only what matters here
  std::string_view source;
};
std::span<const Pin> Pins();

// All versions of a distribution.
struct WheelVersions {
  std::string_view package;
  std::span<const std::string_view> versions;
  std::string_view source;
};
std::span<const WheelVersions> Wheels();

// nullptr when the table does not have it.
const Pin* FindPin(std::string_view package, std::string_view version, std::string_view extra = "");
// What a pin asks of a package: "==9.1.0.70" for "nvidia-cudnn-cu12"; "" = nothing.
std::string_view Requirement(const Pin& pin, std::string_view package);

// Whether a version meets "==2.5.1", ">=9.8,<10.0", "~=3.8.0", "!=1.2.*". kUnknown for what cannot be read.
Verdict Meets(const base::Version& version, std::string_view specifiers);

// Whether any release of one asks for the other: whether the question makes sense.
bool AreRelated(std::string_view package, std::string_view other);
// Whether the tables know the package by any version.
bool IsPinned(std::string_view package);

// Whether two packages ask for each other's versions: torchvision 0.20.1 and torch 2.5.1.
Answer PackagesFit(std::string_view package, std::string_view version, std::string_view other,
                   std::string_view other_version);

}  // namespace culprit::knowledge
