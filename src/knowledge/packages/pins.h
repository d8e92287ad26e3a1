// data/harvested.toml: which versions of other packages a package on the package index requires.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "base/version.h"
#include "knowledge/answer.h"

namespace culprit::knowledge {

struct Pin {
  std::string_view package;
  std::string_view version;                 // also "0.0.27.post2"
  std::string_view extra;                   // "and-cuda"; "" = without an extra
  std::span<const std::string_view> needs;  // "nvidia-cudnn-cu12==9.1.0.70"; only those that matter here
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

// nullptr if it is not in the table.
const Pin* FindPin(std::string_view package, std::string_view version, std::string_view extra = "");
// What a pin requires of a package: "==9.1.0.70" for "nvidia-cudnn-cu12"; "" = nothing.
std::string_view Requirement(const Pin& pin, std::string_view package);

// Specifiers that are read once and held against many versions.
class Specifiers {
 public:
  explicit Specifiers(std::string_view text);
  Verdict Meets(const base::Version& version) const;

 private:
  struct One {
    std::string_view sign;  // of a constant; "" = it cannot be parsed
    base::Version bound;
    bool prefix = false;  // "==2.5.*"
  };
  std::vector<One> all_;
};

// Whether a version satisfies "==2.5.1", ">=9.8,<10.0", "~=3.8.0", "!=1.2.*". kUnknown if it cannot be
// parsed.
Verdict Meets(const base::Version& version, std::string_view specifiers);
// Whether the first or the last patch release of a minor one satisfies them: ">=3.6.1" and "!=3.6.0" hold for
// some 3.6.
Verdict AdmitsMinor(std::string_view specifiers, const base::Version& minor);

// Whether any release of one requires the other, that is, whether the question makes sense.
bool AreRelated(std::string_view package, std::string_view other);
// Whether the tables have any version of the package.
bool IsPinned(std::string_view package);

// Whether two packages satisfy each other's requirements: torchvision 0.20.1 and torch 2.5.1.
Answer PackagesFit(std::string_view package, std::string_view version, std::string_view other,
                   std::string_view other_version);

}  // namespace culprit::knowledge
